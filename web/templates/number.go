package templates

import (
	"math"
	"strconv"
	"strings"

	"annotate/internal/wording"
)

// percent is the share n of all. It says 0% and 100% only where that is exact.
func percent(n, all int) string {
	switch {
	case all == 0:
		return "–"
	case n > 0 && 200*n < all:
		return "<1%"
	case n < all && 200*(all-n) < all:
		return ">99%"
	}
	return strconv.Itoa(int(math.Round(100*float64(n)/float64(all)))) + "%"
}

// percentTenths is the share n of all to one decimal, for shares that stand side by
// side: in whole percent 7 and 1 of 8 would make 88% and 13%. It says 0% and 100%
// only where that is exact.
func percentTenths(n, all int) string {
	switch {
	case all == 0 || 100*n%all == 0:
		return percent(n, all)
	case 2000*n < all:
		return "<0.1%"
	case 2000*(all-n) < all:
		return ">99.9%"
	}
	return wording.Decimal(100*float64(n)/float64(all), 1) + "%"
}

// hours writes seconds as hours: "1.5 h".
func hours(seconds float64) string {
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

// pace is the mean time of a rating: "38 s".
func pace(seconds float64, ratings int) string {
	if ratings == 0 || seconds == 0 {
		return "–"
	}
	return wording.Count(int(math.Round(seconds/float64(ratings)))) + " s"
}

// short writes a number with as many digits as it has, four behind the point
// at most: 3, 2.5, 0.3333.
func short(x float64) string {
	return strings.Replace(strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64), "-", "−", 1)
}
