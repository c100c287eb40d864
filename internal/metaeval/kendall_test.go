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

func TestKendallVectors(t *testing.T) {
	for _, v := range vectors(t, "kendall_variant") {
		var in struct{ Human, Metric []number }
		var params struct {
			Variant string
			Epsilon float64
		}
		var want struct{ Value number }
		v.decode(t, v.Input, &in)
		v.decode(t, v.Params, &params)
		v.decode(t, v.Expected, &want)
		human, metric := floats(in.Human), floats(in.Metric)
		p := CountWithin(human, metric, params.Epsilon)
		if params.Epsilon == 0 {
			p = Count(human, metric)
		}
		got := p.Acc23()
		if params.Variant == "23" {
			got = p.Tau23()
		}
		if !near(got, float64(want.Value), exact) {
			t.Errorf("%s: got %v, want %v", v.ID, got, want.Value)
		}
	}
}
