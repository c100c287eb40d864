package campaign

import (
	"testing"

	"annotate/internal/check"
	"annotate/internal/protocol"
)

func TestCheckRule(t *testing.T) {
	for id, want := range map[string]check.Rule{"sqm": {Margin: 1, Tolerance: 0.5}, "esa": {Margin: 25, Tolerance: 10}, "mqm": {Margin: 6.25, Tolerance: 1}, "rate": {Margin: 25, Tolerance: 10}} {
		p, _ := protocol.Lookup(id)
		if got := DefaultSettings(p).CheckRule(p); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
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
