package metaeval

import "annotate/internal/stat"

// PairwiseAccuracy counts the pairs of systems that a metric orders like the human
// score: both differences have the same sign. 0 is a sign of its own, so a tie in only
// one of the two scores is an error (Kocmi et al. 2021, "To Ship or Not to Ship";
// Agreement in mt-metrics-eval). Pairs with a missing score do not count. The accuracy
// is agree/pairs. It is undefined if pairs is 0.
func PairwiseAccuracy(human, metric []float64) (agree, pairs int) {
	human, metric = stat.Complete(human, metric)
	return stat.Alike(human, metric), stat.Choose2(len(human))
}
