package metaeval

import (
	"context"
	"math"
	"slices"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// SoftPairwiseAccuracy is the soft pairwise accuracy of a metric, in [0, 1] (Thompson et al.
// 2024, "Improving Statistical Significance in Human Evaluation of Automatic Metrics via
// Soft Pairwise Accuracy"; pce.py of mt-metrics-eval). Rows of the matrices are systems,
// columns are segments. For each pair i < j of systems, in the order of the rows,
//
//	p = the share of random sign flips of the segment differences i−j
//	    whose sum is at least the observed sum
//
// and the value is 1 − mean |p(human) − p(metric)|. Only segments with a human score
// and a metric score of every system count. Human score and metric use the same
// flips, and these equal the flips of mt-metrics-eval for the same seed. The
// defaults of mt-metrics-eval are [DefaultSeed] and [DefaultPermutations].
//
// The value is NaN if there are fewer than two systems, if no segment has all scores, or if
// a score is infinite. A sum equal to the observed one counts, so two systems with equal
// scores in every segment have p = 1 in either order, and the value depends on their order.
// If all systems have equal scores in every segment, by the human score or by the metric,
// the value is NaN. In mt-metrics-eval it depends only on the order of the systems' names.
//
// Sums that differ by at most 1e-12 of the absolute sum of their terms count as
// equal. mt-metrics-eval adds in single precision, so there an equal sum may or may
// not count. The error is that of ctx.
func SoftPairwiseAccuracy(ctx context.Context, human, metric [][]float64, permutations int, seed uint64) (float64, error) {
	checkShape(human, metric)
	values, err := softAccuracies(ctx, human, [][][]float64{metric}, permutations, seed)
	if err != nil {
		return missing, err
	}
	return values[0], nil
}

// softAccuracies is [SoftPairwiseAccuracy] of several metrics, NaN for a metric that is nil.
func softAccuracies(ctx context.Context, human [][]float64, metrics [][][]float64, permutations int, seed uint64) ([]float64, error) {
	out := make([]float64, len(metrics))
	for m := range out {
		out[m] = missing
	}
	// Metrics with scores for the same segments share flips. Usually these are all
	// metrics. A human score that is evaluated as a metric may have gaps.
	type batch struct {
		segments []int
		metrics  []int
	}
	var batches []batch
	gold := completeSegments(human, nil)
	complete := make([][]int, len(metrics))
	err := parallel.Each(ctx, len(metrics), func(m int) { complete[m] = completeSegments(metrics[m], gold) })
	if err != nil {
		return nil, err
	}
	for m, segments := range complete {
		if metrics[m] == nil {
			continue
		}
		found := false
		for b := range batches {
			if found = slices.Equal(batches[b].segments, segments); found {
				batches[b].metrics = append(batches[b].metrics, m)
				break
			}
		}
		if !found {
			batches = append(batches, batch{segments, []int{m}})
		}
	}
	for _, b := range batches {
		if len(human) < 2 || len(b.segments) == 0 {
			continue
		}
		scorers := [][][]float64{human}
		for _, m := range b.metrics {
			scorers = append(scorers, metrics[m])
		}
		err := parallel.Each(ctx, len(scorers), func(k int) { scorers[k] = columns(scorers[k], b.segments) })
		if err != nil {
			return nil, err
		}
		p, err := signFlipPValues(ctx, scorers, len(b.segments), newPCG64(seed).choose, permutations)
		if err != nil {
			return nil, err
		}
		for i, m := range b.metrics {
			if differ(scorers[0]) && differ(scorers[i+1]) {
				out[m] = closeness(p[0], p[i+1])
			}
		}
	}
	return out, nil
}

// differ reports whether the scores of two systems differ in some segment.
func differ(scores [][]float64) bool {
	return slices.ContainsFunc(scores, func(row []float64) bool { return !slices.Equal(row, scores[0]) })
}

// closeness returns 1 − mean |p − q|, where p and q are p-values by pair of
// systems.
func closeness(p, q []float64) float64 {
	var s stat.Sum
	for i := range p {
		s.Add(math.Abs(p[i] - q[i]))
	}
	return 1 - s.Value()/float64(len(p))
}

// signFlipPValues returns for each scorer the p-value of each pair of systems. Pairs
// are in the order (0,1), (0,2), …, (1,2), ….
func signFlipPValues(ctx context.Context, scorers [][][]float64, segments int, choose func(n int) byte, permutations int) ([][]float64, error) {
	systems := len(scorers[0])
	pairs := stat.Choose2(systems)
	totals := make([][]float64, len(scorers))
	slacks := make([][]float64, len(scorers))
	counts := make([][]int, len(scorers))
	err := parallel.Each(ctx, len(scorers), func(k int) {
		totals[k], slacks[k] = make([]float64, systems), make([]float64, systems)
		counts[k] = make([]int, pairs)
		for s, row := range scorers[k] {
			var total, size stat.Sum
			for _, v := range row {
				total.Add(v)
				size.Add(math.Abs(v))
			}
			totals[k][s], slacks[k][s] = total.Value(), 1e-12*size.Value()
		}
	})
	if err != nil {
		return nil, err
	}
	err = eachFlipBatch(ctx, segments, permutations, choose, func(f flips) error {
		return parallel.EachWith(ctx, len(scorers), func() func(int) {
			kept := make([][]float64, systems) // by system and draw: the sum of the chosen scores
			for s := range kept {
				kept[s] = make([]float64, f.draws)
			}
			return func(k int) {
				for s, row := range scorers[k] {
					f.sums(row, kept[s])
				}
				pair := 0
				for i := range systems {
					for j := i + 1; j < systems; j++ {
						// Chosen differences keep their sign, the others are flipped. So the
						// flipped sum is 2(kept_i − kept_j) − (total_i − total_j), and it is at
						// least the observed sum total_i − total_j if this holds:
						least := totals[k][i] - totals[k][j] - slacks[k][i] - slacks[k][j]
						n := 0
						a, b := kept[i], kept[j]
						for d := range a {
							if a[d]-b[d] >= least {
								n++
							}
						}
						counts[k][pair] += n
						pair++
					}
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(scorers))
	for k := range scorers {
		out[k] = make([]float64, pairs)
		for p := range out[k] {
			out[k][p] = float64(counts[k][p]) / float64(permutations)
		}
		if !finite(totals[k]) {
			for p := range out[k] {
				out[k][p] = missing
			}
		}
	}
	return out, nil
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return false
		}
	}
	return true
}

// completeSegments lists the segments that have scores of all systems. If among is not
// nil, it lists only segments of among.
func completeSegments(scores [][]float64, among []int) []int {
	out := []int{}
	keep := func(seg int) {
		for _, row := range scores {
			if math.IsNaN(row[seg]) {
				return
			}
		}
		out = append(out, seg)
	}
	if among != nil {
		for _, seg := range among {
			keep(seg)
		}
		return out
	}
	for seg := range width(scores) {
		keep(seg)
	}
	return out
}

// columns returns the matrix of the chosen columns.
func columns(matrix [][]float64, chosen []int) [][]float64 {
	out := make([][]float64, len(matrix))
	for s, row := range matrix {
		if len(chosen) == len(row) {
			out[s] = row
			continue
		}
		out[s] = make([]float64, len(chosen))
		for i, seg := range chosen {
			out[s][i] = row[seg]
		}
	}
	return out
}
