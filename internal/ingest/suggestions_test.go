package ingest

import (
	"strings"
	"testing"

	"annotate/internal/protocol"
)

func TestSuggestionsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ line, want string }{
		"no spans":      {`{"segment_id":"s","system":"A"}`, "f:1: spans: missing; give every suggestion as"},
		"no system":     {`{"segment_id":"s","spans":[]}`, "f:1: system: missing"},
		"no segment":    {`{"system":"A","spans":[]}`, "f:1: segment_id: missing"},
		"not an array":  {`{"segment_id":"s","system":"A","spans":{}}`, "f:1:40: spans: must be an array such as [{\"start\": 0, \"end\": 4, \"severity\": \"minor\"}], not an object"},
		"no severity":   {`{"segment_id":"s","system":"A","spans":[{"start":0,"end":1}]}`, "f:1:41: spans[0].severity: missing"},
		"backwards":     {`{"segment_id":"s","system":"A","spans":[{"start":3,"end":1,"severity":"minor"}]}`, "f:1:58: spans[0].end: 1 lies before the start, 3"},
		"same id":       {`{"segment_id":"s","system":"A","spans":[{"id":1,"start":0,"end":1,"severity":"minor"},{"id":"1","start":0,"end":1,"severity":"minor"}]}`, `f:1:93: spans[1].id: spans[0] has the id "1" too`},
		"origin":        {`{"segment_id":"s","system":"A","spans":[],"origin":7}`, "f:1:52: origin: must be a text in double quotes"},
		"control":       {`{"segment_id":"s","system":"A","spans":[],"origin":"a\tb"}`, `f:1:52: origin: "a\tb" has a control character`},
		"cut off":       {`{"segment_id":"s","system":"A","spans":[{"start":0,`, "f:1:"},
		"empty file":    {"\n\n", "f: the file has no suggestions; check that it is the right file, and that it was saved with its content"},
		"key misspelt?": {`{"segment_id":"s","system":"A","span":[]}`, "f:1: spans: missing"},
	} {
		_, problems, err := collect(Suggestions(strings.NewReader(tt.line), builtin(t, "esa"), Options{File: "f"}))
		if err != nil || len(problems) == 0 || !strings.HasPrefix(problems[0].Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %s", name, problems, err, tt.want)
		}
	}
	_, problems, _ := collect(Suggestions(strings.NewReader(`{"segment_id":"s","system":"A","spans":[{"start":0,"end":1,"severity":"minor"}]}`), builtin(t, "sqm"), Options{}))
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "has no error spans") {
		t.Errorf("SQM: %v", problems)
	}
}

func TestRatingsWithOutcomes(t *testing.T) {
	const head = `{"segment_id":"s","system":"A","annotator":"lin","scores":{"score":70},"spans":[{"start":0,"end":1,"severity":"minor","suggestion":7}],"suggestions":`
	got, problems, err := collect(Ratings(strings.NewReader(head+`[{"id":"7","became":"accepted"},{"id":8,"became":"rejected"}]}`), builtin(t, "esa"), Options{}))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	diff(t, got[0].Rating.Rating, protocol.Rating{
		Scores:      map[string]float64{"score": 70},
		Spans:       []protocol.ErrorSpan{{Side: protocol.Target, End: 1, Severity: "minor", Suggestion: "7"}},
		Suggestions: []protocol.Outcome{{ID: "7", Became: protocol.Accepted}, {ID: "8", Became: protocol.Rejected}},
	})
	for _, wrong := range []string{`{}}`, `["7"]}`, `[{"id":[]}]}`, `[{"id":"7","became":1}]}`} {
		if _, problems, _ := collect(Ratings(strings.NewReader(head+wrong), builtin(t, "esa"), Options{})); len(problems) != 1 || !strings.Contains(problems[0].Error(), "suggestions") {
			t.Errorf("%s: %v", wrong, problems)
		}
	}
}
