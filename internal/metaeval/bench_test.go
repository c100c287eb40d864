package metaeval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/metaeval"
)

// made returns a language pair with generated scores: human scores like those of MQM, and
// metrics that correlate with them.
func made(systems, segments, metrics int) metaeval.Data {
	random := rand.New(rand.NewPCG(1, 2))
	d := metaeval.Data{LanguagePair: "zh-en", Segments: segments, Humans: []metaeval.Scores{{Name: "mqm", Segment: map[string][]float64{}}}}
	for m := range metrics {
		d.Metrics = append(d.Metrics, metaeval.Scores{Name: fmt.Sprintf("metric%d-src", m), Segment: map[string][]float64{}})
	}
	for s := range systems {
		name := fmt.Sprintf("system%02d", s)
		d.Systems = append(d.Systems, name)
		human := make([]float64, segments)
		for i := range human {
			human[i] = -math.Trunc(random.ExpFloat64() * (2 + float64(s)/4))
		}
		d.Humans[0].Segment[name] = human
		for m := range d.Metrics {
			scores := make([]float64, segments)
			for i := range scores {
				scores[i] = float64(float32(human[i] + (2+float64(m%7))*random.NormFloat64()))
			}
			d.Metrics[m].Segment[name] = scores
		}
	}
	return d
}

// BenchmarkZhEn has the size of WMT23 Chinese-English with all metrics: 15
// systems, 1177 segments, 60 metrics; the bar is 34 s / 20 = 1.7 s on 2 cores.
func BenchmarkZhEn(b *testing.B) {
	d := made(15, 1177, 60)
	for _, significance := range []bool{false, true} {
		b.Run(fmt.Sprintf("significance=%v", significance), func(b *testing.B) {
			for b.Loop() {
				evaluate(b, d, metaeval.Task{Significance: significance, Seed: 4})
			}
		})
	}
	b.Run("ment", func(b *testing.B) { // 156 million pairs of translations for each metric
		d := d
		d.Metrics = d.Metrics[:4]
		for b.Loop() {
			evaluate(b, d, metaeval.Task{Preset: metaeval.MENT, Seed: 4})
		}
	})
}
