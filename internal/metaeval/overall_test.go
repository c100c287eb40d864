package metaeval

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// jointSample is two language pairs with the same metrics and different numbers of systems.
func jointSample() []Data {
	second := sample()
	second.LanguagePair = "xx-zz"
	for _, m := range second.Metrics {
		for system, row := range m.Segment {
			m.Segment[system] = slices.Concat(row[7:], row[:7])
		}
	}
	second.Systems = second.Systems[:4]
	return []Data{sample(), second}
}

// The test over several reports adds up the differences of each part of each report, where each
// report is permuted by itself.
func TestOverallTest(t *testing.T) {
	for _, preset := range Presets {
		const permutations = 60
		var reports []Report
		var own, joint [][][]float64 // by report, permutation and pair of metrics
		var pairs []float64
		for _, d := range jointSample() {
			task := Task{Metrics: []string{"M0", "M1", "M2"}, Preset: preset, Significance: true, Joint: true, Permutations: permutations, Seed: 3}
			r, err := Evaluate(t.Context(), d, task)
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, r)
			sub, _, _, err := chooseSubset(d, task)
			if err != nil {
				t.Fatal(err)
			}
			results, err := sub.results(t.Context(), task, &progress{})
			if err != nil {
				t.Fatal(err)
			}
			mine, both := zeros(permutations, 3), zeros(permutations, 3)
			for _, p := range preset.parts() {
				resampler, err := p.exchange(t.Context(), sub.comparison(p, task, results, indices(3), nil))
				if err != nil {
					t.Fatal(err)
				}
				sum := mine
				if p.joint != nil {
					sum = both
				}
				var mu sync.Mutex
				err = resampler.next(context.Background(), permutations, func(draw int, difference []float64) {
					mu.Lock()
					defer mu.Unlock()
					for pair, d := range difference {
						if p.signed {
							d /= 2
						}
						sum[draw][pair] += d
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			own, joint, pairs = append(own, mine), append(joint, both), append(pairs, float64(stat.Choose2(len(d.Systems))))
		}
		results, test := Overall(reports)
		if test == nil {
			t.Fatalf("%s: there is no test", preset)
		}
		meta := func(name string) float64 {
			return results[slices.IndexFunc(results, func(r OverallResult) bool { return r.Name == name })].Meta
		}
		eachPair(3, func(x, y, pair int) {
			a, b := "M"+string(rune('0'+x))+"-src", "M"+string(rune('0'+y))+"-src"
			observed := meta(a) - meta(b)
			atLeast, atMost := 0, 0
			for draw := range permutations {
				difference := 0.0
				for k := range reports {
					at := (draw + k) % permutations
					difference += own[k][at][pair] + joint[k][at][pair]*2*pairs[k]/(pairs[0]+pairs[1])
				}
				difference /= 2 * float64(len(preset.parts()))
				if difference >= observed-1e-12 {
					atLeast++
				}
				if difference <= observed+1e-12 {
					atMost++
				}
			}
			i, j := slices.Index(test.Metrics, a), slices.Index(test.Metrics, b)
			want := atLeast
			if i > j {
				i, j, want = j, i, atMost
			}
			if got := test.P[i][j]; !testenv.Near(got, float64(want)/permutations, 1e-12) {
				t.Errorf("%s: p of %s and %s is %v, want %v", preset, a, b, got, float64(want)/permutations)
			}
		})
		for _, r := range results {
			if r.Rank != test.Clusters[r.Name] {
				t.Errorf("%s: %s has the rank %d, want its cluster %d", preset, r.Name, r.Rank, test.Clusters[r.Name])
			}
		}
	}
}

// Without the kept permutations of every report there is no test.
func TestOverallWithoutTest(t *testing.T) {
	var reports []Report
	for i, d := range jointSample() {
		r, err := Evaluate(t.Context(), d, Task{Significance: true, Joint: i == 0, Permutations: 10})
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if _, test := Overall(reports); test != nil {
		t.Errorf("got %+v", test)
	}
}

func zeros(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
	}
	return out
}

// The sums of a softResampler give the soft pairwise accuracy of scores that are exchanged one by one.
func TestSoftResampler(t *testing.T) {
	const draws, permutations = 12, 90
	d := sample()
	sub, _, _, err := chooseSubset(d, Task{Metrics: []string{"M0", "M1", "M2"}})
	if err != nil {
		t.Fatal(err)
	}
	metrics := [][][]float64{sub.metrics[0].segment, sub.metrics[1].segment, sub.metrics[2].segment}
	metrics[2] = slices.Clone(metrics[2])
	metrics[2][1] = metrics[2][0] // two systems with equal scores
	r, err := newSoftResampler(t.Context(), sub.human.segment, metrics, permutations, 5, "test")
	if err != nil {
		t.Fatal(err)
	}
	gold := completeSegments(sub.human.segment, nil)
	human := columns(sub.human.segment, gold)
	systems, segments := len(human), len(gold)
	f, err := newFlips(t.Context(), systems*segments, draws, newCoinFlips(5, "test").choose)
	if err != nil {
		t.Fatal(err)
	}
	chosen := make([]bool, systems*segments)
	want := func(x, y int) float64 {
		mixed := func(x, y int) float64 {
			a, b := zScoredRows(columns(metrics[x], gold)), zScoredRows(columns(metrics[y], gold))
			for s, row := range a {
				for k := range row {
					if chosen[s*segments+k] {
						row[k] = b[s][k]
					}
				}
			}
			v, err := SoftPairwiseAccuracy(context.Background(), human, a, permutations, 5)
			if err != nil {
				t.Error(err)
			}
			return v
		}
		return mixed(x, y) - mixed(y, x)
	}
	check := func(what string, difference []float64) {
		eachPair(3, func(x, y, pair int) {
			if !testenv.Near(difference[pair], want(x, y), 1e-12) {
				t.Errorf("%s: metrics %d and %d differ by %v, want %v", what, x, y, difference[pair], want(x, y))
			}
		})
	}
	check("observed", r.observed())
	var mu sync.Mutex
	moved := false
	err = r.next(t.Context(), draws, func(draw int, difference []float64) {
		mu.Lock()
		defer mu.Unlock()
		f.unpack(draw, chosen)
		check("exchanged", difference)
		moved = moved || math.Abs(difference[0]) > 0
	})
	if err != nil || !moved {
		t.Errorf("error %v, differences other than 0: %v", err, moved)
	}
}
