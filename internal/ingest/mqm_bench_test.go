package ingest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"annotate/internal/testenv"
)

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
	p := builtin(b, "mqm")
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
