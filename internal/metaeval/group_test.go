package metaeval

import (
	"math"
	"math/rand/v2"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// scores makes n scores with ties and some missing.
func someScores(random *rand.Rand, n int, kinds int, gaps float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(random.IntN(kinds)) / 4
		if random.Float64() < gaps {
			out[i] = math.NaN()
		}
	}
	return out
}

func TestAverageVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "avg_corr") {
		human, metric, by := matricesOf(t, v)
		var want struct {
			Pearson, Spearman testenv.Number
			Kendall           testenv.Number `json:"kendall_b"`
			PearsonN          int            `json:"pearson_n"`
			SpearmanN         int            `json:"spearman_n"`
			KendallN          int            `json:"kendall_b_n"`
		}
		v.Decode(t, v.Expected, &want)
		check := func(name string, f func(x, y []float64) float64, value testenv.Number, n int) {
			got, groups := Average(f, human, metric, by)
			if !testenv.Near(got, value, testenv.Tolerance) || groups != n {
				t.Errorf("%s: %s = %v over %d, want %v over %d", v.ID, name, got, groups, value, n)
			}
		}
		check("pearson", stat.Pearson, want.Pearson, want.PearsonN)
		check("spearman", stat.Spearman, want.Spearman, want.SpearmanN)
		check("kendall", stat.TauB, want.Kendall, want.KendallN)
	}
}

// matricesOf reads the input of a case of average correlations.
func matricesOf(t *testing.T, v testenv.Vector) (human, metric [][]float64, by Grouping) {
	t.Helper()
	var in struct{ Human, Metric [][]testenv.Number }
	var params struct {
		By string `json:"average_by"`
	}
	v.Decode(t, v.Input, &in)
	v.Decode(t, v.Params, &params)
	by, ok := map[string]Grouping{"none": Pooled, "item": ByItem, "sys": BySystem}[params.By]
	if !ok {
		t.Fatalf("%s: average_by %q", v.ID, params.By)
	}
	return matrix(in.Human), matrix(in.Metric), by
}

func TestPanicsOnMisuse(t *testing.T) {
	two := [][]float64{{1}, {2}}
	for name, call := range map[string]func(){
		"height":   func() { Average(stat.Pearson, two, two[:1], ByItem) },
		"width":    func() { Average(stat.Pearson, two, [][]float64{{1}, {2, 3}}, Pooled) },
		"grouping": func() { Average(stat.Pearson, two, two, Grouping(9)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
