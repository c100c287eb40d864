package metaeval

import (
	"math"
	"testing"
)

// The qualities by a metric are those of the translations that have a human score.
func TestQualities(t *testing.T) {
	d := Data{Systems: []string{"A", "B"}, Segments: 3,
		Humans:  []Scores{{Name: "mqm", Segment: map[string][]float64{"A": {0, -5, math.NaN()}, "B": {-1, -2, -3}}}},
		Metrics: []Scores{{Name: "judge", Segment: map[string][]float64{"A": {0, -1, -25}, "B": {-6, 0, math.NaN()}}}},
	}
	r, err := Evaluate(t.Context(), d, Task{})
	if err != nil || r.Qualities != (Qualities{Low: 1, Medium: 3, High: 1}) || r.Metrics[0].Qualities != (Qualities{Low: 1, Medium: 1, High: 2}) {
		t.Errorf("%+v, %+v, %v", r.Qualities, r.Metrics, err)
	}
}
