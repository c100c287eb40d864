package metaeval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"annotate/internal/stat"
)

// A Test says which metrics differ significantly in a statistic.
type Test struct {
	Statistic string   // such as "system acc", or "meta"
	Metrics   []string // those that have it, best first
	// P[i][j] is for i < j the p-value of the hypothesis that metric i is no
	// better than metric j; NaN elsewhere.
	P        [][]float64
	Clusters map[string]int // by metric; those without the statistic share the last
}

// testSteps is what tests count for in progress, each part the same: a multiple of
// the numbers of parts that presets have.
const testSteps = 240

// mostEnumerated is the number of systems up to which every exchange is counted.
const mostEnumerated = 15

// drawsAtOnce bounds the memory of tests with many permutations.
const drawsAtOnce = 250

// test compares every pair of metrics in each part of the meta score, and in
// the meta score, by the PERM-BOTH permutation test (Deutsch et al. 2021, "A
// Statistical Analysis of Summarization Evaluation Metrics Using Resampling
// Methods"; PermutationSigDiff and PairwisePermutationSigDiff of
// mt-metrics-eval):
//
//   - Correlations and system-level accuracy: both metrics are z-scored over
//     what is compared, their scores of each system or translation exchanged at
//     random, and the statistic computed anew.
//   - acc_t: the verdicts right or wrong, each with the metric's own ε, are
//     exchanged for each pair of translations.
//   - With at most 15 systems the exchanges of systems are not drawn: every one of
//     them is counted, 32,768 at most, so that p is exact for any seed.
//   - The meta score: parts are exchanged independently and at random, and the differences
//     combined as the meta score combines its parts.
//
// p is the share of permutations in which the difference is at least the one
// observed. An undefined correlation in a permutation counts as 0, as there.
// Unlike there, no test stops early, and the permutations of a part are the
// same for all pairs of metrics. Where a human score with gaps is among the
// metrics, segment tests use the translations that all metrics have.
// A part is tested between the metrics that have it, so that one with scores of
// systems alone has its place among systems.
func (b board) test(ctx context.Context, t Task, results []Result, work *progress) ([]Test, error) {
	parts := append(t.Preset.parts(), metaPart)
	tallies := make([]*tally, len(parts)) // the last is the meta score
	for k, p := range parts {
		usable := slices.DeleteFunc(indices(len(results)), func(i int) bool { return !stat.Defined(p.value(results[i])) || !b.testable(p, b.metrics[i]) })
		tallies[k] = newTally(usable)
	}
	if err := b.resample(ctx, t, results, tallies, work); err != nil {
		return nil, err
	}
	out := make([]Test, len(parts))
	for k, p := range parts {
		out[k] = tallies[k].test(p, results)
	}
	return out, nil
}

// testable reports whether a metric has what is exchanged in a test. In a domain it
// may lack scores of some systems.
func (b board) testable(p part, m scorer) bool {
	if !p.ofSystems() {
		return true
	}
	for s, h := range b.human.system {
		if stat.Defined(h) && !stat.Defined(m.system[s]) {
			return false
		}
	}
	return true
}

// metaPart is the meta score itself, as a statistic that is tested.
var metaPart = part{"meta", func(r Result) float64 { return r.Meta }, false}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A tally counts for each pair of metrics the permutations whose difference
// was at least, and at most, the observed one.
type tally struct {
	usable          []int // places of the metrics among the results
	observed        []float64
	atLeast, atMost []int
	draws           int // that are counted
}

func newTally(usable []int) *tally {
	pairs := choose2(len(usable))
	return &tally{usable: usable, observed: make([]float64, pairs), atLeast: make([]int, pairs), atMost: make([]int, pairs)}
}

// within gives for each pair of metrics its number among the pairs of another
// tally, which has them all.
func (c *tally) within(all *tally) []int {
	out := make([]int, choose2(len(c.usable)))
	place := make([]int, len(c.usable))
	for k, i := range c.usable {
		place[k] = slices.Index(all.usable, i)
	}
	eachPair(len(c.usable), func(x, y, pair int) { out[pair] = pairIndex(place[x], place[y], len(all.usable)) })
	return out
}

func (c *tally) add(difference []float64) {
	c.draws++
	for p, d := range difference {
		if d >= c.observed[p]-same {
			c.atLeast[p]++
		}
		if d <= c.observed[p]+same {
			c.atMost[p]++
		}
	}
}

// test orders the metrics and turns counts into p-values.
func (c *tally) test(p part, results []Result) Test {
	usable := c.usable
	place := indices(len(usable))
	slices.SortFunc(place, func(x, y int) int {
		a, b := results[usable[x]], results[usable[y]]
		if by := compareMeta(p.value(a), p.value(b)); by != 0 {
			return by
		}
		return strings.Compare(a.Name, b.Name)
	})
	out := Test{Statistic: p.name, Clusters: map[string]int{}}
	for i, x := range place {
		out.Metrics = append(out.Metrics, results[usable[x]].Name)
		out.P = append(out.P, slices.Repeat([]float64{missing}, len(place)))
		for j := i + 1; j < len(place); j++ {
			n := 0
			if y := place[j]; x < y {
				n = c.atLeast[pairIndex(x, y, len(place))]
			} else {
				n = c.atMost[pairIndex(y, x, len(place))]
			}
			out.P[i][j] = stat.Ratio(n, c.draws)
		}
	}
	last := 0
	for i, cluster := range MetricClusters(out.P) {
		out.Clusters[out.Metrics[i]] = cluster
		last = cluster
	}
	for _, r := range results {
		if _, ok := out.Clusters[r.Name]; !ok {
			out.Clusters[r.Name] = last + 1
		}
	}
	return out
}

