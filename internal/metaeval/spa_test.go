package metaeval

import (
	"context"
	"math"
	"testing"

	"annotate/internal/testenv"
)

// enumerate lists every choice among n items once, one draw each.
func enumerate(n int) func(int) byte {
	i := 0
	return func(items int) (chosen byte) {
		for k := range items {
			draw, item := i/n, i%n
			i++
			chosen |= byte(draw>>item&1) << k
		}
		return chosen
	}
}

// The vectors have the p-value of every pair of systems over all sign flips, and the
// estimate of mt-metrics-eval from 1000 flips. With the same flips our estimates must be
// equal, except where a sum equals the observed one: in single precision,
// mt-metrics-eval may find it smaller.
func TestSoftAccuracyVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "spa") {
		var in struct{ Human, Metric [][]testenv.Number }
		var want struct {
			Exact   float64   `json:"spa_exact_enumeration"`
			Human   []float64 `json:"human_p_exact_upper"`
			Metric  []float64 `json:"metric_p_exact_upper"`
			Sampled float64   `json:"spa_mtme_1000_seed4"`
			HumanS  []float64 `json:"human_p_mtme_upper"`
			MetricS []float64 `json:"metric_p_mtme_upper"`
		}
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		human, metric := matrix(in.Human), matrix(in.Metric)
		segments := width(human)
		p, err := signFlipPValues(context.Background(), [][][]float64{human, metric}, segments, enumerate(segments), 1<<segments)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want.Human {
			if !testenv.Near(p[0][k], want.Human[k], testenv.Tolerance) || !testenv.Near(p[1][k], want.Metric[k], testenv.Tolerance) {
				t.Errorf("%s, pair %d: p = %v and %v, want %v and %v", v.ID, k, p[0][k], p[1][k], want.Human[k], want.Metric[k])
			}
		}
		if got := closeness(p[0], p[1]); !testenv.Near(got, want.Exact, testenv.Tolerance) {
			t.Errorf("%s: got %v, want %v", v.ID, got, want.Exact)
		}
		p, err = signFlipPValues(context.Background(), [][][]float64{human, metric}, segments, newPCG64(4).choose, 1000)
		if err != nil {
			t.Fatal(err)
		}
		// The error of a share of 1000 flips is at most √(0.25/1000) = 0.016.
		const tolerance = 3 * 0.016
		for k := range want.HumanS {
			if !testenv.Near(p[0][k], want.HumanS[k], tolerance) || !testenv.Near(p[1][k], want.MetricS[k], tolerance) {
				t.Errorf("%s, pair %d: p = %v and %v, want %v and %v", v.ID, k, p[0][k], p[1][k], want.HumanS[k], want.MetricS[k])
			}
		}
		got, err := SoftPairwiseAccuracy(context.Background(), human, metric, 1000, 4)
		if err != nil || !testenv.Near(got, want.Sampled, tolerance) {
			t.Errorf("%s: got %v, %v, want %v", v.ID, got, err, want.Sampled)
		}
		t.Logf("%s: %v, mt-metrics-eval %v", v.ID, got, want.Sampled)
	}
}

func TestSoftAccuracyDegenerate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name          string
		human, metric [][]float64
		want          float64
	}{
		{"one system", [][]float64{{1, 2}}, [][]float64{{1, 2}}, nan},
		{"no segment", [][]float64{{}, {}}, [][]float64{{}, {}}, nan},
		{"nothing", nil, nil, nan},
		{"no segment with all scores", [][]float64{{1, nan}, {nan, 1}}, [][]float64{{1, 2}, {1, 2}}, nan},
		{"all ties", [][]float64{{1, 1}, {1, 1}}, [][]float64{{5, 5}, {5, 5}}, nan},
		{"infinite", [][]float64{{1, 2}, {2, 3}}, [][]float64{{1, inf}, {2, 3}}, nan},
		{"itself", [][]float64{{1, 2, 5}, {2, 3, 1}}, [][]float64{{1, 2, 5}, {2, 3, 1}}, 1},
	}
	for _, tt := range tests {
		got, err := SoftPairwiseAccuracy(context.Background(), tt.human, tt.metric, 100, 4)
		if err != nil || !testenv.Near(got, tt.want, 1e-12) {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

// A metric that lacks a segment is compared on the other segments.
func TestSoftAccuracyGaps(t *testing.T) {
	human := [][]float64{{1, 2, 5, 9}, {2, 3, 1, 7}, {0, 4, 4, 8}}
	metric := [][]float64{{3, 1, 2, math.NaN()}, {1, 1, 5, 6}, {2, 2, 2, 2}}
	got, err := SoftPairwiseAccuracy(context.Background(), human, metric, 500, 4)
	if err != nil {
		t.Fatal(err)
	}
	first := []int{0, 1, 2}
	want, err := SoftPairwiseAccuracy(context.Background(), columns(human, first), columns(metric, first), 500, 4)
	if err != nil || got != want {
		t.Errorf("got %v, want %v, %v", got, want, err)
	}
}

// A scorer that gives all systems the same scores tells nothing about them, whatever their
// order.
func TestSoftAccuracyOfConstants(t *testing.T) {
	rising, constant, bySource := [][]float64{{1, 2, 3}, {2, 3, 4}, {5, 4, 6}}, [][]float64{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, [][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	almost := [][]float64{{1, 1, 1}, {1, 1, 2}, {1, 1, 1}}
	for _, human := range [][][]float64{rising, constant} {
		got, err := softAccuracies(t.Context(), human, [][][]float64{rising, almost, constant, bySource}, 100, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if undefined := i > 1 || &human[0] == &constant[0]; math.IsNaN(v) != undefined {
				t.Errorf("metric %d: %v", i, v)
			}
		}
	}
}
