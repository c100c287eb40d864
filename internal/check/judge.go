package check

import (
	"math"
	"slices"
	"sort"
)

// A Rule says when a check is passed. Both limits are in points of the gate score.
type Rule struct {
	Margin    float64 // a degraded text must be rated at least so much lower than the original
	Tolerance float64 // a repeat or a known text may be rated at most so much differently
}

// slack keeps rounding errors from failing a check that lies on the limit.
const slack = 1e-9

// Passes judges the score that an annotator gave in a check. against is the score that it is compared with:
//
//   - of a degraded text, the annotator's own score of the original, or else the mean score of the
//     others who rated the original;
//   - of a repeat, the annotator's own earlier score;
//   - of a known text, the lead's score.
func (r Rule) Passes(kind Kind, score, against float64) bool {
	if kind == Degraded {
		return score <= against-r.Margin+slack
	}
	return math.Abs(score-against) <= r.Tolerance+slack
}

// An Item is one check that an annotator has taken and that can be judged. Scores are gate scores in
// points, higher is better.
type Item struct {
	Kind    Kind
	Score   float64 // of the check
	Against float64 // see [Rule.Passes]
}

// A Result is what the checks of one kind, or of all kinds, show of an annotator.
type Result struct {
	Kind          Kind // empty for all kinds together
	Taken, Passed int
	// Chance is the mean chance to pass one of the checks without reading; NaN without checks. See
	// [Judge].
	Chance float64
	// P is the chance to pass at least as many without reading, from 0 to 1; NaN without checks.
	P float64
	// Enough says that so many checks were taken that an annotator who passes all of them is told
	// from one who does not read.
	Enough bool
	// Flag says that enough checks were taken, and that the annotator passes no more of them than one
	// who does not read.
	Flag bool
}

// Expected is the number of checks that somebody passes on average without reading; NaN without checks.
func (r Result) Expected() float64 { return float64(r.Taken) * r.Chance }

// Judge tests the checks of an annotator: all kinds together first, then each kind of which any were
// taken, in the order of [Kinds].
//
// The null hypothesis is that the annotator does not read: the score of a check is then like any score
// that the annotator gave in work, whatever the text. The chance to pass a check is the share of the
// annotator's scores in work that would pass it, with one pass and one failure added, so that it is
// neither 0 nor 1 (Laplace's rule of succession). P is the one-sided binomial test of the pass rate,
// P(X >= Passed), where X is the number of independent trials that succeed, each with the chance of its
// check. That is the Poisson binomial distribution, and the binomial one if all chances are equal. It
// is computed exactly. Unlike a fixed chance, this one takes into account that a careful annotator of
// good translations passes most repeats by giving the same high score again.
//
// A result has a flag if P is above level although passing all checks would have given a P of at most
// level. Nobody is therefore flagged for having taken few checks, and an annotator who gives one score to
// everything is flagged. work are the scores of the annotator's ratings in work.
func Judge(work []float64, items []Item, rule Rule, level float64) []Result {
	all := trials(work, items, rule)
	out := []Result{test("", all, level)}
	for _, kind := range Kinds {
		if of := ofKind(all, kind); len(of) > 0 {
			out = append(out, test(kind, of, level))
		}
	}
	return out
}

// Flagged reports whether an annotator has a flag. The degraded texts decide if enough were taken, because an
// annotator who copies the scores of others, or gives one score to everything, passes repeats too, and
// because an annotator who reads may still use the scale differently from the lead, or from day to day.
// Otherwise all kinds together decide.
func Flagged(results []Result) bool { return Deciding(results).Flag }

// Enough reports whether enough checks were taken for [Flagged] to tell.
func Enough(results []Result) bool { return Deciding(results).Enough }

// Deciding chooses, of the results of [Judge], the one that [Flagged] and [Enough] go by.
func Deciding(results []Result) Result {
	if i := slices.IndexFunc(results, func(r Result) bool { return r.Kind == Degraded && r.Enough }); i >= 0 {
		return results[i]
	}
	return results[0]
}

// A trial is a judged check with the chance to pass it without reading.
type trial struct {
	kind   Kind
	passed bool
	chance float64
}

// trials judges checks. work are the scores of the annotator's ratings in work.
func trials(work []float64, items []Item, rule Rule) []trial {
	work = slices.Sorted(slices.Values(work))
	all := make([]trial, len(items))
	for i, item := range items {
		all[i] = trial{item.Kind, rule.Passes(item.Kind, item.Score, item.Against), rule.chance(item, work)}
	}
	return all
}

func ofKind(all []trial, kind Kind) []trial {
	return slices.DeleteFunc(slices.Clone(all), func(t trial) bool { return t.kind != kind })
}

// chance is the chance to pass a check with a score drawn from those of the work, which are sorted.
func (r Rule) chance(item Item, work []float64) float64 {
	// The scores that pass follow each other.
	from := 0
	if item.Kind != Degraded {
		from = sort.Search(len(work), func(i int) bool {
			return work[i] >= item.Against || r.Passes(item.Kind, work[i], item.Against)
		})
	}
	n := sort.Search(len(work)-from, func(i int) bool {
		x := work[from+i]
		return (item.Kind == Degraded || x >= item.Against) && !r.Passes(item.Kind, x, item.Against)
	})
	return float64(n+1) / float64(len(work)+2)
}

// enough reports whether passing all of some trials would be less likely than the level.
func enough(trials []trial, level float64) bool {
	if len(trials) == 0 {
		return false
	}
	p := 1.0
	for _, t := range trials {
		p *= t.chance
	}
	return p <= level
}

func test(kind Kind, trials []trial, level float64) Result {
	r := Result{Kind: kind, Taken: len(trials), Chance: math.NaN(), P: math.NaN()}
	if len(trials) == 0 {
		return r
	}
	chances, sum := make([]float64, len(trials)), 0.0
	for i, t := range trials {
		chances[i] = t.chance
		sum += t.chance
		if t.passed {
			r.Passed++
		}
	}
	r.Chance = sum / float64(len(trials))
	r.P = AtLeast(chances, r.Passed)
	r.Enough = enough(trials, level)
	r.Flag = r.Enough && r.P > level
	return r
}

// negligible is the chance below which [AtLeast] leaves out a number of successes.
const negligible = 1e-30

// AtLeast is the chance that at least n of independent trials succeed, given the chance of each: the
// upper tail of the Poisson binomial distribution, to within 1e-24.
func AtLeast(chances []float64, n int) float64 {
	if n <= 0 {
		return 1
	}
	// of[k] is the chance that k of the trials so far succeed. More than n count as n. Below low, and above
	// high but for n, it is negligible.
	of := make([]float64, n+1)
	of[0] = 1
	low, high := 0, 0
	for _, p := range chances {
		of[n] += of[n-1] * p
		high = min(high+1, n-1)
		for k := high; k > low; k-- {
			of[k] = of[k]*(1-p) + of[k-1]*p
		}
		of[low] *= 1 - p
		for ; low < high && of[low] < negligible; low++ {
			of[low] = 0
		}
		for ; high > low && of[high] < negligible; high-- {
			of[high] = 0
		}
	}
	return min(1, of[n])
}
