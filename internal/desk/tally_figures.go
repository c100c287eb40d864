package desk

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The functions of this file compute figures from sums, with exact fractions that are rounded
// once at the end. Undefined figures are NaN. Figures with a unit are in units of the [scoreScale].

// spread is n times the sum of products minus the product of sums: n² times the covariance.
func spread(n, xy, x, y int64) *big.Int {
	a := new(big.Int).Mul(big.NewInt(n), big.NewInt(xy))
	return a.Sub(a, new(big.Int).Mul(big.NewInt(x), big.NewInt(y)))
}

// Mean is the mean of X; NaN without values.
func (s Sums) Mean() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return float64(s.X) / float64(s.N)
}

// Deviation is the population standard deviation of X; NaN without values.
func (s Sums) Deviation() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return root(spread(s.N, s.XX, s.X, s.X)) / float64(s.N)
}

// root is the square root of a number that is not negative.
func root(x *big.Int) float64 {
	f, _ := new(big.Float).Sqrt(new(big.Float).SetInt(x)).Float64()
	return f
}

// Correlation is Pearson's r of X and Y, in [-1, 1]. It is NaN with fewer than 2 values, or if X
// or Y is constant.
func (s Sums) Correlation() float64 {
	cov, x, y := spread(s.N, s.XY, s.X, s.Y), spread(s.N, s.XX, s.X, s.X), spread(s.N, s.YY, s.Y, s.Y)
	if x.Sign() <= 0 || y.Sign() <= 0 {
		return math.NaN()
	}
	c, _ := new(big.Float).SetInt(cov).Float64()
	return max(-1, min(1, c/root(x)/root(y)))
}

// ownAgainst compares an annotator with the mean of the others who rated the same translations.
type ownAgainst struct {
	N           int     // number of ratings of translations that others rated too
	Difference  float64 // mean of (own score - mean of the others)
	LeaveOneOut float64 // Pearson's r of both; NaN with fewer than 3 ratings, or if either is constant
}

// againstOthers computes the comparison from the sums of kind [kindOthers], by the number of others.
func againstOthers(by map[int]Sums) ownAgainst {
	n, x, xx := new(big.Rat), new(big.Rat), new(big.Rat)
	y, yy, xy := new(big.Rat), new(big.Rat), new(big.Rat)
	for k, s := range by {
		k := int64(k)
		n.Add(n, big.NewRat(s.N, 1))
		x.Add(x, big.NewRat(s.X, 1))
		xx.Add(xx, big.NewRat(s.XX, 1))
		y.Add(y, big.NewRat(s.Y, k))
		yy.Add(yy, new(big.Rat).SetFrac(big.NewInt(s.YY), big.NewInt(k*k)))
		xy.Add(xy, big.NewRat(s.XY, k))
	}
	a := ownAgainst{N: int(n.Num().Int64()), Difference: math.NaN(), LeaveOneOut: math.NaN()}
	if a.N == 0 {
		return a
	}
	a.Difference = float(new(big.Rat).Quo(new(big.Rat).Sub(x, y), n))
	spread := func(xy, x, y *big.Rat) *big.Rat {
		s := new(big.Rat).Mul(n, xy)
		return s.Sub(s, new(big.Rat).Mul(x, y))
	}
	cov, vx, vy := spread(xy, x, y), spread(xx, x, x), spread(yy, y, y)
	if a.N >= minShared && vx.Sign() > 0 && vy.Sign() > 0 {
		a.LeaveOneOut = max(-1, min(1, float(cov)/math.Sqrt(float(vx))/math.Sqrt(float(vy))))
	}
	return a
}

