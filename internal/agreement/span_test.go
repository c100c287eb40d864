package agreement

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"annotate/internal/testenv"
)

func TestSpanSetVectors(t *testing.T) {
	cases := readVectors(t).Spans
	if len(cases) != 12 {
		t.Fatalf("read %d cases, want 12", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, want := range c.Matches {
				got := Spans{Theta: want.Theta}
				for i := range c.A {
					got.Add(spans(c.A[i]), spans(c.B[i]))
				}
				if !testenv.Near(got.CharF1(), c.CharF1, testenv.Tolerance) || !testenv.Near(got.OverlapOfA(), c.OfA, testenv.Tolerance) || !testenv.Near(got.OverlapOfB(), c.OfB, testenv.Tolerance) {
					t.Errorf("F1 %v, overlap of A %v, of B %v, want %v, %v, %v", got.CharF1(), got.OverlapOfA(), got.OverlapOfB(), c.CharF1, c.OfA, c.OfB)
				}
				p, r, f1 := got.Matches()
				if got.Matched != want.TP || got.SpansA != want.Detected || got.SpansB != want.Gold ||
					!testenv.Near(p, want.Precision, testenv.Tolerance) || !testenv.Near(r, want.Recall, testenv.Tolerance) || !testenv.Near(f1, want.F1, testenv.Tolerance) {
					t.Errorf("at %v: got %d of %d and %d, %v %v %v, want %+v", want.Theta, got.Matched, got.SpansA, got.SpansB, p, r, f1, want)
				}
			}
		})
	}
}

func TestSpansApart(t *testing.T) {
	mark := func(side, severity string, start, end int) Span {
		return Span{Side: side, Severity: severity, Start: start, End: end}
	}
	a := []Span{mark("target", "major", 0, 4), mark("source", "minor", 0, 4)}
	b := []Span{mark("target", "minor", 0, 4), mark("source", "minor", 2, 4), mark("source", "minor", 2, 2)}
	without, with := Spans{}, Spans{BySeverity: true}
	for range 2 {
		without.Add(a, b)
		with.Add(a, b)
	}
	// Of two translations each: 4 characters of the target, 2 of the source.
	if without.CharsBoth != 12 || without.CharsA != 16 || without.CharsB != 12 || without.Matched != 4 || without.OverlapOfB() != 1 {
		t.Errorf("without severities: %+v", without)
	}
	if with.CharsBoth != 4 || with.CharsA != 16 || with.CharsB != 12 || with.Matched != 2 || with.OverlapOfA() != 0.5 || with.OverlapOfB() != 2.0/3 {
		t.Errorf("with severities: %+v, overlap %v, %v", with, with.OverlapOfA(), with.OverlapOfB())
	}
	if a[0].Severity != "major" || b[2].Start != 2 {
		t.Error("the caller's spans were changed")
	}
	if got := without.Presence(); got != 1 {
		t.Errorf("presence %v", got)
	}
	without.Add(a, nil)
	if got := without.Presence(); got != 2.0/3 {
		t.Errorf("presence %v", got)
	}
}

func TestSpansOfNothing(t *testing.T) {
	var c Spans
	p, r, f1 := c.Matches()
	for i, v := range []float64{c.CharF1(), c.OverlapOfA(), c.OverlapOfB(), c.Presence(), p, r, f1} {
		if !math.IsNaN(v) {
			t.Errorf("measure %d of no translation is %v", i, v)
		}
	}
	c.Add(nil, nil)
	for i, v := range []float64{c.CharF1(), c.OverlapOfA(), c.OverlapOfB(), c.Presence()} {
		if v != 1 {
			t.Errorf("measure %d of an unmarked translation is %v", i, v)
		}
	}
}

// characters returns the set of characters that spans cover.
func characters(list []Span, severity bool) map[Span]bool {
	out := map[Span]bool{}
	for _, s := range list {
		if !severity {
			s.Severity = ""
		}
		for k := s.Start; k == s.Start || k < s.End; k++ {
			out[Span{s.Side, s.Severity, k, k}] = true
		}
	}
	return out
}

// Spans must give the same results as sets of characters, in any order of the marks.
// Exchanging the annotators must exchange their results.
func TestSpansBySets(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	some := func() []Span {
		var out []Span
		for range random.IntN(5) {
			start := random.IntN(20)
			out = append(out, Span{[]string{"source", "target"}[random.IntN(2)], []string{"minor", "major"}[random.IntN(2)], start, start + random.IntN(9)})
		}
		return out
	}
	for range 2000 {
		a, b := some(), some()
		for _, severity := range []bool{false, true} {
			c, turned := Spans{BySeverity: severity}, Spans{BySeverity: severity}
			c.Add(a, b)
			random.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
			random.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
			turned.Add(b, a)
			inA, inB := characters(a, severity), characters(b, severity)
			both := 0
			for k := range inA {
				if inB[k] {
					both++
				}
			}
			if c.CharsBoth != both || c.CharsA != len(inA) || c.CharsB != len(inB) {
				t.Fatalf("%v and %v: got %+v, want %d, %d, %d", a, b, c, both, len(inA), len(inB))
			}
			touched := 0
			for _, s := range b {
				if slices.ContainsFunc(a, func(u Span) bool {
					for k := range characters([]Span{s}, severity) {
						if characters([]Span{u}, severity)[k] {
							return true
						}
					}
					return false
				}) {
					touched++
				}
			}
			if len(b) > 0 && c.OverlapOfB() != float64(touched)/float64(len(b)) {
				t.Fatalf("%v and %v: overlap of B %v, want %d of %d", a, b, c.OverlapOfB(), touched, len(b))
			}
			if turned.OverlapOfA() != c.OverlapOfB() || turned.CharF1() != c.CharF1() || turned.SpansA != c.SpansB {
				t.Fatalf("%v and %v: %+v turned round is %+v", a, b, c, turned)
			}
			if c.Matched > min(len(a), len(b)) {
				t.Fatalf("%v and %v: %d matches", a, b, c.Matched)
			}
		}
	}
}
