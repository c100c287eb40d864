package report

import (
	"math"
	"testing"

	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// TestScaleParts: a scale or a sum of any length has few thresholds and few bins.
func TestScaleParts(t *testing.T) {
	for _, c := range []struct{ low, high, thresholds, bins int }{
		{0, 4, 5, 5}, {0, 100, 21, 20}, {-1000, 1000, 21, 20}, {0, 1_000_000, 21, 20}, {math.MinInt, math.MaxInt, 21, 20},
	} {
		rules := &protocol.Protocol{Scores: []protocol.Score{{Name: "s", Min: c.low, Max: c.high}}}
		if got := len(thresholdsOf(rules, "s")); got != c.thresholds {
			t.Errorf("%d to %d: %d thresholds, want %d", c.low, c.high, got, c.thresholds)
		}
		if got := len(binsOf(rules, "s", nil)); got != c.bins {
			t.Errorf("%d to %d: %d bins, want %d", c.low, c.high, got, c.bins)
		}
	}
	for high, want := range map[float64]int{3: 4, 20: 21, 21: 12, 400_000: 21, 25e9: 14, 1e300: 21} {
		if got := len(costBins([]stat.Margin{{Value: 0, N: 1}, {Value: high, N: 1}})); got != want {
			t.Errorf("a sum of %v has %d bins, want %d", high, got, want)
		}
	}
}
