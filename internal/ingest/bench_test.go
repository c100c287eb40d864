package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"annotate/internal/format"
	"annotate/internal/testenv"
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
	p := protocolSQM(b)
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

// BenchmarkMQM reads the TED table, if it is there, and one of 1,000,000 rows: by
// system, so that the rows of a segment lie apart, and by segment. It reports the
// largest heap.
func BenchmarkMQM(b *testing.B) {
	b.Run("TED", func(b *testing.B) {
		file, err := os.ReadFile(testenv.Data(b, "mqm-ted-ende/mqm_ted_ende.tsv"))
		if err != nil {
			b.Fatal(err)
		}
		readMQM(b, func() io.Reader { return bytes.NewReader(file) }, 529)
	})
	for _, order := range []string{"by system", "by segment"} {
		b.Run(order, func(b *testing.B) {
			readMQM(b, func() io.Reader { return &sampleTable{bySystem: order == "by system"} }, 10_000)
		})
	}
}

// A sampleTable has 10,000 segments by 20 systems, each rated by 5 people, in
// rows of some 500 bytes.
type sampleTable struct {
	bySystem bool
	n        int // of the translation
	buf      bytes.Buffer
}

func (s *sampleTable) Read(p []byte) (int, error) {
	if s.buf.Len() == 0 && s.n < 200_000 {
		segment, system := s.n/20, s.n%20
		if s.bySystem {
			segment, system = s.n%10_000, s.n/10_000
		}
		s.n++
		const text = "The starter has outlived three of them, 说实话. The starter has outlived three of them, 说实话. The starter has outlived three of them, 说实话. The starter has outlived three of them, 说实话. "
		for rater := range 5 {
			fmt.Fprintf(&s.buf, "system-%d\tdoc-%d\t%d\t%d\trater%d\t%s\t%s<v>out</v>lived\tAccuracy/Mistranslation\tMajor\t\n", system, segment/20, segment%20, segment, rater, text, text)
		}
	}
	return s.buf.Read(p)
}

func readMQM(b *testing.B, file func() io.Reader, segments int) {
	p := protocolNamed(b, "mqm")
	size, err := io.Copy(io.Discard, file())
	if err != nil {
		b.Fatal(err)
	}
	var m runtime.MemStats
	most := uint64(0)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range MQM(file(), p, Options{}, nil) {
			if n++; err != nil {
				b.Fatal(err)
			}
			if n%100 == 1 {
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
		if n != segments {
			b.Fatalf("%d segments", n)
		}
	}
	b.ReportMetric(float64(most)/(1<<20), "heap-MiB")
}
