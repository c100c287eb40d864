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

// Resample computes a statistic in each of several bootstrap resamples of n items (Efron
// 1979, "Bootstrap Methods"; Koehn 2004 for translation). It calls statistic with the
// indices of n items drawn with replacement, and returns the values in the order of the
// resamples. statistic may return several statistics at once; these then share the draws.
//
// Calls of statistic run at the same time, and sample is valid only until statistic
// returns. The draws depend on n, the seed and the number of the resample alone. The error
// is that of ctx. Resample panics if n is not positive and there are resamples.
func Resample[T any](ctx context.Context, n, resamples int, seed uint64, statistic func(sample []int) T) ([]T, error) {
	values := make([]T, resamples)
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
		return nil, err
	}
	return values, nil
}

// An Interval is a confidence interval.
type Interval struct {
	Low, High float64
	Resamples int // the number of resamples in which the statistic is defined, or of units that the jackknife leaves out
}

// PercentileInterval returns the interval that contains the middle part of the values of
// a statistic in bootstrap resamples (Efron 1979, "Bootstrap Methods"). level is the
// share of the values in that part, in (0, 1), such as 0.95. Bounds are interpolated, see
// [stat.Quantile]. NaN values are left out. If no others remain, both bounds are NaN.
func PercentileInterval(values []float64, level float64) Interval {
	values = present(values)
	slices.Sort(values)
	return Interval{stat.Quantile(values, (1-level)/2), stat.Quantile(values, (1+level)/2), len(values)}
}

// randomStream returns the random stream of a seed, a purpose and a number. Its key is
// a hash of all three, so different purposes have different streams.
func randomStream(seed uint64, purpose string, number uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	key = binary.LittleEndian.AppendUint64(key, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(key, purpose...))))
}
