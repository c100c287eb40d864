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

// A Test holds the significance tests between metrics for one statistic.
type Test struct {
	Statistic string   // such as "system acc", or "meta"
	Metrics   []string // the metrics for which the statistic is defined, best first
	// P[i][j], for i < j, is the p-value of the hypothesis that metric i is no
	// better than metric j. It is NaN elsewhere.
	P        [][]float64
	Clusters map[string]int // by metric; all metrics without the statistic are in the last cluster
}

// testShare is how many steps of progress the tests of a subset count for. It is a
// multiple of the number of parts of each preset, since all parts have equal shares.
const testShare = 240

// maxEnumeratedSystems is the number of systems up to which a test counts every
// exchange instead of drawing some.
const maxEnumeratedSystems = 15

// drawsPerBatch bounds the memory of tests with many permutations.
const drawsPerBatch = 250

// test compares every pair of metrics in each part of the meta score, and in
// the meta score, by the PERM-BOTH permutation test (Deutsch et al. 2021, "A
// Statistical Analysis of Summarization Evaluation Metrics Using Resampling
// Methods"; PermutationSigDiff and PairwisePermutationSigDiff of
// mt-metrics-eval):
//
//   - Correlations and system-level accuracy: the scores of both metrics are
//     z-scored over the systems or translations that are compared. Then the two
//     metrics' scores of each system or translation are exchanged at random, and
//     the statistic is computed again.
//   - acc_t: for each pair of translations, the two metrics' verdicts (right or
//     wrong, each by the metric's own ε) are exchanged at random.
//   - With at most 15 systems, system-level tests count all exchanges (at most
//     32,768), so p is exact and independent of the seed.
//   - The meta score: the parts are permuted independently, and their differences
//     are combined as the meta score combines the parts.
//
// p is the share of permutations in which the difference is at least the observed
// one. An undefined correlation in a permutation counts as 0, as in
// mt-metrics-eval. Unlike in mt-metrics-eval, no test stops early, and all pairs
// of metrics share the permutations of a part. Segment-level tests use the
// translations that all metrics have scored; this matters where a human score with
// gaps is evaluated as a metric. Each part is tested between the metrics that have
// it, so a metric with only system scores is in the system-level tests.
func (sub subset) test(ctx context.Context, t Task, results []Result, work *progress) ([]Test, error) {
	parts := append(t.Preset.parts(), metaPart)
	tallies := make([]*tally, len(parts)) // the last is that of the meta score
	for k, p := range parts {
		usable := slices.DeleteFunc(indices(len(results)), func(i int) bool { return !stat.Defined(p.value(results[i])) || !sub.testable(p, sub.metrics[i]) })
		tallies[k] = newTally(usable)
	}
	if err := sub.resample(ctx, t, results, tallies, work); err != nil {
		return nil, err
	}
	out := make([]Test, len(parts))
	for k, p := range parts {
		out[k] = tallies[k].test(p, results)
	}
	return out, nil
}

// testable reports whether a metric has all scores that a test of the part exchanges.
// In a domain it may lack scores of some systems.
func (sub subset) testable(p part, m scorer) bool {
	if !p.ofSystems() {
		return true
	}
	for s, h := range sub.human.system {
		if stat.Defined(h) && !stat.Defined(m.system[s]) {
			return false
		}
	}
	return true
}

// metaPart is the meta score as a statistic to test.
var metaPart = part{"meta", func(r Result) float64 { return r.Meta }, false}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A tally counts, for each pair of metrics, the permutations whose difference is at
// least the observed one and those whose difference is at most the observed one.
type tally struct {
	usable          []int     // the indices of the metrics in the results
	observed        []float64 // by pair
	atLeast, atMost []int     // by pair
	draws           int       // how many permutations are counted
}

func newTally(usable []int) *tally {
	pairs := stat.Choose2(len(usable))
	return &tally{usable: usable, observed: make([]float64, pairs), atLeast: make([]int, pairs), atMost: make([]int, pairs)}
}

// pairNumbersIn returns for each pair of metrics its number among the pairs of another
// tally, which includes all metrics of this one.
func (c *tally) pairNumbersIn(all *tally) []int {
	out := make([]int, stat.Choose2(len(c.usable)))
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
		if d >= c.observed[p]-rounding {
			c.atLeast[p]++
		}
		if d <= c.observed[p]+rounding {
			c.atMost[p]++
		}
	}
}

// test sorts the metrics by the statistic and converts counts to p-values.
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

