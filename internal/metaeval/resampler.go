package metaeval

import (
	"context"
	"math"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// A resampler exchanges the scores or verdicts of two metrics at random.
type resampler interface {
	// observed returns the difference of the statistic for each pair of metrics,
	// without any exchange.
	observed() []float64
	// next makes n permutations. For each it calls out with the number of the
	// permutation and the difference for each pair of metrics. The calls come in any
	// order and from several goroutines.
	next(ctx context.Context, n int, out func(draw int, difference []float64)) error
	// enumerate counts every exchange if there are few enough, and reports whether it did.
	enumerate(ctx context.Context, c *tally) (bool, error)
}

// drawn is embedded by resamplers with too many exchanges to count them all.
type drawn struct{}

func (drawn) enumerate(context.Context, *tally) (bool, error) { return false, nil }

// A systemResampler exchanges the metrics' scores of systems.
type systemResampler struct {
	statistic func(human, metric []float64) float64
	human     []float64
	metrics   [][]float64
	random    *coinFlips
}

func newSystemResampler(human []float64, metrics [][]float64, random *coinFlips, statistic func(human, metric []float64) float64) *systemResampler {
	r := &systemResampler{statistic: statistic, human: human, metrics: make([][]float64, len(metrics)), random: random}
	for k := range metrics {
		r.metrics[k] = zScored(metrics[k])
	}
	return r
}

func (r *systemResampler) observed() []float64 {
	out := make([]float64, stat.Choose2(len(r.metrics)))
	eachPair(len(r.metrics), func(x, y, pair int) {
		out[pair] = orZero(r.statistic(r.human, r.metrics[x])) - orZero(r.statistic(r.human, r.metrics[y]))
	})
	return out
}

func (r *systemResampler) next(ctx context.Context, n int, out func(draw int, difference []float64)) error {
	f, err := newFlips(ctx, len(r.human), n, r.random.choose)
	if err != nil {
		return err
	}
	return parallel.EachWith(ctx, n, func() func(int) {
		difference := make([]float64, stat.Choose2(len(r.metrics)))
		chosen := make([]bool, len(r.human))
		a, b := make([]float64, len(r.human)), make([]float64, len(r.human))
		return func(draw int) {
			f.unpack(draw, chosen)
			eachPair(len(r.metrics), func(x, y, pair int) {
				for s, swap := range chosen {
					a[s], b[s] = r.metrics[x][s], r.metrics[y][s]
					if swap {
						a[s], b[s] = b[s], a[s]
					}
				}
				difference[pair] = orZero(r.statistic(r.human, a)) - orZero(r.statistic(r.human, b))
			})
			out(draw, difference)
		}
	})
}

// enumerate counts every exchange if there are at most maxEnumeratedSystems. Exchanging
// exactly the other systems changes only the sign of the difference, so half of the
// exchanges are computed.
func (r *systemResampler) enumerate(ctx context.Context, c *tally) (bool, error) {
	n := len(r.human)
	switch {
	case n == 0:
		return true, ctx.Err()
	case n > maxEnumeratedSystems:
		return false, nil
	}
	return true, parallel.EachWith(ctx, 1<<(n-1), func() func(int) {
		difference, opposite := make([]float64, stat.Choose2(len(r.metrics))), make([]float64, stat.Choose2(len(r.metrics)))
		a, b := make([]float64, n), make([]float64, n)
		return func(exchanged int) {
			eachPair(len(r.metrics), func(x, y, pair int) {
				for s := range n {
					a[s], b[s] = r.metrics[x][s], r.metrics[y][s]
					if exchanged>>s&1 == 1 {
						a[s], b[s] = b[s], a[s]
					}
				}
				difference[pair] = orZero(r.statistic(r.human, a)) - orZero(r.statistic(r.human, b))
				opposite[pair] = -difference[pair]
			})
			c.add(difference)
			c.add(opposite)
		}
	})
}

// translations holds the translations that have a human score and a score of every
// metric, segment by segment.
type translations struct {
	human   []float64
	metrics [][]float64
	sizes   []int // by segment: the number of its translations
}

// newTranslations takes matrices with rows of systems and columns of segments.
func newTranslations(human [][]float64, metrics [][][]float64) translations {
	c := translations{metrics: make([][]float64, len(metrics))}
	for seg := range width(human) {
		from := len(c.human)
	systems:
		for s := range human {
			if !stat.Defined(human[s][seg]) {
				continue
			}
			for _, m := range metrics {
				if !stat.Defined(m[s][seg]) {
					continue systems
				}
			}
			c.human = append(c.human, human[s][seg])
			for k, m := range metrics {
				c.metrics[k] = append(c.metrics[k], m[s][seg])
			}
		}
		c.sizes = append(c.sizes, len(c.human)-from)
	}
	return c
}

// A pearsonResampler exchanges the metrics' scores of translations. With g the human
// score minus its mean and m the metric score, Pearson's r depends only on Σm, Σm² and
// Σgm. Exchanging the scores of a set S of translations exchanges the parts of these
// sums over S. So the sums over S are computed once for each metric instead of for each
// pair of metrics.
type pearsonResampler struct {
	drawn
	n      float64
	size   float64        // √Σg²
	terms  [][3][]float64 // by metric: m, m² and gm of each translation
	totals [][3]float64   // by metric: the sums of these
	random *coinFlips
}

func newPearsonResampler(c translations, random *coinFlips) *pearsonResampler {
	r := &pearsonResampler{n: float64(len(c.human)), random: random}
	m := stat.Mean(c.human)
	g := make([]float64, len(c.human))
	for i, h := range c.human {
		g[i] = h - m
		r.size += g[i] * g[i]
	}
	r.size = math.Sqrt(r.size)
	for _, metric := range c.metrics {
		z := zScored(metric)
		t := [3][]float64{z, make([]float64, len(z)), make([]float64, len(z))}
		var total [3]float64
		for i, v := range z {
			t[1][i], t[2][i] = v*v, v*g[i]
			total[0] += v
			total[1] += t[1][i]
			total[2] += t[2][i]
		}
		r.terms = append(r.terms, t)
		r.totals = append(r.totals, total)
	}
	return r
}

// correlation returns r from Σm, Σm² and Σgm.
func (r *pearsonResampler) correlation(m, mm, gm float64) float64 {
	variance := mm - m*m/r.n
	if !(variance > 1e-12*r.n) || r.size == 0 { // constant scores; the slack fits z-scores
		return 0
	}
	return gm / r.size / math.Sqrt(variance)
}

// difference returns the difference in r of metrics x and y when they exchange the sums
// a and b.
func (r *pearsonResampler) difference(x, y int, a, b [3]float64) float64 {
	p, q := r.totals[x], r.totals[y]
	for k := range p {
		p[k] += b[k] - a[k]
		q[k] += a[k] - b[k]
	}
	return r.correlation(p[0], p[1], p[2]) - r.correlation(q[0], q[1], q[2])
}

func (r *pearsonResampler) observed() []float64 {
	out := make([]float64, stat.Choose2(len(r.terms)))
	eachPair(len(r.terms), func(x, y, pair int) {
		out[pair] = r.difference(x, y, [3]float64{}, [3]float64{})
	})
	return out
}

func (r *pearsonResampler) next(ctx context.Context, n int, out func(draw int, difference []float64)) error {
	first := 0
	return eachFlipBatch(ctx, int(r.n), n, r.random.choose, func(f flips) error {
		sums := make([][3][]float64, len(r.terms))
		err := parallel.Each(ctx, len(sums), func(m int) {
			for k := range sums[m] {
				sums[m][k] = make([]float64, f.draws)
				f.sums(r.terms[m][k], sums[m][k])
			}
		})
		if err != nil {
			return err
		}
		at := func(m, draw int) [3]float64 {
			return [3]float64{sums[m][0][draw], sums[m][1][draw], sums[m][2][draw]}
		}
		err = parallel.EachWith(ctx, f.draws, func() func(int) {
			difference := make([]float64, stat.Choose2(len(r.terms)))
			return func(draw int) {
				eachPair(len(r.terms), func(x, y, pair int) {
					difference[pair] = r.difference(x, y, at(x, draw), at(y, draw))
				})
				out(first+draw, difference)
			}
		})
		first += f.draws
		return err
	})
}

// A spearmanResampler exchanges the metrics' scores of translations. Each metric is
// sorted once. A mixture of two metrics is sorted by merging parts of the two sorted
// lists.
type spearmanResampler struct {
	drawn
	human   []float64 // ranks minus their mean
	size    float64   // the root of the sum of their squares
	metrics [][]stat.Placed
	random  *coinFlips
}

func newSpearmanResampler(c translations, random *coinFlips) *spearmanResampler {
	r := &spearmanResampler{human: stat.Ranks(c.human), random: random}
	m := float64(len(r.human)+1) / 2
	for i := range r.human {
		r.human[i] -= m
		r.size += r.human[i] * r.human[i]
	}
	r.size = math.Sqrt(r.size)
	for _, metric := range c.metrics {
		r.metrics = append(r.metrics, stat.Sorted(zScored(metric)))
	}
	return r
}

// correlation returns Spearman's ρ of a mixture: the scores of a where chosen equals
// keep, and the scores of b elsewhere.
func (r *spearmanResampler) correlation(a, b []stat.Placed, chosen []bool, keep bool) float64 {
	var squares, products float64
	centre := float64(len(r.human)+1) / 2
	i, j, before := 0, 0, 0
	for {
		for i < len(a) && chosen[a[i].Place] != keep {
			i++
		}
		for j < len(b) && chosen[b[j].Place] == keep {
			j++
		}
		if i == len(a) && j == len(b) {
			break
		}
		var score float64
		if j == len(b) || i < len(a) && a[i].Value <= b[j].Value {
			score = a[i].Value
		} else {
			score = b[j].Value
		}
		// Equal scores share a rank.
		n, human := 0, 0.0
		for ; i < len(a) && a[i].Value == score; i++ {
			if p := a[i].Place; chosen[p] == keep {
				n++
				human += r.human[p]
			}
		}
		for ; j < len(b) && b[j].Value == score; j++ {
			if p := b[j].Place; chosen[p] != keep {
				n++
				human += r.human[p]
			}
		}
		rank := float64(before) + float64(n+1)/2 - centre
		squares += float64(n) * rank * rank
		products += rank * human
		before += n
	}
	if squares == 0 || r.size == 0 {
		return 0
	}
	return products / r.size / math.Sqrt(squares)
}

func (r *spearmanResampler) difference(x, y int, chosen []bool) float64 {
	a, b := r.metrics[x], r.metrics[y]
	return r.correlation(a, b, chosen, false) - r.correlation(b, a, chosen, false)
}

func (r *spearmanResampler) observed() []float64 {
	out := make([]float64, stat.Choose2(len(r.metrics)))
	none := make([]bool, len(r.human))
	eachPair(len(r.metrics), func(x, y, pair int) { out[pair] = r.difference(x, y, none) })
	return out
}

func (r *spearmanResampler) next(ctx context.Context, n int, out func(draw int, difference []float64)) error {
	first := 0
	return eachFlipBatch(ctx, len(r.human), n, r.random.choose, func(f flips) error {
		err := parallel.EachWith(ctx, f.draws, func() func(int) {
			difference := make([]float64, stat.Choose2(len(r.metrics)))
			chosen := make([]bool, len(r.human))
			return func(draw int) {
				f.unpack(draw, chosen)
				eachPair(len(r.metrics), func(x, y, pair int) { difference[pair] = r.difference(x, y, chosen) })
				out(first+draw, difference)
			}
		})
		first += f.draws
		return err
	})
}
