package desk

import (
	"slices"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		counts map[int64]int64
		want   float64
	}{
		{map[int64]int64{10: 1}, 10},
		{map[int64]int64{10: 2, 30: 1}, 10},
		{map[int64]int64{10: 1, 30: 1}, 20},
		{map[int64]int64{10: 1, 20: 1, 30: 1, 50: 3}, 40},
	} {
		if got := weightedMedian(c.counts); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.counts, got, c.want)
		}
	}
}

// A half is rounded away from zero, so that two annotators differ from each other by the same.
func TestDivide(t *testing.T) {
	for _, c := range [][3]int64{{3, 2, 2}, {-3, 2, -2}, {4, 3, 1}, {-4, 3, -1}, {-5, 3, -2}} {
		if got := divide(c[0], c[1]); got != c[2] {
			t.Errorf("%d/%d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		name   string
		scale  scoreScale
		labels string
		scores []float64
		want   []int
	}{
		{"sqm", newScale(0, 4, true), "0, 1, 2, 3, 4", []float64{0, 4, 3, 9, -1}, []int{0, 4, 3, 4, 0}},
		{"esa", newScale(0, 100, false), "0 to 9, 10 to 19, 20 to 29, 30 to 39, 40 to 49, 50 to 59, 60 to 69, 70 to 79, 80 to 89, 90 to 100", []float64{0, 9.5, 10, 89, 90, 100}, []int{0, 0, 1, 8, 9, 9}},
		{"own", newScale(1, 25, false), "1 to 3, 4 to 5, 6 to 8, 9 to 10, 11 to 12, 13 to 15, 16 to 17, 18 to 20, 21 to 22, 23 to 25", []float64{1, 3, 4, 25}, []int{0, 0, 1, 9}},
		{"below zero", newScale(-1000, 1000, false), "−1000 to −801, −800 to −601, −600 to −401, −400 to −201, −200 to −1, 0 to 199, 200 to 399, 400 to 599, 600 to 799, 800 to 1000", []float64{-1000, -800, -1, 0}, []int{0, 1, 4, 5}},
	} {
		var labels []string
		for i := range c.scale.Buckets() {
			labels = append(labels, c.scale.Label(i))
		}
		if got := strings.Join(labels, ", "); got != c.labels {
			t.Errorf("%s: labels %q, want %q", c.name, got, c.labels)
		}
		var got []int
		for _, x := range c.scores {
			got = append(got, c.scale.Bucket(c.scale.Units(x)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: buckets %v, want %v", c.name, got, c.want)
		}
	}
	costs := newCosts()
	for cost, want := range map[float64]string{0: "0", 0.1: "0", 5.9: "5", 24.9: "24", 25: "25+", 300: "25+"} {
		if got := costs.Label(costs.Bucket(costs.Units(-cost))); got != want {
			t.Errorf("a cost of %v is in %q, want %q", cost, got, want)
		}
	}
}