// pairIndex numbers the pairs x < y of n items in the order (0,1), (0,2), …, (1,2), ….
func pairIndex(x, y, n int) int { return x*(2*n-x-1)/2 + y - x - 1 }

// resample fills the tallies of the parts and, last, that of the meta score.
func (sub subset) resample(ctx context.Context, t Task, results []Result, tallies []*tally, work *progress) error {
	parts := t.Preset.parts()
	meta := tallies[len(parts)]
	resamplers := make([]resampler, len(parts)) // nil if there is no pair of metrics to compare
	pairNumbers := make([][]int, len(parts))    // by part and pair of the meta score: the number of the pair in the part
	shares := make([]*share, len(parts))
	for k, p := range parts {
		shares[k] = work.share(testShare / len(parts))
		if len(tallies[k].observed) == 0 {
			shares[k].end()
			continue
		}
		r, err := sub.resampler(ctx, p, t, results, tallies[k].usable, shares[k])
		if err != nil {
			return err
		}
		resamplers[k], pairNumbers[k] = r, meta.pairNumbersIn(tallies[k])
		copy(tallies[k].observed, r.observed())
		for i, pair := range pairNumbers[k] {
			meta.observed[i] += p.weigh(tallies[k].observed[pair], len(parts))
		}
	}
	exact := make([]bool, len(parts)) // whether every exchange is counted instead of drawn
	for k := range parts {
		if r, ok := resamplers[k].(*systemResampler); ok && len(r.human) <= maxEnumeratedSystems {
			exact[k] = true
			if err := r.all(ctx, tallies[k]); err != nil {
				return err
			}
		}
	}
	done := make([]func(), len(parts))
	for k := range parts {
		done[k] = shares[k].perPiece((t.Permutations+drawsPerBatch-1)/drawsPerBatch, shares[k].left)
	}
	for first := 0; first < t.Permutations; first += drawsPerBatch {
		n := min(drawsPerBatch, t.Permutations-first)
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
				for i, pair := range pairNumbers[k] {
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

// weigh returns how much a difference in the part changes the meta score.
func (p part) weigh(difference float64, parts int) float64 {
	if p.signed {
		difference /= 2
	}
	return difference / float64(parts)
}

func (sub subset) resampler(ctx context.Context, p part, t Task, results []Result, usable []int, steps *share) (resampler, error) {
	random := newCoinFlips(t.Seed, p.name)
	metrics := make([]scorer, len(usable))
	epsilons := make([]float64, len(usable))
	for k, i := range usable {
		metrics[k] = sub.metrics[i]
		epsilons[k] = results[i].Segment.Epsilon
	}
	switch p.name {
	case systemAcc.name:
		return newSystemResampler(sub, metrics, random, func(x, y []float64) float64 { return stat.Ratio(PairwiseAccuracy(x, y)) }), nil
	case systemPearson.name:
		return newSystemResampler(sub, metrics, random, stat.Pearson), nil
	case systemSpearman.name:
		return newSystemResampler(sub, metrics, random, stat.Spearman), nil
	case segmentPearson.name:
		return newPearsonResampler(newTranslations(sub, metrics), random), nil
	case segmentRho.name:
		return newSpearmanResampler(newTranslations(sub, metrics), random), nil
	case segmentAccT.name:
		return newVerdictResampler(ctx, newTranslations(sub, metrics), ByItem, epsilons, t.Seed, p.name, t.Permutations, steps)
	case segmentPooled.name:
		for k, i := range usable {
			epsilons[k] = results[i].pooledEpsilon
		}
		return newVerdictResampler(ctx, newTranslations(sub, metrics), Pooled, epsilons, t.Seed, p.name, t.Permutations, steps)
	}
	panic("metaeval: no test for " + p.name)
}

// coinFlips is a source of fair coin flips. Each purpose has its own random stream.
type coinFlips struct {
	random *rand.Rand
	word   uint64
	left   int
}

func newCoinFlips(seed uint64, purpose string) *coinFlips {
	return &coinFlips{random: randomStream(seed, purpose, 0)}
}

func (c *coinFlips) heads() bool {
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

// orZero replaces an undefined statistic by 0, as mt-metrics-eval does.
func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// eachPair calls do with every pair x < y of n items and its number (see [pairIndex]).
func eachPair(n int, do func(x, y, pair int)) {
	pair := 0
	for x := range n {
		for y := x + 1; y < n; y++ {
			do(x, y, pair)
			pair++
		}
	}
}
