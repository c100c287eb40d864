package metaeval

import "annotate/internal/stat"

// Pairs counts the pairs of scored items by how human score and metric order
// them; Kendall's tau and its kin are functions of it.
type Pairs = stat.Pairs

// Count counts the pairs of the items that have both scores. It panics if the
// lengths differ.
func Count(human, metric []float64) Pairs { return stat.Count(human, metric) }

// CountWithin is [Count] with two items tied in the metric when their scores
// differ by epsilon or less. It looks at every pair.
func CountWithin(human, metric []float64, epsilon float64) Pairs {
	return stat.CountWithin(human, metric, epsilon)
}

// KendallB is [Pairs.TauB] of x and y.
func KendallB(x, y []float64) float64 { return stat.TauB(x, y) }

// A scored item has a human score and that of a metric.
type scored struct{ human, metric float64 }

func choose2(n int) int { return n * (n - 1) / 2 }
