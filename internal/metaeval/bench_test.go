//go:build unix

package metaeval_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"annotate/internal/metaeval"
	"annotate/internal/testenv"
)

// measure runs a benchmark. Apart from the time it reports the processor time of all
// cores, which depends little on other programs, and the largest size of the heap.
func measure(b *testing.B, do func()) {
	runtime.GC()
	var most uint64
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	before := processorTime(b)
	for b.Loop() {
		do()
	}
	used := processorTime(b) - before
	close(done)
	group.Wait()
	b.ReportMetric(float64(used.Microseconds())/1e3/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(most)/1e6, "MB-peak")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEnDe does what annotate metaeval does for WMT23 English-German with six
// metrics: it reads the files and evaluates all segments and each domain.
func BenchmarkEnDe(b *testing.B) {
	dir := testenv.Data(b, "wmt23-ende/wmt23")
	b.Run("read", func(b *testing.B) { measure(b, func() { readMTME(b, dir, "en-de") }) })
	d, task := ende(b)
	b.Run("evaluate", func(b *testing.B) { measure(b, func() { evaluate(b, d, task) }) })
	task.ByDomain = true
	b.Run("by-domain", func(b *testing.B) { measure(b, func() { evaluate(b, d, task) }) })
	task.ByDomain, task.Significance = false, true
	b.Run("significance", func(b *testing.B) { measure(b, func() { evaluate(b, d, task) }) })
}

// BenchmarkMENT is a direction of the MENT data: 2380 translations, 2.8 million
// pairs of them, four metrics.
func BenchmarkMENT(b *testing.B) {
	d := ment(b, "zh-en")
	var systems []string
	for s := range d.Humans[0].Segment {
		systems = append(systems, s)
	}
	human, metric := matrixOf(d.Humans[0], systems), matrixOf(d.Metrics[2], systems)
	b.Run("acc_t_pooled", func(b *testing.B) {
		measure(b, func() {
			if _, err := metaeval.Calibrate(context.Background(), human, metric, metaeval.Pooled); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("acc_t", func(b *testing.B) {
		measure(b, func() {
			if _, err := metaeval.Calibrate(context.Background(), human, metric, metaeval.ByItem); err != nil {
				b.Fatal(err)
			}
		})
	})
	task := metaeval.Task{Preset: metaeval.MENT, Seed: 4}
	b.Run("evaluate", func(b *testing.B) { measure(b, func() { evaluate(b, d, task) }) })
	task.Significance = true
	b.Run("significance", func(b *testing.B) { measure(b, func() { evaluate(b, d, task) }) })
}

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
			measure(b, func() { evaluate(b, d, metaeval.Task{Significance: significance, Seed: 4}) })
		})
	}
	b.Run("ment", func(b *testing.B) { // 156 million pairs of translations for each metric
		d := d
		d.Metrics = d.Metrics[:4]
		measure(b, func() { evaluate(b, d, metaeval.Task{Preset: metaeval.MENT, Seed: 4}) })
	})
}

// BenchmarkMillion is the largest run: a million segments of ten systems, two
// metrics, 240 MB of scores.
func BenchmarkMillion(b *testing.B) {
	d := made(10, 1_000_000, 2)
	measure(b, func() { evaluate(b, d, metaeval.Task{Seed: 4}) })
}

// BenchmarkPooled is acc_t over all pairs of 500,000 translations, of three metrics
// that are as close to the human score as good, usual and surface metrics are. Human
// scores are means of two and of three annotators' scores from 0 to 4, sums of the
// weights of errors, means of two scores from 0 to 100, and numbers that are all
// different.
func BenchmarkPooled(b *testing.B) {
	const systems, segments = 10, 50_000
	for _, gold := range []struct {
		name string
		of   func(random *rand.Rand, quality float64) float64
	}{
		{"sqm-2", func(r *rand.Rand, q float64) float64 { return math.Round(2*q+r.NormFloat64()/2) / 2 }},
		{"sqm-3", func(r *rand.Rand, q float64) float64 { return math.Round(3*q+r.NormFloat64()/2) / 3 }},
		{"mqm", func(r *rand.Rand, q float64) float64 { return -math.Round(10*max(0, 2*(2.5-q)+r.NormFloat64())) / 10 }},
		{"esa-2", func(r *rand.Rand, q float64) float64 {
			return math.Round(2*min(100, max(0, 25*(q+r.NormFloat64()/2)))) / 2
		}},
		{"different", func(r *rand.Rand, q float64) float64 { return q + r.NormFloat64()/2 }},
	} {
		b.Run(gold.name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(11, 12))
			d := metaeval.Data{Segments: segments, Humans: []metaeval.Scores{{Name: "sqm", Segment: map[string][]float64{}}}}
			metrics := map[string]func(q float64) float64{
				"neural":  func(q float64) float64 { return 1 / (1 + math.Exp(-q+0.4*random.NormFloat64())) },
				"surface": func(q float64) float64 { return 100 / (1 + math.Exp(2-0.3*q+random.NormFloat64())) },
				"judge":   func(q float64) float64 { return math.Round(25 * math.Tanh(q-3+0.5*random.NormFloat64())) },
			}
			for _, name := range slices.Sorted(maps.Keys(metrics)) {
				d.Metrics = append(d.Metrics, metaeval.Scores{Name: name, Segment: map[string][]float64{}})
			}
			for s := range systems {
				system := fmt.Sprint(s)
				d.Systems = append(d.Systems, system)
				for range segments {
					q := min(4, max(0, 2.6+float64(s)/10+random.NormFloat64()))
					d.Humans[0].Segment[system] = append(d.Humans[0].Segment[system], gold.of(random, q))
					for _, m := range d.Metrics {
						m.Segment[system] = append(m.Segment[system], metrics[m.Name](q))
					}
				}
			}
			measure(b, func() {
				human := matrixOf(d.Humans[0], d.Systems)
				for _, m := range d.Metrics {
					if _, err := metaeval.Calibrate(context.Background(), human, matrixOf(m, d.Systems), metaeval.Pooled); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
