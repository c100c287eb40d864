package transfer_test

import (
	"bytes"
	"strings"
	"testing"

	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// An export of judgements equals the imported file, with traces, also after an import into another
// campaign. The export of metric scores does not contain judgements.
func TestJudgementsRoundTrip(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("esa"), storetest.Systems(2))
	file := `{"judge":"gemba","method":"gemba-mqm","model":"m","about":"gemba-mqm, version 1, after GEMBA-MQM, our wording 2; model m at http://a/v1","doc_id":"d1","segment_id":"s1","system":"sys-001","status":"ok","score":-6,"scores":{"a":0.25},"spans":[{"id":"1","side":"target","start":0,"end":11,"text":"Translation","severity":"odd","category":"its own"},{"id":"2","side":"source","start":0,"end":1,"text":"源"},{"text":"nowhere","severity":"minor"}],"trace":[{"step":"1","role":"judge","prompt":"p\n","reply":"r","input_tokens":3,"output_tokens":4,"seconds":0.5}]}
{"judge":"xcomet","doc_id":"d1","segment_id":"s1","system":"sys-001","status":"ok","spans":[]}
{"judge":"gemba","method":"gemba-mqm","model":"m","about":"gemba-mqm, version 1, after GEMBA-MQM, our wording 2; model m at http://a/v1","doc_id":"d1","segment_id":"s1","system":"sys-002","status":"unparsable"}
{"judge":"mute","doc_id":"d1","segment_id":"s1","system":"sys-002","status":"unparsable"}
{"judge":"gemba","method":"gemba-mqm","model":"m","about":"gemba-mqm, version 1, after GEMBA-MQM, our wording 2; model m at http://a/v1","doc_id":"d1","segment_id":"s2","system":"sys-001","status":"ok","score":0}
`
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Protocol("esa"), storetest.Systems(2))
	text := file
	for _, sample := range []*storetest.Sample{s, s, other} {
		report, err := transfer.Import(t.Context(), db.Store, sample.Campaign, transfer.Request{Format: "judgements", Files: []transfer.File{{Name: "j.jsonl", Reader: strings.NewReader(text)}}})
		if err != nil || report.Judgements != 5 {
			t.Fatal(report, err)
		}
		var out bytes.Buffer
		if _, err := transfer.Export(t.Context(), db.Store, sample.Campaign, "judgements", &out); err != nil {
			t.Fatal(err)
		}
		if text = out.String(); text != file {
			t.Errorf("the file is\n%s\nwant\n%s", text, file)
		}
	}
	var scores bytes.Buffer
	if _, err := transfer.Export(t.Context(), db.Store, s.Campaign, "scores", &scores); err != nil || scores.Len() > 0 {
		t.Errorf("scores are %q, %v", scores.String(), err)
	}
}

// The term of a segment and what it means go in and out with the segments.
func TestTerms(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	file := `{"doc_id":"d","segment_id":"1","source_lang":"zh","target_lang":"en","source":"守株待兔","note":"n","term":"守株待兔","explication":"to wait idly","translations":{"A":"x"}}
{"doc_id":"d","segment_id":"2","source_lang":"zh","target_lang":"en","source":"一","translations":{"A":"y"}}
`
	if _, err := transfer.Import(t.Context(), db.Store, s.Campaign, transfer.Request{Format: "jsonl", Files: []transfer.File{{Name: "s.jsonl", Reader: strings.NewReader(file)}}}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := transfer.Export(t.Context(), db.Store, s.Campaign, "jsonl", &out); err != nil || out.String() != file {
		t.Errorf("%v, the file is\n%s\nwant\n%s", err, out.String(), file)
	}
}
