package metaeval

import (
	"testing"

	"annotate/internal/testvectors"
)

func TestPairwiseAccuracyVectors(t *testing.T) {
	for _, v := range testvectors.Cases(t, "pairwise_accuracy") {
		var in struct{ Human, Metric []testvectors.Number }
		var want struct{ Agree, Pairs int }
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		agree, pairs := PairwiseAccuracy(testvectors.Floats(in.Human), testvectors.Floats(in.Metric))
		if agree != want.Agree || pairs != want.Pairs {
			t.Errorf("%s: got %d of %d, want %d of %d", v.ID, agree, pairs, want.Agree, want.Pairs)
		}
	}
}
