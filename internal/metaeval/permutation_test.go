package metaeval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

func TestMetricClusters(t *testing.T) {
	n := math.NaN()
	tests := []struct {
		name string
		p    [][]float64
		want []int
	}{
		{"none", nil, []int{}},
		{"one", [][]float64{{n}}, []int{1}},
		{"all alike", [][]float64{{n, 0.4, 0.3}, {n, n, 0.2}, {n, n, n}}, []int{1, 1, 1}},
		{"all apart", [][]float64{{n, 0.05, 0}, {n, n, 0.01}, {n, n, n}}, []int{1, 2, 3}},
		// The third loses to the first. The fourth loses only to metrics of the first
		// cluster, which do not count any more.
		{"chain", [][]float64{{n, 0.2, 0.01, 0.01}, {n, n, 0.2, 0.01}, {n, n, n, 0.3}, {n, n, n, n}}, []int{1, 1, 2, 2}},
	}
	for _, tt := range tests {
		if got := MetricClusters(tt.p); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// sample is a small language pair: a human score with gaps, three metrics with decreasing
// correlation, and one metric without segment scores.
func sample() Data {
	random := rand.New(rand.NewPCG(11, 12))
	d := Data{LanguagePair: "xx-yy", Segments: 24, Humans: []Scores{{Name: "sqm", Segment: map[string][]float64{}}}}
	for seg := range d.Segments {
		d.Domains = append(d.Domains, []string{"chat", "news"}[seg%2])
	}
	for m := range 3 {
		d.Metrics = append(d.Metrics, Scores{Name: fmt.Sprintf("M%d-src", m), Segment: map[string][]float64{}})
	}
	d.Metrics = append(d.Metrics, Scores{Name: "Sys-refA", System: map[string]float64{}})
	for s := range 6 {
		name := fmt.Sprintf("S%d", s)
		d.Systems = append(d.Systems, name)
		for seg := range d.Segments {
			h := float64(random.IntN(4)) + float64(s)/2
			for m := range 3 {
				v := math.Round(4*(h+(2+float64(m))*random.NormFloat64())) / 4
				d.Metrics[m].Segment[name] = append(d.Metrics[m].Segment[name], v)
			}
			if (seg+s)%9 == 0 {
				h = math.NaN()
			}
			d.Humans[0].Segment[name] = append(d.Humans[0].Segment[name], h)
		}
		d.Metrics[3].System[name] = float64(s * s)
	}
	return d
}

// The resamplers compute exchanges by sums and by merging sorted lists. Exchanging the
// scores one by one must give the same result.
func TestResamplersAgainstExchange(t *testing.T) {
	const draws = 20
	d := sample()
	b, _, _, err := chooseSubset(d, Task{Metrics: []string{"M0", "M1", "M2"}})
	if err != nil {
		t.Fatal(err)
	}
	b.metrics[2].segment = slices.Clone(b.metrics[2].segment)
	b.metrics[2].segment[0] = slices.Repeat([]float64{3}, d.Segments) // ties
	segments := [][][]float64{b.metrics[0].segment, b.metrics[1].segment, b.metrics[2].segment}
	c := newTranslations(b.human.segment, segments)
	coinFlips := func() *coinFlips { return newCoinFlips(9, "test") }
	for name, tt := range map[string]struct {
		r         resampler
		statistic func(x, y []float64) float64
	}{
		"pearson":  {newPearsonResampler(c, coinFlips()), stat.Pearson},
		"spearman": {newSpearmanResampler(c, coinFlips()), stat.Spearman},
	} {
		f, err := newFlips(context.Background(), len(c.human), draws, coinFlips().choose)
		if err != nil {
			t.Fatal(err)
		}
		chosen := make([]bool, len(c.human))
		want := func(x, y int) float64 {
			m, n := zScored(c.metrics[x]), zScored(c.metrics[y])
			for i, swap := range chosen {
				if swap {
					m[i], n[i] = n[i], m[i]
				}
			}
			return tt.statistic(c.human, m) - tt.statistic(c.human, n)
		}
		eachPair(3, func(x, y, pair int) {
			if got := tt.r.observed()[pair]; !testenv.Near(got, want(x, y), 1e-12) {
				t.Errorf("%s: %d and %d differ by %v, want %v", name, x, y, got, want(x, y))
			}
		})
		var mu sync.Mutex
		err = tt.r.next(context.Background(), draws, func(draw int, difference []float64) {
			mu.Lock()
			defer mu.Unlock()
			f.unpack(draw, chosen)
			eachPair(3, func(x, y, pair int) {
				if !testenv.Near(difference[pair], want(x, y), 1e-12) {
					t.Errorf("%s, draw %d: %d and %d differ by %v, want %v", name, draw, x, y, difference[pair], want(x, y))
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Clusters are the ranks, and a metric without all parts comes last.
func TestSignificanceRanks(t *testing.T) {
	r, err := Evaluate(context.Background(), sample(), Task{Significance: true, Permutations: 500, Seed: 4, ByDomain: true})
	if err != nil {
		t.Fatal(err)
	}
	meta := r.Tests[len(r.Tests)-1]
	if meta.Statistic != "meta" || len(meta.Metrics) != 3 || len(r.Metrics) != 4 {
		t.Fatalf("got %+v", meta)
	}
	for i, m := range r.Metrics {
		if m.Rank != meta.Clusters[m.Name] {
			t.Errorf("%s has rank %d and is in cluster %d", m.Name, m.Rank, meta.Clusters[m.Name])
		}
		if i > 0 && m.Rank < r.Metrics[i-1].Rank {
			t.Errorf("%s stands below a higher rank", m.Name)
		}
	}
	if last := r.Metrics[3]; last.Name != "Sys-refA" || last.Rank != r.Metrics[2].Rank+1 {
		t.Errorf("the last is %+v", last)
	}
	for _, d := range r.Domains {
		if len(d.Tests) != len(r.Tests) {
			t.Errorf("%s has %d tests", d.Domain, len(d.Tests))
		}
	}
}

// A metric with only system scores is in the tests of system scores, and changes no other
// p-value.
func TestSignificanceOfSystemsAlone(t *testing.T) {
	for _, preset := range Presets {
		task := Task{Preset: preset, Significance: true, Permutations: 200, Seed: 4}
		all, err := Evaluate(t.Context(), sample(), task)
		if err != nil {
			t.Fatal(err)
		}
		task.Metrics = []string{"M0", "M1", "M2"}
		without, err := Evaluate(t.Context(), sample(), task)
		if err != nil {
			t.Fatal(err)
		}
		for k, test := range all.Tests {
			i := slices.Index(test.Metrics, "Sys-refA")
			if has := i >= 0; has != (strings.HasPrefix(test.Statistic, "system ") && test.Statistic != "system spa") {
				t.Errorf("%s %s: tests %v", preset, test.Statistic, test.Metrics)
			}
			for x, p := range test.P {
				for y := x + 1; y < len(p); y++ {
					if !(p[y] >= 0 && p[y] <= 1) {
						t.Errorf("%s %s: p of %s over %s is %v", preset, test.Statistic, test.Metrics[x], test.Metrics[y], p[y])
					}
				}
			}
			if i >= 0 {
				test.Metrics = slices.Delete(test.Metrics, i, i+1)
				test.P = slices.Delete(test.P, i, i+1)
				for x := range test.P {
					test.P[x] = slices.Delete(test.P[x], i, i+1)
				}
			}
			want := without.Tests[k]
			if !slices.Equal(test.Metrics, want.Metrics) || fmt.Sprint(test.P) != fmt.Sprint(want.P) {
				t.Errorf("%s %s: with the metric of systems\n%v %v\nwithout\n%v %v", preset, test.Statistic, test.Metrics, test.P, want.Metrics, want.P)
			}
		}
	}
}

func TestSignificanceDegenerate(t *testing.T) {
	d := sample()
	for name, task := range map[string]Task{
		"one metric":             {Metrics: []string{"M0"}},
		"a metric without parts": {Metrics: []string{"Sys"}},
		"one system":             {Exclude: d.Systems[1:]},
		"no system":              {Exclude: d.Systems},
		"two systems":            {Exclude: d.Systems[2:]},
	} {
		for _, preset := range Presets {
			task.Significance, task.Permutations, task.Preset = true, 40, preset
			r, err := Evaluate(context.Background(), d, task)
			if err != nil || len(r.Tests) != len(preset.parts())+1 {
				t.Errorf("%s: %d tests, %v", name, len(r.Tests), err)
			}
			for _, m := range r.Metrics {
				if m.Rank < 1 {
					t.Errorf("%s: %s has rank %d", name, m.Name, m.Rank)
				}
			}
		}
	}
}

// Up to 15 systems the p-values of systems are exact: any seed gives those of all
// exchanges.
func TestExchangesOfSystemsAreEnumerated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	const systems, segments = 7, 4
	d := Data{Segments: segments, Humans: []Scores{{Name: "h", Segment: map[string][]float64{}}}}
	for m := range 3 {
		d.Metrics = append(d.Metrics, Scores{Name: string(rune('a' + m)), Segment: map[string][]float64{}})
	}
	for s := range systems {
		name := string(rune('A' + s))
		d.Systems = append(d.Systems, name)
		d.Humans[0].Segment[name] = someScores(random, segments, 9, 0)
		for _, m := range d.Metrics {
			m.Segment[name] = someScores(random, segments, 9, 0)
		}
	}
	evaluate := func(seed uint64) Report {
		r, err := Evaluate(context.Background(), d, Task{Significance: true, Permutations: 3, Seed: seed, Preset: MENT})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r, other := evaluate(4), evaluate(5)
	means := func(s Scores) (out []float64) {
		for _, name := range d.Systems {
			out = append(out, stat.Mean(s.Segment[name]))
		}
		return out
	}
	human := means(d.Humans[0])
	statistics := map[string]func(x, y []float64) float64{
		"system acc": func(x, y []float64) float64 { return stat.Ratio(PairwiseAccuracy(x, y)) }, "system pearson": stat.Pearson, "system spearman": stat.Spearman,
	}
	for k, test := range r.Tests {
		statistic := statistics[test.Statistic]
		if statistic == nil {
			continue
		}
		if fmt.Sprint(test.P) != fmt.Sprint(other.Tests[k].P) {
			t.Errorf("%s: seeds differ: %v, %v", test.Statistic, test.P, other.Tests[k].P)
		}
		byName := map[string][]float64{}
		for _, m := range d.Metrics {
			byName[m.Name] = zScored(means(m))
		}
		for i, a := range test.Metrics {
			for j := i + 1; j < len(test.Metrics); j++ {
				x, y := byName[a], byName[test.Metrics[j]]
				difference := func(exchanged int) float64 {
					p, q := slices.Clone(x), slices.Clone(y)
					for s := range systems {
						if exchanged>>s&1 == 1 {
							p[s], q[s] = q[s], p[s]
						}
					}
					return orZero(statistic(human, p)) - orZero(statistic(human, q))
				}
				n := 0
				for exchanged := range 1 << systems {
					if difference(exchanged) >= difference(0)-rounding {
						n++
					}
				}
				if got, want := test.P[i][j], float64(n)/(1<<systems); got != want {
					t.Errorf("%s, %s and %s: p = %v, want %v", test.Statistic, a, test.Metrics[j], got, want)
				}
			}
		}
	}
}

// exchanges lists, for two vectors, the differences of a statistic in every exchange. The
// first is the one without exchange.
func exchanges(n int, difference func(exchanged int) float64) (out []float64) {
	for exchanged := range 1 << n {
		out = append(out, difference(exchanged))
	}
	return out
}

// shareAtLeast is the p-value of a list of differences whose first is the observed one.
func shareAtLeast(differences []float64) float64 {
	n := 0
	for _, d := range differences {
		if d >= differences[0]-rounding {
			n++
		}
	}
	return float64(n) / float64(len(differences))
}

// TestPermutationTest counts every exchange of up to 15 items, and draws exchanges of more:
// 4000 draws have an error of at most √(0.25/4000) = 0.008.
func TestPermutationTest(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for _, tt := range []struct {
		items, draws int
		tolerance    float64
	}{{7, 0, 0}, {16, 4000, 4 * 0.008}} {
		human := someScores(random, tt.items, 9, 0)
		metrics := [][]float64{someScores(random, tt.items, 3, 0), slices.Clone(human)}
		for i := range metrics[1] {
			metrics[1][i] += random.NormFloat64()
		}
		p, err := PermutationTest(t.Context(), stat.Pearson, human, metrics, tt.draws, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i := range metrics {
			for j := range metrics {
				if i == j {
					if !math.IsNaN(p[i][j]) {
						t.Errorf("%d items: p of %d over itself is %v", tt.items, i, p[i][j])
					}
					continue
				}
				x, y := zScored(metrics[i]), zScored(metrics[j])
				want := shareAtLeast(exchanges(tt.items, func(exchanged int) float64 {
					a, b := slices.Clone(x), slices.Clone(y)
					for k := range a {
						if exchanged>>k&1 == 1 {
							a[k], b[k] = b[k], a[k]
						}
					}
					return orZero(stat.Pearson(human, a)) - orZero(stat.Pearson(human, b))
				}))
				if !testenv.Near(p[i][j], want, tt.tolerance) {
					t.Errorf("%d items: p of %d over %d is %v, want %v", tt.items, i, j, p[i][j], want)
				}
			}
		}
	}
}

// TestVerdictTest compares p with all exchanges of the verdicts on nine pairs: three
// systems in three segments.
func TestVerdictTest(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 25))
	human, first := someMatrices(random, 3, 3, 4, 0)
	_, second := someMatrices(random, 3, 3, 2, 0)
	metrics, epsilons := [][][]float64{first, second}, []float64{0.25, 0}
	p, err := VerdictTest(t.Context(), human, metrics, epsilons, ByItem, 4000, 4)
	if err != nil {
		t.Fatal(err)
	}
	var verdicts [2][]float64 // 1 for right
	for seg := range 3 {
		for a := range 3 {
			for b := range a {
				for m, scores := range metrics {
					v := 0.0
					if right(human[a][seg], human[b][seg], scores[a][seg], scores[b][seg], epsilons[m]) {
						v = 1
					}
					verdicts[m] = append(verdicts[m], v)
				}
			}
		}
	}
	for i := range 2 {
		x, y := verdicts[i], verdicts[1-i]
		want := shareAtLeast(exchanges(9, func(exchanged int) (difference float64) {
			for k := range x {
				if exchanged>>k&1 == 1 {
					difference += y[k] - x[k]
				} else {
					difference += x[k] - y[k]
				}
			}
			return difference
		}))
		if !testenv.Near(p[i][1-i], want, 4*0.008) || want == 1 {
			t.Errorf("p of %d over %d is %v, want %v", i, 1-i, p[i][1-i], want)
		}
	}
	if p, err := VerdictTest(t.Context(), human, nil, nil, ByItem, 10, 4); err != nil || len(p) != 0 {
		t.Errorf("without metrics: %v, %v", p, err)
	}
}

// The seed 0 is not replaced by the default.
func TestSeedOfZero(t *testing.T) {
	evaluate := func(seed uint64) Report {
		r, err := Evaluate(t.Context(), sample(), Task{Seed: seed, Permutations: 50})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	zero, usual := evaluate(0), evaluate(DefaultSeed)
	if zero.Seed != 0 {
		t.Errorf("the report says seed %d", zero.Seed)
	}
	if got, other := zero.Metrics[0].System.SPA, usual.Metrics[0].System.SPA; got == other {
		t.Errorf("spa is %v with both seeds", got)
	}
}

// Purposes with a common prefix have different streams.
func TestStreams(t *testing.T) {
	seen := map[uint64]string{}
	for _, purpose := range []string{"segment acc_t", "segment acc_t_pooled", "segment acc_t_pooled in news", "segment acc_t_p\x00", "segment acc_t_p"} {
		for number := range uint64(3) {
			for seed := range uint64(3) {
				first := stat.RandomStream(seed, purpose, number).Uint64()
				if other, ok := seen[first]; ok {
					t.Errorf("%q, %d, %d shares a stream with %s", purpose, seed, number, other)
				}
				seen[first] = fmt.Sprintf("%q, %d, %d", purpose, seed, number)
			}
		}
	}
}
