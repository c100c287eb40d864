package metaeval

import "context"

// Calibrate finds the tie threshold ε with the highest pairwise accuracy of a
// metric (Deutsch et al. 2023, "Ties Matter", section 7; KendallWithTiesOpt
// of mt-metrics-eval with variant acc23 and no sampling). Rows of the matrices are
// systems, columns are segments. Pairs are formed within the groups that by
// selects. A pair is right if the human scores are equal and the metric scores
// differ by at most ε, or if the metric scores differ by more than ε and both
// scores order the pair alike. The accuracy is the mean over the groups of the
// share of right pairs. Groups without a pair do not count.
//
// ε is 0 or an observed difference of metric scores. If several thresholds give
// the highest accuracy, the result is the smallest. Accuracies are compared exactly,
// as whole numbers. mt-metrics-eval compares rounded sums, so its ε depends on the
// order of its input. An infinite difference is never a tie.
//
// Memory grows with the number of scores, time with the number of pairs in a group. For
// [Pooled] scores, only the pairs near the best threshold are visited one by one, so
// half a million scores take seconds.
func Calibrate(ctx context.Context, human, metric [][]float64, by Grouping) (Best, error) {
	return calibrateReporting(ctx, human, metric, by, nil)
}

// calibrateReporting is [Calibrate] with a report of its progress.
func calibrateReporting(ctx context.Context, human, metric [][]float64, by Grouping, steps *share) (Best, error) {
	if by != Pooled {
		return newCalibration(groupsOf(human, metric, by)).best(ctx)
	}
	checkShape(human, metric)
	c := newPooled(pool(human, metric))
	c.pass = steps.pass
	return c.best(ctx)
}
