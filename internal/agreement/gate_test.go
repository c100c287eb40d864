package agreement

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// vectors holds testdata/agreement.json; its numbers were worked from exact
// fractions.
type vectors struct {
	Gate []struct {
		Name                 string
		Threshold, Tolerance float64
		Ratings              map[string]map[string]float64
		Pairs                []struct {
			A, B   string
			Shared int
			R      *float64
			Passed bool
			Reason Reason
			MAD    float64 `json:"mean_abs_diff"`
		}
	}
	Matrices []struct {
		Name         string
		Segments     []map[string]map[string]float64
		SystemLevel  []cellVector `json:"system_level"`
		SegmentLevel []cellVector `json:"segment_level"`
	}
	Spans []struct {
		Name    string
		A, B    [][][2]int
		CharF1  testenv.Number `json:"char_f1_micro"`
		OfB     testenv.Number `json:"overlap_of_b_by_a"`
		OfA     testenv.Number `json:"overlap_of_a_by_b"`
		Matches []struct {
			Theta                 float64
			TP, Detected, Gold    int
			Precision, Recall, F1 testenv.Number
		}
	}
}

type cellVector struct {
	A, B   string
	Shared int
	R      testenv.Number
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestJudgeVectors(t *testing.T) {
	cases := readVectors(t).Gate
	if len(cases) != 27 {
		t.Fatalf("read %d gate cases, want 27", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			rule := Rule{Threshold: c.Threshold, Tolerance: c.Tolerance}
			for _, p := range c.Pairs {
				var systems []string
				for s := range c.Ratings[p.A] {
					if _, both := c.Ratings[p.B][s]; both {
						systems = append(systems, s)
					}
				}
				slices.Sort(systems)
				var x, y []float64
				for _, s := range systems {
					x = append(x, c.Ratings[p.A][s])
					y = append(y, c.Ratings[p.B][s])
				}
				got := rule.Judge(x, y)
				if got.Shared != p.Shared || got.Passed != p.Passed || got.Reason != p.Reason {
					t.Errorf("%s-%s: got %+v, want %+v", p.A, p.B, got, p)
				}
				if p.R == nil != math.IsNaN(got.R) || p.R != nil && math.Abs(got.R-*p.R) > 1e-9 {
					t.Errorf("%s-%s: r = %v, want %v", p.A, p.B, got.R, p.R)
				}
				if math.Abs(got.MeanAbsDiff-p.MAD) > 1e-9 {
					t.Errorf("%s-%s: mean difference %v, want %v", p.A, p.B, got.MeanAbsDiff, p.MAD)
				}
			}
		})
	}
}

func TestJudgePanicsOnMisuse(t *testing.T) {
	for name, call := range map[string]func(){
		"lengths": func() { Rule{}.Judge([]float64{1}, nil) },
		"empty":   func() { Rule{}.Judge(nil, nil) },
		"pearson": func() { stat.Pearson([]float64{1}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func TestPearsonUndefined(t *testing.T) {
	for _, c := range [][2][]float64{{{}, {}}, {{1}, {2}}, {{1, 1, 1}, {1, 2, 3}}, {{1, 2, 3}, {0.1, 0.1, 0.1}}} {
		if r := stat.Pearson(c[0], c[1]); !math.IsNaN(r) {
			t.Errorf("Pearson(%v, %v) = %v, want NaN", c[0], c[1], r)
		}
	}
}

// TestRejudge: Rejudge gives the same verdict as Judge.
func TestRejudge(t *testing.T) {
	rule := Rule{Threshold: 0.7, Tolerance: 0.5}
	nan := math.NaN()
	for _, tt := range []struct {
		r, difference float64
		shared        int
		want          Reason
		passed        bool
	}{
		{0.7 - 1e-13, 9, 3, Agreed, true},
		{0.69, 0, 3, BelowThreshold, false},
		{nan, 0.5 + 1e-13, 3, NoVarianceClose, true},
		{nan, 0.6, 3, NoVarianceFar, false},
		{nan, 0.5, 2, TooFewClose, true},
		{nan, 0.6, 2, TooFewFar, false},
	} {
		got := rule.Rejudge(Verdict{R: tt.r, MeanAbsDiff: tt.difference, Shared: tt.shared})
		if got.Reason != tt.want || got.Passed != tt.passed {
			t.Errorf("r %v, difference %v over %d: %s, %t; want %s, %t", tt.r, tt.difference, tt.shared, got.Reason, got.Passed, tt.want, tt.passed)
		}
	}
}
