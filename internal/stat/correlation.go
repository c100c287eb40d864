package stat

import "math"

// Pearson is the product-moment correlation of x and y over the places where neither
// is NaN (Pearson 1895, "Note on Regression and Inheritance"; scipy.stats.pearsonr):
//
//	r = Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² · Σ(y−ȳ)²)
//
// It lies in [-1, 1]. It is NaN with fewer than two such places, where x or y is
// constant there, and where a value is infinite. It panics if the lengths differ.
//
// The sums of squares are corrected for the rounding of the means (Chan et al. 1983,
// "Algorithms for Computing the Sample Variance", equation 1.7).
//
// The order of the additions must not change: the gate's decisions are stored with
// their r, and stored values are compared bit by bit with computed ones.
func Pearson(x, y []float64) float64 {
	x, y = Complete(x, y)
	if len(x) < 2 || Constant(x) || Constant(y) {
		return math.NaN()
	}
	x, y = inRange(x), inRange(y)
	n := float64(len(x))
	mx, my := inEight(x)/n, inEight(y)/n
	var xx, yy, xy, ofX, ofY float64 // ofX and ofY are 0 but for rounding
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		// The conversions keep compilers from fusing a product with a sum, which some
		// processors round differently.
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
		ofX += dx
		ofY += dy
	}
	xx -= float64(ofX*ofX) / n
	yy -= float64(ofY*ofY) / n
	return max(-1, min(1, (xy-float64(ofX*ofY)/n)/math.Sqrt(xx*yy)))
}

// inEight adds the values in eight running sums, the i-th value to sum i mod 8, and then
// the sums to each other and to the values that are left. This is the order in which
// gonum's floats.Sum adds on amd64. Stored r were computed by it.
func inEight(x []float64) float64 {
	var s [8]float64
	for ; len(x) >= 8; x = x[8:] {
		for i := range s {
			s[i] += x[i]
		}
	}
	a, b, c, d := s[0]+s[6], s[1]+s[7], s[2]+s[4], s[3]+s[5]
	if len(x) >= 4 {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
		x = x[4:]
	}
	a, b = a+c, b+d
	if len(x) >= 2 {
		a, b = a+x[0], b+x[1]
		x = x[2:]
	}
	if a += b; len(x) > 0 {
		a += x[0]
	}
	return a
}

// inRange scales values near 1 if their squares would overflow or underflow. The
// factor is a power of two, so no value is rounded. There are values, and none is NaN.
func inRange(x []float64) []float64 {
	most := uint64(0) // the bits of the largest absolute value, which have the order of the values
	for _, v := range x {
		most = max(most, math.Float64bits(v)&^(1<<63))
	}
	_, exponent := math.Frexp(math.Float64frombits(most))
	if -200 < exponent && exponent < 200 {
		return x
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Ldexp(v, -exponent)
	}
	return out
}

// Spearman is the rank correlation of x and y over the places where neither is NaN
// (Spearman 1904, "The Proof and Measurement of Association between Two Things";
// scipy.stats.spearmanr): [Pearson] of their [Ranks]. Infinite values have ranks like
// others. It is NaN and panics where Pearson of the ranks does.
func Spearman(x, y []float64) float64 {
	x, y = Complete(x, y)
	return Pearson(Ranks(x), Ranks(y))
}

// Ranks gives each value its rank from 1 upward. Equal values share the mean of their
// ranks (method 'average' of scipy.stats.rankdata). The values have no NaN. The rank sum test
// (metaeval/ranksum.go) ranks with it too. The resampling of Spearman's ρ has the same rule
// again (metaeval/resampler.go), where the ranks of a mixture are not sorted anew.
func Ranks(x []float64) []float64 { return NewOrdering(x).Ranks() }