// float rounds a fraction to the nearest float64.
func float(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// segmentLevelR is the mean of Pearson's r of two annotators over the segments where it is defined
// (Tian et al. 2026, Fig. 7), from their sums of kind [kindTogether]. It is NaN if r is
// defined in no segment.
func segmentLevelR(pair Sums) float64 {
	if pair.X == 0 {
		return math.NaN()
	}
	return float64(pair.Y) / oneR / float64(pair.X)
}

// RoundedTime converts an active time for [kindActiveTime]: to tenths of a second, rounded to two significant
// digits. The median of such times is the median of the exact times, to two digits.
func RoundedTime(seconds float64) int64 {
	tenths := int64(math.Round(seconds * 10))
	unit := int64(1)
	for tenths/unit >= 100 {
		unit *= 10
	}
	return (tenths + unit/2) / unit * unit
}

// weightedMedian is the median of whole numbers: the middle one, or the mean of the two in the middle.
// counts says how often each number occurs. It is NaN without numbers.
func weightedMedian(counts map[int64]int64) float64 {
	var all int64
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return math.NaN()
	}
	var passed int64
	low := math.NaN()
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		passed += counts[value]
		if math.IsNaN(low) && 2*passed >= all {
			low = float64(value)
		}
		if 2*passed > all {
			return (low + float64(value)) / 2
		}
	}
	return low
}

// systemLevelR is Pearson's r between two annotators' sums by system, over all translations that
// both rated (Tian et al. 2026, Eq. 1). If the systems have different numbers of these
// translations, means replace the sums. It is NaN with fewer than 3 systems, or if the sums of
// one annotator are all equal.
func systemLevelR(systems []Sums) float64 {
	if len(systems) < minShared {
		return math.NaN()
	}
	n, even := new(big.Rat), true
	sum := func(f func(Sums) *big.Rat) *big.Rat {
		out := new(big.Rat)
		for _, s := range systems {
			out.Add(out, f(s))
		}
		return out
	}
	for _, s := range systems {
		even = even && s.N == systems[0].N
	}
	if even {
		return evenSystems(systems)
	}
	n.SetInt64(int64(len(systems)))
	x := sum(func(s Sums) *big.Rat { return big.NewRat(s.X, s.N) })
	y := sum(func(s Sums) *big.Rat { return big.NewRat(s.Y, s.N) })
	spread := func(f, g func(Sums) *big.Rat, x, y *big.Rat) *big.Rat {
		s := sum(func(s Sums) *big.Rat { a := f(s); return a.Mul(a, g(s)) })
		s.Mul(s, n)
		return s.Sub(s, new(big.Rat).Mul(x, y))
	}
	fx := func(s Sums) *big.Rat { return big.NewRat(s.X, s.N) }
	fy := func(s Sums) *big.Rat { return big.NewRat(s.Y, s.N) }
	cov, vx, vy := spread(fx, fy, x, y), spread(fx, fx, x, x), spread(fy, fy, y, y)
	if vx.Sign() <= 0 || vy.Sign() <= 0 {
		return math.NaN()
	}
	return max(-1, min(1, float(cov)/math.Sqrt(float(vx))/math.Sqrt(float(vy))))
}

// evenSystems is systemLevelR if all systems have the same number of translations. That is the
// usual case, and whole numbers are faster than fractions.
func evenSystems(systems []Sums) float64 {
	n := big.NewInt(int64(len(systems)))
	spread := func(f, g func(Sums) int64) *big.Int {
		x, y, xy, product := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
		for _, s := range systems {
			a, b := big.NewInt(f(s)), big.NewInt(g(s))
			x.Add(x, a)
			y.Add(y, b)
			xy.Add(xy, product.Mul(a, b))
		}
		xy.Mul(xy, n)
		return xy.Sub(xy, x.Mul(x, y))
	}
	fx, fy := func(s Sums) int64 { return s.X }, func(s Sums) int64 { return s.Y }
	vx, vy := spread(fx, fx), spread(fy, fy)
	if vx.Sign() <= 0 || vy.Sign() <= 0 {
		return math.NaN()
	}
	cov, _ := new(big.Float).SetInt(spread(fx, fy)).Float64()
	return max(-1, min(1, cov/root(vx)/root(vy)))
}

