package report_test

import (
	"annotate/internal/stat"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
)

var nan = math.NaN()

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

// upperTail is the area above t of the density of Student's distribution, by Simpson's rule over the angle atan(t / √ν).
func upperTail(t, degrees float64) float64 {
	const steps = 2000
	from := math.Atan(t / math.Sqrt(degrees))
	width := (math.Pi/2 - from) / steps
	sum := 0.0
	for i := range steps + 1 {
		weight := []float64{2, 4}[i%2]
		if i == 0 || i == steps {
			weight = 1
		}
		sum += weight * math.Pow(math.Cos(from+float64(i)*width), degrees-1)
	}
	top, _ := math.Lgamma((degrees + 1) / 2)
	bottom, _ := math.Lgamma(degrees / 2)
	return sum * width / 3 * math.Exp(top-bottom) / math.Sqrt(math.Pi)
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
	eachDraw(n, resamples, seed, func(sample []int) {
		var drawn []float64
		for _, k := range sample {
			drawn = append(drawn, by[order[k]]...)
		}
		if len(drawn) > 0 {
			means = append(means, stat.Mean(drawn))
		}
	})
	return plainBounds(means, n)
}

// eachDraw draws n of n documents with replacement, as the report says it does.
func eachDraw(n, resamples int, seed uint64, do func(sample []int)) {
	for i := range resamples {
		key := binary.LittleEndian.AppendUint64(nil, seed)
		key = binary.LittleEndian.AppendUint64(key, uint64(i))
		random := rand.New(rand.NewChaCha8(sha256.Sum256(append(key, "bootstrap"...))))
		sample := make([]int, n)
		for k := range sample {
			sample[k] = random.IntN(n)
		}
		do(sample)
	}
}

// plainBounds are the expanded percentiles of the values that n documents gave.
func plainBounds(means []float64, n int) (low, high float64) {
	means = slices.DeleteFunc(means, math.IsNaN)
	if len(means) == 0 {
		return nan, nan
	}
	sort.Float64s(means)
	quantile := func(q float64) float64 {
		at := q * float64(len(means)-1)
		low, high := means[int(math.Floor(at))], means[int(math.Ceil(at))]
		return low + (at-math.Floor(at))*(high-low)
	}
	tail := normal(-math.Sqrt(float64(n)/float64(n-1)) * plainT(n-1)) // Hesterberg's expanded percentiles
	return quantile(tail), quantile(1 - tail)
}

// plainT is the 97.5th percentile of Student's distribution, by bisection.
func plainT(degrees int) float64 {
	if t, ok := plainTs.Load(degrees); ok {
		return t.(float64)
	}
	below, above := 0.0, 1e6
	for range 200 {
		if t := (below + above) / 2; upperTail(t, float64(degrees)) > 0.025 {
			below = t
		} else {
			above = t
		}
	}
	plainTs.Store(degrees, below)
	return below
}

// plainTs has what plainT has returned, by degrees of freedom.
var plainTs sync.Map

// A plainEstimate is a value that is computed from items of documents, with its interval.
type plainEstimate[T any] struct {
	docs  []string // of each item
	items []T
}

func (e *plainEstimate[T]) add(doc string, items ...T) {
	for _, x := range items {
		e.docs, e.items = append(e.docs, doc), append(e.items, x)
	}
}

// interval computes the values from the items put together of the drawn documents, and returns their bounds. A value that is
// undefined over all items has none.
func (e *plainEstimate[T]) interval(c *checker, of func(items []T) []float64) (bounds []plainBounded) {
	order := distinctInOrder(e.docs)
	by := map[string][]T{}
	for i, x := range e.items {
		by[e.docs[i]] = append(by[e.docs[i]], x)
	}
	observed := of(e.items)
	drawn := make([][]float64, len(observed))
	if len(order) > 1 {
		eachDraw(len(order), c.resamples, c.seed, func(sample []int) {
			var items []T
			for _, k := range sample {
				items = append(items, by[order[k]]...)
			}
			for i, v := range of(items) {
				drawn[i] = append(drawn[i], v)
			}
		})
	}
	for i, v := range observed {
		low, high := nan, nan
		if !math.IsNaN(v) && len(order) > 1 {
			low, high = plainBounds(drawn[i], len(order))
		}
		bounds = append(bounds, plainBounded{low, high, float64(len(order))})
	}
	return bounds
}

// jackknife returns the bounds of a value that is from -1 to 1.
func (e *plainEstimate[T]) jackknife(of func(items []T) float64) plainBounded {
	in := e.leaveOneOut(of)
	return plainBounded{max(-1, in[0]), min(1, in[1]), in[2]}
}

// logJackknife returns the bounds of a value by those of its logarithm, about the mean of the pseudo-values and with degrees of freedom by their kurtosis.
func (e *plainEstimate[T]) logJackknife(log func(items []T) float64) plainBounded {
	order := distinctInOrder(e.docs)
	n := float64(len(order))
	if n < 2 {
		return plainBounded{nan, nan, n}
	}
	var pseudo []float64
	sum := 0.0
	for _, doc := range order {
		var rest []T
		for i, x := range e.items {
			if e.docs[i] != doc {
				rest = append(rest, x)
			}
		}
		pseudo = append(pseudo, n*log(e.items)-(n-1)*log(rest))
		sum += pseudo[len(pseudo)-1]
	}
	squares, fourth := 0.0, 0.0
	for _, p := range pseudo {
		squares += math.Pow(p-sum/n, 2)
		fourth += math.Pow(p-sum/n, 4)
	}
	variance, degrees := squares/(n-1), n-1
	if n > 3 && variance > 0 { // excess kurtosis in the usual form of spreadsheets
		k := n*(n+1)/((n-1)*(n-2)*(n-3))*fourth/(variance*variance) - 3*(n-1)*(n-1)/((n-2)*(n-3))
		degrees = max(2, 2/(max(k, 0)/n+2/(n-1)))
	}
	half := stat.StudentQuantile(0.975, degrees) * math.Sqrt(variance/n)
	return plainBounded{math.Exp(sum/n - half), math.Exp(sum/n + half), n}
}

// leaveOneOut leaves out one document at a time. The bounds are undefined where one of the values is.
func (e *plainEstimate[T]) leaveOneOut(of func(items []T) float64) plainBounded {
	order := distinctInOrder(e.docs)
	n := float64(len(order))
	if n < 2 {
		return plainBounded{nan, nan, n}
	}
	value, sum, squares := of(e.items), 0.0, 0.0
	for _, doc := range order {
		var rest []T
		for i, x := range e.items {
			if e.docs[i] != doc {
				rest = append(rest, x)
			}
		}
		pseudo := n*value - (n-1)*of(rest)
		sum, squares = sum+pseudo, squares+pseudo*pseudo
	}
	half := stat.StudentQuantile(0.975, n-1) * math.Sqrt(max(0, squares-sum*sum/n)/(n-1)/n)
	return plainBounded{value - half, value + half, n}
}

func distinctInOrder(all []string) (out []string) {
	for _, x := range all {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
