package agreement

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"annotate/internal/stat"
)

// BenchmarkMillion computes everything from 1,000,000 ratings: 33,334 segments of 10
// systems, each rated by 3 of 20 annotators, with two errors in every other rating.
func BenchmarkMillion(b *testing.B) {
	const segments, systems, annotators, each = 33_334, 10, 20, 3
	names, systemNames := make([]string, annotators), make([]string, systems)
	for i := range names {
		names[i] = fmt.Sprintf("annotator-%02d", i)
	}
	for i := range systemNames {
		systemNames[i] = fmt.Sprintf("system-%02d", i)
	}
	type rating struct {
		score float64
		spans []Span
	}
	random := rand.New(rand.NewPCG(7, 8))
	who := make([][]int, segments)
	ratings := make([][each][systems]rating, segments)
	units := make([][]float64, 0, segments*systems)
	for i := range ratings {
		who[i] = random.Perm(annotators)[:each]
		for k := range systems {
			quality := random.IntN(5)
			var unit []float64
			for j := range each {
				r := &ratings[i][j][k]
				r.score = float64(max(0, min(4, quality+random.IntN(3)-1)))
				unit = append(unit, r.score)
				for n := 0; n < 2 && random.IntN(2) == 0; n++ {
					at := random.IntN(100)
					r.spans = append(r.spans, Span{"target", "minor", at, at + random.IntN(20)})
				}
			}
			units = append(units, unit)
		}
	}
	type pair struct {
		x, y                []float64
		spans, withSeverity Spans
	}
	b.ReportAllocs()
	for b.Loop() {
		var m Matrices
		pairs := map[[2]int]*pair{}
		own, others := make([][]float64, annotators), make([][]float64, annotators)
		for i := range ratings {
			for j := range each {
				for l := j + 1; l < each; l++ {
					p := pairs[[2]int{who[i][j], who[i][l]}]
					if p == nil {
						p = &pair{withSeverity: Spans{BySeverity: true}}
						pairs[[2]int{who[i][j], who[i][l]}] = p
					}
					from := len(p.x)
					for k := range systems {
						a, c := ratings[i][j][k], ratings[i][l][k]
						p.x, p.y = append(p.x, a.score), append(p.y, c.score)
						p.spans.Add(a.spans, c.spans)
						p.withSeverity.Add(a.spans, c.spans)
					}
					m.Add(Shared{names[who[i][j]], names[who[i][l]], systemNames, p.x[from:], p.y[from:]})
				}
				for k := range systems {
					rest := ratings[i][0][k].score + ratings[i][1][k].score + ratings[i][2][k].score - ratings[i][j][k].score
					own[who[i][j]] = append(own[who[i][j]], ratings[i][j][k].score)
					others[who[i][j]] = append(others[who[i][j]], rest/2)
				}
			}
		}
		if len(m.SystemLevel(names)) != 190 || len(m.SegmentLevel(names)) != 190 {
			b.Fatal("not every pair is there")
		}
		for _, p := range pairs {
			stat.TauB(p.x, p.y)
			Kappa(p.x, p.y, 0, 4)
		}
		for i := range own {
			LeaveOneOut(own[i], others[i])
		}
		for _, metric := range []Metric{Ordinal, Interval} {
			if a := Alpha(units, metric); a.Units != segments*systems {
				b.Fatal(a)
			}
		}
	}
	b.ReportMetric(float64(segments*systems*each)*float64(b.N)/b.Elapsed().Seconds(), "ratings/s")
}
