package campaign

import (
	"math"
	"testing"

	"annotate/internal/protocol"
)

func TestCheckRule(t *testing.T) {
	for id, want := range map[string]CheckRule{
		"sqm":  {Margin: 1, Tolerance: 0.5, High: 4, Step: 1},
		"esa":  {Margin: 25, Tolerance: 10, High: 100, Step: 1},
		"mqm":  {Margin: 5, Tolerance: 1, Low: -125, Errors: true}, // 5 errors of 25
		"rate": {Margin: 25, Tolerance: 10, High: 100, Step: 0.5},

		"inspect": {Margin: 0.25, High: 1, Step: 1},
		"review":  {Margin: 0.5, High: 2, Step: 1},
	} {
		p, _ := protocol.Lookup(id)
		s := DefaultSettings(p)
		if got := s.CheckRule(p.With(s.Options(protocol.Own{}))); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
	p, _ := protocol.Lookup("mqm")
	s, err := DefaultSettings(p).WithPairs([]string{"max_errors=0", "check_margin=0.5"})
	if got := s.CheckRule(p.With(s.Options(protocol.Own{}))); err != nil || got.Margin != 10 || !math.IsInf(got.Low, -1) {
		t.Errorf("two major errors, without a limit: %+v, %v", got, err)
	}
}

// A quarter of the scale of a sum over errors is a major error.
func TestGateScaleOfErrors(t *testing.T) {
	severity := func(name string, weight float64) protocol.Weight {
		return protocol.Weight{Severity: name, Weight: weight}
	}
	for _, c := range []struct {
		name    string
		weights []protocol.Weight
		want    float64
	}{
		{"a severity called major", []protocol.Weight{severity("minor", 1), severity("Major", 3), severity("critical", 10), severity("fatal", 25)}, 3},
		{"major in a category", []protocol.Weight{severity("light", 1), severity("grave", 4), {Severity: "major", Category: "Style", Weight: 9}}, 4},
		{"three", []protocol.Weight{severity("a", 1), severity("b", 5), severity("c", 25), severity("none", 0)}, 5},
		{"five, numbered", []protocol.Weight{severity("1", 1), severity("2", 2), severity("3", 3), severity("4", 4), severity("5", 5)}, 3},
		{"two equal", []protocol.Weight{severity("a", 2), severity("b", 2), severity("c", 1)}, 2},
		{"categories alone", []protocol.Weight{{Category: "Style", Weight: 1}, {Category: "Accuracy", Weight: 6}}, 6},
		{"nothing weighs", []protocol.Weight{severity("a", 0)}, 0},
	} {
		p := &protocol.Protocol{Gate: "sum", Derived: []protocol.Derived{{Name: "sum", Weights: c.weights}}}
		if got := GateScale(p); got.Length != 4*c.want || !got.Errors {
			t.Errorf("%s: %+v, want a major error of %v", c.name, got, c.want)
		}
	}
}

func TestCheckKinds(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	s := DefaultSettings(p)
	if len(s.KindsOfChecks()) != 3 || s.CheckRate != 0 {
		t.Errorf("by default there are checks of %v at a rate of %v", s.KindsOfChecks(), s.CheckRate)
	}
	s, err := s.With("check_kinds", " known, Degraded,known")
	if err != nil || s.CheckKinds != "degraded,known" {
		t.Errorf("kinds are %q, %v", s.CheckKinds, err)
	}
	for _, bad := range []string{"", "degraded,", "easy", "degraded known"} {
		if _, err := s.With("check_kinds", bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
