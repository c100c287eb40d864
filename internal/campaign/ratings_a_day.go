package campaign

import (
	"math"
	"time"
)

// RatingsPerDay is the mean number of ratings per day. ratings is the number of ratings since from;
// they are divided by the time from from, or from the campaign's first rating if that is
// later, until now. RatingsPerDay is NaN if there are no ratings or the first one is less than a day
// old, because that says too little about a day's work.
func RatingsPerDay(ratings int, first, from, now time.Time) float64 {
	if first.IsZero() || ratings == 0 || now.Sub(first) < 24*time.Hour {
		return math.NaN()
	}
	if first.After(from) {
		from = first
	}
	return float64(ratings) / (now.Sub(from).Hours() / 24)
}
