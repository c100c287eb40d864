package report

import (
	"context"
	"math"
	"slices"
	"sync"

	"annotate/internal/metaeval"
)

// intervals fills in the intervals of the means: rows[i] are the segment scores of
// names[i]. Segments are drawn together for all systems, so that the intervals
// come from the same resamplings, and a million scores take seconds. With fewer
// than two segments they are undefined.
func intervals(ctx context.Context, o Options, names []string, rows [][]float64, all []standing) error {
	means := make([][]float64, len(rows))
	var mu sync.Mutex
	segments := 0
	if len(rows) > 0 {
		segments = len(rows[0])
	}
	if segments > 1 {
		_, err := metaeval.Bootstrap(ctx, segments, o.Resamples, confidence, o.Seed, func(sample []int) float64 {
			drawn := make([]float64, len(rows))
			for i, row := range rows {
				drawn[i] = meanOf(row, sample)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, m := range drawn {
				if !math.IsNaN(m) {
					means[i] = append(means[i], m)
				}
			}
			return undefined
		})
		if err != nil {
			return err
		}
	}
	for k := range all {
		all[k].interval = interval(means[slices.Index(names, all[k].system)])
	}
	return nil
}

// meanOf is the mean of the scores at the places drawn, without the missing.
func meanOf(row []float64, sample []int) float64 {
	sum, n := 0.0, 0
	for _, i := range sample {
		if v := row[i]; v == v { // not NaN
			sum += v
			n++
		}
	}
	return sum / float64(n) // NaN without any
}

// interval takes the middle of the values, in any order, with quantiles
// interpolated between neighbours.
func interval(values []float64) metaeval.Interval {
	if len(values) == 0 {
		return metaeval.Interval{Low: undefined, High: undefined}
	}
	slices.Sort(values)
	at := func(q float64) float64 {
		k, rest := math.Modf(q * float64(len(values)-1))
		i := int(k)
		if i+1 == len(values) {
			return values[i]
		}
		return values[i] + rest*(values[i+1]-values[i])
	}
	return metaeval.Interval{Low: at((1 - confidence) / 2), High: at((1 + confidence) / 2), Resamples: len(values)}
}
