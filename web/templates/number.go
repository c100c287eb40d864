package templates

import (
	"math"
	"strconv"
	"strings"

	"annotate/internal/wording"
)

// Hours writes seconds as hours: "1.5 h".
func Hours(seconds float64) string {
	switch h := seconds / 3600; {
	case seconds == 0:
		return "–"
	case h < 0.05:
		return "<0.1 h"
	case h >= 999.95:
		return wording.Count(int(math.Round(h))) + " h"
	default:
		return strconv.FormatFloat(h, 'f', 1, 64) + " h"
	}
}

// PerRating is the mean time of a rating: "38 s".
func PerRating(seconds float64, ratings int) string {
	if ratings == 0 || seconds == 0 {
		return "–"
	}
	return wording.Count(int(math.Round(seconds/float64(ratings)))) + " s"
}

// Short writes a number with as many digits as it has, four behind the point
// at most: 3, 2.5, 0.3333.
func Short(x float64) string {
	return strings.Replace(strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64), "-", "−", 1)
}
