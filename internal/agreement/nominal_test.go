package agreement

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The answers of two annotators to ten questions.
var (
	nominalX = []float64{1, 1, 1, 1, 2, 2, 2, 3, 3, 1}
	nominalY = []float64{1, 1, 1, 2, 2, 2, 2, 3, 3, 1}
)

func TestNominalByHand(t *testing.T) {
	units := make([][]float64, len(nominalX))
	for i := range units {
		units[i] = []float64{nominalX[i], nominalY[i]}
	}
	// One unequal unit: 2 of 20 coincidences. The answers are 9 ones, 7 twos and 4 threes.
	if got, want := Alpha(units, Nominal).Alpha, 1-19*2.0/(400-81-49-16); math.Abs(got-want) > 1e-12 {
		t.Errorf("alpha %v, want %v", got, want)
	}
	// 9 of 10 are equal; by chance (5·4 + 3·4 + 2·2) of 100.
	if got, want := NominalKappa(nominalX, nominalY), (0.9-0.36)/(1-0.36); math.Abs(got-want) > 1e-12 {
		t.Errorf("kappa %v, want %v", got, want)
	}
	for _, tt := range []struct{ x, y []float64 }{{nil, nil}, {[]float64{2, 2}, []float64{2, 2}}} {
		if !math.IsNaN(NominalKappa(tt.x, tt.y)) {
			t.Errorf("kappa of %v and %v is defined", tt.x, tt.y)
		}
	}
	if Nominal.String() != "nominal" {
		t.Error("the metric has another name")
	}
}

// TestNominalPublished: Krippendorff (2011), section C, nominal data of four observers with missing values.
func TestNominalPublished(t *testing.T) {
	no := math.NaN()
	units := [][]float64{
		{1, 1, no, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
		{4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {no, 5, 5, 5}, {no, no, 1, 1}, {no, no, 3, no},
	}
	if got := Alpha(units, Nominal); math.Abs(got.Alpha-0.743) > 0.0005 || got.Units != 11 || got.Ratings != 40 {
		t.Errorf("got %+v, want 0.743", got)
	}
}

// TestNominalByPairs compares with sums over all pairs, written out, and with other numbers for the same answers.
func TestNominalByPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var units, renamed [][]float64
		var all []float64
		observed := 0.0
		for range 1 + random.IntN(12) {
			unit := make([]float64, 2+random.IntN(3))
			other := make([]float64, len(unit))
			for i := range unit {
				unit[i] = float64(random.IntN(3))
				other[i] = []float64{7, -1, 100}[int(unit[i])]
			}
			for i, a := range unit {
				for k, b := range unit {
					if i != k && a != b {
						observed += 1 / float64(len(unit)-1)
					}
				}
			}
			units, renamed, all = append(units, unit), append(renamed, other), append(all, unit...)
		}
		expected := 0.0
		for i, a := range all {
			for k, b := range all {
				if i != k && a != b {
					expected += 1 / float64(len(all)-1)
				}
			}
		}
		got, want := Alpha(units, Nominal).Alpha, 1-observed/expected
		if expected == 0 {
			want = math.NaN()
		}
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: got %v, want %v", units, got, want)
		}
		if again := Alpha(renamed, Nominal).Alpha; !math.IsNaN(got) && math.Abs(again-got) > 1e-9 {
			t.Fatalf("%v: other numbers for the same answers give %v in place of %v", units, again, got)
		}
	}
}

func TestNominalRule(t *testing.T) {
	rule := Rule{Threshold: -1, Tolerance: 100, Nominal: true}
	for _, tt := range []struct {
		x, y   []float64
		passed bool
		reason Reason
		share  float64
	}{
		{[]float64{2}, []float64{2}, true, Agreed, 0},
		{[]float64{0}, []float64{1}, false, Different, 1},
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 9}, false, Different, 0.25},
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, true, Agreed, 0},
	} {
		v := rule.Judge(tt.x, tt.y)
		if v.Passed != tt.passed || v.Reason != tt.reason || v.MeanAbsDiff != tt.share || !math.IsNaN(v.R) {
			t.Errorf("%v and %v: %+v", tt.x, tt.y, v)
		}
		if again := rule.Rejudge(v); again.Passed != v.Passed || again.Reason != v.Reason {
			t.Errorf("%v and %v: judged again, %+v", tt.x, tt.y, again)
		}
	}
}
