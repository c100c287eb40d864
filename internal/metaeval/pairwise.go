package metaeval

import "annotate/internal/stat"

// PairwiseAccuracy counts the pairs of systems that a metric puts in the same
// order as the human score: those whose differences have the same sign, 0 being
// a sign, so that a tie in one alone is an error (Kocmi et al. 2021, "To Ship
// or Not to Ship"; Agreement in mt-metrics-eval). Pairs with a missing score do
// not count. The accuracy is agree/pairs, undefined without pairs.
func PairwiseAccuracy(human, metric []float64) (agree, pairs int) {
	human, metric = stat.Complete(human, metric)
	for i := range human {
		for j := range i {
			if stat.Order(human[i], human[j]) == stat.Order(metric[i], metric[j]) {
				agree++
			}
			pairs++
		}
	}
	return agree, pairs
}
