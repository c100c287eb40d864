package campaign

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A CheckResult is what the checks of one kind, or of all kinds, show of an annotator. Checks that do not count
// are left out; see [CheckRule.Uncounted].
type CheckResult struct {
	Kind          CheckKind // empty for all kinds together
	Taken, Passed int       // checks
	// Documents is the number of documents that the checks are evidence of, and DocumentsPassed the number
	// of those that are passed; see [JudgeChecks].
	Documents, DocumentsPassed int
	// Chance is the mean chance to pass one of the checks without reading; NaN without checks. See
	// [JudgeChecks].
	Chance float64
	// P is the chance to pass at least as many documents without reading, and Careful the chance that
	// somebody who reads with care passes at most as many; from 0 to 1, and NaN without checks.
	P, Careful float64
	// Enough says that so many checks were taken that an annotator who passes all of them is told
	// from one who does not read.
	Enough bool
	// Reads says that the annotator passes more than one who does not read: P is at most the level.
	Reads bool
	// Flag says that enough checks were taken, and that the annotator passes no more of them than one
	// who does not read, and fewer than one who reads with care.
	Flag bool
}

// Expected is the number of checks that somebody passes on average without reading; NaN without checks.
func (r CheckResult) Expected() float64 { return float64(r.Taken) * r.Chance }

// carefully is the least share of documents that somebody who reads with care is taken to pass. Careful
// annotators of the simulated campaigns that docs/quality.md describes pass more, whatever the protocol and
// the systems.
var carefully = map[CheckKind]float64{DegradedCheck: 0.6, RepeatCheck: 0.4, KnownCheck: 0.4}

// leastDocuments is the least number of documents that a flag rests on.
const leastDocuments = 3

// JudgeChecks tests the checks of an annotator: all kinds together first, then each kind of which any count, in
// the order of [CheckKinds]. A flag is raised if two hypotheses say so:
//
//   - that the annotator does not read cannot be rejected: P is above level, although passing every document
//     would have given a P of at most level;
//   - that the annotator reads with care is rejected: Careful is at most half of level. Half, because the
//     degraded texts can raise a flag, and so can all checks; see [ChecksFlag].
//
// A careful annotator is therefore flagged with a chance of at most level. Nobody is flagged for having taken
// few checks: a flag needs three documents at least.
//
// What depends on the same text counts once. A document is passed if at least half of its checks are. A check
// of a source text or a translation that an earlier check is of counts in the document of that check.
//
// Somebody who does not read is taken to give a check any of the scores that the annotator gave in work, whatever
// the text. The chance to pass a check is the share of these scores that would pass it, with one pass and one
// failure added, so that it is neither 0 nor 1 (Laplace's rule of succession). The chance to pass a document
// follows from those of its checks. Somebody who reads with care is taken to pass three in five documents with
// degraded texts, and two in five of the others. P and Careful are the tails of the numbers of independent
// documents that are passed. That is the Poisson binomial distribution. It is computed exactly.
//
// work are the scores of the annotator's ratings in work.
func JudgeChecks(work []float64, items []CheckItem, rule CheckRule, level float64) []CheckResult {
	work = slices.Sorted(slices.Values(work))
	n := int32(0) // numbers given
	number := func(of map[string]int32, name string) int32 {
		k, ok := of[name]
		if !ok {
			k = n
			of[name] = k
			n++
		}
		return k
	}
	sources, translations, documents := make(map[string]int32, len(items)/2), make(map[string]int32, len(items)), map[string]int32{}
	type comparison struct { // many checks share one
		kind    CheckKind
		against float64
	}
	chances := map[comparison]float64{} // -1: they do not count
	counted := make([]countedCheck, 0, len(items))
	for _, i := range items {
		chance, known := chances[comparison{i.Kind, i.Against}]
		if !known {
			if chance = -1; rule.Uncounted(i.Kind, i.Against) == "" {
				chance = rule.chance(i.Kind, i.Against, work)
			}
			chances[comparison{i.Kind, i.Against}] = chance
		}
		if chance >= 0 {
			counted = append(counted, countedCheck{
				kind: i.Kind, chance: chance, passed: rule.Passes(i.Kind, i.Score, i.Against),
				source: number(sources, i.Source), translation: number(translations, i.Original), document: number(documents, i.Document),
			})
		}
	}
	out := []CheckResult{test("", evidence(counted, "", n), level)}
	for _, kind := range CheckKinds {
		if of := evidence(counted, kind, n); len(of) > 0 {
			out = append(out, test(kind, of, level))
		}
	}
	return out
}

// A countedCheck is a check that counts.
type countedCheck struct {
	kind                          CheckKind
	chance                        float64 // to pass without reading
	passed                        bool
	source, translation, document int32 // numbers of what the check depends on
}

