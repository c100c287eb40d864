package report_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// The functions below are a second, simple implementation. They share no code with the
// tested one.

var nan = math.NaN()

func plainMean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func plainMedian(x []float64) float64 {
	if len(x) == 0 {
		return nan
	}
	x = slices.Clone(x)
	sort.Float64s(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

func plainDeviation(x []float64) float64 {
	m, sum := plainMean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)))
}

func plainConstant(x []float64) bool {
	for _, v := range x {
		if math.Abs(v-x[0]) > 1e-9 {
			return false
		}
	}
	return true
}

func plainPearson(x, y []float64) float64 {
	if len(x) < 2 || plainConstant(x) || plainConstant(y) {
		return nan
	}
	mx, my := plainMean(x), plainMean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

func plainRanks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		lower, equal := 0, 0
		for _, w := range x {
			if w < v {
				lower++
			}
			if w == v {
				equal++
			}
		}
		out[i] = float64(lower) + float64(equal+1)/2
	}
	return out
}

func plainSpearman(x, y []float64) float64 { return plainPearson(plainRanks(x), plainRanks(y)) }

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// plainTau looks at every pair; z is by the variance of Kendall (1970) with ties.
func plainTau(x, y []float64) (tau, p float64) {
	var s, notX, notY float64
	for i := range x {
		for j := range i {
			a, b := sign(x[i]-x[j]), sign(y[i]-y[j])
			s += float64(a * b)
			notX += float64(a * a)
			notY += float64(b * b)
		}
	}
	if notX == 0 || notY == 0 {
		return nan, nan
	}
	tau = s / math.Sqrt(notX*notY)
	n := float64(len(x))
	if n < 3 {
		return tau, nan
	}
	term := func(values []float64, f func(t float64) float64) (sum float64) {
		counts := map[float64]float64{}
		for _, v := range values {
			counts[v]++
		}
		for _, t := range counts {
			sum += f(t)
		}
		return sum
	}
	v0 := func(t float64) float64 { return t * (t - 1) * (2*t + 5) }
	v1 := func(t float64) float64 { return t * (t - 1) }
	v2 := func(t float64) float64 { return t * (t - 1) * (t - 2) }
	variance := (v0(n)-term(x, v0)-term(y, v0))/18 +
		term(x, v1)*term(y, v1)/(2*n*(n-1)) + term(x, v2)*term(y, v2)/(9*n*(n-1)*(n-2))
	return tau, 2 * (1 - normal(math.Abs(s)/math.Sqrt(variance)))
}

// normal is the distribution function of the standard normal distribution.
func normal(z float64) float64 { return 0.5 * (1 + math.Erf(z/math.Sqrt2)) }

func plainRankSum(a, b []float64) (p float64) {
	all := append(slices.Clone(a), b...)
	w := 0.0
	for _, r := range plainRanks(all)[:len(a)] {
		w += r
	}
	na, nb := float64(len(a)), float64(len(b))
	z := (w - na*(na+nb+1)/2) / math.Sqrt(na*nb*(na+nb+1)/12)
	return 2 * (1 - normal(math.Abs(z)))
}

// plainClusters numbers systems, given best first by their segment scores.
func plainClusters(ordered [][]float64) []int {
	out := make([]int, len(ordered))
	cluster := 1
	for k := range ordered {
		out[k] = cluster
		line := true
		for above := 0; above <= k; above++ {
			for below := k + 1; below < len(ordered); below++ {
				line = line && plainRankSum(ordered[above], ordered[below]) < 0.05
			}
		}
		if line {
			cluster++
		}
	}
	return out
}

// plainInterval draws segments as the report says it does, and takes quantiles by
// linear interpolation.
func plainInterval(row []float64, docs []string, resamples int, seed uint64) (low, high float64) {
	var order []string
	by := map[string][]float64{}
	for i, v := range row {
		if by[docs[i]] == nil {
			order = append(order, docs[i])
		}
		by[docs[i]] = append(by[docs[i]], v)
	}
	if len(order) == 1 { // one document: segments are drawn
		order = nil
		for i, v := range row {
			order = append(order, fmt.Sprint(i))
			by[fmt.Sprint(i)] = []float64{v}
		}
	}
	n := len(order)
	if n < 2 {
		return nan, nan
	}
	var means []float64
	for i := range resamples {
		key := binary.LittleEndian.AppendUint64(nil, seed)
		key = binary.LittleEndian.AppendUint64(key, uint64(i))
		random := rand.New(rand.NewChaCha8(sha256.Sum256(append(key, "bootstrap"...))))
		var drawn []float64
		for range n {
			drawn = append(drawn, by[order[random.IntN(n)]]...)
		}
		if len(drawn) > 0 {
			means = append(means, plainMean(drawn))
		}
	}
	sort.Float64s(means)
	quantile := func(q float64) float64 {
		at := q * float64(len(means)-1)
		low, high := means[int(math.Floor(at))], means[int(math.Ceil(at))]
		return low + (at-math.Floor(at))*(high-low)
	}
	return quantile(0.025), quantile(0.975)
}

// plainAlpha sums over all pairs of ratings.
func plainAlpha(units [][]float64, ordinal bool) float64 {
	var all []float64
	for _, u := range units {
		all = append(all, u...)
	}
	rank := plainRanks(all)
	place := map[float64]float64{}
	for i, v := range all {
		place[v] = rank[i]
	}
	delta := func(a, b float64) float64 {
		if ordinal {
			a, b = place[a], place[b]
		}
		return (a - b) * (a - b)
	}
	pairs := func(x []float64) (sum float64) {
		for i := range x {
			for j := range x {
				sum += delta(x[i], x[j])
			}
		}
		return sum / float64(len(x)-1)
	}
	observed := 0.0
	for _, u := range units {
		observed += pairs(u)
	}
	return 1 - observed/pairs(all)
}

func plainKappa(x, y []float64) float64 {
	var observed, expected float64
	for i := range x {
		observed += (x[i] - y[i]) * (x[i] - y[i])
		for j := range y {
			expected += (x[i] - y[j]) * (x[i] - y[j]) / float64(len(y))
		}
	}
	if expected == 0 {
		return nan
	}
	return 1 - observed/expected
}
