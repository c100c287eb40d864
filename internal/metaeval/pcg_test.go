package metaeval

import (
	"testing"

	"annotate/internal/testenv"
)

// The numbers of numpy.random.default_rng(4).random((4, 8), dtype=float32) and
// their rounding are in vectors.json.
func TestPCG64(t *testing.T) {
	v := testenv.Vectors(t, "numpy_rng")[0]
	var want struct {
		Random []float32 `json:"float32_row_major"`
		Mask   []int     `json:"rint_mask"`
	}
	v.Decode(t, v.Expected, &want)
	numbers, flips := newPCG64(4), newPCG64(4)
	for i := range want.Random {
		if got := float32(numbers.uint32()>>8) / (1 << 24); got != want.Random[i] {
			t.Errorf("number %d: got %v, want %v", i, got, want.Random[i])
		}
		if got := flips.choose(1); int(got) != want.Mask[i] {
			t.Errorf("flip %d: got %d", i, got)
		}
	}
}
