package metaeval

import (
	"testing"

	"annotate/internal/testenv"
)

func TestPairwiseAccuracyVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "pairwise_accuracy") {
		var in struct{ Human, Metric []testenv.Number }
		var want struct{ Agree, Pairs int }
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		agree, pairs := PairwiseAccuracy(testenv.Floats(in.Human), testenv.Floats(in.Metric))
		if agree != want.Agree || pairs != want.Pairs {
			t.Errorf("%s: got %d of %d, want %d of %d", v.ID, agree, pairs, want.Agree, want.Pairs)
		}
	}
}
