package agreement

import (
	"math"
	"slices"

	"annotate/internal/stat"
)

// Shared holds the gate scores that two annotators gave to the same translations
// of one segment: X[i] is A's score and Y[i] is B's score of the translation by
// Systems[i].
type Shared struct {
	Document int    // the number of the segment's document, for [Matrices.Intervals]; the same everywhere without intervals
	A, B     string // two different annotators, in any order
	Systems  []string
	X, Y     []float64
}

// A Cell is the agreement of two annotators over all segments that they share.
type Cell struct {
	A, B   string  // A < B in byte order
	R      float64 // in [-1, 1]; NaN where undefined
	Shared int     // the number of segments of which both rated the same translation
	N      int     // the number of systems whose sums are correlated, or of segments whose r is averaged
}

// Matrices collects the shared scores of pairs of annotators, segment by segment,
// and computes the two matrices of inter-annotator agreement of Tian et al. 2026, section
// 3.4 and Figure 7. The zero value is empty. Memory grows with the number of pairs times
// the number of systems, not with the number of segments.
type Matrices struct {
	systems map[string]int
	pairs   map[[2]string]*pairSums
}

type pairSums struct {
	segments int
	x, y     []stat.Sum // by number of the system: the sum of each annotator's scores
	counts   []int      // by number of the system: how many translations both rated
	rs       stat.Sum   // the sum of the defined r of segments
	defined  int        // how many segments have a defined r
	// totals has rs and defined, and for each system the number of translations and the sums of x and y.
	totals stat.Totals
}

// Add adds a segment that two annotators share. A segment without a shared
// translation changes nothing. Add panics if the lengths differ or if A equals B.
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
		p.add(s.Document, m.number(name), x[i], y[i])
	}
	if len(x) < minShared {
		return
	}
	if r := stat.Pearson(x, y); !math.IsNaN(r) {
		p.rs.Add(r)
		p.defined++
		p.totals.Add(s.Document, 0, r)
		p.totals.Add(s.Document, 1, 1)
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

func (p *pairSums) add(document, system int, x, y float64) {
	for len(p.counts) <= system {
		p.x, p.y, p.counts = append(p.x, stat.Sum{}), append(p.y, stat.Sum{}), append(p.counts, 0)
	}
	p.x[system].Add(x)
	p.y[system].Add(y)
	p.counts[system]++
	for column, v := range [3]float64{1, x, y} {
		p.totals.Add(document, 2+3*system+column, v)
	}
}

// SystemLevel is Equation 1 of Tian et al. 2026: Pearson's r of the element-wise sums of
// both annotators' vectors over all segments that they share. A system's sum is over
// the translations that both annotators rated. If their number differs between
// systems, means replace the sums, since sums would reflect the numbers. R is
// undefined below 3 systems, and if all sums of an annotator are equal.
//
// The result lists each pair of the given annotators once, sorted by A, then by B. A
// pair that shares nothing is listed too.
func (m *Matrices) SystemLevel(annotators []string) []Cell {
	return m.cells(annotators, func(p *pairSums) (float64, int) {
		x, y := make([]float64, len(p.x)), make([]float64, len(p.y))
		for i := range x {
			x[i], y[i] = p.x[i].Value(), p.y[i].Value()
		}
		return systemLevel(p.counts, x, y)
	})
}

// systemLevel returns r by system and the number of systems with shared translations. counts, x and y have the number of shared
// translations and the sums of each system; the sums are compared, or the means if the counts differ.
func systemLevel(counts []int, x, y []float64) (r float64, systems int) {
	rated := slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })
	if len(rated) < minShared {
		return math.NaN(), len(rated)
	}
	even := slices.Min(rated) == slices.Max(rated)
	var u, v []float64
	for i, n := range counts {
		switch {
		case n == 0:
		case even:
			u, v = append(u, x[i]), append(v, y[i])
		default:
			u, v = append(u, x[i]/float64(n)), append(v, y[i]/float64(n))
		}
	}
	if nearlyConstant(u) || nearlyConstant(v) {
		return math.NaN(), len(u)
	}
	return stat.Pearson(u, v), len(u)
}

// SegmentLevel is the mean of Pearson's r over the segments that two annotators
// share. It leaves out segments where r is undefined: those with fewer than 3 shared
// translations, or where all scores of an annotator are equal. R is undefined if r is
// undefined in all segments. The result lists the same pairs as
// [Matrices.SystemLevel].
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

// nearlyConstant reports whether all sums are equal except for rounding: 0.1 + 0.2 and
// 0.3 differ in the last bit. The correlation of such sums would be arbitrary.
func nearlyConstant(x []float64) bool {
	low, high := slices.Min(x), slices.Max(x)
	return high-low <= 1e-14*max(math.Abs(low), math.Abs(high))
}
