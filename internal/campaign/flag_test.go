package campaign

import (
	"math"
	"slices"
	"strings"
	"testing"

	"annotate/internal/protocol"
)

func kindsOf(flags []Flag) (out []FlagKind) {
	for _, f := range flags {
		out = append(out, f.Kind)
	}
	return out
}

// Each flag has a border of its own: on it nothing is said, one step beyond it the one
// flag is raised, with its numbers, and none with too few ratings or undefined numbers.
func TestFlags(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	s := DefaultSettings(p)
	for _, tt := range []struct {
		kind FlagKind
		in   func(beyond float64, enough bool) Conduct
		text string
	}{
		{FlagLowAgreement, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.SegmentR, c.RSegments = 0.3-x, pick(enough, 5, 4)
			return c
		}, "mean segment r with the others is 0.29 over 5 segments, below 0.3"},
		{FlagConstant, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.Texts, c.Same, c.SameScore = pick(enough, 100, 19), pick(enough, 89, 17)+int(100*x), 3
			return c
		}, "90 of 100 ratings of different texts have the score 3, at least 90 %"},
		{FlagFast, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.Timed, c.Seconds, c.AllSeconds = pick(enough, 20, 19), 33-x, 100
			return c
		}, "the median active time is 32.99 s a rating over 20 ratings, below 0.33 of everybody's 100 s"},
		{FlagBias, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.Compared, c.Difference, c.Deviation = pick(enough, 20, 19), -0.6-x, 1.2
			return c
		}, "−0.61 points to the others on the same 20 translations, beyond ±0.60 (0.5 standard deviations)"},
		{FlagDrift, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.Deviation, c.Last, c.Before = 2, Window{50, 0.25 + x}, Window{pick(enough, 50, 49), -0.75}
			return c
		}, "the difference to the others went from −0.75 to +0.26 over the last 50 ratings, by more than 1.00 (0.5 standard deviations)"},
		{FlagIdle, func(x float64, enough bool) Conduct {
			c := NewConduct()
			c.Idle = 3 + x
			if !enough {
				c.Idle = 0
			}
			return c
		}, "no work for 3 days"},
	} {
		if got := s.Flags(tt.in(0, true)); len(got) != 0 {
			t.Errorf("%s on the border: %v", tt.kind, got)
		}
		if got := s.Flags(tt.in(0.01, false)); len(got) != 0 {
			t.Errorf("%s with too little: %v", tt.kind, got)
		}
		got := s.Flags(tt.in(0.01, true))
		if len(got) != 1 || got[0].Kind != tt.kind || got[0].Text != tt.text || got[0].Label == "" || tt.kind.Answer() == "" {
			t.Errorf("%s beyond the border: %+v", tt.kind, got)
		}
	}
	for difference, want := range map[float64]string{-2: "stricter", 2: "milder"} {
		c := NewConduct()
		c.Compared, c.Difference, c.Deviation = 20, difference, 1
		if got := s.Flags(c); len(got) != 1 || got[0].Label != want {
			t.Errorf("%v points to the others: %+v, want %s", difference, got, want)
		}
	}
	if got := s.Flags(NewConduct()); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func pick(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// A steady leniency is bias and never drift; a turn is drift.
func TestBiasIsNotDrift(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	s := DefaultSettings(p)
	steady := slices.Repeat([]ComparedTurn{{Ratings: 5, Difference: 1}}, 40)
	c := NewConduct()
	c.Compared, c.Difference, c.Deviation = 200, 1, 1
	c.Last, c.Before = Windows(steady)
	if got := kindsOf(s.Flags(c)); !slices.Equal(got, []FlagKind{FlagBias}) {
		t.Errorf("steadily milder: %v", got)
	}
	c.Difference = 0
	c.Last, c.Before = Windows(append(slices.Repeat([]ComparedTurn{{5, 1}}, 10), slices.Repeat([]ComparedTurn{{5, -0.25}}, 30)...))
	if got := kindsOf(s.Flags(c)); !slices.Equal(got, []FlagKind{FlagDrift}) {
		t.Errorf("milder of late: %v", got)
	}
}

func TestWindows(t *testing.T) {
	turns := []ComparedTurn{{20, 1}, {20, 2}, {20, 3}, {40, -1}, {30, 1}, {9, 9}}
	last, before := Windows(turns)
	if last != (Window{60, 2}) || before.Ratings != 70 || math.Abs(before.Mean-(-10.0/70)) > 1e-12 {
		t.Errorf("got %+v and %+v", last, before)
	}
	if last, before = Windows(turns[:2]); last != (Window{40, 1.5}) || before.Ratings != 0 || !math.IsNaN(before.Mean) {
		t.Errorf("of 40: %+v and %+v", last, before)
	}
	// A window is full with exactly as many ratings as it needs.
	if last, before = Windows([]ComparedTurn{{50, 1}, {50, 2}, {50, 3}}); last != (Window{50, 1}) || before != (Window{50, 2}) {
		t.Errorf("of 50 each: %+v and %+v", last, before)
	}
	c := NewConduct()
	if c.Last, c.Before = Windows(turns[:3]); !math.IsNaN(c.Drift()) {
		t.Errorf("drift of 60 ratings: %v", c.Drift())
	}
}

// A threshold can be set so that its flag is never raised.
func TestFlagsCanBeTurnedOff(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	s, err := DefaultSettings(p).WithPairs([]string{"flag_low_agreement=-1", "flag_constant=2", "flag_fast=0", "flag_bias=1000", "flag_drift=1000"})
	if err != nil {
		t.Fatal(err)
	}
	c := Conduct{SegmentR: -1, RSegments: 9, Texts: 99, Same: 99, Timed: 99, AllSeconds: 9, Compared: 200, Difference: 4, Deviation: 1, Last: Window{50, 4}, Before: Window{50, -4}}
	if got := s.Flags(c); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if _, err := s.With("flag_fast", "1.5"); err == nil || !strings.Contains(err.Error(), "flag_fast") {
		t.Errorf("got %v", err)
	}
}
