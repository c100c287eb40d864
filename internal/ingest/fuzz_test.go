package ingest

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"annotate/internal/protocol"
)

// fuzzed checks that a reader yields something, or a problem with its place, and no text that a database
// refuses. quiet says that it may leave out everything.
func fuzzed[L any](t *testing.T, data []byte, quiet bool, lines iter.Seq2[L, error]) {
	t.Helper()
	for line, err := range lines {
		quiet = true
		if err != nil {
			checkProblem(t, data, err)
		} else if text := fmt.Sprintf("%+v", line); !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Fatalf("text %q was let through", text)
		}
	}
	if !quiet {
		t.Fatal("nothing came out, and nothing was said")
	}
}

// FuzzReaders gives any bytes to the readers.
func FuzzReaders(f *testing.F) {
	row := func(cells ...string) string { return strings.Join(cells, "\t") + "\n" }
	for _, seed := range []string{
		`{"doc_id":"d","segment_id":"s","domain":"n","data_source":"w","source_lang":"zh","target_lang":"en","source":"x","reference":"r","references":{"a":"A"},"context":"c","note":"n","translations":{"A":"t","B":""}}`,
		"\ufeff" + `{"segment_id":12,"source":"\ud83d\ude42","translations":{"A":"t"}}` + "\r\n\n" + `{"segment_id":1e3,"source":"x","translations":{"A":"t"}}`,
		`{"segment_id":"s","source":"x","translations":{"A":"t","A":"u"}}`, `{"segment_id":"s","source":"\ud800","translations":{"A":"\u0000"}}`,
		`{"source_lang":"en","target_lang":"zh"}` + "\n[1,2]\n{", "{\"segment_id\":\"\xff\"}", "\xff\xfe{\x00",
		`{"segment_id":1,"source":"x","translations":{"B":null,"A":"t"}}` + "\n" + `{"segment_id":2,"source":"x","translations":{"A":null,"B":null}}`,
		`{"qid":"1","category":"SNS","data_source":"w","src_lang":"zh","trans_lang":"en","src":"x","ref":"r","trans_0":"a","avg_trans_0_score":0.33,"trans_0_annotators":["G","A","D"],"trans_0_scores":[0,1,0],"trans_1":"b","avg_trans_1_score":4.0}`,
		`{"src":"x","trans_0":"a","trans_1":"b","trans_3":"c"}` + "\n" + `{"src":"x","trans_0":"a","adjudicated":true,"avg_trans_0_score":1,"trans_0_annotators":["A"],"trans_0_scores":[4]}`,
		`{"src_lang":"en","trans_lang":"zh","src":"x","trans_0":"a"}` + "\r\n" + `{"src_lang":"Zh","trans_lang":"En","src":"x","trans_0":"a"}`,
		`{"src":"x","trans_0":1,"trans_01":"","avg_trans_0_score":null,"trans_0_scores":{},"trans_0_annotators":[[]]}`,
		`{"doc_id":"d","segment_id":"s","system":"A","annotator":"lin","round":2,"scores":{"sqm":3},"spans":[],"comment":"c","seconds":12.5,"submitted_at":"2026-11-20T10:30:00.123456Z"}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"sqm":4.0},"spans":null}` + "\n" + `{"segment_id":1,"system":2,"annotator":3,"scores":{"sqm":5,"x":1e999},"spans":[{}]}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"score":-0},"spans":[{"start":0,"end":2,"text":"","severity":" 5.0","category":"a/b/","subcategory":"c/"},{"start":0,"end":0,"severity":"1e0","category":"/x"},{"start":0,"end":0,"severity":"1e0","category":"/"}]}`,
		`{"submitted_at":"0000-01-01T00:00:00+23:59","seconds":-0,"round":1e2}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"score":80},"spans":[{"start":0,"end":0,"severity":"Minor","category":"","subcategory":"Missing Punctuation"},{"id":1,"link":"1","start":2,"end":1e1,"side":"source","text":"\ud83d\ude42","severity":"major"}]}`,
		`{"segment_id":1,"system":2,"annotator":3,"spans":[{"start":0,"end":3,"severity":"CRITICAL","category":"terminology/inconsistent","comment":"c"},{"start":0,"end":0,"severity":1,"category":"a/b/c"}]}` + "\n" + `{"segment_id":1,"system":2,"annotator":3,"spans":[]}`,
		`{"segment_id":1,"system":2,"annotator":3,"scores":{"accuracy":70,"fluency":60},"spans":[{"start":1,"end":2,"severity":4.0,"category":"named entities"},{"start":1,"end":2,"severity":-1e-3,"category":"Other","id":"1","link":1},{"id":"1","start":3,"end":2}]}`,
		olderHeader + row("A", "d:en-de", "1", "7", "r", "a 🙂", "x <v>y</v>", "Accuracy/Mistranslation", "Major", "c") + row("B", "d", "1", "7", "r", "a 🙂", "x", "No-error", "No-error"),
		`{"annotator":"a","doc_num":1,"line_id":2e0,"system":3,"source":"x","translation":"\u2028","score_accuracy":-0,"score_fluency":1e1,"spans":[{"start":0,"end":1,"severity":5}],"rate":4}`,
		`{"metric":"M-src","system":"A","doc_id":"d","segment_id":1,"score":-1e3,"group":"g","lower_is_better":true}` + "\n" + `{"metric":"M","system":"B","score":NaN}`,
		"A\t1.5\nA\tNone\r\nB\t-0\nB\t1e400\n", `{"segment_id":"1","references":{"refA":"x","ref.B":""},"reference":null}`, "one\n\n\u2028two\x00\n",
		"#" + newerHeader + row("A", "d", "1", "0", "r", "<v>s</v>", "t", "source issue", "minor", `{"note":"n","timestamp":1695000000500}`) + row("A", "d", "2", "0", "", "s", "t", "", "", `{}`) + row("A", "d", "2", "0", "r", "s", "t", "Found", "HOTW-test"),
		"\ufeff# by hand\r\n" + row("A", "d", "1", "1", "r", `"a ""b"""`, "<v>a<v>b</v></v>c<v>", "Non-translation!", "Neutral\r"),
		row("A", "d", "1", "1", "r", "s", "t</v>", "Other", "") + row("A", "d", "1", "1", "q", "s2", "t", "non_translation", "Grave"),
		olderHeader + row("A", "d", "1", "1", "r", "<v>s</v>", "<v></v>t", "Accuracy/Omission", "4.0", "") + row("A", "d", "1", "1", "r", "s", "t", "A/", "Minor", "") + row("A", "d", "2", "2", "r", "s", "t", "/x", "Minor", ""),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		selected := Options{SourceLang: "zh", TargetLang: "en", Select: true, MaxLine: 200, Systems: []string{"A", "B"}}
		for _, format := range []string{"jsonl", "ment"} {
			fuzzed(t, data, false, Segments(format, bytes.NewReader(data), Options{}))
			fuzzed(t, data, true, Segments(format, bytes.NewReader(data), selected))
		}
		for _, id := range protocol.IDs() {
			fuzzed(t, data, false, Ratings(bytes.NewReader(data), builtin(t, id), Options{}))
		}
		fuzzed(t, data, false, Terms(bytes.NewReader(data), Options{}))
		fuzzed(t, data, false, Suggestions(bytes.NewReader(data), builtin(t, "esa"), Options{}))
		fuzzed(t, data, false, Judgements(bytes.NewReader(data), builtin(t, "mqm"), Options{}))
		checks := bytes.Contains(bytes.ToLower(data), []byte("test")) // which are left out
		fuzzed(t, data, checks, MQM(bytes.NewReader(data), builtin(t, "mqm"), Options{}, &Notes{}))
		fuzzed(t, data, true, MQM(bytes.NewReader(data), builtin(t, "esa"), selected, nil))
		for range Table(bytes.NewReader(data), Options{File: "a.csv"}, TableOptions{}) {
		}
		fuzzed(t, data, false, Rate(bytes.NewReader(data), builtin(t, "rate"), Options{Notes: &Notes{}}))
		for _, name := range []string{"a.jsonl", "BLEU-refA.seg.score", "BLEU-refA.sys.score"} {
			fuzzed(t, data, false, Scores(bytes.NewReader(data), Options{File: name, Systems: []string{"A", "B"}}))
		}
		for _, name := range []string{"a.jsonl", "refA.txt"} {
			fuzzed(t, data, false, References(bytes.NewReader(data), Options{File: name}))
		}
	})
}
