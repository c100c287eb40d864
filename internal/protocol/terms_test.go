package protocol

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// term is a term of the source at a place, in a category.
func term(id string, start, end int, category string, answers map[string]string) ErrorSpan {
	return ErrorSpan{ID: id, Side: Source, Start: start, End: end, Category: category, Answers: answers}
}

func TestCheckTerms(t *testing.T) {
	terms, culture := lookup(t, "terms"), lookup(t, "culture")
	texts := Texts{Source: "ab cd", Reference: "ef gh"}
	given := Texts{Source: "ab cd", Translation: "xy", Given: []ErrorSpan{term("g1", 0, 2, "Social", nil)}}
	explained := map[string]string{"explication": "e"}
	edit := func(change func(*ErrorSpan)) []ErrorSpan {
		s := term("a", 0, 2, "Material", explained)
		change(&s)
		return []ErrorSpan{s}
	}
	for _, tt := range []struct {
		what  string
		p     *Protocol
		t     Texts
		spans []ErrorSpan
		want  string // of what is wrong or, with "needs", missing
	}{
		{"whole", terms, texts, edit(func(*ErrorSpan) {}), ""},
		{"none", terms, texts, nil, `needs a term, or "no terms"`},
		{"no explication", terms, texts, edit(func(s *ErrorSpan) { s.Answers = nil }), "needs an answer to “Explication” for \"ab\""},
		{"no category", terms, texts, edit(func(s *ErrorSpan) { s.Category = "" }), "needs a category for \"ab\""},
		{"severity", terms, texts, edit(func(s *ErrorSpan) { s.Severity = "minor" }), "spans[0].severity: terms have no severity; leave it out"},
		{"in the translation", terms, texts, edit(func(s *ErrorSpan) { s.Side, s.End = Target, 0 }), `spans[0].side: must be "source" or "reference": the card is a segment, which has no translation`},
		{"no such question", terms, texts, edit(func(s *ErrorSpan) { s.Answers = map[string]string{"gloss": "g"} }), `spans[0].answers.gloss: a term has no question named "gloss"`},
		{"asked in the reference", terms, texts, edit(func(s *ErrorSpan) { s.Side = Reference }), "spans[0].answers: only terms in the source have questions; leave the answers out"},
		{"counterpart", terms, texts, append(edit(func(s *ErrorSpan) { s.Link = "b" }), ErrorSpan{ID: "b", Side: Reference, Start: 3, End: 5, Category: "Material"}), ""},
		{"linked to nothing", terms, texts, edit(func(s *ErrorSpan) { s.Link = "b" }), "spans[0].link: the term that \"ab\" is linked to does not exist, or was removed; choose another one, or remove the link"},
		{"no reference", terms, Texts{Source: "ab cd"}, edit(func(s *ErrorSpan) { s.Side, s.Answers = Reference, nil }), `spans[0].side: must be "source" or "target", not "reference"`},
		{"errors are not in the reference", lookup(t, "esa"), Texts{Source: "ab", Translation: "ab", Reference: "ab"}, []ErrorSpan{{ID: "a", Side: Reference, End: 1, Severity: "minor"}}, `spans[0].side: must be "source" or "target", not "reference"`},
		{"errors have no questions", lookup(t, "esa"), Texts{Source: "ab", Translation: "ab"}, []ErrorSpan{{ID: "a", Side: Source, End: 1, Severity: "minor", Answers: explained}}, "spans[0].answers: errors have no questions; leave the answers out"},

		{"rendered", culture, given, []ErrorSpan{term("g1", 0, 2, "Social", map[string]string{"rendered": "yes"})}, ""},
		{"not rendered", culture, given, []ErrorSpan{term("g1", 0, 2, "Social", map[string]string{"rendered": "no"})}, "needs an answer to “What is wrong?” for \"ab\""},
		{"another term", culture, given, []ErrorSpan{term("g1", 3, 5, "Social", nil)}, "spans[0].start: characters 3 to 5 of the source are not one of the segment's given terms; answer for these and mark no others"},
		{"no such answer", culture, given, []ErrorSpan{term("g1", 0, 2, "Social", map[string]string{"rendered": "perhaps"})}, `spans[0].answers.rendered: Rendered? has no answer "perhaps"; choose one of: yes, no`},
	} {
		r := Rating{Spans: tt.spans, Scores: map[string]float64{}}
		var got []string
		for _, v := range tt.p.Check(r, tt.t) {
			got = append(got, v.Field+": "+v.Msg)
		}
		if len(got) == 0 {
			for i, s := range r.Spans {
				r.Spans[i], _ = tt.t.Place(s)
			}
			if needs := tt.p.Missing(r); needs != "" {
				got = append(got, "needs "+needs)
			}
		}
		if !slices.Contains(append(got, strings.Repeat("-", len(got))), tt.want) {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}

// TestReadTermsRefused: files whose layer of terms is wrong.
func TestReadTermsRefused(t *testing.T) {
	file := func(id string) string {
		text, err := files.ReadFile("builtin/" + id + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, tt := range []struct{ id, old, new, want string }{
		{"terms", `"layer": "terms"`, `"layer": "words"`, "spans.layer: must be errors or terms"},
		{"terms", `"links": true`, `"severities": [{"id": "minor", "name": "Minor", "text": ""}]`, "spans.severities: terms have no severity; leave it out"},
		{"terms", `"kind": "text", "required": true`, `"kind": "number", "min": 0, "max": 1`, "spans.questions[0].kind: a question about a term must be a choice with one answer, or a text that begins empty"},
		{"terms", `"name": "equivalent"`, `"name": "explication"`, `spans.questions[1].name: "explication" is given twice`},
		{"terms", `"unit": "segment"`, `"given": "terms", "unit": "segment"`, "given: given terms are judged in translations; set unit to translation, or leave given out"},
		{"culture", `"is": ["yes"]`, `"is": ["maybe"]`, `derived[0].share.is[0]: rendered has no answer "maybe"`},
		{"culture", `{"question": "rendered", "is": ["yes"]}`, `{"question": "meaning", "is": ["yes"]}`, "derived[0].share.question: must be the name of a choice among spans.questions"},
		{"culture", `"gate": "share"`, `"gate": "shares"`, `gate: there is no score or question "shares"`},
	} {
		text := strings.Replace(file(tt.id), tt.old, tt.new, 1)
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s: %v, want %s", tt.id, tt.new, err, tt.want)
		}
	}
}

func TestTakeGiven(t *testing.T) {
	p := lookup(t, "culture")
	given := []ErrorSpan{
		{ID: "g1", Side: Source, Start: 0, End: 2, Text: "ab", Category: "Social", Link: "g3", Answers: map[string]string{"explication": "e"}},
		{ID: "g2", Side: Source, Start: 3, End: 5, Text: "cd", Category: "Material"},
		{ID: "g3", Side: Reference, Start: 0, End: 2, Text: "xy", Category: "Social"},
	}
	r := p.TakeGiven(Rating{Spans: []ErrorSpan{{ID: "s9", Side: Source, Start: 3, End: 5, Answers: map[string]string{"rendered": "no", "error": "omission"}, Comment: "c"}}}, given)
	want := []ErrorSpan{
		{ID: "g1", Side: Source, Start: 0, End: 2, Text: "ab", Category: "Social"},
		{ID: "g2", Side: Source, Start: 3, End: 5, Text: "cd", Category: "Material", Answers: map[string]string{"rendered": "no", "error": "omission"}, Comment: "c"},
	}
	if !slices.EqualFunc(r.Spans, want, ErrorSpan.Equal) {
		t.Errorf("the spans are %+v", r.Spans)
	}
	if share, ok := p.GateScore(r); share != 0 || !ok {
		t.Errorf("the share of the one that is answered is %v, %t", share, ok)
	}
	r.Spans[0].Answers = map[string]string{"rendered": "yes", "error": "omission"}
	if share, _ := p.GateScore(r); share != 0.5 {
		t.Errorf("the share is %v", share)
	}
	if r = p.Finished(r, Texts{}); len(r.Spans[0].Answers) != 1 || len(r.Spans[1].Answers) != 2 {
		t.Errorf("an error of a rendered term stays, or that of another is lost: %+v", r.Spans)
	}
	if _, ok := p.GateScore(Rating{}); ok {
		t.Error("a segment without terms has a share")
	}
}

// TestGoldTerms: of three annotators, with everything that can differ.
func TestGoldTerms(t *testing.T) {
	say := func(explication, equivalent string) map[string]string {
		return map[string]string{"explication": explication, "equivalent": equivalent}
	}
	link := func(s ErrorSpan, to string) ErrorSpan {
		s.Link = to
		return s
	}
	ref := func(id string, start, end int) ErrorSpan {
		return ErrorSpan{ID: id, Side: Reference, Start: start, End: end, Category: "Social"}
	}
	a := []ErrorSpan{link(term("s1", 0, 2, "Social", say("same", "x")), "s2"), ref("s2", 0, 4), term("s3", 3, 5, "Material", nil), term("s4", 6, 9, "Social", say("only", ""))}
	b := []ErrorSpan{ref("s1", 0, 4), link(term("s2", 0, 2, "Social", say("same", "y")), "s1"), term("s3", 3, 5, "Social", nil), term("s4", 6, 8, "Social", nil)}
	c := []ErrorSpan{term("s1", 6, 9, "Social", nil), term("s2", 0, 2, "Social", nil)}
	words := func(terms []ErrorSpan) string {
		var out []string
		for _, s := range terms {
			out = append(out, fmt.Sprintf("%s %s %d-%d %s %v %s", s.ID, s.Side, s.Start, s.End, s.Category, s.Answers, s.Link))
		}
		return strings.Join(out, "; ")
	}
	for _, tt := range []struct {
		given [][]ErrorSpan
		want  string
	}{
		{[][]ErrorSpan{a, b, c}, "t1 source 0-2 Social map[explication:same] t3; t2 source 6-9 Social map[explication:only] ; t3 reference 0-4 Social map[] "},
		{[][]ErrorSpan{a, b}, "t1 source 0-2 Social map[explication:same] t2; t2 reference 0-4 Social map[] "},
		{[][]ErrorSpan{a, nil}, ""}, // one of two is no majority
		{[][]ErrorSpan{c}, "t1 source 0-2 Social map[] ; t2 source 6-9 Social map[] "},
		{nil, ""},
	} {
		if got := words(GoldTerms(tt.given)); got != tt.want {
			t.Errorf("%d annotators: %s\nwant %s", len(tt.given), got, tt.want)
		}
	}
}
