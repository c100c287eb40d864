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
		if got := numbers.float32(); got != want.Random[i] {
			t.Errorf("number %d: got %v, want %v", i, got, want.Random[i])
		}
		if got := flips.heads(); got != (want.Mask[i] == 1) {
			t.Errorf("flip %d: got %v", i, got)
		}
	}
}
