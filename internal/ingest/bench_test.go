package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"annotate/internal/format"
)

// sampleFile is a file of n segments with ten translations of 200 characters.
func sampleFile(format string, n int) []byte {
	var b bytes.Buffer
	text := strings.Repeat("The starter has outlived \\\"three\\\" of them, 说实话. ", 4)
	for i := range n {
		switch format {
		case "jsonl":
			fmt.Fprintf(&b, `{"doc_id":"doc-%d","segment_id":"%d","domain":"news","source_lang":"zh","target_lang":"en","source":"%d %s","references":{"ref":"%s"},"translations":{`, i/20, i, i, text, text)
			for s := range 10 {
				fmt.Fprintf(&b, `"system-%d":"%s",`, s, text)
			}
			b.Truncate(b.Len() - 1)
			b.WriteString("}}\n")
		case "ment":
			fmt.Fprintf(&b, `{"qid":%d,"category":"SNS","src_lang":"zh","trans_lang":"en","src":"%d %s","ref":"%s"`, i, i, text, text)
			for s := range 10 {
				fmt.Fprintf(&b, `,"trans_%d":"%s","avg_trans_%d_score":2.5,"trans_%d_annotators":["A","B"],"trans_%d_scores":[2,3]`, s, text, s, s, s)
			}
			b.WriteString("}\n")
		case "ratings":
			for s := range 10 {
				fmt.Fprintf(&b, `{"doc_id":"doc-%d","segment_id":"%d","system":"system-%d","annotator":"lin","round":1,"scores":{"sqm":3},"spans":[],"comment":"%s","seconds":12.5,"submitted_at":"2026-11-20T10:30:00.123456Z"}`+"\n", i/20, i, s, text)
			}
		}
	}
	return b.Bytes()
}

// BenchmarkSegments reads 100,000 translations.
func BenchmarkSegments(b *testing.B) {
	for _, format := range format.Segments() {
		b.Run(format, func(b *testing.B) {
			file := sampleFile(format, 10_000)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range Segments(format, bytes.NewReader(file), Options{}) {
					if n++; err != nil {
						b.Fatal(err)
					}
				}
				if n != 10_000 {
					b.Fatalf("%d segments", n)
				}
			}
		})
	}
}

// BenchmarkRatings reads 100,000 ratings.
func BenchmarkRatings(b *testing.B) {
	file := sampleFile("ratings", 10_000)
	p := builtin(b, "sqm")
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Ratings(bytes.NewReader(file), p, Options{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkEncodingJSON reads the file of BenchmarkSegments/jsonl into maps, as
// a measure for the checks above.
func BenchmarkEncodingJSON(b *testing.B) {
	file := sampleFile("jsonl", 10_000)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		for line := range bytes.Lines(file) {
			var v struct {
				Source       string            `json:"source"`
				Translations map[string]string `json:"translations"`
			}
			if err := json.Unmarshal(line, &v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
