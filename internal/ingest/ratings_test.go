package ingest

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func TestRatings(t *testing.T) {
	data := "\ufeff" + `{"doc_id":"d","segment_id":"s","system":"Aster","annotator":"lin","round":2,"scores":{"sqm":3},"spans":[],"comment":"a\r\nb 🙂","seconds":12.5,"submitted_at":"2026-11-20T10:30:00.1234567+02:00","extra":{}}` + "\r\n\r\n" +
		`{"segment_id":12,"system":3,"annotator":7,"scores":{"sqm":4.0},"spans":null,"doc_id":null,"comment":null,"seconds":null,"submitted_at":null,"round":null}`
	got, problems, err := collect(Ratings(strings.NewReader(data), builtin(t, "sqm"), Options{Systems: []string{"3", "Aster"}}))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	diff(t, got, []campaign.RatingLine{
		{Place: campaign.Place{Line: 1}, DocID: "d", SegmentID: "s", System: "Aster", Rating: campaign.Rating{
			Annotator: "lin", Round: 2, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 3}, Comment: "a\r\nb 🙂"}, Seconds: 12.5,
			SubmittedAt: time.Date(2026, 11, 20, 8, 30, 0, 123456000, time.UTC),
		}},
		{Place: campaign.Place{Line: 3}, SegmentID: "12", System: "3", Rating: campaign.Rating{
			Annotator: "7", Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": 4}},
		}},
	})
}

