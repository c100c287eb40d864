package rate

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/exchange"
	"annotate/internal/exchange/exchangetest"
	"annotate/internal/export"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

// collect reads files to their end.
func collect(t testing.TB, p *protocol.Protocol, opt ingest.Options, files []exchange.File) (out []campaign.SegmentLine, problems []string) {
	t.Helper()
	for line, err := range Format.Read(files, p, opt) {
		if _, ok := err.(*campaign.Problem); ok { //nolint:errorlint // problems are yielded as they are
			problems = append(problems, err.Error())
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out, problems
}

const published = `{"annotator":"9f86d081884c7d65","doc_id":"news_17","doc_num":4,"line_id":217,"domain":"news","system":"refA","source":"Two 🙂 words.","translation":"Zwei 🙂 Worte.","score_accuracy":70,"score_fluency":100.0,"score_style":90,"rate":5,"rate_mqm":6,"rate_esa":85,"spans":[{"start":5,"end":6,"text":"🙂","severity":4,"category":"named entity"},{"start":0,"end":3,"side":"source","severity":1,"category":null}]}
`

func TestRead(t *testing.T) {
	notes := &ingest.Notes{}
	got, problems := collect(t, exchangetest.Protocol(t, "rate"), ingest.Options{Notes: notes},
		exchangetest.Files("a", published+strings.NewReplacer("refA", "B", "Zwei", "", "70", "60", `"rate":5,"rate_mqm":6,"rate_esa":85`, `"adjudicated":true`, `{"start":5,"end":6,"text":"🙂","severity":4,"category":"named entity"},`, "").Replace(published),
			"b", strings.NewReplacer("9f86", "8e75", "doc_id", "extra", "217", `"3"`).Replace(published)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	spans := []protocol.ErrorSpan{
		{Side: protocol.Target, Start: 5, End: 6, Text: "🙂", Severity: "4", Category: "Named entity"},
		{Side: protocol.Source, Start: 0, End: 3, Text: "Two", Severity: "1"},
	}
	rated := func(annotator string, accuracy float64, round int, spans []protocol.ErrorSpan) campaign.Rating {
		return campaign.Rating{Annotator: annotator, Round: round, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": accuracy, "fluency": 100}, Spans: spans}}
	}
	adjudication := rated("9f86d081884c7d65", 60, 0, spans[1:])
	want := []campaign.Segment{
		{DocID: "news_17", SegmentID: "217", Domain: "news", Source: "Two 🙂 words.", Translations: []campaign.Translation{
			{System: "B", Text: " 🙂 Worte.", Adjudication: &adjudication},
			{System: "refA", Text: "Zwei 🙂 Worte.", Ratings: []campaign.Rating{rated("9f86d081884c7d65", 70, 1, spans)}},
		}},
		{DocID: "4", SegmentID: "3", Domain: "news", Source: "Two 🙂 words.", Translations: []campaign.Translation{
			{System: "refA", Text: "Zwei 🙂 Worte.", Ratings: []campaign.Rating{rated("8e75d081884c7d65", 70, 1, spans)}},
		}},
	}
	for i, line := range got {
		if i >= len(want) || !reflect.DeepEqual(line.Segment, want[i]) {
			t.Errorf("got %+v, want %+v", line.Segment, want[i])
		}
	}
	if len(got) != len(want) || got[0].PlaceOf(campaign.Row{System: "B"}).Line != 2 || got[1].File != "b" {
		t.Errorf("got %d segments: %+v", len(got), got)
	}
	var said []string
	for _, n := range notes.List {
		said = append(said, n.String())
	}
	for _, note := range []string{
		`3 keys "score_style" that the format does not have, ignored, first at a:1`,
		`2 ratings with another "rate_mqm" than their errors and scores give, which count here, first at a:1`,
	} {
		if !slices.Contains(said, note) {
			t.Errorf("no note %q among %q", note, said)
		}
	}
	if slices.ContainsFunc(said, func(note string) bool { return strings.Contains(note, `"rate_esa"`) }) {
		t.Errorf("a score that is right is noted: %q", said)
	}
}

func TestProblems(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"no score":         {`"score_accuracy":70,`, ``, "f:1: score_accuracy: missing; give a whole number from 0 to 100"},
		"score too high":   {`70`, `101`, "score_accuracy: Accuracy must be a whole number from 0 to 100, not 101"},
		"no line":          {`"line_id":217,`, ``, "f:1: line_id: missing"},
		"no document":      {`"doc_id":"news_17","doc_num":4,`, ``, "f:1: doc_id: missing"},
		"no translation":   {`"translation":"Zwei 🙂 Worte."`, `"translation":null`, "translation: missing"},
		"beyond the text":  {`"end":3`, `"end":30`, "spans[1].end: 30 lies outside the source"},
		"other words":      {`"text":"🙂"`, `"text":"x"`, `spans[0].text: says "x", but characters 5 to 6 of the translation are "🙂"`},
		"bad login":        {`9f86`, `a b`, "annotator: "},
		"twice":            {`"line_id":217`, `"line_id":217,"line_id":218`, "line_id: given twice"},
		"NaN":              {`70`, `NaN`, "there is no NaN"},
		"cut off":          {`]}`, ``, "the line ends in the middle"},
		"ratings":          {published, `{"segment_id":"1","system":"A","annotator":"lin","scores":{"accuracy":1,"fluency":2}}`, "this looks like ratings"},
		"an array of them": {published, "[" + published + "]", "is one JSON array"},
		"nothing":          {published, "", "no rate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := collect(t, exchangetest.Protocol(t, "rate"), ingest.Options{}, exchangetest.Files("f", strings.Replace(published, tt.old, tt.new, 1)))
			if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
				t.Errorf("got %q, want %q", problems, tt.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	cut := published[:strings.Index(published, "words")]
	for _, tt := range []struct {
		head string
		want bool
	}{
		{published, true}, {cut, true}, {"\ufeff\n" + published, true},
		{"", false}, {"[" + published + "]", false}, {"system\tdoc\n", false}, {`{"line_id"`, false},
		{`{"segment_id":"1","system":"A","annotator":"lin","scores":{}}`, false},
		{`{"doc_id":"d","segment_id":"1","source":"x","translations":{}}`, false},
	} {
		if got := Format.Is([]exchange.Head{{Name: "a.jsonl", Bytes: []byte(tt.head)}}); got != tt.want {
			t.Errorf("%q: got %v", tt.head, got)
		}
	}
}

// TestRoundTrip checks that writing what was read gives the same bytes, and reading it the same ratings.
func TestRoundTrip(t *testing.T) {
	p := exchangetest.Protocol(t, "rate")
	for seed := range uint64(300) {
		g := exchangetest.New(seed)
		var want []campaign.Segment
		for doc := range 1 + g.IntN(3) {
			for i := range 1 + g.IntN(3) {
				s := campaign.Segment{DocID: fmt.Sprintf("d/%d 🙂#", doc), SegmentID: fmt.Sprint(i + 1), Domain: []string{"", "news | x"}[doc%2], SourceLang: "en", TargetLang: "he", Source: "x" + g.Text(8), Status: campaign.Ungated, Round: 1}
				for _, system := range []string{"A#+", "B /\\"} {
					tr := campaign.Translation{System: system, Text: g.Text(8)}
					for _, login := range []string{"a+b", "ünal", "小林"}[:1+g.IntN(3)] {
						tr.Ratings = append(tr.Ratings, randomRating(g, p, login, protocol.Texts{Source: s.Source, Translation: tr.Text}))
					}
					if g.IntN(4) == 0 {
						r := tr.Ratings[0]
						r.Annotator, r.Round = "judge", 0
						tr.Ratings, tr.Adjudication = nil, &r
					}
					s.Translations = append(s.Translations, tr)
				}
				want = append(want, s)
			}
		}
		first := written(t, p, want)
		lines, problems := collect(t, p, ingest.Options{SourceLang: "en", TargetLang: "he", Systems: []string{"A#+", "B /\\"}}, exchangetest.Files("f", first))
		if len(problems) > 0 {
			t.Fatalf("seed %d: %q\n%s", seed, problems, first)
		}
		var got []campaign.Segment
		for _, line := range lines {
			s := line.Segment
			s.Status, s.Round = campaign.Ungated, 1
			got = append(got, s)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, got, want)
		}
		if again := written(t, p, got); again != first {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, again, first)
		}
	}
}

func written(t *testing.T, p *protocol.Protocol, segments []campaign.Segment) string {
	t.Helper()
	var out bytes.Buffer
	notes, err := export.Rate(&out, p, func(yield func(campaign.Segment, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
	})
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	return out.String()
}

func randomRating(g exchangetest.Generator, p *protocol.Protocol, login string, texts protocol.Texts) campaign.Rating {
	r := campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"accuracy": float64(g.IntN(101)), "fluency": float64(g.IntN(101))}}}
	for i := range g.IntN(4) {
		s := protocol.ErrorSpan{ID: fmt.Sprint("s", i), Side: protocol.Target, Severity: p.Spans.Severities[g.IntN(5)].ID, Comment: g.Text(2)}
		of := texts.Translation
		if g.IntN(3) == 0 {
			s.Side, of = protocol.Source, texts.Source
		}
		n := codepoint.Len(of)
		s.Start = g.IntN(n + 1)
		s.End = s.Start + g.IntN(n-s.Start+1)
		s.Text, _ = codepoint.Slice(of, s.Start, s.End)
		s.Category = p.Spans.Categories[g.IntN(len(p.Spans.Categories))].Name
		if i > 0 {
			s.Link = fmt.Sprint("s", i-1)
		}
		r.Spans = append(r.Spans, s)
	}
	return r
}

func FuzzRead(f *testing.F) {
	f.Add(published + published)
	f.Add(strings.Replace(published, "Zwei", "Drei", 1) + published)
	f.Add(`{"annotator":1,"doc_num":1,"line_id":2e0,"system":3,"source":"x","translation":"","score_accuracy":-0,"score_fluency":1e1,"spans":[{"start":0,"end":0,"severity":"Own","link":"9"}],"rate":1e999}`)
	f.Add("{\n[" + strings.Repeat(`{"line_id":[`, 300))
	p := exchangetest.Protocol(f, "rate")
	f.Fuzz(func(t *testing.T, text string) {
		is(exchange.Head{Bytes: []byte(text)})
		lines, problems := collect(t, p, ingest.Options{MaxLine: 4096, Notes: &ingest.Notes{}}, exchangetest.Files("f", text))
		if len(lines)+len(problems) == 0 {
			t.Fatal("nothing came out, and nothing was said")
		}
		for _, line := range lines {
			for _, tr := range line.Segment.Translations {
				for _, r := range tr.Ratings {
					for _, s := range r.Spans {
						if _, bad := (protocol.Texts{Source: line.Segment.Source, Translation: tr.Text}).Place(s); bad != nil {
							t.Fatalf("%s: %s", bad.Field, bad.Msg)
						}
					}
				}
			}
		}
	})
}
