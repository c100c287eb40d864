package metaeval

import (
	"context"
	"math"
	"slices"
	"testing"

	"annotate/internal/testenv"
)

func TestLengthGroupOf(t *testing.T) {
	for tokens, want := range map[int]int{0: 0, 1: 0, 12: 0, 13: 1, 27: 1, 28: 2, 5000: 2} {
		if got := LengthGroupOf(tokens); got != want {
			t.Errorf("%d tokens: group %d, want %d", tokens, got, want)
		}
	}
	for i, g := range LengthGroups[1:] {
		if g.From != LengthGroups[i].To+1 {
			t.Errorf("%s begins with %d tokens, %s ends with %d", g.Name, g.From, LengthGroups[i].Name, LengthGroups[i].To)
		}
	}
}

// Two systems and four segments: two short ones, a medium one that nobody rated, and
// a long one.
func TestLengthsAndSystemScoresByHand(t *testing.T) {
	n := math.NaN()
	d := Data{
		Systems: []string{"B", "A"}, Segments: 4, Lengths: []int{12, 40, 13, 3}, Domains: []string{"x", "x", "x", "x"},
		Humans: []Scores{{Name: "sqm", Segment: map[string][]float64{"A": {1, 4, n, 2}, "B": {3, 2, n, 2}}}},
		Metrics: []Scores{
			{Name: "TER", LowerIsBetter: true, Segment: map[string][]float64{"A": {30, 10, 5, 20}, "B": {10, 20, 5, 40}}},
			{Name: "whole", System: map[string]float64{"A": 7, "B": 8}},
		},
	}
	r, err := Evaluate(context.Background(), d, Task{ByDomain: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Lengths, []int{2, 0, 1}) {
		t.Errorf("rated segments by length: %v", r.Lengths)
	}
	if want := []float64{7.0 / 3, 7.0 / 3}; !slices.Equal(r.SystemScores, want) {
		t.Errorf("human scores of systems %v, want %v", r.SystemScores, want)
	}
	ter, whole := r.Metrics[0], r.Metrics[1]
	if ter.Name != "TER" {
		ter, whole = whole, ter
	}
	// As TER gives them, though it is judged by the negated ones.
	if !slices.Equal(ter.SystemScores, []float64{16.25, 18.75}) || !slices.Equal(whole.SystemScores, []float64{7, 8}) {
		t.Errorf("scores of systems %v and %v", ter.SystemScores, whole.SystemScores)
	}
	// Short: human 1 2 3 2, TER negated -30 -20 -10 -40. Of the six pairs 1-2 1-3 2-3
	// and 3-2 agree, 1-2 disagrees, and one ties in the human score alone.
	short := LengthStats{Kendall: 3.0 / math.Sqrt(5*6), Spearman: 3 / math.Sqrt(4.5*5)}
	// Long: human 4 2, TER negated -10 -20.
	want := []LengthStats{short, {Kendall: n, Spearman: n}, {Kendall: 1, Spearman: 1}}
	for i, w := range want {
		if got := ter.Lengths[i]; !testenv.Near(got.Kendall, w.Kendall, 1e-12) || !testenv.Near(got.Spearman, w.Spearman, 1e-12) {
			t.Errorf("%s: %+v, want %+v", LengthGroups[i].Name, got, w)
		}
		if got := whole.Lengths[i]; !testenv.Near(got.Kendall, n, 0) || !testenv.Near(got.Spearman, n, 0) {
			t.Errorf("%s: a metric of systems alone has %+v", LengthGroups[i].Name, got)
		}
	}
	// Human 1 4 2 3 2 2 in [0, 1]: 0 1 1/3 2/3 1/3 1/3; TER negated -30 -10 -20 -10 -20 -40:
	// 1/3 1 2/3 1 2/3 0.
	if !testenv.Near(ter.Segment.MAE, 5.0/18, 1e-12) || !testenv.Near(ter.Segment.MSE, 5.0/54, 1e-12) {
		t.Errorf("MAE %v and MSE %v", ter.Segment.MAE, ter.Segment.MSE)
	}
	if !math.IsNaN(whole.Segment.MAE) || !math.IsNaN(whole.Segment.MSE) {
		t.Errorf("a metric of systems alone has MAE %v and MSE %v", whole.Segment.MAE, whole.Segment.MSE)
	}
	if domain := r.Domains[0].Metrics[0]; domain.Lengths != nil {
		t.Errorf("a domain has lengths %v", domain.Lengths)
	}
	d.Lengths = nil
	if r, err = Evaluate(context.Background(), d, Task{}); err != nil || r.Lengths != nil || r.Metrics[0].Lengths != nil {
		t.Errorf("without lengths there are some: %v, %v, %v", r.Lengths, r.Metrics[0].Lengths, err)
	}
}
