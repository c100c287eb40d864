package metaeval

import (
	"context"
	"math"
	"slices"

	"annotate/internal/stat"
)

// SoftAccuracy is the soft pairwise accuracy of a metric (Thompson et al. 2024,
// "Improving Statistical Significance in Human Evaluation of Automatic Metrics
// via Soft Pairwise Accuracy"; pce.py of mt-metrics-eval). For each pair i < j
// of systems, in the order of the rows,
//
//	p = share of random sign flips of the differences i−j by segment
//	    whose sum is at least the sum as it is
//
// and the value is 1 − mean |p(human) − p(metric)|. Only segments with all
// scores of both count. The flips are those of mt-metrics-eval for the same
// seed, and the same for human score and metric; its default seed is 4, with
// 1000 permutations.
//
// It is NaN with fewer than two systems, without such a segment, and where a
// score is infinite. A sum that equals the observed one counts, so that two systems
// whose scores are equal in every segment have p = 1 whichever comes first, and p of
// i and j is not 1 less that of j and i: the value depends on the order of systems.
//
// Sums are compared with a slack of 1e-12 of their terms, so that a sum that
// equals the one observed counts as such; mt-metrics-eval adds in single
// precision, and may count it or not.
func SoftAccuracy(ctx context.Context, human, metric [][]float64, seed uint64, permutations int) (float64, error) {
	checkShape(human, metric)
	values, err := softAccuracies(ctx, human, [][][]float64{metric}, seed, permutations)
	if err != nil {
		return missing, err
	}
	return values[0], nil
}

// softAccuracies are those of several metrics; one that is nil has none.
func softAccuracies(ctx context.Context, human [][]float64, metrics [][][]float64, seed uint64, permutations int) ([]float64, error) {
	out := make([]float64, len(metrics))
	for m := range out {
		out[m] = missing
	}
	// Metrics with scores for the same segments share flips. Usually that is
	// all of them; another human score may have gaps of its own.
	type batch struct {
		segments []int
		metrics  []int
	}
	var batches []batch
	gold := whole(human, nil)
	for m, scores := range metrics {
		if scores == nil {
			continue
		}
		segments := whole(scores, gold)
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
		scorers := [][][]float64{columns(human, b.segments)}
		for _, m := range b.metrics {
			scorers = append(scorers, columns(metrics[m], b.segments))
		}
		p, err := flipShares(ctx, scorers, len(b.segments), newPCG64(seed).heads, permutations)
		if err != nil {
			return nil, err
		}
		for i, m := range b.metrics {
			out[m] = likeness(p[0], p[i+1])
		}
	}
	return out, nil
}

// likeness is 1 − mean |p − q|.
func likeness(p, q []float64) float64 {
	var s stat.Sum
	for i := range p {
		s.Add(math.Abs(p[i] - q[i]))
	}
	return 1 - s.Value()/float64(len(p))
}

// flipShares gives for each scorer the p of each pair of systems, pairs in the
// order (0,1), (0,2), …, (1,2), ….
func flipShares(ctx context.Context, scorers [][][]float64, segments int, heads func() bool, permutations int) ([][]float64, error) {
	systems := len(scorers[0])
	pairs := choose2(systems)
	totals := make([][]float64, len(scorers))
	slacks := make([][]float64, len(scorers))
	counts := make([][]int, len(scorers))
	for k, scores := range scorers {
		totals[k], slacks[k] = make([]float64, systems), make([]float64, systems)
		counts[k] = make([]int, pairs)
		for s, row := range scores {
			var total, size stat.Sum
			for _, v := range row {
				total.Add(v)
				size.Add(math.Abs(v))
			}
			totals[k][s], slacks[k][s] = total.Value(), 1e-12*size.Value()
		}
	}
	err := eachFlips(ctx, segments, permutations, heads, func(f flips) error {
		return eachWith(ctx, len(scorers), func() func(int) {
			kept := make([][]float64, systems)
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
						// With + where chosen and − elsewhere the sum is 2·kept − total:
						// 2(kept_i − kept_j) − (total_i − total_j) ≥ total_i − total_j.
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

// whole lists the segments that have scores for all systems, out of those
// given; nil are all.
func whole(scores [][]float64, among []int) []int {
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

// columns gives the chosen columns of a matrix.
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