// alphaInterval is Krippendorff's alpha with the interval metric (Krippendorff 2011, "Computing
// Krippendorff's Alpha-Reliability"), from the sums of kind [kindAlpha], by the number of raters. It
// is 1 - Do/De. A unit with m values adds 2(m Σx² - (Σx)²)/(m-1) to n Do, and all n values
// together give n De = 2(n Σx² - (Σx)²)/(n-1). It is NaN if there is no pair of values or all
// values are equal.
func alphaInterval(by map[int]Sums) float64 {
	observed := new(big.Rat)
	var all Sums
	for m, s := range by {
		m := int64(m)
		all = all.Plus(Sums{N: m * s.N, X: s.X, XX: s.XX})
		within := new(big.Int).Mul(big.NewInt(m), big.NewInt(s.XX))
		observed.Add(observed, new(big.Rat).SetFrac(within.Sub(within, big.NewInt(s.YY)), big.NewInt(m-1)))
	}
	expected := spread(all.N, all.XX, all.X, all.X)
	if all.N < 2 || expected.Sign() == 0 {
		return math.NaN()
	}
	observed.Mul(observed, big.NewRat(all.N-1, 1))
	return 1 - float(observed.Quo(observed, new(big.Rat).SetInt(expected)))
}

// alphaByPairs is Krippendorff's alpha with the ordinal or the nominal metric, from the sums of kind
// [kindCoincidence], by their names. Its source is that of [alphaInterval]. The squared difference of
// c and k is the square of the number of values from c to k, where the values equal to c or k
// count half; if they are nominal, it is 1. It is NaN if there is no pair of values or all values are equal.
func alphaByPairs(by map[string]Sums, nominal bool) float64 {
	type cell struct{ c, k int64 }
	o := map[cell]*big.Rat{}
	add := func(c cell, x *big.Rat) {
		if o[c] == nil {
			o[c] = new(big.Rat)
		}
		o[c].Add(o[c], x)
	}
	n := map[int64]*big.Rat{}
	for name, s := range by {
		m, c, k, ok := readCoincidence(name)
		if !ok {
			continue
		}
		x := big.NewRat(s.N, m-1)
		add(cell{c, k}, x)
		for _, v := range []int64{c, k} {
			if n[v] == nil {
				n[v] = new(big.Rat)
			}
		}
		n[c].Add(n[c], x)
		if c != k {
			n[k].Add(n[k], x)
		}
	}
	values := make([]int64, 0, len(n))
	total := new(big.Rat)
	for v, x := range n {
		values = append(values, v)
		total.Add(total, x)
	}
	slices.Sort(values)
	observed, expected := new(big.Rat), new(big.Rat)
	for i, c := range values {
		between := new(big.Rat).Mul(n[c], big.NewRat(1, 2))
		for j := i + 1; j < len(values); j++ {
			k := values[j]
			half := new(big.Rat).Mul(n[k], big.NewRat(1, 2))
			between.Add(between, half)
			square := new(big.Rat).Mul(between, between)
			if nominal {
				square.SetInt64(1)
			}
			between.Add(between, half)
			if x := o[cell{c, k}]; x != nil {
				observed.Add(observed, new(big.Rat).Mul(x, square))
			}
			square.Mul(square, n[c])
			expected.Add(expected, square.Mul(square, n[k]))
		}
	}
	if expected.Sign() == 0 {
		return math.NaN()
	}
	// Both sums are over one half of the symmetric matrix. The other half would double both.
	observed.Mul(observed, total.Sub(total, big.NewRat(1, 1)))
	return 1 - float(observed.Quo(observed, expected))
}

// readCoincidence parses the name of a [kindCoincidence]; ok is false if it is not one.
func readCoincidence(name string) (m, c, k int64, ok bool) {
	parts := strings.Split(name, ":")
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	var out [3]int64
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return 0, 0, 0, false
		}
		out[i] = n
	}
	return out[0], out[1], out[2], out[0] > 1
}
