package ingest

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

func checkSegments(t *testing.T, format string, data []byte, opt Options) {
	last, any := 0, false
	for s, err := range Segments(format, bytes.NewReader(data), opt) {
		any = true
		if err != nil {
			checkProblem(t, data, err)
			continue
		}
		if s.Line <= last {
			t.Fatalf("line %d after line %d", s.Line, last)
		}
		last = s.Line
		g := s.Segment
		checkID(t, maxID, g.DocID, g.SegmentID)
		checkText(t, g.Domain, g.DataSource, g.Source, g.Context, g.Note, g.SourceLang, g.TargetLang)
		if strings.TrimSpace(g.Source) == "" || len(g.Translations) == 0 {
			t.Fatalf("let through: %+v", g)
		}
		if !slices.IsSortedFunc(g.Translations, func(a, b campaign.Translation) int { return strings.Compare(a.System, b.System) }) {
			t.Fatalf("out of order: %+v", g.Translations)
		}
		for _, r := range g.References {
			checkID(t, maxSystem, r.Name)
			checkText(t, r.Text)
		}
		for _, tr := range g.Translations {
			checkID(t, maxSystem, tr.System)
			checkText(t, tr.Text)
			for _, r := range tr.Ratings {
				if x := r.Scores["sqm"]; x < 0 || x > 4 || r.Round != 1 || campaign.CheckLogin(r.Annotator) != nil {
					t.Fatalf("let through: %+v", r)
				}
			}
			for _, h := range tr.HumanScores {
				if !(h.Score >= 0 && h.Score <= 4) || len(tr.Ratings) > 0 {
					t.Fatalf("let through: %+v", tr)
				}
			}
		}
		sameAsJSON(t, format, data, s)
	}
	if !any && !opt.Select {
		t.Fatal("nothing came out, and nothing was said")
	}
}

// sameAsJSON holds the texts of a segment against what encoding/json reads.
func sameAsJSON(t *testing.T, format string, data []byte, s campaign.SegmentLine) {
	t.Helper()
	line := bytes.TrimPrefix(bytes.Split(data, []byte("\n"))[s.Line-1], []byte("\ufeff"))
	var want map[string]json.RawMessage
	if err := json.Unmarshal(line, &want); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	text := func(raw json.RawMessage) (s string) {
		json.Unmarshal(raw, &s)
		return s
	}
	source := "source"
	translations := map[string]json.RawMessage{}
	if format == "jsonl" {
		json.Unmarshal(want["translations"], &translations)
	} else {
		source = "src"
		for i := range len(s.Segment.Translations) {
			translations["system_"+strconv.Itoa(i)] = want["trans_"+strconv.Itoa(i)]
		}
	}
	if got := s.Segment.Source; got != text(want[source]) {
		t.Fatalf("source %q, want %q", got, text(want[source]))
	}
	for _, tr := range s.Segment.Translations {
		if tr.Text != text(translations[tr.System]) {
			t.Fatalf("%s: %q, want %q", tr.System, tr.Text, text(translations[tr.System]))
		}
	}
	for _, system := range s.Segment.Absent {
		if string(translations[system]) != "null" {
			t.Fatalf("%s has no translation, but %q", system, translations[system])
		}
	}
	if got := len(s.Segment.Translations) + len(s.Segment.Absent); len(translations) != got {
		t.Fatalf("%d translations, want %d", got, len(translations))
	}
}

