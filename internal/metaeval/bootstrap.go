package metaeval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"annotate/internal/parallel"
	"annotate/internal/stat"
)

// An Interval is a confidence interval.
type Interval struct {
	Low, High float64
	Resamples int // the number of resamples in which the statistic was defined
}

// Bootstrap is the percentile interval of a statistic of n items (Efron 1979,
// "Bootstrap Methods"; Koehn 2004 for translation). It calls statistic resamples times,
// each time with the indices of n items drawn with replacement. The interval covers the
// middle share level of the values. Quantiles are interpolated between neighbours, as
// in numpy.quantile.
//
// Resamples in which the statistic is NaN are left out. If it is NaN in all, both
// bounds are NaN. Calls of statistic run at the same time. The error is that of ctx.
func Bootstrap(ctx context.Context, n, resamples int, level float64, seed uint64, statistic func(sample []int) float64) (Interval, error) {
	values := make([]float64, resamples)
	err := parallel.EachWith(ctx, resamples, func() func(int) {
		sample := make([]int, n)
		return func(i int) {
			random := randomStream(seed, "bootstrap", uint64(i))
			for k := range sample {
				sample[k] = random.IntN(n)
			}
			values[i] = statistic(sample)
		}
	})
	if err != nil {
		return Interval{missing, missing, 0}, err
	}
	values = present(values)
	slices.Sort(values)
	return Interval{stat.Quantile(values, (1-level)/2), stat.Quantile(values, (1+level)/2), len(values)}, nil
}

// randomStream returns the random stream of a seed, a purpose and a number. Its key is
// a hash of all three, so different purposes have different streams.
func randomStream(seed uint64, purpose string, number uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	key = binary.LittleEndian.AppendUint64(key, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(key, purpose...))))
}
