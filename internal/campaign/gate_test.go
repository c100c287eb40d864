package campaign

import (
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

func TestDecide(t *testing.T) {
	up, down := []float64{0, 1, 2, 3, 4}, []float64{4, 3, 2, 1, 0}
	tests := []struct {
		name     string
		settings []string
		round    int
		vectors  []Vector
		status   Status
		passed   bool
	}{
		{"agree", nil, 1, []Vector{vector("x", up...), vector("y", up...)}, Agreed, true},
		{"disagree", nil, 1, []Vector{vector("x", up...), vector("y", down...)}, Reannotate, false},
		{"disagree again", nil, 2, []Vector{vector("x", up...), vector("y", down...)}, Discarded, false},
		{"only one round", []string{"rounds=1"}, 1, []Vector{vector("x", up...), vector("y", down...)}, Discarded, false},
		{"third round allowed", []string{"rounds=3"}, 2, []Vector{vector("x", up...), vector("y", down...)}, Reannotate, false},
		{"one pair of three fails", nil, 1, []Vector{vector("x", up...), vector("y", up...), vector("z", down...)}, Reannotate, false},
		{"alone", nil, 1, []Vector{vector("x", up...)}, Ungated, true},
		{"nothing shared", nil, 1, []Vector{vector("x", 1), {Annotator: "y", Scores: map[string]float64{"q": 1}}}, Ungated, true},
		{"reported only, failing", []string{"gate=report"}, 1, []Vector{vector("x", up...), vector("y", down...)}, Ungated, false},
		{"reported only, passing", []string{"gate=report"}, 1, []Vector{vector("x", up...), vector("y", up...)}, Agreed, true},
		{"off", []string{"gate=off"}, 1, []Vector{vector("x", up...), vector("y", up...)}, Ungated, true},
		{"threshold lowered", []string{"threshold=-1"}, 1, []Vector{vector("x", up...), vector("y", down...)}, Agreed, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := sqmSettings(t, tt.settings...).Decide(tt.round, tt.vectors)
			if d.Status != tt.status || d.Passed != tt.passed || d.Round != tt.round {
				t.Errorf("got %+v, want status %s passed %v", d, tt.status, tt.passed)
			}
		})
	}
}

func TestDecidePairs(t *testing.T) {
	d := sqmSettings(t).Decide(1, []Vector{vector("b", 4, 4, 4), vector("a", 4, 4, 3), vector("c", 0, 2, 4)})
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
}

func TestComplete(t *testing.T) {
	s := sqmSettings(t)
	for _, tt := range []struct {
		round, submitted, open, decidedWith int
		want                                bool
	}{
		{1, 0, 0, 0, false}, {1, 1, 0, 0, false}, {1, 2, 1, 0, false}, {1, 2, 0, 0, true}, {1, 3, 0, 0, true},
		{1, 1, 0, 2, false}, {1, 1, 0, 1, true}, {1, 2, 0, 3, true}, {1, 0, 0, 1, false}, {1, 2, 1, 2, false},
		{2, 1, 1, 0, false}, {2, 2, 0, 0, true}, {2, 1, 0, 0, true}, {2, 0, 0, 0, false},
	} {
		if got := s.Complete(tt.round, tt.submitted, tt.open, tt.decidedWith); got != tt.want {
			t.Errorf("Complete(%d, %d, %d, %d) = %v", tt.round, tt.submitted, tt.open, tt.decidedWith, got)
		}
	}
}