// A severity is the protocol's where it is one of its numbers, also if the
// campaign has the text as a severity of its own.
func TestNumericSeverity(t *testing.T) {
	rate := builtin(t, "rate").With(protocol.Options{Own: protocol.Own{Severities: []string{"5.0", "7"}}})
	for text, want := range map[string]string{"5.0": "5", "5": "5", "\t5": "5", "7": "7", "7.0": "7.0", "": "", "grave": "grave"} {
		if got := numericSeverity(rate, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := numericSeverity(builtin(t, "mqm"), "5.0"); got != "5.0" {
		t.Errorf("mqm has no numbers, got %q", got)
	}
}

// A zero is never negative, however it is written.
func TestRatingsZero(t *testing.T) {
	for _, zero := range []string{"-0", "-0.0", "-0e5", "-1e-999"} {
		got, problems, err := collect(Ratings(strings.NewReader(`{"segment_id":1,"system":"A","annotator":"lin","scores":{"sqm":`+zero+`},"seconds":`+zero+`}`), builtin(t, "sqm"), Options{}))
		if err != nil || len(problems) > 0 || len(got) != 1 {
			t.Fatal(zero, got, problems, err)
		}
		r := got[0].Rating
		if x := r.Scores["sqm"]; x != 0 || math.Signbit(x) || r.Seconds != 0 || math.Signbit(r.Seconds) {
			t.Errorf("%s is read as %v and %v", zero, x, r.Seconds)
		}
	}
}

func TestRatingsRefused(t *testing.T) {
	line := func(rest string) string {
		return `{"segment_id":"s","system":"A","annotator":"lin",` + rest + `}`
	}
	scored := func(rest string) string { return line(`"scores":{"sqm":3},` + rest) }
	p := builtin(t, "sqm")
	for _, tt := range []refusal{
		refuse("an empty file", "", "the file has no ratings; check that it is the right file, and that it was saved with its content"),
		refuse("blank lines", "\n\n", "the file has no ratings; check that it is the right file, and that it was saved with its content"),
		refuse("not JSON", "\n‸x", "‸ not JSON: expected a value, not 'x'"),
		refuse("a line too long", scored(`"comment":"`+strings.Repeat("x", 100)+`"`)+"\n"+scored(`"round":1`), "1: the line is longer than 100 bytes, the most that is read; shorten or divide its texts").under(Options{MaxLine: 100}),
		refuse("nothing required", `{}`,
			"1: segment_id: missing; give the id of the segment",
			"1: system: missing; give the name of the system",
			"1: annotator: missing; give the login of the annotator",
			`1: scores: missing; a rating needs a score, such as {"sqm": 4}`,
		),
		refuse("a key twice", scored(`"comment":"a",‸"comment":"b"`), "‸ comment: given twice; keep one"),
		refuse("ids are lists", `{"doc_id":‸[],"segment_id":‸[],"system":‸[],"annotator":‸[],"scores":{"sqm":1}}`,
			"‸ doc_id: must be a text in double quotes or a number, not an array",
			"‸ segment_id: must be a text in double quotes or a number, not an array",
			"‸ system: must be a text in double quotes, not an array",
			"‸ annotator: must be a text in double quotes, not an array",
		),
		refuse("system is empty", `{"segment_id":"s","annotator":"lin","scores":{"sqm":3},"system":‸""}`, "‸ system: the name is empty"),
		refuse("an unknown system", `{"segment_id":"s","annotator":"lin","scores":{"sqm":3},"system":‸"a"}`, `‸ system: there is no system "a"; the campaign's systems are "A", "B"; correct the name, or leave the line out`).under(Options{Systems: []string{"A", "B"}}),
		refuse("annotator is no login", `{"segment_id":"s","annotator":‸"Lin Wei","scores":{"sqm":3},"system":"A"}`, `‸ annotator: "Lin Wei" can't be an annotator; use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit`),

		refuse("no scores", line(`"round":1`), `1: scores: missing; a rating needs a score, such as {"sqm": 4}`),
		refuse("scores is a number", line(`"scores":‸3`), `‸ scores: must be an object such as {"name": …}, not a number`),
		refuse("scores is empty", line(`"scores":‸{}`), `‸ scores: a rating needs a score, such as {"sqm": 4}`),
		refuse("a score is null", line(`"scores":‸{"sqm":null}`), `‸ scores: a rating needs a score, such as {"sqm": 4}`),
		refuse("a score is a text", line(`"scores":{"sqm":‸"3"}`), "‸ scores.sqm: must be a number, not a text"),
		refuse("a score twice", line(`"scores":{"sqm":3,‸"sqm":3}`), "‸ scores.sqm: given twice; keep one"),
		refuse("a score too high", line(`"scores":{"sqm":‸5}`), "‸ scores.sqm: Score must be a whole number from 0 to 4, not 5"),
		refuse("a score below zero", line(`"scores":{"sqm":‸-1}`), "‸ scores.sqm: Score must be a whole number from 0 to 4, not -1"),
		refuse("a score not whole", line(`"scores":{"sqm":‸2.5}`), "‸ scores.sqm: Score must be a whole number from 0 to 4, not 2.5"),
		refuse("a score too large for a number", line(`"scores":{"sqm":‸1e999}`), `‸ scores.sqm: "1e999" is too large for a number; correct it`),
		refuse("a score of another protocol", line(`"scores":{"sqm":3,"score":‸80}`), `‸ scores.score: SQM has no score named "score"`),

		refuse("spans", scored(`"spans":‸[{"start":0}]`), "‸ spans: SQM has no error spans; leave spans empty, or import into a campaign whose protocol marks errors"),
		refuse("spans is an object", scored(`"spans":‸{}`), "‸ spans: must be an array such as [{\"start\": 0, \"end\": 4, \"severity\": \"minor\"}], not an object"),
		refuse("round is zero", scored(`"round":‸0`), "‸ round: must be a whole number from 1 to 1000, not 0"),
		refuse("round is not whole", scored(`"round":‸1.5`), "‸ round: must be a whole number from 1 to 1000, not 1.5"),
		refuse("round is a text", scored(`"round":‸"1"`), "‸ round: must be a number, not a text"),
		refuse("comment is a number", scored(`"comment":‸1`), "‸ comment: must be a text in double quotes, not a number"),
		refuse("U+0000 in a comment", scored(`"comment":"a‸\u0000"`), `‸ comment: \u0000 is not a character of a text; remove it`),
		refuse("seconds is negative", scored(`"seconds":‸-0.5`), "‸ seconds: must not be negative; leave the time out where it is not known"),
		refuse("seconds is a text", scored(`"seconds":‸"5"`), "‸ seconds: must be a number, not a text"),
		refuse("no time zone", scored(`"submitted_at":‸"2026-11-20 10:30:00"`), `‸ submitted_at: "2026-11-20 10:30:00" is not a time; write it as 2026-11-20T09:30:00Z`),
		refuse("a time that is a number", scored(`"submitted_at":‸1763630000`), "‸ submitted_at: must be a text in double quotes, not a number"),
		refuse("several problems", `{"segment_id":"s","system":"A","annotator":‸"","scores":{"sqm":‸9},"round":‸0}`,
			`‸ annotator: "" can't be an annotator; use 1 to 100 letters, digits or any of . _ @ + -, starting with a letter or digit`,
			"‸ scores.sqm: Score must be a whole number from 0 to 4, not 9",
			"‸ round: must be a whole number from 1 to 1000, not 0",
		),
	} {
		tt.Run(t, func(data string, opt Options) ([]*campaign.Problem, error) {
			_, problems, err := collect(Ratings(strings.NewReader(data), p, opt))
			return problems, err
		})
	}
}

func TestRatingsSpans(t *testing.T) {
	const line = `{"segment_id":"s","system":"A","annotator":"lin",`
	for _, tt := range []struct {
		protocol, rest string
		scores         map[string]float64
		spans          []protocol.ErrorSpan
		noErrors       bool
	}{
		{"mqm", `"spans":[]`, nil, nil, true},
		{"mqm", `"spans":[],"scores":{}`, nil, nil, true},
		{"mqm", `"spans":[],"scores":{"sqm":null}`, nil, nil, true},
		{"esa", `"scores":{"score":80}`, map[string]float64{"score": 80}, nil, false},
		{"esa", `"spans":null,"scores":{"score":80}`, map[string]float64{"score": 80}, nil, false},
		// Everything there is, names in other spellings, an alias, numbers for texts.
		{"mqm", `"spans":[{"id":7,"side":"source","start":1,"end":3.0,"text":"é🙂","severity":"MAJOR","category":"accuracy/omission","comment":"c\nd","link":"x","extra":[]},` +
			`{"id":"x","start":0,"end":0,"severity":"Minor","category":"terminology","subcategory":"Inconsistent use of terminology","text":"","link":"","comment":null}]`, nil,
			[]protocol.ErrorSpan{
				{ID: "7", Side: protocol.Source, Start: 1, End: 3, Text: "é🙂", Severity: "major", Category: "Accuracy", Subcategory: "Omission", Comment: "c\nd", Link: "x"},
				{ID: "x", Side: protocol.Target, Severity: "minor", Category: "Terminology", Subcategory: "Inconsistent use"},
			}, false},
		// What the protocol lacks is kept, limits do not bind, nor does a lone non-translation.
		{"mqm", `"spans":[{"start":0,"end":1,"severity":"Grave","category":"Made/Up/Kind"},{"start":0,"end":1,"severity":"critical","category":"Odd"},{"start":5,"end":5,"severity":"minor","category":"Non-translation!","link":"nowhere"}` +
			strings.Repeat(`,{"start":2,"end":4,"severity":"minor"}`, 7) + `]`, nil,
			append([]protocol.ErrorSpan{
				{Side: protocol.Target, End: 1, Severity: "Grave", Category: "Made", Subcategory: "Up/Kind"},
				{Side: protocol.Target, End: 1, Severity: "critical", Category: "Odd"},
				{Side: protocol.Target, Start: 5, End: 5, Severity: "minor", Category: "Non-translation", Link: "nowhere"},
			}, slices.Repeat([]protocol.ErrorSpan{{Side: protocol.Target, Start: 2, End: 4, Severity: "minor"}}, 7)...), false},
		{"rate", `"scores":{"accuracy":70,"fluency":60},"spans":[{"start":1,"end":2,"severity":4},{"start":1,"end":2,"severity":2.0,"category":"grammar","subcategory":"Missing punctuation"},{"start":1,"end":2,"severity":2.5,"category":"Other"}]`,
			map[string]float64{"accuracy": 70, "fluency": 60},
			[]protocol.ErrorSpan{
				{Side: protocol.Target, Start: 1, End: 2, Severity: "4"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "2", Category: "Grammar", Subcategory: "missing punctuation"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "2.5", Category: "Other"},
			}, false},
		// Numbers in quotation marks are severities, however they are written; others are not.
		{"rate", `"scores":{"accuracy":70,"fluency":60},"spans":[{"start":1,"end":2,"severity":"5.0"},{"start":1,"end":2,"severity":" 4"},{"start":1,"end":2,"severity":"3e0"},{"start":1,"end":2,"severity":"2.50"},{"start":1,"end":2,"severity":"4 or 5"},{"start":1,"end":2,"severity":"NaN"}]`,
			map[string]float64{"accuracy": 70, "fluency": 60},
			[]protocol.ErrorSpan{
				{Side: protocol.Target, Start: 1, End: 2, Severity: "5"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "4"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "3"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "2.50"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "4 or 5"},
				{Side: protocol.Target, Start: 1, End: 2, Severity: "NaN"},
			}, false},
		// A slash at the end is no subcategory; missing punctuation needs no category.
		{"mqm", `"spans":[{"start":0,"end":1,"severity":"minor","category":"accuracy/"},{"start":0,"end":1,"severity":"minor","category":"Odd//","subcategory":"Kind/"},{"start":0,"end":1,"severity":"minor","category":"/","subcategory":"/"},` +
			`{"start":0,"end":1,"severity":"minor","category":"accuracy/omission","subcategory":"Omission"},{"start":0,"end":1,"severity":"minor","category":"accuracy/omission","subcategory":"in part"},{"start":0,"end":1,"severity":"minor","category":"Accuracy/","subcategory":"addition"}]`, nil,
			[]protocol.ErrorSpan{
				{Side: protocol.Target, End: 1, Severity: "minor", Category: "Accuracy"},
				{Side: protocol.Target, End: 1, Severity: "minor", Category: "Odd", Subcategory: "Kind"},
				{Side: protocol.Target, End: 1, Severity: "minor"},
				{Side: protocol.Target, End: 1, Severity: "minor", Category: "Accuracy", Subcategory: "Omission"},
				{Side: protocol.Target, End: 1, Severity: "minor", Category: "Accuracy", Subcategory: "Omission/in part"},
				{Side: protocol.Target, End: 1, Severity: "minor", Category: "Accuracy", Subcategory: "Addition"},
			}, false},
		{"esa", `"scores":{"score":80},"spans":[{"start":1,"end":1,"severity":"minor","subcategory":"Missing punctuation"},{"start":1,"end":1,"severity":"minor","category":"/missing punctuation/"}]`, map[string]float64{"score": 80},
			slices.Repeat([]protocol.ErrorSpan{{Side: protocol.Target, Start: 1, End: 1, Severity: "minor", Subcategory: "missing punctuation"}}, 2), false},
		{"esa", `"scores":{"score":80},"spans":[{"start":1,"end":2,"severity":"minor","category":"Style/Awkward"}]`, map[string]float64{"score": 80},
			[]protocol.ErrorSpan{{Side: protocol.Target, Start: 1, End: 2, Severity: "minor", Category: "Style", Subcategory: "Awkward"}}, false},
	} {
		got, problems, err := collect(Ratings(strings.NewReader(line+tt.rest+"}"), builtin(t, tt.protocol), Options{}))
		if err != nil || len(problems) > 0 || len(got) != 1 {
			t.Errorf("%s %s: got %v, %v, %v", tt.protocol, tt.rest, got, problems, err)
			continue
		}
		diff(t, got[0].Rating, campaign.Rating{Annotator: "lin", Round: 1, Rating: protocol.Rating{Scores: tt.scores, Spans: tt.spans, NoErrors: tt.noErrors}})
	}
}

func TestRatingsSpansRefused(t *testing.T) {
	const rated = `{"segment_id":"s","system":"A","annotator":"lin",`
	span := func(rest string) string {
		return rated + `"spans":[{"start":0,"end":1,"severity":"minor"},` + rest + `]}`
	}
	const noSpans = `missing; give every error as {"start": 0, "end": 4, "severity": "neutral"}, or [] if there are none`
	for _, tt := range []struct {
		protocol string
		refusal
	}{
		{"mqm", refuse("no spans", rated+`"scores":{}}`, "1: spans: "+noSpans)},
		{"mqm", refuse("spans are null", rated+`"spans":null}`, "1: spans: "+noSpans)},
		{"mqm", refuse("scores of ESA", rated+`"spans":[],"scores":{"score":‸80}}`, `‸ scores.score: MQM has no score named "score"; these are scores of ESA, so import them into a campaign of that protocol`)},
		{"mqm", refuse("scores of nobody", rated+`"spans":[],"scores":{"stars":‸5}}`, `‸ scores.stars: MQM has no score named "stars"`)},
		{"esa", refuse("no score", rated+`"spans":[]}`, `1: scores: missing; a rating needs a score, such as {"score": 100}`)},
		{"esa", refuse("scores of RATE", rated+`"scores":{"accuracy":‸70,"fluency":‸60}}`,
			`‸ scores.accuracy: ESA has no score named "accuracy"; these are scores of RATE, so import them into a campaign of that protocol`,
			`‸ scores.fluency: ESA has no score named "fluency"; these are scores of RATE, so import them into a campaign of that protocol`,
		)},
		{"inspect", refuse("an answer that there is not", `{"segment_id":"s","annotator":"lin","answers":{"keep":‸"perhaps"}}`, `‸ answers.keep: Keep the sentence? has no answer "perhaps"; choose one of: yes, no`)},
		{"inspect", refuse("no answer", `{"segment_id":"s","annotator":"lin","answers":{"keep":"no"}}`, `1: answers.reason: missing; a rating needs an answer to “Why drop the sentence?”`)},
		{"inspect", refuse("no number", `{"segment_id":"s","annotator":"lin","answers":{"keep":"yes"}}`, `1: scores: missing; a rating needs a score for Difficulty, such as {"difficulty": 5}`)},
		{"rate", refuse("one score of two", rated+`"scores":‸{"accuracy":70}}`, `‸ scores: a rating needs a score for Fluency, such as {"accuracy": 100, "fluency": 100}`)},
		{"mqm", refuse("spans are a text", rated+`"spans":‸"[]"}`, "‸ spans: must be an array such as [{\"start\": 0, \"end\": 4, \"severity\": \"minor\"}], not a text")},
		{"mqm", refuse("a span is a number", span(`‸7`), `‸ spans[1]: must be an object such as {"start": 0, "end": 4, "severity": "minor"}, not a number`)},
		{"mqm", refuse("an empty span", span(`‸{}`),
			"‸ spans[1].start: missing; give the position of the first character of the span, counted from 0 in Unicode code points",
			"1:98: spans[1].end: missing; give the position after the last character of the span, counted from 0 in Unicode code points",
			"1:98: spans[1].severity: missing; give the severity of the error",
		)},
		{"mqm", refuse("a key twice", span(`{"start":0,"end":1,‸"start":0,"severity":"minor"}`), "‸ spans[1].start: given twice; keep one")},
		{"mqm", refuse("below zero", span(`{"start":‸-1,"end":1,"severity":"minor"}`), "‸ spans[1].start: must be a whole number from 0 to 2147483647, not -1")},
		{"mqm", refuse("not whole", span(`{"start":0,"end":‸1.5,"severity":"minor"}`), "‸ spans[1].end: must be a whole number from 0 to 2147483647, not 1.5")},
		{"mqm", refuse("an offset that is a text", span(`{"start":‸"missing","end":1,"severity":"minor"}`), "‸ spans[1].start: must be a number, not a text")},
		{"mqm", refuse("an offset beyond all texts", span(`{"start":0,"end":‸1e30,"severity":"minor"}`), "‸ spans[1].end: must be a whole number from 0 to 2147483647, not 1e30")},
		{"mqm", refuse("end before start", span(`{"start":3,"end":‸2,"severity":"minor"}`), "‸ spans[1].end: 2 lies before the start, 3; correct one of them")},
		{"mqm", refuse("no words, but a length", span(`{"start":1,"end":4,"text":‸"","severity":"minor"},{"start":2,"end":3,"text":‸"","severity":"minor"}`),
			"‸ spans[1].text: is empty, but the span covers 3 characters; give these words, or leave text out",
			"‸ spans[2].text: is empty, but the span covers 1 character; give these words, or leave text out",
		)},
		{"mqm", refuse("side", span(`{"side":‸"Source","start":0,"end":2,"severity":"minor"}`), `‸ spans[1].side: must be "source" or "target", not "Source"`)},
		{"mqm", refuse("severity is empty", span(`{"start":0,"end":2,"severity":‸""}`), `‸ spans[1].severity: the severity is empty`)},
		{"mqm", refuse("severity is true", span(`{"start":0,"end":2,"severity":‸true}`), `‸ spans[1].severity: must be a text in double quotes, not true or false`)},
		{"mqm", refuse("category is a list", span(`{"start":0,"end":2,"severity":"minor","category":‸["Accuracy"]}`), `‸ spans[1].category: must be a text in double quotes, not an array`)},
		{"mqm", refuse("a subcategory of nothing", span(`{"start":0,"end":2,"severity":"minor","category":‸"/x"},{"start":0,"end":2,"severity":"minor","subcategory":‸"y"},{"start":0,"end":2,"severity":"minor","category":‸" ","subcategory":"z"}`),
			`‸ spans[1].category: missing, although the error has the subcategory "x"; give the category that the subcategory belongs to, or leave the subcategory out`,
			`‸ spans[2].category: missing, although the error has the subcategory "y"; give the category that the subcategory belongs to, or leave the subcategory out`,
			`‸ spans[3].category: missing, although the error has the subcategory "z"; give the category that the subcategory belongs to, or leave the subcategory out`,
		)},
		{"mqm", refuse("punctuation is missing in ESA and RATE only", span(`{"start":0,"end":0,"severity":"minor","subcategory":‸"missing punctuation"}`),
			`‸ spans[1].category: missing, although the error has the subcategory "missing punctuation"; give the category that the subcategory belongs to, or leave the subcategory out`,
		)},
		{"mqm", refuse("two long subcategories", span(`{"start":0,"end":2,"severity":"minor","category":‸"A/`+strings.Repeat("x", 150)+`","subcategory":"`+strings.Repeat("y", 150)+`"}`), `‸ spans[1].subcategory: the subcategory has 301 bytes; at most 200 are allowed`)},
		{"mqm", refuse("a long category", span(`{"start":0,"end":2,"severity":"minor","subcategory":‸"`+strings.Repeat("x", 201)+`"}`), `‸ spans[1].subcategory: the subcategory has 201 bytes; at most 200 are allowed`)},
		{"mqm", refuse("U+0000", span(`{"start":0,"end":2,"severity":"minor","comment":"a‸\u0000"}`), `‸ spans[1].comment: \u0000 is not a character of a text; remove it`)},
		{"mqm", refuse("an id twice", span(`{"id":"a","start":0,"end":2,"severity":"minor"},{"id":‸"a","start":0,"end":2,"severity":"minor"}`), `‸ spans[2].id: spans[1] has the id "a" too; give every span its own`)},
		{"mqm", refuse("a link that is a list", span(`{"link":‸[],"start":0,"end":2,"severity":"minor"}`), `‸ spans[1].link: must be a text in double quotes or a number, not an array`)},
		{"mqm", refuse("too many", span(strings.Repeat(`{"start":0,"end":2,"severity":"minor"},`, 9_999)+`‸{}`), `‸ spans: there are more than 10000 elements, the most that is kept; leave some out`)},
	} {
		tt.Run(t, func(data string, opt Options) ([]*campaign.Problem, error) {
			_, problems, err := collect(Ratings(strings.NewReader(data), builtin(t, tt.protocol), opt))
			return problems, err
		})
	}
}

// TestRatingsNotes: what is ignored and what can't be checked is counted, with the
// place of the first.
func TestRatingsNotes(t *testing.T) {
	esa, _ := protocol.Lookup("esa")
	file := `{"segment_id":"1","system":"A","annotator":"lin","scores":{"score":7},"span":[{"start":0}]}
{"segment_id":"2","system":"A","annotator":"lin","scores":{"score":7},"spans":[{"start":0,"end":1,"severity":"minor","kind":"x"},{"start":1,"end":2,"severity":"minor","kind":"y","text":"b"}]}
{"segment_id":"3","system":"A","annotator":"lin","scores":{"score":7},"span":null}
`
	var notes Notes
	for _, err := range Ratings(strings.NewReader(file), esa, Options{File: "f", Notes: &notes}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`2 keys "span" that the format does not have, ignored, first at f:1`,
		`2 keys "spans[].kind" that the format does not have, ignored, first at f:2`,
		`1 error without text, whose place could not be checked by its words, first at f:2`,
	}
	var got []string
	for _, n := range notes.List {
		got = append(got, n.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	notes = Notes{}
	for i := range 2 * 50 {
		notes.Add(strings.Repeat("x", i), "f", i)
	}
	if len(notes.List) != 51 || notes.List[50].Count != 50 {
		t.Errorf("%d kinds are told apart", len(notes.List))
	}
}

// An adjudication is no rating of round 1, which a line without a round is.
func TestRatingsOfAdjudicators(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	for _, c := range []struct {
		keys        string
		adjudicated bool
		problem     string
	}{
		{`"adjudicated":true`, true, ""},
		{`"adjudicated":false`, false, ""},
		{`"adjudicated":false,"round":2`, false, ""},
		{`"adjudicated":true,"round":1`, false, "round: an adjudication belongs to no round"},
		{`"adjudicated":"yes"`, false, "adjudicated: must be true or false, not a text"},
	} {
		line := `{"segment_id":"s1","system":"a","annotator":"judge",` + c.keys + `,"scores":{"sqm":3}}`
		n := 0
		for r, err := range Ratings(strings.NewReader(line), p, Options{}) {
			n++
			if c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
				t.Errorf("%s is read with %v, want %q", c.keys, err, c.problem)
			}
			if c.problem == "" && (err != nil || r.Adjudicated != c.adjudicated) {
				t.Errorf("%s is read as %+v, %v", c.keys, r.Rating, err)
			}
		}
		if n != 1 {
			t.Errorf("%s gives %d lines, want 1", c.keys, n)
		}
	}
}
