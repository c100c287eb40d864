package agreement

import (
	"maps"
	"math"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// matrices lays out segments of annotators' scores by system.
func matrices(segments []map[string]map[string]float64) (*Matrices, []string) {
	m := &Matrices{}
	names := map[string]bool{}
	for _, segment := range segments {
		annotators := slices.Sorted(maps.Keys(segment))
		for i, a := range annotators {
			names[a] = true
			for _, b := range annotators[i+1:] {
				s := Shared{A: b, B: a} // in either order
				for _, system := range slices.Sorted(maps.Keys(segment[a])) {
					if y, ok := segment[b][system]; ok {
						s.Systems = append(s.Systems, system)
						s.X, s.Y = append(s.X, y), append(s.Y, segment[a][system])
					}
				}
				m.Add(s)
			}
		}
	}
	return m, slices.Collect(maps.Keys(names))
}

func TestMatrixVectors(t *testing.T) {
	cases := readVectors(t).Matrices
	if len(cases) != 5 {
		t.Fatalf("read %d sets of matrices, want 5", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m, annotators := matrices(c.Segments)
			for name, list := range map[string]struct {
				got  []Cell
				want []cellVector
			}{"system": {m.SystemLevel(annotators), c.SystemLevel}, "segment": {m.SegmentLevel(annotators), c.SegmentLevel}} {
				if len(list.got) != len(list.want) {
					t.Fatalf("%s: %d cells, want %d", name, len(list.got), len(list.want))
				}
				for i, want := range list.want {
					if got := list.got[i]; got.A != want.A || got.B != want.B || got.Shared != want.Shared || !testenv.Near(got.R, want.R, testenv.Tolerance) {
						t.Errorf("%s: got %+v, want %+v", name, got, want)
					}
				}
			}
		})
	}
}

func TestMatricesByHand(t *testing.T) {
	type segment = map[string]map[string]float64
	for _, c := range []struct {
		name            string
		segments        []segment
		system, segment float64
		shared          int
	}{
		{"nothing shared", []segment{{"a": {"s": 1}}, {"b": {"s": 1}}}, math.NaN(), math.NaN(), 0},
		{"no system shared", []segment{{"a": {"s": 1}, "b": {"t": 1}}}, math.NaN(), math.NaN(), 0},
		{"two systems", []segment{{"a": {"s": 1, "t": 2}, "b": {"s": 1, "t": 2}}}, math.NaN(), math.NaN(), 1},
		// Each segment is constant for b, the sums (2 3 4) and (1 1 1) too.
		{"constant", []segment{{"a": {"s": 2, "t": 3, "u": 4}, "b": {"s": 1, "t": 1, "u": 1}}}, math.NaN(), math.NaN(), 1},
		// Sums (3 3 3.0000000000000004 in floats) are constant: 0.1 + 0.2 is 0.3.
		{"constant but for rounding", []segment{
			{"a": {"s": 0.1, "t": 0, "u": 0.3}, "b": {"s": 1, "t": 2, "u": 3}},
			{"a": {"s": 0.2, "t": 0.3, "u": 0}, "b": {"s": 1, "t": 2, "u": 3}},
		}, math.NaN(),
			// r of (0.1 0 0.3) and (1 2 3) is 0.2/√(2·14/300), that of (0.2 0.3 0) its negative.
			0, 2},
		// s is rated twice, t, u and v once: means a (2 2 3 4), b (1.5 2 3 5).
		{"counts differ", []segment{
			{"a": {"s": 1, "t": 2, "u": 3, "v": 4}, "b": {"s": 2, "t": 2, "u": 3, "v": 5}},
			{"a": {"s": 3, "t": 9}, "b": {"s": 1, "v": 9}},
		}, stat.Pearson([]float64{2, 2, 3, 4}, []float64{1.5, 2, 3, 5}), stat.Pearson([]float64{1, 2, 3, 4}, []float64{2, 2, 3, 5}), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, annotators := matrices(c.segments)
			sys, seg := m.SystemLevel(annotators), m.SegmentLevel(annotators)
			if len(sys) != 1 || len(seg) != 1 {
				t.Fatalf("got %v and %v", sys, seg)
			}
			if !testenv.Near(sys[0].R, c.system, testenv.Tolerance) || !testenv.Near(seg[0].R, c.segment, testenv.Tolerance) || sys[0].Shared != c.shared || seg[0].Shared != c.shared {
				t.Errorf("got %+v and %+v", sys[0], seg[0])
			}
		})
	}
}

// The scores of two annotators add up in whichever order they are given.
func TestMatricesInEitherOrder(t *testing.T) {
	var m Matrices
	systems := []string{"s", "t", "u"}
	m.Add(Shared{A: "a", B: "b", Systems: systems, X: []float64{1, 2, 3}, Y: []float64{2, 6, 4}})
	m.Add(Shared{A: "b", B: "a", Systems: systems, X: []float64{6, 2, 10}, Y: []float64{3, 1, 5}})
	// Sums a (4 3 8), b (8 8 14).
	if got := m.SystemLevel([]string{"a", "b"})[0].R; math.Abs(got-9/math.Sqrt(84)) > 1e-12 {
		t.Errorf("r is %v, want %v", got, 9/math.Sqrt(84))
	}
}

func TestMatricesOfNobody(t *testing.T) {
	var m Matrices
	if got := m.SystemLevel(nil); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := m.SegmentLevel([]string{"one", "one"}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
