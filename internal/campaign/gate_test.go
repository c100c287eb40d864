package campaign

import (
	"reflect"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
)

func sqmSettings(t *testing.T, pairs ...string) Settings {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	s, err := DefaultSettings(p).WithPairs(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func vector(annotator string, scores ...float64) Vector {
	v := Vector{Annotator: annotator, Scores: map[string]float64{}}
	for i, s := range scores {
		v.Scores[string(rune('a'+i))] = s
	}
	return v
}

func TestJudgePairs(t *testing.T) {
	d := sqmSettings(t).judge([]Vector{vector("b", 4, 4, 4), vector("a", 4, 4, 3), vector("c", 0, 2, 4)})
	if len(d.Pairs) != 3 {
		t.Fatalf("got %d pairs, want 3", len(d.Pairs))
	}
	p := d.Pairs[0]
	if p.A != "a" || p.B != "b" || p.R != nil || p.Reason != agreement.NoVarianceClose || !p.Passed || p.Shared != 3 {
		t.Errorf("first pair %+v, want a-b undefined but close", p)
	}
	if d.Pairs[2].A != "b" || d.Pairs[2].Reason != agreement.NoVarianceFar || d.Pairs[2].Passed {
		t.Errorf("third pair %+v, want b-c undefined and far", d.Pairs[2])
	}
	other := sqmSettings(t, "tolerance=4")
	if got, want := other.rejudge(d), other.judge([]Vector{vector("b", 4, 4, 4), vector("a", 4, 4, 3), vector("c", 0, 2, 4)}); !reflect.DeepEqual(got, want) {
		t.Errorf("judged again %+v, want what judging from the scores gives: %+v", got, want)
	}
}
