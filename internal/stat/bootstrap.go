package stat

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"annotate/internal/parallel"
)

// Resamples is the number of resamples of an interval, unless somebody asks for another number.
const Resamples = 1000

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
			fill(seed, i, sample)
			values[i] = statistic(sample)
		}
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// fill fills sample with the indices that a resample draws from as many units.
func fill(seed uint64, resample int, sample []int) {
	random := RandomStream(seed, "bootstrap", uint64(resample))
	for k := range sample {
		sample[k] = random.IntN(len(sample))
	}
}

// RandomStream returns the random stream of a seed, a purpose and a number. Its key is
// a hash of all three, so different purposes have different streams.
func RandomStream(seed uint64, purpose string, number uint64) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	key = binary.LittleEndian.AppendUint64(key, number)
	return rand.New(rand.NewChaCha8(sha256.Sum256(append(key, purpose...))))
}
