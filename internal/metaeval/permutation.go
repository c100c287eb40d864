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

	kept *differences // of the test of the meta score with [Task.Joint]
}

// testShare is how many steps of progress the tests of a subset count for. It is a
// multiple of the number of parts of each preset, since all parts have equal shares.
const testShare = 240

// maxEnumeratedSystems is the number of systems up to which a test counts every
// exchange instead of drawing some.
const maxEnumeratedSystems = 15

// drawsPerBatch bounds the memory of tests with many permutations.
const drawsPerBatch = 250

// PermutationTest compares metrics in a statistic of two vectors, such as [stat.Pearson], by
// the PERM-BOTH permutation test (Deutsch et al. 2021, "A Statistical Analysis of
// Summarization Evaluation Metrics Using Resampling Methods"; PermutationSigDiff of
// mt-metrics-eval). The scores of each metric are z-scored. Then the scores of two metrics
// are exchanged at random, each item by itself, and the statistic of both is computed
// again. human[i] and metrics[k][i] are scores of the same item, and none may be missing.
//
// p[i][j] is the share of the exchanges in which the statistic of metric i exceeds that of
// metric j by at least as much as it does without exchange: the p-value of the hypothesis
// that metric i is no better than metric j. It is NaN for i = j. An undefined statistic
// counts as 0, as in mt-metrics-eval.
//
// With at most 15 items all exchanges are counted (at most 32,768), so p is exact and
// neither permutations nor the seed matter. With more, that many exchanges are drawn. No
// test stops early, and all pairs of metrics share the draws; both differ from
// mt-metrics-eval. The error is that of ctx. PermutationTest panics if lengths differ.
func PermutationTest(
	ctx context.Context, statistic func(human, metric []float64) float64, human []float64, metrics [][]float64, permutations int, seed uint64,
) (p [][]float64, err error) {
	for _, m := range metrics {
		if len(m) != len(human) {
			panic("metaeval: slice length mismatch")
		}
	}
	return permute(ctx, newSystemResampler(human, metrics, newCoinFlips(seed, "permutation test"), statistic), len(metrics), permutations)
}

// VerdictTest compares metrics in pairwise accuracy with ties by the PERM-BOTH permutation
// test, see [PermutationTest]. Rows of the matrices are systems, columns are segments, and
// by selects the pairs of translations, as in [Calibrate]. A metric's verdict on a pair is
// right or wrong by its own tie threshold epsilons[k]. For each pair of translations the
// verdicts of two metrics are exchanged at random (PairwisePermutationSigDiff of
// mt-metrics-eval).
//
// p and the error are those of PermutationTest. Only translations that have a human score
// and a score of every metric count. It panics if the shapes differ.
func VerdictTest(
	ctx context.Context, human [][]float64, metrics [][][]float64, epsilons []float64, by Grouping, permutations int, seed uint64,
) (p [][]float64, err error) {
	if len(epsilons) != len(metrics) {
		panic("metaeval: slice length mismatch")
	}
	for _, m := range metrics {
		checkShape(human, m)
	}
	if len(metrics) == 0 {
		return nil, ctx.Err()
	}
	r, err := newVerdictResampler(ctx, newTranslations(human, metrics), by, epsilons, seed, "verdict test", permutations, nil)
	if err != nil {
		return nil, err
	}
	return permute(ctx, r, len(metrics), permutations)
}

// permute returns the p-value of each ordered pair of metrics.
func permute(ctx context.Context, r resampler, metrics, permutations int) ([][]float64, error) {
	c := newTally(indices(metrics))
	copy(c.observed, r.observed())
	exact, err := r.enumerate(ctx, c)
	for first := 0; first < permutations && !exact && err == nil; first += drawsPerBatch {
		err = r.next(ctx, min(drawsPerBatch, permutations-first), func(_ int, difference []float64) { c.add(difference) })
	}
	return c.pValues(indices(metrics)), err
}

// test compares every pair of metrics in each part of the meta score, and in the meta
// score: system-level parts and correlations of segments by [PermutationTest], acc_t by
// [VerdictTest]. For the meta score the parts are permuted independently, and their
// differences are combined as the meta score combines the parts.
//
// Segment-level tests use the translations that all metrics have scored; this matters where
// a human score with gaps is evaluated as a metric. Each part is tested between the metrics
// that have it, so a metric with only system scores is in the system-level tests.
func (sub subset) test(ctx context.Context, t Task, results []Result, work *progress) ([]Test, error) {
	parts := append(t.Preset.parts(), metaScore)
	tallies := make([]*tally, len(parts)) // the last is that of the meta score
	for k, p := range parts {
		usable := slices.DeleteFunc(indices(len(results)),
			func(i int) bool { return !stat.Defined(p.value(results[i])) || !sub.testable(p, sub.metrics[i]) })
		tallies[k] = newTally(usable)
	}
	kept, err := sub.resample(ctx, t, results, tallies, work)
	if err != nil {
		return nil, err
	}
	out := make([]Test, len(parts))
	for k, p := range parts {
		out[k] = tallies[k].test(p, results)
	}
	out[len(parts)-1].kept = kept
	return out, nil
}

