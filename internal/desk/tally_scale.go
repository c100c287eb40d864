package desk

import (
	"math"

	"annotate/internal/wording"
)

// A scoreScale converts gate scores to whole units, and to the buckets of a histogram. Its zero value
// is not useful; start from [newScale] or [newCosts].
type scoreScale struct {
	// Unit is the number of units in a point. Scores are rounded to units. Nothing is lost
	// under the protocols that come with the program, whose scores are multiples of 0.001.
	Unit float64
	// ByPairs says that alpha uses the ordinal or nominal metric, so that pairs of scores are counted.
	ByPairs  bool
	costs    bool
	nominal  bool     // the scores stand for answers that are not numbers
	answers  []string // what they stand for, if these are the options of a choice
	min, max float64
}

// newScale returns the scale of scores from min to max points.
func newScale(min, max float64, byPairs bool) scoreScale {
	s := scoreScale{Unit: thousand, ByPairs: byPairs, min: min, max: max}
	// The squares of a million scores must fit into 63 bits.
	for s.Unit > 1e-9 && math.Max(math.Abs(min), math.Abs(max))*s.Unit > 1e6 {
		s.Unit /= 10
	}
	return s
}

// newCosts returns the scale of gate scores that are sums of the weights of errors, or the
// negative of such a sum. They have no upper limit.
func newCosts() scoreScale { return scoreScale{Unit: thousand, costs: true} }

// Units converts a score from points to units.
func (s scoreScale) Units(score float64) int64 { return int64(math.Round(score * s.Unit)) }

// Mean converts a mean or a difference of scores from units to points. It is NaN if the scores stand for answers, of
// which no mean is taken.
func (s scoreScale) Mean(units float64) float64 {
	if s.nominal {
		return math.NaN()
	}
	return s.Points(units)
}

// Points converts units to points.
func (s scoreScale) Points(units float64) float64 { return units / s.Unit }

// A scale with at most fewValues whole scores has a bucket for each. Other scales have tens
// buckets.
const fewValues, tens = 11, 10

// mostCost is the lowest cost of the last bucket of costs, which contains all higher ones.
const mostCost = 25

// Bucket is the index of the bucket of a score in units. Buckets of scores go from the lowest to
// the highest score, buckets of costs from 0 to the highest cost.
func (s scoreScale) Bucket(units int64) int {
	x := s.Points(float64(units))
	if s.costs {
		return int(math.Min(math.Floor(math.Abs(x)), mostCost))
	}
	n := s.Buckets()
	at := math.Floor((x - s.min) / s.width())
	return int(math.Max(0, math.Min(at, float64(n-1))))
}

// Buckets is the number of buckets.
func (s scoreScale) Buckets() int {
	switch {
	case s.costs:
		return mostCost + 1
	case s.max-s.min < fewValues:
		return int(s.max-s.min) + 1
	}
	return tens
}

// width is the number of points in a bucket of scores.
func (s scoreScale) width() float64 {
	if s.max-s.min < fewValues {
		return 1
	}
	return (s.max - s.min) / tens
}

// Limits returns the lowest and the highest whole score, or cost, of a bucket. The last bucket of
// costs has no highest: high is +Inf.
func (s scoreScale) Limits(bucket int) (low, high float64) {
	switch {
	case s.costs && bucket == mostCost:
		return mostCost, math.Inf(1)
	case s.costs:
		return float64(bucket), float64(bucket)
	}
	low = s.min + math.Ceil(float64(bucket)*s.width())
	if bucket == s.Buckets()-1 {
		return low, s.max
	}
	return low, s.min + math.Ceil(float64(bucket+1)*s.width()) - 1
}

// Label names a bucket: "Keep", "3", "40 to 49", "−1000 to −801", "25+".
func (s scoreScale) Label(bucket int) string {
	low, high := s.Limits(bucket)
	switch {
	case len(s.answers) == s.Buckets():
		return s.answers[bucket]
	case math.IsInf(high, 1):
		return wording.Plain(low) + "+"
	case low >= high:
		return wording.Plain(low)
	}
	return wording.Plain(low) + " to " + wording.Plain(high)
}
