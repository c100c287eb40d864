package protocol_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

var (
	suggestedTexts = protocol.Texts{Source: "源🙂文", Translation: "a🙂bcd"}
	suggestedSpans = []protocol.ErrorSpan{
		{ID: "x", Side: protocol.Target, Start: 1, End: 2, Text: "🙂", Severity: "minor"},
		{ID: "y", Side: protocol.Source, Start: 1, End: 3, Text: "🙂文", Severity: "major"},
		{ID: "z", Side: protocol.Target, Start: 4, End: 5, Text: "d", Severity: "minor", Comment: "?"},
	}
)

// as is a suggestion that was accepted, under the id of a mark.
func as(i int, change func(*protocol.ErrorSpan)) protocol.ErrorSpan {
	s := suggestedSpans[i]
	s.ID, s.Suggestion = "mark"+s.ID, s.ID
	if change != nil {
		change(&s)
	}
	return s
}

func TestDecide(t *testing.T) {
	rejected := func(ids ...string) (out []protocol.Outcome) {
		for _, id := range ids {
			out = append(out, protocol.Outcome{ID: id, Became: protocol.Rejected})
		}
		return out
	}
	own := protocol.ErrorSpan{ID: "s1", Side: protocol.Target, Start: 0, End: 1, Text: "a", Severity: "minor"}
	for name, tt := range map[string]struct {
		spans   []protocol.ErrorSpan
		said    []protocol.Outcome
		want    string
		wrong   string // field of a violation
		waiting int
	}{
		"nothing yet":                {nil, nil, "", "", 3},
		"a mark of one's own":        {[]protocol.ErrorSpan{own}, nil, "", "", 3},
		"in the order of suggestion": {[]protocol.ErrorSpan{as(2, nil), own, as(0, nil)}, rejected("y"), "x accepted, y rejected, z accepted", "", 0},
		"another severity":           {[]protocol.ErrorSpan{as(0, func(s *protocol.ErrorSpan) { s.Severity = "major" })}, nil, "x changed", "", 2},
		"another place":              {[]protocol.ErrorSpan{as(0, func(s *protocol.ErrorSpan) { s.End, s.Text = 3, "🙂b" })}, nil, "x changed", "", 2},
		"a comment":                  {[]protocol.ErrorSpan{as(0, func(s *protocol.ErrorSpan) { s.Comment = "!" })}, nil, "x changed", "", 2},
		"a comment less":             {[]protocol.ErrorSpan{as(2, func(s *protocol.ErrorSpan) { s.Comment = "" })}, nil, "z changed", "", 2},
		"a span outweighs":           {[]protocol.ErrorSpan{as(0, nil)}, rejected("x", "z"), "x accepted, z rejected", "", 1},
		// Only a span can say so.
		"accepted in words only": {nil, []protocol.Outcome{{ID: "x", Became: protocol.Accepted}}, "", "", 3},
		"none of these":          {[]protocol.ErrorSpan{as(0, func(s *protocol.ErrorSpan) { s.Suggestion = "q" })}, nil, "", "spans[0].suggestion", 3},
		"rejected, none of them": {nil, rejected("x", "q"), "x rejected", "suggestions[1].id", 2},
		"twice":                  {[]protocol.ErrorSpan{as(0, nil), as(0, nil)}, nil, "x accepted", "spans[1].suggestion", 2},
	} {
		t.Run(name, func(t *testing.T) {
			r, bad := protocol.Decide(suggestedSpans, protocol.Rating{Spans: tt.spans, Suggestions: tt.said, Comment: "c"})
			var got []string
			for _, o := range r.Suggestions {
				got = append(got, fmt.Sprint(o.ID, " ", o.Became))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("became %q, want %q", text, tt.want)
			}
			if (len(bad) > 0) != (tt.wrong != "") || len(bad) > 0 && bad[0].Field != tt.wrong {
				t.Errorf("violations %+v, want one of %q", bad, tt.wrong)
			}
			if n := protocol.Undecided(suggestedSpans, r); n != tt.waiting {
				t.Errorf("%d undecided, want %d", n, tt.waiting)
			}
			if again, _ := protocol.Decide(suggestedSpans, r); !reflect.DeepEqual(again, r) {
				t.Errorf("decided again %+v, want %+v", again, r)
			}
			if tt.wrong == "" && len(protocol.CheckOutcomes(r)) > 0 {
				t.Errorf("contradicts itself: %+v", protocol.CheckOutcomes(r))
			}
		})
	}
}

func TestCheckOutcomes(t *testing.T) {
	for name, tt := range map[string]struct {
		said  []protocol.Outcome
		wrong string
	}{
		"right":          {[]protocol.Outcome{{ID: "x", Became: protocol.Changed}, {ID: "y", Became: protocol.Rejected}}, ""},
		"not said":       {nil, "spans[0].suggestion"},
		"rejected":       {[]protocol.Outcome{{ID: "x", Became: protocol.Rejected}}, "suggestions[0].became"},
		"without a span": {[]protocol.Outcome{{ID: "x", Became: protocol.Accepted}, {ID: "y", Became: protocol.Accepted}}, "suggestions[1].became"},
		"twice":          {[]protocol.Outcome{{ID: "x", Became: protocol.Accepted}, {ID: "x", Became: protocol.Accepted}}, "suggestions[1].id"},
		"another word":   {[]protocol.Outcome{{ID: "x", Became: protocol.Accepted}, {ID: "y", Became: "kept"}}, "suggestions[1].became"},
		"no id":          {[]protocol.Outcome{{ID: "x", Became: protocol.Accepted}, {Became: protocol.Rejected}}, "suggestions[1].id"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := protocol.CheckOutcomes(protocol.Rating{Spans: []protocol.ErrorSpan{as(0, nil)}, Suggestions: tt.said})
			if (len(bad) > 0) != (tt.wrong != "") || len(bad) > 0 && bad[0].Field != tt.wrong {
				t.Errorf("violations %+v, want one of %q", bad, tt.wrong)
			}
		})
	}
}