// testable reports whether a metric has all scores that a test of the part exchanges.
// In a domain it may lack scores of some systems.
func (sub subset) testable(p part, m scorer) bool {
	if p.ofScores != ofSystems {
		return true
	}
	for s, h := range sub.human.system {
		if stat.Defined(h) && !stat.Defined(m.system[s]) {
			return false
		}
	}
	return true
}

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
	mu              sync.Mutex
	atLeast, atMost []int // by pair
	draws           int   // how many permutations are counted
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

// add counts a permutation. Several goroutines may call it.
func (c *tally) add(difference []float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
	out := Test{Statistic: p.id, Clusters: map[string]int{}, P: c.pValues(place)}
	for i, x := range place {
		out.Metrics = append(out.Metrics, results[usable[x]].Name)
		for j := range i { // the hypothesis that a worse metric is no better
			out.P[i][j] = missing
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

// pValues returns the p-value of each ordered pair of metrics. order lists the metrics by
// their places among the usable ones.
func (c *tally) pValues(order []int) [][]float64 {
	out := make([][]float64, len(order))
	for i, x := range order {
		out[i] = make([]float64, len(order))
		for j, y := range order {
			switch {
			case x < y:
				out[i][j] = stat.Ratio(c.atLeast[pairIndex(x, y, len(order))], c.draws)
			case x > y:
				out[i][j] = stat.Ratio(c.atMost[pairIndex(y, x, len(order))], c.draws)
			default:
				out[i][j] = missing
			}
		}
	}
	return out
}

// pairIndex numbers the pairs x < y of n items in the order (0,1), (0,2), …, (1,2), ….
func pairIndex(x, y, n int) int { return x*(2*n-x-1)/2 + y - x - 1 }

// resample fills the tallies of the parts and, last, that of the meta score. With [Task.Joint] it
// returns the differences of the latter.
func (sub subset) resample(ctx context.Context, t Task, results []Result, tallies []*tally, work *progress) (*differences, error) {
	parts := t.Preset.parts()
	meta := tallies[len(parts)]
	resamplers := make([]resampler, len(parts)) // nil if there is no pair of metrics to compare
	exact := make([]bool, len(parts))           // whether every exchange is counted instead of drawn
	pairNumbers := make([][]int, len(parts))    // by part and pair of the meta score: the number of the pair in the part
	done := make([]func(), len(parts))
	batches := (t.Permutations + drawsPerBatch - 1) / drawsPerBatch
	var kept *differences
	if t.Joint {
		kept = newDifferences(results, meta.usable)
	}
	for k, p := range parts {
		share := work.share(testShare / len(parts))
		if len(tallies[k].observed) == 0 {
			share.end()
			continue
		}
		r, err := p.exchange(ctx, sub.comparison(p, t, results, tallies[k].usable, share))
		if err != nil {
			return nil, err
		}
		resamplers[k], pairNumbers[k] = r, meta.pairNumbersIn(tallies[k])
		done[k] = share.perPiece(batches, share.left)
		copy(tallies[k].observed, r.observed())
		for i, pair := range pairNumbers[k] {
			meta.observed[i] += p.weigh(tallies[k].observed[pair], len(parts))
		}
		if exact[k], err = r.enumerate(ctx, tallies[k]); err != nil {
			return nil, err
		}
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
			joint := kept.draws(p, first, n)
			err := resamplers[k].next(ctx, n, func(draw int, difference []float64) {
				for i, pair := range pairNumbers[k] {
					weighed := p.weigh(difference[pair], len(parts))
					combined[draw][i] += weighed
					if joint != nil {
						joint[draw][i] += weighed
					}
				}
				if !exact[k] {
					tallies[k].add(difference)
				}
			})
			if err != nil {
				return nil, err
			}
			done[k]()
		}
		for _, difference := range combined {
			meta.add(difference)
		}
	}
	return kept, ctx.Err()
}

// comparison collects what the test of a part compares.
func (sub subset) comparison(p part, t Task, results []Result, usable []int, steps *share) comparison {
	c := comparison{human: sub.human.segment, systemMetrics: make([][]float64, len(usable)), draws: t.Permutations, seed: t.Seed,
		stream: p.id, steps: steps}
	for _, i := range usable {
		c.metrics, c.results = append(c.metrics, sub.metrics[i].segment), append(c.results, results[i])
	}
	for s, h := range sub.human.system {
		if !stat.Defined(h) {
			continue
		}
		c.systemHuman = append(c.systemHuman, h)
		for k, i := range usable {
			c.systemMetrics[k] = append(c.systemMetrics[k], sub.metrics[i].system[s])
		}
	}
	return c
}

// coinFlips is a source of fair coin flips. Each purpose has its own random stream.
type coinFlips struct {
	random *rand.Rand
	word   uint64
	left   int
}

func newCoinFlips(seed uint64, purpose string) *coinFlips {
	return &coinFlips{random: stat.RandomStream(seed, purpose, 0)}
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

// choose flips n coins for [newFlips].
func (c *coinFlips) choose(n int) (chosen byte) {
	for k := range n {
		chosen |= byte(one(c.heads())) << k
	}
	return chosen
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
