package templates

import (
	"strconv"
	"time"
)

// An AnnotatorsView is what each annotator of a campaign has done.
type AnnotatorsView struct {
	Page
	Clock
	Annotators  []AnnotatorRow // by login
	Quota       int            // ratings a day; 0: no limit
	IdleSeconds int            // active time stops after so long without input
}

// An AnnotatorRow sums up one annotator.
type AnnotatorRow struct {
	Login     string
	Name      string // may be empty
	Removed   bool
	Segments  int // submitted, all rounds
	Ratings   int
	Seconds   float64 // active time of what was submitted
	Open      int     // segments in work, second looks included
	Second    int     // of those, second looks
	Today     int     // ratings submitted today
	LastSeen  time.Time
	Submitted time.Time // last submission
}

func (a AnnotatorRow) called() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Login
}

// today is "40 of 100", or the number alone without a quota.
func (a AnnotatorRow) today(quota int) string {
	if quota == 0 {
		return count(a.Today)
	}
	return count(a.Today) + " of " + count(quota)
}

func sumOf(rows []AnnotatorRow) AnnotatorRow {
	var sum AnnotatorRow
	for _, a := range rows {
		sum.Segments += a.Segments
		sum.Ratings += a.Ratings
		sum.Seconds += a.Seconds
		sum.Open += a.Open
		sum.Second += a.Second
		sum.Today += a.Today
	}
	return sum
}

func (v AnnotatorsView) counted() []Pair {
	return []Pair{
		{"Segments", "Submitted by the annotator, second looks counted again."},
		{"Ratings", "Translations judged in them."},
		{"Active time", "Time on the cards of submitted segments. It stops while the page is hidden and after " + strconv.Itoa(v.IdleSeconds) + " seconds without input, so breaks do not count; reading before the first key does."},
		{"Per rating", "Active time divided by ratings."},
		{"In work", "Segments begun and not submitted."},
		{"Today", "Ratings submitted since midnight, " + v.zone() + ", and the day's quota if there is one."},
	}
}
