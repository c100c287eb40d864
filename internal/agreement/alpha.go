package agreement

import (
	"math"
	"slices"

	"annotate/internal/stat"
)

// A Metric says how far two values are apart for [Alpha].
type Metric int

// The metrics, δ² of values c and k.
const (
	Ordinal  Metric = iota // the square of the difference of their mean ranks
	Interval               // (c − k)²
	Nominal                // 0 for equal values, else 1
)

func (m Metric) String() string { return [...]string{"ordinal", "interval", "nominal"}[m] }

// A Result is the coefficient of [Alpha] with the numbers it is computed from.
type Result struct {
	Alpha    float64
	Units    int      // the number of units with at least two ratings
	Ratings  int      // the number of ratings of these units
	Warnings []string // why Alpha is undefined
}

// Alpha is Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's
// Alpha-Reliability"):
//
//	α = 1 − Do/De
//
// Units holds the ratings of each unit. A missing rating is NaN. The order of a unit's
// ratings does not matter, and units may have different numbers of ratings. A unit
// with m ratings adds Σ δ²(c, k) / (m − 1) to Do, over all ordered pairs of its
// ratings. De is the same sum over all ratings of all units at once.
//
// Alpha is 1 for perfect agreement, 0 for agreement by chance, and below 0 for less
// agreement than by chance. It is NaN if no unit has two ratings, and if all ratings
// are equal, since De is then 0.
//
// The function takes O(n log n) time for n ratings: it computes sums of squared
// differences from the mean, 2m·Σ(x − x̄)², and the ordinal metric as the interval
// metric of mean ranks.
func Alpha(units [][]float64, metric Metric) Result {
	var res Result
	var values []float64 // the ratings of all units with at least two ratings
	pairable := make([][2]int, 0, len(units))
	for _, unit := range units {
		from := len(values)
		for _, v := range unit {
			if !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values)-from < 2 {
			values = values[:from]
			continue
		}
		pairable = append(pairable, [2]int{from, len(values)})
	}
	res.Alpha, res.Units, res.Ratings = math.NaN(), len(pairable), len(values)
	counts := countsOf(values)
	switch {
	case len(counts) == 0:
		res.Warnings = append(res.Warnings, "no unit has two ratings")
		return res
	case len(counts) == 1:
		res.Warnings = append(res.Warnings, "all ratings are equal, so chance alone gives the same agreement")
		return res
	}
	if metric == Ordinal {
		rank := make(map[float64]float64, len(counts))
		below := 0
		for i, k := range counts {
			counts[i].value = float64(below) + float64(k.count+1)/2
			rank[k.value] = counts[i].value
			below += k.count
		}
		for i, v := range values {
			values[i] = rank[v]
		}
	}
	var observed stat.Sum
	for _, u := range pairable {
		unit := values[u[0]:u[1]]
		slices.Sort(unit)
		observed.Add(metric.disagreement(runsOf(unit), len(unit)))
	}
	res.Alpha = 1 - observed.Value()/metric.disagreement(counts, len(values))
	return res
}

// A valueCount is a value and how often it occurs.
type valueCount struct {
	value float64
	count int
}

// countsOf counts the different values, in ascending order.
func countsOf(values []float64) []valueCount {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return runsOf(sorted)
}

// runsOf counts the different values of a sorted list.
func runsOf(sorted []float64) []valueCount {
	var out []valueCount
	for _, v := range sorted {
		if n := len(out); n > 0 && out[n-1].value == v {
			out[n-1].count++
		} else {
			out = append(out, valueCount{v, 1})
		}
	}
	return out
}

// disagreement is Σ (c − k)² or, for nominal values, the number of different values, over all ordered pairs of n
// values, divided by n − 1. Ordinal values are mean ranks.
func (m Metric) disagreement(counts []valueCount, n int) float64 {
	var mean, total stat.Sum
	if m == Nominal {
		for _, k := range counts {
			total.Add(float64(k.count) * float64(n-k.count))
		}
		return total.Value() / float64(n-1)
	}
	for _, k := range counts {
		mean.Add(float64(k.count) * (k.value - counts[0].value))
	}
	center := mean.Value()/float64(n) + counts[0].value
	for _, k := range counts {
		d := k.value - center
		total.Add(2 * float64(n) * float64(k.count) * d * d)
	}
	return total.Value() / float64(n-1)
}
