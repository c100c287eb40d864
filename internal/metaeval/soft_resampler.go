package metaeval

import (
	"context"
	"math"
	"slices"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// SoftTest compares metrics in soft pairwise accuracy by the PERM-BOTH permutation test, see
// [PermutationTest]. Rows of the matrices are systems, columns are segments. The scores of two
// metrics are exchanged at random, each translation by itself, and [SoftPairwiseAccuracy] of both
// is computed again, with the same sign flips (CompareMetricsWithPairwiseConfidenceError of
// mt-metrics-eval). Only segments with a human score and a score of every metric for every system
// count.
//
// permutations is the number of exchanges and of sign flips. p and the error are those of
// PermutationTest. It panics if the shapes differ.
//
// The time grows with the square of permutations, with segments, systems and metrics, and with
// the squares of the numbers of systems and metrics.
func SoftTest(ctx context.Context, human [][]float64, metrics [][][]float64, permutations int, seed uint64) (p [][]float64, err error) {
	for _, m := range metrics {
		checkShape(human, m)
	}
	if len(metrics) == 0 {
		return nil, ctx.Err()
	}
	r, err := newSoftResampler(ctx, human, metrics, permutations, seed, "soft test")
	if err != nil {
		return nil, err
	}
	return permute(ctx, r, len(metrics), permutations)
}

// A softResampler exchanges the metrics' scores of translations. With the sum of a system's scores
// over the segments that a sign flip keeps, an exchange moves the part of the sum that comes from the
// exchanged translations from one metric to the other. So both parts of the sums are computed once for
// each metric instead of for each pair of metrics.
type softResampler struct {
	drawn
	human   []float64     // the p-value of each pair of systems
	metrics [][][]float64 // by metric, system and segment
	flips   []flips       // of segments
	random  *coinFlips
}

// softFlips is how many sign flips are evaluated at once. It bounds the memory of a worker.
const softFlips = 1000

// ratedRows returns a function that chooses the rows of the systems with human scores of segments. The others have nothing to flip.
func ratedRows(human [][]float64) func(rows [][]float64) [][]float64 {
	rated := slices.DeleteFunc(indices(len(human)), func(s int) bool { return !stat.Defined(stat.Mean(human[s])) })
	return func(rows [][]float64) (out [][]float64) {
		for _, s := range rated {
			out = append(out, rows[s])
		}
		return out
	}
}

func newSoftResampler(ctx context.Context, human [][]float64, metrics [][][]float64, permutations int, seed uint64, stream string) (*softResampler, error) {
	of := ratedRows(human)
	human = of(human)
	segments := completeSegments(human, nil)
	chosen := make([][][]float64, len(metrics))
	for k, m := range metrics {
		chosen[k] = of(m)
		segments = completeSegments(chosen[k], segments)
	}
	for k := range chosen {
		chosen[k] = zScoredRows(columns(chosen[k], segments))
	}
	r := &softResampler{metrics: chosen, random: newCoinFlips(seed, stream)}
	choose := newPCG64(seed).choose
	for first := 0; first < permutations; first += softFlips {
		f, err := newFlips(ctx, len(segments), min(softFlips, permutations-first), choose)
		if err != nil {
			return nil, err
		}
		r.flips = append(r.flips, f)
	}
	p, err := signFlipPValues(ctx, [][][]float64{columns(human, segments)}, len(segments), newPCG64(seed).choose, permutations)
	if err != nil {
		return nil, err
	}
	r.human = p[0]
	return r, nil
}

// zScoredRows is [zScored] over all rows together.
func zScoredRows(rows [][]float64) [][]float64 {
	all := zScored(slices.Concat(rows...))
	out := make([][]float64, len(rows))
	for s, row := range rows {
		out[s], all = all[:len(row)], all[len(row):]
	}
	return out
}

func (r *softResampler) observed() []float64 {
	out := make([]float64, stat.Choose2(len(r.metrics)))
	w := r.newSoftWorker()
	w.exchange(make([]bool, w.cells()))
	w.differences(out)
	return out
}

func (r *softResampler) next(ctx context.Context, n int, out func(draw int, difference []float64)) error {
	first := 0
	return eachFlipBatch(ctx, r.newSoftWorker().cells(), n, r.random.choose, func(f flips) error {
		err := parallel.EachWith(ctx, f.draws, func() func(int) {
			w := r.newSoftWorker()
			chosen := make([]bool, w.cells())
			difference := make([]float64, stat.Choose2(len(r.metrics)))
			return func(draw int) {
				f.unpack(draw, chosen)
				w.exchange(chosen)
				w.differences(difference)
				out(first+draw, difference)
			}
		})
		first += f.draws
		return err
	})
}

// A softWorker evaluates one exchange after the other.
type softWorker struct {
	r                 *softResampler
	systems, segments int
	// The sums of a metric over the translations that stay with it, and over those that it gives away.
	stays, goes []softSums
	counts      [][]int     // by ordered pair of metrics, see at, and pair of systems: the flips whose sum is at least the observed one
	mixed       [][]float64 // by system and sign flip
	row         []float64
}

// softSums are sums over translations of one metric.
type softSums struct {
	kept  [][]float64 // by system and sign flip: of the scores that keep their sign
	total []float64   // by system
	size  []float64   // by system: of the absolute scores
}

func (r *softResampler) newSoftWorker() *softWorker {
	w := &softWorker{r: r}
	if len(r.metrics) > 0 {
		w.systems, w.segments = len(r.metrics[0]), width(r.metrics[0])
	}
	sums := func() softSums {
		s := softSums{kept: make([][]float64, w.systems), total: make([]float64, w.systems), size: make([]float64, w.systems)}
		for k := range s.kept {
			s.kept[k] = make([]float64, softFlips)
		}
		return s
	}
	for range r.metrics {
		w.stays, w.goes = append(w.stays, sums()), append(w.goes, sums())
	}
	w.mixed = sums().kept
	w.counts = make([][]int, len(r.metrics)*len(r.metrics))
	for k := range w.counts {
		w.counts[k] = make([]int, stat.Choose2(w.systems))
	}
	w.row = make([]float64, w.segments)
	return w
}

// cells returns the number of translations.
func (w *softWorker) cells() int { return w.systems * w.segments }

// exchange counts the sign flips after the exchange of the chosen translations, which are numbered
// system by system.
func (w *softWorker) exchange(chosen []bool) {
	for _, c := range w.counts {
		clear(c)
	}
	for _, f := range w.r.flips {
		for m, scores := range w.r.metrics {
			for s, row := range scores {
				of := chosen[s*w.segments : (s+1)*w.segments]
				w.stays[m].set(s, f, w.masked(row, of, false))
				w.goes[m].set(s, f, w.masked(row, of, true))
			}
		}
		for x := range w.r.metrics {
			for y := range w.r.metrics {
				if x != y {
					w.count(w.counts[w.at(x, y)], w.stays[x], w.goes[y], f.draws)
				}
			}
		}
	}
}

// masked returns the scores where chosen equals keep, and 0 elsewhere.
func (w *softWorker) masked(row []float64, chosen []bool, keep bool) []float64 {
	for i, v := range row {
		if chosen[i] != keep {
			v = 0
		}
		w.row[i] = v
	}
	return w.row
}

// set sums the scores of a system.
func (s softSums) set(system int, f flips, row []float64) {
	f.sums(row, s.kept[system][:f.draws])
	s.total[system], s.size[system] = 0, 0
	for _, v := range row {
		s.total[system] += v
		s.size[system] += math.Abs(v)
	}
}

// count adds, for each pair of systems, the sign flips whose sum is at least the observed one, as
// [signFlipPValues] counts them. The scores are those of a and b together.
func (w *softWorker) count(counts []int, a, b softSums, flips int) {
	for s := range w.mixed {
		x, y := a.kept[s][:flips], b.kept[s][:flips]
		for d, v := range x {
			w.mixed[s][d] = v + y[d]
		}
	}
	pair := 0
	for i := range w.systems {
		for j := i + 1; j < w.systems; j++ {
			least := a.total[i] + b.total[i] - a.total[j] - b.total[j] - 1e-12*(a.size[i]+b.size[i]+a.size[j]+b.size[j])
			x, y := w.mixed[i][:flips], w.mixed[j][:flips]
			n := 0
			for d, v := range x {
				if v-y[d] >= least {
					n++
				}
			}
			counts[pair] += n
			pair++
		}
	}
}

// at numbers the ordered pairs of metrics.
func (w *softWorker) at(x, y int) int { return x*len(w.r.metrics) + y }

// differences writes the difference of soft pairwise accuracy of each pair of metrics after the
// exchange.
func (w *softWorker) differences(out []float64) {
	eachPair(len(w.r.metrics), func(x, y, pair int) {
		out[pair] = w.accuracy(w.counts[w.at(x, y)]) - w.accuracy(w.counts[w.at(y, x)])
	})
}

// accuracy is the [closeness] of the counted p-values to those of the human score.
func (w *softWorker) accuracy(counts []int) float64 {
	flips := 0
	for _, f := range w.r.flips {
		flips += f.draws
	}
	if len(counts) == 0 || flips == 0 {
		return 0
	}
	var sum float64
	for k, n := range counts {
		sum += math.Abs(w.r.human[k] - float64(n)/float64(flips))
	}
	return orZero(1 - sum/float64(len(counts)))
}
