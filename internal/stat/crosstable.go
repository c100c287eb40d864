package stat

import (
	"math"
	"slices"
)

// A CrossTable counts how often each pair of values occurs. Its size depends on the
// number of different values, not of pairs.
type CrossTable map[[2]float64]int

// Kendall returns Kendall's tau-b of the two variables and the two-sided p-value of
// the hypothesis that they are independent. The p-value comes from the normal
// approximation of C − D with the variance corrected for ties, without continuity
// correction (Kendall 1970, "Rank Correlation Methods", chapter 4;
// scipy.stats.kendalltau with method 'asymptotic'):
//
//	z = (C − D) / √( (m(2n+5) − x1 − y1)/18 + 2·xt·yt/m + x0·y0/(9m(n−2)) )
//
// where m = n(n−1), and the sums xt = Σ t(t−1)/2, x0 = Σ t(t−1)(t−2) and
// x1 = Σ t(t−1)(2t+5) are over the groups of t equal values of the first variable (y
// of the second). Tau is NaN if a variable is constant. p is then NaN too, and also
// for fewer than three pairs of values. Time grows with the product of the numbers of
// different values of both variables.
func (c CrossTable) Kendall() (tau, p float64) {
	xs, ys := c.margins()
	pairs := c.pairs(xs, ys)
	tau = pairs.TauB()
	if math.IsNaN(tau) || pairs.Items < 3 {
		return tau, math.NaN()
	}
	n := float64(pairs.Items)
	m := n * (n - 1)
	xt, x0, x1 := tieTerms(xs)
	yt, y0, y1 := tieTerms(ys)
	variance := (m*(2*n+5)-x1-y1)/18 + 2*xt*yt/m + x0*y0/(9*m*(n-2))
	z := float64(pairs.Concordant-pairs.Discordant) / math.Sqrt(variance)
	return tau, math.Erfc(math.Abs(z) / math.Sqrt2)
}

// A Margin is a value and its number of occurrences.
type Margin struct {
	Value float64
	N     int
}

func tieTerms(values []Margin) (t, t0, t1 float64) {
	for _, v := range values {
		n := float64(v.N)
		t += n * (n - 1) / 2
		t0 += n * (n - 1) * (n - 2)
		t1 += n * (n - 1) * (2*n + 5)
	}
	return t, t0, t1
}

// margins returns the values of both variables, in ascending order.
func (c CrossTable) margins() (xs, ys []Margin) {
	x, y := map[float64]int{}, map[float64]int{}
	for key, n := range c {
		if n > 0 {
			x[key[0]] += n
			y[key[1]] += n
		}
	}
	return Margins(x), Margins(y)
}

// Margins returns counted values in ascending order.
func Margins(counts map[float64]int) []Margin {
	out := make([]Margin, 0, len(counts))
	for v, n := range counts {
		out = append(out, Margin{v, n})
	}
	slices.SortFunc(out, func(a, b Margin) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	return out
}

// pairs counts pairs as [Count] does. The first variable takes the place of the
// human score there.
func (c CrossTable) pairs(xs, ys []Margin) Pairs {
	var p Pairs
	before := make([]int, len(ys)) // the number of items with this y in the rows so far
	for _, x := range xs {
		p.Items += x.N
		below, row := 0, make([]int, len(ys))
		above := 0
		for j := range ys {
			row[j] = c[[2]float64{x.Value, ys[j].Value}]
			above += before[j]
		}
		inRow := 0 // items of the row with a lower y
		for j := range ys {
			n := row[j]
			above -= before[j]
			p.Concordant += n * below
			p.Discordant += n * above
			p.TiesMetric += n * before[j]
			p.TiesBoth += n * (n - 1) / 2
			p.TiesHuman += n * inRow
			inRow += n
			below += before[j]
		}
		for j := range ys {
			before[j] += row[j]
		}
	}
	return p
}
