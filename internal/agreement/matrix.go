package agreement

import (
	"math"
	"slices"

	"annotate/internal/stat"
)

// Shared holds the gate scores that two annotators gave to the same translations
// of one segment: X[i] is A's and Y[i] is B's score of what Systems[i] made of it.
type Shared struct {
	A, B    string // two different annotators, in any order
	Systems []string
	X, Y    []float64
}

// A Cell is how far two annotators agree over all segments they share.
type Cell struct {
	A, B   string  // A < B in byte order
	R      float64 // in [-1, 1]; NaN where undefined
	Shared int     // segments of which both rated a translation
	N      int     // what R was formed from: the systems correlated, or the segments whose r was averaged
}

// Matrices collects what pairs of annotators share, segment by segment, and forms
// the two matrices of inter-annotator agreement of "Beyond Literal Mapping",
// section 3.4 and Figure 7. The zero value is empty. Its memory grows with pairs
// times systems, not with segments.
type Matrices struct {
	systems map[string]int
	pairs   map[[2]string]*pairSums
}

type pairSums struct {
	segments int
	x, y     []stat.Sum // by number of the system
	counts   []int
	rs       stat.Sum // of the defined r of segments
	defined  int
}

// Add counts a segment that two annotators share. Nothing is counted where they
// share no translation of it. It panics if the lengths differ or the annotators
// are the same.
func (m *Matrices) Add(s Shared) {
	if len(s.X) != len(s.Systems) || len(s.Y) != len(s.Systems) {
		panic("agreement: slice length mismatch")
	}
	if s.A == s.B {
		panic("agreement: an annotator paired with themselves")
	}
	if len(s.Systems) == 0 {
		return
	}
	x, y := s.X, s.Y
	if s.A > s.B {
		s.A, s.B, x, y = s.B, s.A, y, x
	}
	p := m.pair(s.A, s.B)
	p.segments++
	for i, name := range s.Systems {
		p.add(m.number(name), x[i], y[i])
	}
	if len(x) < minShared {
		return
	}
	if r := stat.Pearson(x, y); !math.IsNaN(r) {
		p.rs.Add(r)
		p.defined++
	}
}

func (m *Matrices) pair(a, b string) *pairSums {
	key := [2]string{a, b}
	p := m.pairs[key]
	if p == nil {
		if m.pairs == nil {
			m.pairs = map[[2]string]*pairSums{}
		}
		p = &pairSums{}
		m.pairs[key] = p
	}
	return p
}

func (m *Matrices) number(system string) int {
	n, ok := m.systems[system]
	if !ok {
		if m.systems == nil {
			m.systems = map[string]int{}
		}
		n = len(m.systems)
		m.systems[system] = n
	}
	return n
}

func (p *pairSums) add(system int, x, y float64) {
	for len(p.counts) <= system {
		p.x, p.y, p.counts = append(p.x, stat.Sum{}), append(p.y, stat.Sum{}), append(p.counts, 0)
	}
	p.x[system].Add(x)
	p.y[system].Add(y)
	p.counts[system]++
}

// SystemLevel is Equation 1 of the paper: Pearson's r of the element-wise sums of
// both annotators' vectors over all segments they share. A system's sum runs over
// the translations that both rated; where the numbers of these differ between
// systems, the means stand in for the sums, which would compare how many there
// are. It is undefined below 3 systems, and where either's sums are all equal.
//
// Every pair of the annotators given is listed once, by A, then B, also one that
// shares nothing.
func (m *Matrices) SystemLevel(annotators []string) []Cell {
	return m.cells(annotators, func(p *pairSums) (float64, int) {
		x, y := p.bySystem()
		if len(x) < minShared || level(x) || level(y) {
			return math.NaN(), len(x)
		}
		return stat.Pearson(x, y), len(x)
	})
}

// bySystem gives the sums of the systems with shared translations, or the means
// where the counts differ.
func (p *pairSums) bySystem() (x, y []float64) {
	rated := slices.DeleteFunc(slices.Clone(p.counts), func(n int) bool { return n == 0 })
	even := slices.Min(rated) == slices.Max(rated)
	for i, n := range p.counts {
		switch {
		case n == 0:
		case even:
			x, y = append(x, p.x[i].Value()), append(y, p.y[i].Value())
		default:
			x, y = append(x, p.x[i].Value()/float64(n)), append(y, p.y[i].Value()/float64(n))
		}
	}
	return x, y
}

// SegmentLevel is the mean of Pearson's r of the single segments that two
// annotators share, over those where it is defined: at least 3 shared
// translations, and neither's scores all equal. It is undefined if it is in none.
// The list is that of [Matrices.SystemLevel].
func (m *Matrices) SegmentLevel(annotators []string) []Cell {
	return m.cells(annotators, func(p *pairSums) (float64, int) {
		if p.defined == 0 {
			return math.NaN(), 0
		}
		return p.rs.Value() / float64(p.defined), p.defined
	})
}

func (m *Matrices) cells(annotators []string, r func(*pairSums) (float64, int)) []Cell {
	names := slices.Compact(slices.Sorted(slices.Values(annotators)))
	out := make([]Cell, 0, len(names)*max(0, len(names)-1)/2)
	for i, a := range names {
		for _, b := range names[i+1:] {
			c := Cell{A: a, B: b, R: math.NaN()}
			if p := m.pairs[[2]string{a, b}]; p != nil {
				c.Shared = p.segments
				c.R, c.N = r(p)
			}
			out = append(out, c)
		}
	}
	return out
}

// level reports whether sums of decimal numbers are equal but for the rounding of
// the numbers themselves: 0.1 + 0.2 is 0.3 to an annotator, and correlating the
// last bits of such sums would give any r.
func level(x []float64) bool {
	low, high := slices.Min(x), slices.Max(x)
	return high-low <= 1e-14*max(math.Abs(low), math.Abs(high))
}