func TestCheckSuggestions(t *testing.T) {
	esa, _ := protocol.Lookup("esa")
	if bad := esa.CheckSuggestions(suggestedSpans, suggestedTexts); len(bad) > 0 {
		t.Errorf("sound suggestions: %+v", bad)
	}
	if bad := esa.CheckSuggestions(nil, suggestedTexts); len(bad) > 0 {
		t.Errorf("none at all: %+v", bad)
	}
	own := esa.With(protocol.Options{Own: protocol.Own{Severities: []string{"grave"}, Categories: []string{"Rhyme"}}})
	for name, tt := range map[string]struct {
		change func(*protocol.ErrorSpan)
		wrong  string
	}{
		"severity of none":      {func(s *protocol.ErrorSpan) { s.Severity = "critical" }, "spans[1].severity"},
		"no severity":           {func(s *protocol.ErrorSpan) { s.Severity = "" }, "spans[1].severity"},
		"severity of an import": {func(s *protocol.ErrorSpan) { s.Severity = "grave" }, "spans[1].severity"},
		"category of an import": {func(s *protocol.ErrorSpan) { s.Category = "Rhyme" }, "spans[1].category"},
		"outside":               {func(s *protocol.ErrorSpan) { s.End = 4 }, "spans[1].end"},
		"other words":           {func(s *protocol.ErrorSpan) { s.Text = "文" }, "spans[1].text"},
		"no words":              {func(s *protocol.ErrorSpan) { s.End, s.Text = 1, "" }, "spans[1].end"},
		"no id":                 {func(s *protocol.ErrorSpan) { s.ID = "" }, "spans[1].id"},
		"id twice":              {func(s *protocol.ErrorSpan) { s.ID = "x" }, "spans[1].id"},
		"a link":                {func(s *protocol.ErrorSpan) { s.Link = "x" }, "spans[1].link"},
	} {
		t.Run(name, func(t *testing.T) {
			spans := slices.Clone(suggestedSpans)
			tt.change(&spans[1])
			bad := own.CheckSuggestions(spans, suggestedTexts)
			if len(bad) == 0 || bad[0].Field != tt.wrong {
				t.Errorf("violations %+v, want one of %q", bad, tt.wrong)
			}
		})
	}
	sqm, _ := protocol.Lookup("sqm")
	if bad := sqm.CheckSuggestions(suggestedSpans, suggestedTexts); len(bad) != 1 || bad[0].Field != "spans" {
		t.Errorf("SQM takes suggestions: %+v", bad)
	}
}

// TestDecideAnything: whatever is accepted, changed and rejected, every suggestion
// is told once, and what is told fits the spans.
func TestDecideAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		text := strings.Repeat("é🙂a", 1+r.IntN(4))
		n := codepoint.Len(text)
		var suggested []protocol.ErrorSpan
		want := map[string]protocol.Became{}
		var given protocol.Rating
		for i := range r.IntN(6) {
			s := protocol.ErrorSpan{ID: fmt.Sprint(i), Side: protocol.Target, Start: r.IntN(n), Severity: "minor"}
			s.End = s.Start + 1 + r.IntN(n-s.Start)
			s.Text, _ = codepoint.Slice(text, s.Start, s.End)
			suggested = append(suggested, s)
			mark := s
			mark.ID, mark.Suggestion = fmt.Sprint("m", i), s.ID
			switch r.IntN(4) {
			case 0:
				given.Spans, want[s.ID] = append(given.Spans, mark), protocol.Accepted
			case 1:
				mark.Severity = "major"
				given.Spans, want[s.ID] = append(given.Spans, mark), protocol.Changed
			case 2:
				given.Suggestions, want[s.ID] = append(given.Suggestions, protocol.Outcome{ID: s.ID, Became: protocol.Rejected}), protocol.Rejected
			}
		}
		r.Shuffle(len(given.Spans), func(i, j int) { given.Spans[i], given.Spans[j] = given.Spans[j], given.Spans[i] })
		got, bad := protocol.Decide(suggested, given)
		if len(bad)+len(protocol.CheckOutcomes(got)) > 0 || protocol.Undecided(suggested, got) != len(suggested)-len(want) {
			t.Fatalf("%+v of %+v: %v, %v", got, suggested, bad, protocol.CheckOutcomes(got))
		}
		for _, o := range got.Suggestions {
			if want[o.ID] != o.Became {
				t.Fatalf("%s %s, want %s", o.ID, o.Became, want[o.ID])
			}
		}
	}
}