// ChecksFlag reports whether an annotator has a flag: because of the degraded texts, or because of all checks.
// The degraded texts can raise a flag by themselves, because an annotator who copies the scores of others, or
// gives one score to everything, passes repeats without reading. Repeats and known texts can't, because an
// annotator who reads may still use the scale differently from the lead, or from day to day.
func ChecksFlag(results []CheckResult) bool { return DecidingChecks(results).Flag }

// EnoughChecks reports whether enough checks were taken for [ChecksFlag] to tell.
func EnoughChecks(results []CheckResult) bool { return DecidingChecks(results).Enough }

// DecidingChecks chooses, of the results of [JudgeChecks], the one that [ChecksFlag] and [EnoughChecks] go by: that of the degraded
// texts if enough were taken, unless all checks together raise a flag and the degraded texts do not.
func DecidingChecks(results []CheckResult) CheckResult {
	all := results[0]
	i := slices.IndexFunc(results, func(r CheckResult) bool { return r.Kind == DegradedCheck && r.Enough })
	if i < 0 || all.Flag && !results[i].Flag {
		return all
	}
	return results[i]
}

// A document is what checks of one document are evidence of.
type document struct {
	chances       []float64 // to pass each check without reading
	taken, passed int       // checks
	carefully     float64   // chance that somebody who reads with care passes the document
}

// needed is the number of checks that must be passed for the document to be.
func (d document) needed() int { return (d.taken + 1) / 2 }

// evidence gathers the checks of a kind, or of all kinds if it is empty, by document. What they depend on has numbers below n.
func evidence(checks []countedCheck, kind CheckKind, n int32) []document {
	var out []document
	at := make([]int32, n)               // places in out, from 1
	places := make([]int32, len(checks)) // of each check, from 1; 0: it is of another kind
	for i, c := range checks {
		if kind != "" && c.kind != kind {
			continue
		}
		place := cmp.Or(at[c.source], at[c.translation], at[c.document])
		if place == 0 {
			out = append(out, document{carefully: 1})
			place = int32(len(out))
			at[c.document] = place
		}
		at[c.source], at[c.translation] = place, place
		places[i] = place
		d := &out[place-1]
		d.taken++
		d.carefully = min(d.carefully, carefully[c.kind])
		if c.passed {
			d.passed++
		}
	}
	chances := make([]float64, len(checks))
	for i := range out {
		out[i].chances, chances = chances[:0:out[i].taken], chances[out[i].taken:]
	}
	for i, c := range checks {
		if places[i] > 0 {
			d := &out[places[i]-1]
			d.chances = append(d.chances, c.chance)
		}
	}
	return out
}

func test(kind CheckKind, documents []document, level float64) CheckResult {
	r := CheckResult{Kind: kind, Documents: len(documents), Chance: math.NaN(), P: math.NaN(), Careful: math.NaN()}
	if len(documents) == 0 {
		return r
	}
	sum, every := 0.0, 1.0
	var chances, careful []float64
	for _, d := range documents {
		for _, c := range d.chances {
			sum += c
		}
		r.Taken, r.Passed = r.Taken+d.taken, r.Passed+d.passed
		if d.passed >= d.needed() {
			r.DocumentsPassed++
		}
		chance := atLeast(d.chances, d.needed())
		chances, careful = append(chances, chance), append(careful, 1-d.carefully)
		every *= chance
	}
	r.Chance = sum / float64(r.Taken)
	r.P = atLeast(chances, r.DocumentsPassed)
	r.Careful = atLeast(careful, r.Documents-r.DocumentsPassed) // so many are failed
	r.Enough = r.Documents >= leastDocuments && every <= level
	r.Reads = r.P <= level
	r.Flag = r.Enough && !r.Reads && r.Careful <= level/2
	return r
}

// chance is the chance to pass a check of a kind with a score drawn from those of the work, which are sorted.
func (r CheckRule) chance(kind CheckKind, against float64, work []float64) float64 {
	// The scores that pass follow each other.
	from := 0
	if kind != DegradedCheck {
		from = sort.Search(len(work), func(i int) bool {
			return work[i] >= against || r.Passes(kind, work[i], against)
		})
	}
	n := sort.Search(len(work)-from, func(i int) bool {
		x := work[from+i]
		return (kind == DegradedCheck || x >= against) && !r.Passes(kind, x, against)
	})
	return float64(n+1) / float64(len(work)+2)
}

// negligible is the chance below which [atLeast] leaves out a number of successes.
const negligible = 1e-30

// atLeast is the chance that at least n of independent trials succeed, given the chance of each: the
// upper tail of the Poisson binomial distribution, to within 1e-24.
func atLeast(chances []float64, n int) float64 {
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
