package metaeval

import "testing"

func TestPairwiseAccuracyVectors(t *testing.T) {
	for _, v := range vectors(t, "pairwise_accuracy") {
		var in struct{ Human, Metric []number }
		var want struct{ Agree, Pairs int }
		v.decode(t, v.Input, &in)
		v.decode(t, v.Expected, &want)
		agree, pairs := PairwiseAccuracy(floats(in.Human), floats(in.Metric))
		if agree != want.Agree || pairs != want.Pairs {
			t.Errorf("%s: got %d of %d, want %d of %d", v.ID, agree, pairs, want.Agree, want.Pairs)
		}
	}
}
