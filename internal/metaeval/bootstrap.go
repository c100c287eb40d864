package metaeval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"annotate/internal/stat"
)

// An Interval says where a statistic lies.
type Interval struct {
	Low, High float64
	Resamples int // in which the statistic was defined
}

// Bootstrap is the percentile interval of a statistic of n items (Efron 1979,
// "Bootstrap Methods"; Koehn 2004 for translation): statistic is called with
// the places of n items drawn with replacement, resamples times, and the
// interval covers the share level of the values in the middle. Resamples in
// which it is undefined are left out and counted; without any other the bounds
// are NaN. Calls run at the same time.
//
// Quantiles are interpolated between neighbours (numpy.quantile).
func Bootstrap(ctx context.Context, n, resamples int, level float64, seed uint64, statistic func(sample []int) float64) (Interval, error) {
	values := make([]float64, resamples)
	err := eachWith(ctx, resamples, func() func(int) {
		sample := make([]int, n)
		return func(i int) {
			random := stream(seed, "bootstrap", uint64(i))
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

// stream is a random stream of its own for a seed, a purpose and a number. Its key is
// a hash of all three, so that different purposes never share a stream.
func stream(seed uint64, purpose string, number uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	key = binary.LittleEndian.AppendUint64(key, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(key, purpose...))))
}
