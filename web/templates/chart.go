package templates

import (
	"math"
	"strconv"
)

// The charts are drawn here once for every page that shows numbers: histograms
// as small multiples, values by day, and heatmaps of annotators. Each is an SVG
// or a table with words for those who can't see it and, folded up below, the
// numbers it is drawn from. Colours and lines are classes of css/charts.css, as
// the content security policy wants it.

// coordinate writes a place in a drawing, with two digits at most.
func coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// niceCeil is the least of 1, 2, 2.5 and 5 times a power of ten that is at
// least x; 1 for 0 and less.
func niceCeil(x float64) float64 {
	if x <= 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if m*power >= x*(1-1e-12) {
			return m * power
		}
	}
	return 10 * power
}

// share is n of all, 0 where there is nothing.
func share(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
