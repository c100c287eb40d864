package metaeval

import (
	"math"

	"annotate/internal/stat"
)

// PearsonInterval returns a confidence interval of Pearson's r between the means of systems. Rows of human
// and metric are systems, columns are segments, and NaN is a missing score. units are groups of segments that
// vary together, see [ResamplingUnits]. level is in (0, 1), such as 0.95.
//
// Percentiles of resamples are too low: noise in the means lowers r, and resampling adds noise. So r is
// written as a ratio. The dividend is the sum of the products of the deviations from the mean, the divisor
// the root of the product of the sums of their squares. The variances and the covariance of both come from
// jackknife pseudo-values (Tukey 1958, "Bias and confidence in not-quite large samples"; Miller 1974, "The
// jackknife - a review"), which leave out one unit at a time. The interval contains all values that do not
// differ significantly from the observed r (Fieller 1954, "Some problems in interval estimation") by
// Student's distribution, with one degree of freedom less than there are units.
//
// The bounds are within [-1, 1]. They are -1 and 1 if the divisor does not differ significantly from 0, and
// NaN with fewer than two units or if a system has scores in only one unit. Resamples is the number of units.
func PearsonInterval(human, metric [][]float64, units [][]int, level float64) stat.Interval {
	n := float64(len(units))
	undefined := stat.Interval{Low: missing, High: missing}
	if len(units) < 2 {
		return undefined
	}
	h, m := newUnitMeans(human, units), newUnitMeans(metric, units)
	product, size := crossProduct(h.without(-1), m.without(-1))
	var products, sizes []float64
	for unit := range units {
		p, s := crossProduct(h.without(unit), m.without(unit))
		products, sizes = append(products, (n-1)*(product-p)), append(sizes, (n-1)*(size-s))
	}
	t := stat.StudentQuantile((1+level)/2, n-1)
	covariance := func(x, y []float64) float64 {
		mx, my := stat.Mean(x), stat.Mean(y)
		var sum stat.Sum
		for i := range x {
			sum.Add((x[i] - mx) * (y[i] - my))
		}
		return t * t * sum.Value() / (n - 1) / n
	}
	// (product - r size)² ≤ t² var(product - r size) is a r² - 2 b r + c ≤ 0.
	a := size*size - covariance(sizes, sizes)
	b := product*size - covariance(products, sizes)
	c := product*product - covariance(products, products)
	switch {
	case !stat.Defined(a, b, c) || size == 0:
		return undefined
	case a <= 0:
		return stat.Interval{Low: -1, High: 1, Resamples: len(units)}
	}
	root := math.Sqrt(max(0, b*b-a*c))
	return stat.Interval{Low: max(-1, (b-root)/a), High: min(1, (b+root)/a), Resamples: len(units)}
}

// crossProduct returns the dividend and the divisor of Pearson's r; see [PearsonInterval].
func crossProduct(x, y []float64) (product, size float64) {
	mx, my := stat.Mean(x), stat.Mean(y)
	var xx, xy, yy float64
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy, math.Sqrt(xx * yy)
}

// unitMeans holds the sums and the numbers of scores by unit and system. The last entry
// is that of all units.
type unitMeans struct {
	sums   [][]float64
	counts [][]int
}

func newUnitMeans(rows [][]float64, units [][]int) unitMeans {
	var u unitMeans
	for _, row := range rows {
		sums, counts := make([]float64, len(units)+1), make([]int, len(units)+1)
		var all stat.Sum
		for i, unit := range units {
			for _, k := range unit {
				if stat.Defined(row[k]) {
					sums[i] += row[k]
					counts[i]++
					all.Add(row[k])
				}
			}
			counts[len(units)] += counts[i]
		}
		sums[len(units)] = all.Value()
		u.sums, u.counts = append(u.sums, sums), append(u.counts, counts)
	}
	return u
}

// without returns the means of the systems over all units but one, or over all if unit is -1. A mean over nothing is NaN.
func (u unitMeans) without(unit int) []float64 {
	means := make([]float64, len(u.sums))
	for i, sums := range u.sums {
		last := len(sums) - 1
		sum, n := sums[last], u.counts[i][last]
		if unit >= 0 {
			sum, n = sum-sums[unit], n-u.counts[i][unit]
		}
		means[i] = sum / float64(n)
		if n == 0 {
			means[i] = missing
		}
	}
	return means
}
