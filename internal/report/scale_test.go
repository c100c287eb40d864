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

// TestFarScores: a few scores far out do not press all others into two columns. They stand in a column at the end, and a sentence counts them.
func TestFarScores(t *testing.T) {
	counts := map[float64]int{-500: 1, -90: 1}
	for v := range 20 {
		counts[-float64(v)] = 5
	}
	bins := costBins(stat.Margins(counts))
	if first := bins[0]; len(bins) != 21 || first.Label != "<−19" || first.High != -19 || bins[1].Label != "−19 to <−18" || bins[len(bins)-1].Label != "0" {
		t.Fatalf("the bins are %+v", bins)
	}
	if p := panel("", bins, counts); p.Bins[0].Count != 2 || p.Bins[1].Count != 5 || p.N != 102 {
		t.Errorf("the columns are %+v", p.Bins)
	}
	if got, want := beyond(bins, counts), " In the first column 2 scores are below −19, down to −500."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	above := map[float64]int{}
	for v, n := range counts {
		above[-v] = n
	}
	bins = costBins(stat.Margins(above))
	if last := bins[len(bins)-1]; len(bins) != 21 || bins[0].Label != "0" || last.Label != ">19" || panel("", bins, above).Bins[20].Count != 2 || panel("", bins, above).Bins[19].Count != 5 {
		t.Errorf("the bins are %+v", bins)
	}
	if got, want := beyond(bins, above), " In the last column 2 scores are above 19, up to 500."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Many such scores, few scores, and only zeros beside them keep their range.
	for _, all := range []map[float64]int{{-500: 10, -1: 50, 0: 50}, {-500: 1, -1: 5, 0: 5}, {-500: 1, 0: 200}} {
		bins := costBins(stat.Margins(all))
		if bins[0].Low > -500 || beyond(bins, all) != "" {
			t.Errorf("%v: the bins begin with %+v", all, bins[0])
		}
	}
}
