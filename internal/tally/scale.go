package tally

import (
	"fmt"
	"math"
)

// A Scale says how gate scores are counted: in units, and in which buckets of a
// histogram. Its zero value is not useful; start from [NewScale] or [NewCosts].
type Scale struct {
	// Unit is how many units a point has. Scores are rounded to units: those of the
	// protocols that come with the program are whole numbers of thousandths, so that
	// nothing is lost.
	Unit float64
	// Ordinal: alpha compares ranks; pairs of scores are counted.
	Ordinal  bool
	costs    bool
	min, max float64
}

// NewScale is that of scores from min to max points.
func NewScale(min, max float64, ordinal bool) Scale {
	s := Scale{Unit: thousand, Ordinal: ordinal, min: min, max: max}
	// The squares of a million scores must fit into 63 bits.
	for s.Unit > 1e-9 && math.Max(math.Abs(min), math.Abs(max))*s.Unit > 1e6 {
		s.Unit /= 10
	}
	return s
}

// NewCosts is that of sums of what errors cost, which have no upper end; a gate
// score is such a sum or its negative.
func NewCosts() Scale { return Scale{Unit: thousand, costs: true} }

// Units is a score in units.
func (s Scale) Units(score float64) int64 { return int64(math.Round(score * s.Unit)) }

// Points is the reverse of Units.
func (s Scale) Points(units float64) float64 { return units / s.Unit }

// fewValues is how many values have a bucket each; more of them share tens buckets.
const fewValues, tens = 11, 10

// mostCost is the cost from which on all share a bucket.
const mostCost = 25

// Bucket is the number of the bucket of a score in units: of scores from the
// lowest to the highest, of costs from none to most.
func (s Scale) Bucket(units int64) int {
	x := s.Points(float64(units))
	if s.costs {
		return int(math.Min(math.Floor(math.Abs(x)), mostCost))
	}
	n := s.Buckets()
	at := math.Floor((x - s.min) / s.width())
	return int(math.Max(0, math.Min(at, float64(n-1))))
}

// Buckets is how many there are.
func (s Scale) Buckets() int {
	switch {
	case s.costs:
		return mostCost + 1
	case s.max-s.min < fewValues:
		return int(s.max-s.min) + 1
	}
	return tens
}

func (s Scale) width() float64 {
	if s.max-s.min < fewValues {
		return 1
	}
	return (s.max - s.min) / tens
}

// Limits are the lowest and the highest whole score of a bucket; of the last one of
// costs the highest is +Inf.
func (s Scale) Limits(bucket int) (low, high float64) {
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

// Label names a bucket: "3", "40-49", "25+".
func (s Scale) Label(bucket int) string {
	low, high := s.Limits(bucket)
	switch {
	case math.IsInf(high, 1):
		return fmt.Sprintf("%g+", low)
	case low >= high:
		return fmt.Sprintf("%g", low)
	}
	return fmt.Sprintf("%g-%g", low, high)
}
