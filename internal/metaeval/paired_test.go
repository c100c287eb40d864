package metaeval

import (
	"math"
	"slices"
	"testing"
)

// Five documents of two segments: B is better than A in every document, and differs from C
// in sign. Only 2 of the 32 flips of A and B reach the observed sum.
// The differences of the segments of a document are added up before their sign is drawn.
func TestUnitDifferences(t *testing.T) {
	n := math.NaN()
	sums, size, shared := unitDifferences([]float64{5, 1, 4, n, 2}, []float64{3, 3, 1, 2, 2}, [][]int{{0, 1}, {2, 3}, {4}})
	if !slices.Equal(sums, []float64{0, 3, 0}) || size != 7 || shared != 4 {
		t.Errorf("sums %v, size %v, %d shared", sums, size, shared)
	}
}

func TestPaired(t *testing.T) {
	n := math.NaN()
	scores := [][]float64{{1, 5, 2, 4, 3, 3, 1, 1, 5, 5}, {2, 5, 3, 4, 4, 3, 2, 1, 6, 5}, {1, 5, 3, 3, 3, 3, 1, 1, 5, n}, {n, n, n, n, n, n, n, n, n, n}}
	units := [][]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}
	p, least, err := Paired(t.Context(), scores, units, 1000, 4)
	if err != nil || least != 2./32 {
		t.Errorf("%v, least %v", err, least)
	}
	if p[0][1] != 2./32 || p[0][2] != 1 || !math.IsNaN(p[1][0]) || !math.IsNaN(p[0][3]) {
		t.Errorf("p is %v", p)
	}
	// Twice the segments of a document are no more evidence than the document.
	doubled := make([][]float64, 2)
	for s := range doubled {
		doubled[s] = append(append(doubled[s], scores[s]...), scores[s]...)
	}
	for u := range units {
		for _, k := range units[u] {
			units[u] = append(units[u], k+10)
		}
	}
	if q, _, _ := Paired(t.Context(), doubled, units, 1000, 4); q[0][1] != p[0][1] {
		t.Errorf("with every segment twice p is %v, not %v", q[0][1], p[0][1])
	}
	// With more units flips are drawn, and p is never 0.
	var single [][]int
	up, down := make([]float64, 20), make([]float64, 20)
	for k := range up {
		single, up[k] = append(single, []int{k}), 1
	}
	if q, least, _ := Paired(t.Context(), [][]float64{up, down}, single, 999, 4); q[0][1] != .001 || least != .001 {
		t.Errorf("p %v, least %v", q[0][1], least)
	}
}
