package campaign

import (
	"math"
	"time"
)

// Pace is the number of ratings a day of a campaign whose first rating came at first:
// those that came since from, or since first where that is later, over the time up to
// now. It is NaN where nothing was rated, and within a day after the first rating,
// which says too little of a day's work.
func Pace(ratings int, first, from, now time.Time) float64 {
	if first.IsZero() || ratings == 0 || now.Sub(first) < 24*time.Hour {
		return math.NaN()
	}
	if first.After(from) {
		from = first
	}
	return float64(ratings) / (now.Sub(from).Hours() / 24)
}
