package campaign

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

func ExampleRatingScores() {
	// Two annotators rated the translations of two systems. mara gives higher scores
	// than jonas and spreads them less, but orders the systems in the same way.
	var r RatingScores
	r.Add("jonas", 10) // system A
	r.Add("mara", 80)
	r.Add("jonas", 50) // system B
	r.Add("mara", 90)
	z := r.Z(0)
	fmt.Println(z(0, 2), z(2, 4))
	// Output: -1 1
}

func TestMatrix(t *testing.T) {
	var m ScoreMatrix
	m.Set("b", 1, 3)
	m.Set("a", 0, 1)
	m.Set("a", 2, 2)
	m.Set("c", 0, math.NaN())
	if got := m.Systems(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("systems %v: c has no score", got)
	}
	nan := math.NaN()
	for system, want := range map[string][]float64{"a": {1, nan, 2, nan}, "b": {nan, 3, nan, nan}, "c": nil} {
		got := m.Row(system, 4)
		if !slices.EqualFunc(got, want, sameScores) || (got == nil) != (want == nil) {
			t.Errorf("row of %s: %v, want %v", system, got, want)
		}
		if rows := m.Rows(4); !slices.EqualFunc(rows[system], want, sameScores) {
			t.Errorf("rows have %v for %s, want %v", rows[system], system, want)
		}
	}
}

// The expected values were worked from the definition.
func TestZVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/z.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Z []struct {
			Scores []float64
			Z      []*float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Z) != 3 {
		t.Fatalf("%d cases, want 3", len(file.Z))
	}
	for _, c := range file.Z {
		var r RatingScores
		for _, x := range c.Scores {
			r.Add("a", x)
		}
		z := r.Z(0)
		for k, want := range c.Z {
			got := z(k, k+1)
			if want == nil && !math.IsNaN(got) || want != nil && math.Abs(got-*want) > 1e-12 {
				t.Errorf("%v: z of %v is %v, want %v", c.Scores, c.Scores[k], got, want)
			}
		}
	}
}

// a gave 1, 2.5 and -3 (two of them to the first translation), b always 0.1, c one score.
func TestZLeavesOut(t *testing.T) {
	var r RatingScores
	r.Add("a", 1, 7)
	r.Add("b", 0.1, 7)
	r.Add("a", 2.5, 7)
	r.Add("b", 0.1, math.NaN())
	r.Add("c", 5, 7)
	r.Add("a", -3, 7)
	r.Add("b", 0.1, 7)
	z := r.Z(0)
	if first, alone := z(0, 1), z(0, 2); first != alone {
		t.Errorf("z is %v with b and %v without: b gave one score throughout", alone, first)
	}
	if got := (z(0, 1) + z(2, 3) + z(5, 6)) / 3; math.Abs(got) > 1e-15 {
		t.Errorf("the z-scores of a have mean %v", got)
	}
	for name, got := range map[string]float64{"one rating": z(4, 5), "no ratings": z(3, 3), "constant": z(6, 7), "constant in the second score": r.Z(1)(0, 3)} {
		if !math.IsNaN(got) {
			t.Errorf("%s: z is %v", name, got)
		}
	}
	if got := (&RatingScores{}).Z(0)(0, 0); !math.IsNaN(got) {
		t.Errorf("without ratings z is %v", got)
	}
	if got := r.Annotators(); !slices.Equal(got, []string{"a", "b", "c"}) || r.Number("c") != 2 || r.Rater(4) != 2 || r.Len() != 7 {
		t.Errorf("annotators %v; c has number %d; rating 4 of 7 is by %d", got, r.Number("c"), r.Rater(4))
	}
}

func sameScores(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