func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{
		`{"doc_id":"d","segment_id":"s","domain":"n","data_source":"w","source_lang":"zh","target_lang":"en","source":"x","reference":"r","references":{"a":"A"},"context":"c","note":"n","translations":{"A":"t","B":""}}`,
		"\ufeff" + `{"segment_id":12,"source":"\ud83d\ude42","translations":{"A":"t"}}` + "\r\n\n" + `{"segment_id":1e3,"source":"x","translations":{"A":"t"}}`,
		`{"segment_id":"s","source":"x","translations":{"A":"t","A":"u"}}`, `{"segment_id":"s","source":"\ud800","translations":{"A":"\u0000"}}`,
		`{"source_lang":"en","target_lang":"zh"}` + "\n[1,2]\n{", "{\"segment_id\":\"\xff\"}", "\xff\xfe{\x00",
		`{"segment_id":1,"source":"x","translations":{"B":null,"A":"t"}}` + "\n" + `{"segment_id":2,"source":"x","translations":{"A":null,"B":null}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkSegments(t, "jsonl", data, Options{})
		checkSegments(t, "jsonl", data, Options{SourceLang: "zh", TargetLang: "en", Select: true, MaxLine: 200})
		checkSegments(t, "jsonl", data, Options{SourceLang: "zh", Systems: []string{"A", "B"}})
	})
}

func FuzzMENT(f *testing.F) {
	for _, seed := range []string{
		`{"qid":"1","category":"SNS","data_source":"w","src_lang":"zh","trans_lang":"en","src":"x","ref":"r","trans_0":"a","avg_trans_0_score":0.33,"trans_0_annotators":["G","A","D"],"trans_0_scores":[0,1,0],"trans_1":"b","avg_trans_1_score":4.0}`,
		`{"src":"x","trans_0":"a","trans_1":"b","trans_3":"c"}` + "\n" + `{"src":"x","trans_0":"a","adjudicated":true,"avg_trans_0_score":1,"trans_0_annotators":["A"],"trans_0_scores":[4]}`,
		`{"src_lang":"en","trans_lang":"zh","src":"x","trans_0":"a"}` + "\r\n" + `{"src_lang":"Zh","trans_lang":"En","src":"x","trans_0":"a"}`,
		`{"src":"x","trans_0":1,"trans_01":"","avg_trans_0_score":null,"trans_0_scores":{},"trans_0_annotators":[[]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkSegments(t, "ment", data, Options{})
		checkSegments(t, "ment", data, Options{SourceLang: "zh", TargetLang: "en", Select: true, Systems: []string{"system_0", "system_1"}})
	})
}

func FuzzRatings(f *testing.F) {
	for _, seed := range []string{
		`{"doc_id":"d","segment_id":"s","system":"A","annotator":"lin","round":2,"scores":{"sqm":3},"spans":[],"comment":"c","seconds":12.5,"submitted_at":"2026-11-20T10:30:00.123456Z"}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"sqm":4.0},"spans":null}` + "\n" + `{"segment_id":1,"system":2,"annotator":3,"scores":{"sqm":5,"x":1e999},"spans":[{}]}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"score":-0},"spans":[{"start":0,"end":2,"text":"","severity":" 5.0","category":"a/b/","subcategory":"c/"},{"start":0,"end":0,"severity":"1e0","category":"/x"},{"start":0,"end":0,"severity":"1e0","category":"/"}]}`,
		`{"submitted_at":"0000-01-01T00:00:00+23:59","seconds":-0,"round":1e2}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"score":80},"spans":[{"start":0,"end":0,"severity":"Minor","category":"","subcategory":"Missing Punctuation"},{"id":1,"link":"1","start":2,"end":1e1,"side":"source","text":"\ud83d\ude42","severity":"major"}]}`,
		`{"segment_id":1,"system":2,"annotator":3,"spans":[{"start":0,"end":3,"severity":"CRITICAL","category":"terminology/inconsistent","comment":"c"},{"start":0,"end":0,"severity":1,"category":"a/b/c"}]}` + "\n" + `{"segment_id":1,"system":2,"annotator":3,"spans":[]}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"accuracy":70,"fluency":60},"spans":[{"start":1,"end":2,"severity":4.0,"category":"named entities"},{"start":1,"end":2,"severity":-1e-3,"category":"Other","id":"1","link":1},{"id":"1","start":3,"end":2}]}`,
	} {
		f.Add([]byte(seed))
	}
	var protocols []*protocol.Protocol
	for _, id := range protocol.IDs() {
		protocols = append(protocols, builtin(f, id))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range protocols {
			any := false
			for line, err := range Ratings(bytes.NewReader(data), p, Options{}) {
				any = true
				if err != nil {
					checkProblem(t, data, err)
					continue
				}
				r := line.Rating
				checkID(t, maxID, r.SegmentID)
				checkID(t, maxSystem, r.System)
				checkText(t, r.DocID, r.Comment)
				checkSpans(t, p, r.Spans)
				for _, x := range r.Scores {
					if x == 0 && math.Signbit(x) {
						t.Fatalf("negative zero: %+v", r)
					}
				}
				if math.Signbit(r.Seconds) || len(p.CheckScores(r.Scores)) > 0 || len(r.Scores) != len(p.Scores) || r.Round < 1 || !(r.Seconds >= 0) || campaign.CheckLogin(r.Annotator) != nil || r.NoErrors != (spansOnly(p) && len(r.Spans) == 0) {
					t.Fatalf("let through: %+v", r)
				}
			}
			if !any {
				t.Fatal("nothing came out, and nothing was said")
			}
		}
	})
}
