package metaeval

import (
	"testing"

	"annotate/internal/reference"
)

func TestPairwiseAccuracyVectors(t *testing.T) {
	for _, v := range reference.Cases(t, "pairwise_accuracy") {
		var in struct{ Human, Metric []reference.Number }
		var want struct{ Agree, Pairs int }
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		agree, pairs := PairwiseAccuracy(reference.Floats(in.Human), reference.Floats(in.Metric))
		if agree != want.Agree || pairs != want.Pairs {
			t.Errorf("%s: got %d of %d, want %d of %d", v.ID, agree, pairs, want.Agree, want.Pairs)
		}
	}
}
