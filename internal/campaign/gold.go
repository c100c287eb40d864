package campaign

// Mean is the exact sum of scores divided once; false for none. Scores are
// whole numbers or sums of few decimals, so that the sum itself is exact.
func Mean(scores []float64) (float64, bool) {
	if len(scores) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, s := range scores {
		sum += s
	}
	return sum / float64(len(scores)), true
}
