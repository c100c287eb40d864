package ingest

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func TestJudgements(t *testing.T) {
	data := "\ufeff" + `{"judge":"gemba","method":"gemba-mqm","model":"m:8b","doc_id":"d","segment_id":"s","system":"A","status":"ok","score":-6,"scores":{"b":1,"a":null},` +
		`"spans":[{"start":0,"end":1,"text":"🙂","severity":"MINOR","category":"made up/by it"},{"text":"nowhere","severity":"critical"},{"side":"source","start":2,"end":3,"comment":"é"}],` +
		`"trace":[{"step":"1","role":"judge","prompt":"p\n","reply":"r","input_tokens":3,"output_tokens":4,"seconds":0.5},{}]}` + "\r\n\n" +
		`{"judge":"gemba","segment_id":12,"system":3,"spans":[]}` + "\n" + `{"judge":"gemba","segment_id":13,"system":3,"status":"unparsable","trace":[]}` + "\n" + `{"judge":"other","segment_id":12,"system":3,"score":-0}`
	number := func(x float64) *float64 { return &x }
	for _, id := range []string{"esa", "sqm"} {
		got, problems, err := collect(Judgements(strings.NewReader(data), builtin(t, id), Options{}))
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		severity, category, below := "minor", "made up", "by it"
		if id == "sqm" { // which spells nothing
			severity, category, below = "MINOR", "made up/by it", ""
		}
		diff(t, got, []campaign.JudgementLine{
			{Place: campaign.Place{Line: 1}, DocID: "d", SegmentID: "s", System: "A", Method: "gemba-mqm", Model: "m:8b", Judgement: campaign.Judgement{
				Judge: "gemba", Status: "ok", Score: number(-6), Scores: map[string]float64{"b": 1},
				Spans: []protocol.ErrorSpan{
					{Side: protocol.Target, Start: 0, End: 1, Text: "🙂", Severity: severity, Category: category, Subcategory: below},
					{Side: protocol.Source, Start: 2, End: 3, Comment: "é"},
				},
				Unplaced: []protocol.ErrorSpan{{Side: protocol.Target, Text: "nowhere", Severity: "critical"}},
			}, Trace: []campaign.TraceCall{{Step: "1", Role: "judge", Prompt: "p\n", Reply: "r", InputTokens: 3, OutputTokens: 4, Seconds: .5}, {}}},
			{Place: campaign.Place{Line: 3}, SegmentID: "12", System: "3", Judgement: campaign.Judgement{Judge: "gemba", Status: "ok", Spans: []protocol.ErrorSpan{}}},
			{Place: campaign.Place{Line: 4}, SegmentID: "13", System: "3", Judgement: campaign.Judgement{Judge: "gemba", Status: "unparsable"}},
			{Place: campaign.Place{Line: 5}, SegmentID: "12", System: "3", Judgement: campaign.Judgement{Judge: "other", Status: "ok", Score: number(0)}},
		})
	}
}

func TestJudgementsRefused(t *testing.T) {
	const head = `{"judge":"j","segment_id":"s","system":"A",`
	for name, tt := range map[string]struct{ line, want string }{
		"no judge":         {`{"segment_id":"s","system":"A","score":1}`, "f:1: judge: missing"},
		"no system":        {`{"judge":"j","segment_id":"s","score":1}`, "f:1: system: missing"},
		"no segment":       {`{"judge":"j","system":"A","score":1}`, "f:1: segment_id: missing"},
		"neither":          {head + `"scores":{"a":1}}`, "f:1: score: missing; a judgement needs score, spans, or both"},
		"no number":        {head + `"score":"3"}`, "f:1:52: score: must be a number, not a text"},
		"status":           {head + `"status":"fine","score":3}`, `f:1:53: status: must be "ok" or "unparsable", not "fine"`},
		"unparsable score": {head + `"status":"unparsable","score":3}`, `f:1:74: score: an answer that could not be read has no score`},
		"half a place":     {head + `"spans":[{"start":1,"text":"x"}]}`, "f:1:53: spans[0].end: missing"},
		"no place":         {head + `"spans":[{"severity":"minor"}]}`, "f:1:53: spans[0].start: missing; give the position of the first character, counted from 0, or the text"},
		"backwards":        {head + `"spans":[{"start":3,"end":1}]}`, "f:1:70: spans[0].end: 1 lies before the start, 3"},
		"scores":           {head + `"score":1,"scores":[1]}`, "f:1:63: scores: must be an object"},
		"trace":            {head + `"score":1,"trace":[{"prompt":7}]}`, "f:1:73: trace[0].prompt: must be a text in double quotes"},
		"tokens":           {head + `"score":1,"trace":[{"input_tokens":-1}]}`, "f:1:79: trace[0].input_tokens: must be a whole number from 0"},
		"empty file":       {"\n\n", "f: the file has no judgements; check that"},
		"ratings":          {`{"segment_id":"1","system":"A","annotator":"lin","spans":[]}`, "f:1: format: this looks like ratings; choose the format ratings"},
	} {
		_, problems, err := collect(Judgements(strings.NewReader(tt.line), builtin(t, "esa"), Options{File: "f"}))
		if err != nil || len(problems) == 0 || !strings.HasPrefix(problems[0].Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %s", name, problems, err, tt.want)
		}
	}
}
