package metaeval

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// A verdictResampler exchanges the verdicts (right or wrong) of two metrics on pairs of
// translations. A metric's accuracy is the weight of its right pairs. Exchanging the
// verdicts on a set S of pairs moves the weight of the right pairs in S from one metric
// to the other. So it is enough to compute that weight once for each metric, 64 pairs
// at a time, instead of for each pair of metrics.
type verdictResampler struct {
	drawn
	scale  float64
	totals []int64   // by metric: the weight of the right pairs
	moved  [][]int64 // by metric and draw: the weight of the right pairs in S
	taken  int       // how many draws [verdictResampler.next] has taken
}

// verdictBlock is how many pairs are collected before their weight is computed.
const verdictBlock = 64 * 64

func newVerdictResampler(
	ctx context.Context, c translations, by Grouping, epsilons []float64, seed uint64, purpose string, draws int, steps *share,
) (*verdictResampler, error) {
	end, weight, scale := c.pairing(by)
	r := &verdictResampler{scale: scale, totals: make([]int64, len(c.metrics)), moved: make([][]int64, len(c.metrics))}
	for m := range r.moved {
		r.moved[m] = make([]int64, draws)
	}
	var mu sync.Mutex
	var all []*verdicts
	pieces := (len(c.human) + rows - 1) / rows
	done := steps.perPiece(pieces, steps.most())
	err := parallel.EachWith(ctx, pieces, func() func(int) {
		v := newVerdicts(len(c.metrics), draws)
		mu.Lock()
		all = append(all, v)
		mu.Unlock()
		return func(piece int) {
			v.random = stat.RandomStream(seed, purpose, uint64(piece))
			for i := piece * rows; i < min((piece+1)*rows, len(c.human)); i++ {
				for j := i + 1; j < end[i]; j++ {
					v.add(weight[i], func(m int) bool { return right(c.human[i], c.human[j], c.metrics[m][i], c.metrics[m][j], epsilons[m]) })
				}
			}
			v.flush()
			done()
		}
	})
	for _, v := range all {
		for m := range r.moved {
			r.totals[m] += v.totals[m]
			for d, w := range v.moved[m] {
				r.moved[m][d] += w
			}
		}
	}
	return r, err
}

// rows is the number of translations of a piece of work.
const rows = 64

// pairing returns for each translation the end of its group and the weight of its
// pairs, as in a calibration. scale times a weight is an accuracy.
func (c translations) pairing(by Grouping) (end []int, weight []int64, scale float64) {
	sizes := c.sizes
	if by == Pooled {
		sizes = []int{len(c.human)}
	}
	var counted []int
	for _, n := range sizes {
		if n > 1 {
			counted = append(counted, n)
		}
	}
	unit, _ := weightUnit(counted)
	from := 0
	for _, n := range sizes {
		from += n
		for range n {
			end = append(end, from)
			if n == 1 {
				weight = append(weight, 0)
			} else {
				weight = append(weight, pairWeight(unit, n))
			}
		}
	}
	return end, weight, 1 / (float64(unit) * float64(max(len(counted), 1)))
}

// right reports whether a metric with a tie threshold orders a pair like the human
// score. h and g are human scores, m and n metric scores.
func right(h, g, m, n, epsilon float64) bool {
	if math.Abs(m-n) <= epsilon {
		return h == g
	}
	return stat.Order(h, g) == stat.Order(m, n)
}

func (r *verdictResampler) observed() []float64 {
	out := make([]float64, stat.Choose2(len(r.totals)))
	eachPair(len(r.totals), func(x, y, pair int) {
		out[pair] = r.scale * float64(r.totals[x]-r.totals[y])
	})
	return out
}

func (r *verdictResampler) next(ctx context.Context, n int, out func(draw int, difference []float64)) error {
	first := r.taken
	r.taken += n
	return parallel.EachWith(ctx, n, func() func(int) {
		difference := make([]float64, stat.Choose2(len(r.totals)))
		return func(draw int) {
			eachPair(len(r.totals), func(x, y, pair int) {
				exchanged := r.moved[x][first+draw] - r.moved[y][first+draw]
				difference[pair] = r.scale * float64(r.totals[x]-r.totals[y]-2*exchanged)
			})
			out(draw, difference)
		}
	})
}

// verdicts collects the metrics' verdicts on pairs that have equal weight. It adds up
// the weight of the right pairs, in all and in the set of each draw.
type verdicts struct {
	random interface{ Uint64() uint64 }
	weight int64
	n      int        // the number of collected pairs
	right  [][]uint64 // by metric: one bit for each pair, set if the verdict is right
	chosen []uint64   // one bit for each pair, set if it is in the set of the draw
	totals []int64
	moved  [][]int64
}

func newVerdicts(metrics, draws int) *verdicts {
	v := &verdicts{chosen: make([]uint64, verdictBlock/64), totals: make([]int64, metrics)}
	for range metrics {
		v.right = append(v.right, make([]uint64, verdictBlock/64))
		v.moved = append(v.moved, make([]int64, draws))
	}
	return v
}

func (v *verdicts) add(weight int64, right func(metric int) bool) {
	if v.n == verdictBlock || weight != v.weight {
		v.flush()
		v.weight = weight
	}
	for m, word := range v.right {
		if right(m) {
			word[v.n/64] |= 1 << (v.n % 64)
		}
	}
	v.n++
}

func (v *verdicts) flush() {
	words := (v.n + 63) / 64
	if words == 0 {
		return
	}
	for m := range v.right {
		v.totals[m] += v.weight * ones(v.right[m][:words])
	}
	chosen := v.chosen[:words]
	for d := range v.moved[0] {
		for w := range chosen {
			chosen[w] = v.random.Uint64()
		}
		for m := range v.right {
			n := 0
			for w, word := range v.right[m][:words] {
				n += bits.OnesCount64(word & chosen[w])
			}
			v.moved[m][d] += v.weight * int64(n)
		}
	}
	for m := range v.right {
		clear(v.right[m][:words])
	}
	v.n = 0
}

func ones(words []uint64) (n int64) {
	for _, w := range words {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