// pairIndex numbers the pairs x < y of n: (0,1), (0,2), …, (1,2), ….
func pairIndex(x, y, n int) int { return x*(2*n-x-1)/2 + y - x - 1 }

// resample fills in the tallies of the parts, and the last one, of the meta score.
func (b board) resample(ctx context.Context, t Task, results []Result, tallies []*tally, work *progress) error {
	parts := t.Preset.parts()
	meta := tallies[len(parts)]
	resamplers := make([]resampler, len(parts)) // nil: nothing to compare
	within := make([][]int, len(parts))         // for pairs of the meta score, their numbers in a part
	told := make([]*portion, len(parts))
	for k, p := range parts {
		told[k] = work.portion(testSteps / len(parts))
		if len(tallies[k].observed) == 0 {
			told[k].end()
			continue
		}
		r, err := b.resampler(ctx, p, t, results, tallies[k].usable, told[k])
		if err != nil {
			return err
		}
		resamplers[k], within[k] = r, meta.within(tallies[k])
		copy(tallies[k].observed, r.observed())
		for i, pair := range within[k] {
			meta.observed[i] += p.weigh(tallies[k].observed[pair], len(parts))
		}
	}
	exact := make([]bool, len(parts)) // every exchange is counted, and none drawn
	for k := range parts {
		if r, ok := resamplers[k].(*systemResampler); ok && len(r.human) <= mostEnumerated {
			exact[k] = true
			if err := r.all(ctx, tallies[k]); err != nil {
				return err
			}
		}
	}
	done := make([]func(), len(parts))
	for k := range parts {
		done[k] = told[k].pass((t.Permutations+drawsAtOnce-1)/drawsAtOnce, told[k].left)
	}
	for first := 0; first < t.Permutations; first += drawsAtOnce {
		n := min(drawsAtOnce, t.Permutations-first)
		combined := make([][]float64, n)
		for d := range combined {
			combined[d] = make([]float64, len(meta.observed))
		}
		for k, p := range parts {
			if resamplers[k] == nil {
				continue
			}
			var mu sync.Mutex
			err := resamplers[k].next(ctx, n, func(draw int, difference []float64) {
				for i, pair := range within[k] {
					combined[draw][i] += p.weigh(difference[pair], len(parts))
				}
				if exact[k] {
					return
				}
				mu.Lock()
				tallies[k].add(difference)
				mu.Unlock()
			})
			if err != nil {
				return err
			}
			done[k]()
		}
		for _, difference := range combined {
			meta.add(difference)
		}
	}
	return ctx.Err()
}

// weigh is what a difference in the part adds to one in the meta score.
func (p part) weigh(difference float64, parts int) float64 {
	if p.signed {
		difference /= 2
	}
	return difference / float64(parts)
}

func (b board) resampler(ctx context.Context, p part, t Task, results []Result, usable []int, told *portion) (resampler, error) {
	random := newCoins(t.Seed, p.name)
	metrics := make([]scorer, len(usable))
	epsilons := make([]float64, len(usable))
	for k, i := range usable {
		metrics[k] = b.metrics[i]
		epsilons[k] = results[i].Segment.Epsilon
	}
	switch p.name {
	case systemAcc.name:
		return newSystemResampler(b, metrics, random, func(x, y []float64) float64 { return stat.Ratio(PairwiseAccuracy(x, y)) }), nil
	case systemPearson.name:
		return newSystemResampler(b, metrics, random, stat.Pearson), nil
	case systemSpearman.name:
		return newSystemResampler(b, metrics, random, stat.Spearman), nil
	case segmentPearson.name:
		return newPearsonResampler(newCells(b, metrics), random), nil
	case segmentRho.name:
		return newSpearmanResampler(newCells(b, metrics), random), nil
	case segmentAccT.name:
		return newVerdictResampler(ctx, newCells(b, metrics), ByItem, epsilons, t.Seed, p.name, t.Permutations, told)
	case segmentPooled.name:
		for k, i := range usable {
			epsilons[k] = results[i].pooledEpsilon
		}
		return newVerdictResampler(ctx, newCells(b, metrics), Pooled, epsilons, t.Seed, p.name, t.Permutations, told)
	}
	panic("metaeval: no test for " + p.name)
}

// coins are fair, and each purpose has its own.
type coins struct {
	random *rand.Rand
	word   uint64
	left   int
}

func newCoins(seed uint64, purpose string) *coins {
	return &coins{random: stream(seed, purpose, 0)}
}

func (c *coins) heads() bool {
	if c.left == 0 {
		c.word, c.left = c.random.Uint64(), 64
	}
	heads := c.word&1 == 1
	c.word >>= 1
	c.left--
	return heads
}

// zScored subtracts the mean from the scores and divides them by their population
// standard deviation. Scores that are all equal become 0.
func zScored(x []float64) []float64 {
	m, deviation := stat.Mean(x), stat.Deviation(x)
	out := make([]float64, len(x))
	for i, v := range x {
		if deviation > 0 {
			out[i] = (v - m) / deviation
		}
	}
	return out
}

// orZero is what mt-metrics-eval takes for an undefined statistic.
func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// eachPair calls do with every pair x < y of n and its number.
func eachPair(n int, do func(x, y, pair int)) {
	pair := 0
	for x := range n {
		for y := x + 1; y < n; y++ {
			do(x, y, pair)
			pair++
		}
	}
}
