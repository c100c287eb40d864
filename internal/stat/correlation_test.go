package stat

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestCorrelationVectors(t *testing.T) {
	for fn, f := range map[string]func(x, y []float64) float64{
		"pearson": Pearson, "spearman": Spearman, "kendall_b": TauB,
	} {
		for _, v := range vectors(t, fn) {
			var in struct{ X, Y []number }
			var want struct{ R, Rho, Tau *number }
			v.decode(t, v.Input, &in)
			v.decode(t, v.Expected, &want)
			value := number(math.NaN()) // null
			for _, p := range []*number{want.R, want.Rho, want.Tau} {
				if p != nil {
					value = *p
				}
			}
			tolerance := exact
			if v.ID == "pearson/large_offset" {
				tolerance = 1e-6 // of the data's README
			}
			if got := f(floats(in.X), floats(in.Y)); !near(got, float64(value), tolerance) {
				t.Errorf("%s: got %v, want %v", v.ID, got, value)
			}
		}
	}
}

// An r that was stored with a decision is compared bit by bit with the one that is
// computed later, so no bit of it may change.
func TestPearsonToTheBit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		x, y := make([]float64, 5), make([]float64, 5)
		for i := range x {
			x[i], y[i] = float64(random.IntN(1001))/10, float64(random.IntN(1001))/10
		}
		if got, want := Pearson(x, y), stat.Correlation(x, y, nil); got != want {
			t.Fatalf("Pearson(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
}

func TestCorrelationMissing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name    string
		f       func(x, y []float64) float64
		x, y    []float64
		defined bool
		want    float64
	}{
		{"pearson leaves out pairs", Pearson, []float64{1, nan, 2, 3}, []float64{2, 5, 4, nan}, true, 1},
		{"pearson all missing", Pearson, []float64{nan, nan}, []float64{1, 2}, false, 0},
		{"pearson constant where both are", Pearson, []float64{1, 1, nan}, []float64{1, 2, 3}, false, 0},
		{"pearson none", Pearson, nil, nil, false, 0},
		{"pearson infinite", Pearson, []float64{1, 2, inf}, []float64{1, 2, 3}, false, 0},
		{"pearson of huge scores", Pearson, []float64{1e200, 2e200, 3e200}, []float64{1e-200, 2e-200, 3e-200}, true, 1},
		{"spearman orders infinities", Spearman, []float64{-inf, 2, inf}, []float64{1, 2, 3}, true, 1},
		{"spearman one", Spearman, []float64{1}, []float64{1}, false, 0},
		{"kendall orders infinities", TauB, []float64{-inf, 2, inf}, []float64{3, 2, 1}, true, -1},
		{"kendall all missing", TauB, []float64{nan}, []float64{nan}, false, 0},
	}
	for _, tt := range tests {
		want := tt.want
		if !tt.defined {
			want = nan
		}
		if got := tt.f(tt.x, tt.y); !near(got, want, 1e-12) {
			t.Errorf("%s: got %v, want %v", tt.name, got, want)
		}
	}
}

// A coefficient does not care for the order of the items, nor for which is
// called human; turning one score turns its sign; rank coefficients see the
// order alone.
func TestCorrelationProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 3, 7, 40, 301} {
		x, y := someScores(random, n, 12), someScores(random, n, 5)
		order := random.Perm(n)
		px, py, turned, grown := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i, k := range order {
			px[i], py[i] = x[k], y[k]
			turned[k] = -y[k]
			grown[k] = math.Exp(y[k])
		}
		for name, f := range map[string]func(x, y []float64) float64{"pearson": Pearson, "spearman": Spearman, "kendall": TauB} {
			r := f(x, y)
			if got := f(px, py); !near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v after a permutation, %v before", name, n, got, r)
			}
			if got := f(y, x); !near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v with the scores exchanged, %v before", name, n, got, r)
			}
			if got := f(x, turned); !near(got, -r, 1e-12) {
				t.Errorf("%s, n=%d: %v for the turned score, %v before", name, n, got, r)
			}
			if got := f(x, grown); name != "pearson" && !near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v for the exponential, %v before", name, n, got, r)
			}
			if got := f(x, x); !near(got, 1, 1e-12) && !math.IsNaN(got) {
				t.Errorf("%s, n=%d: %v with itself", name, n, got)
			}
		}
	}
}

func TestRanks(t *testing.T) {
	// 10 stands first; both 20 share places 2 and 3; 30 is fourth.
	if got, want := Ranks([]float64{20, 10, 30, 20}), []float64{2.5, 1, 4, 2.5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKendallVectors(t *testing.T) {
	for _, v := range vectors(t, "kendall_variant") {
		var in struct{ Human, Metric []number }
		var params struct{ Epsilon float64 }
		var want struct{ Value number }
		v.decode(t, v.Input, &in)
		v.decode(t, v.Params, &params)
		v.decode(t, v.Expected, &want)
		human, metric := floats(in.Human), floats(in.Metric)
		p := CountWithin(human, metric, params.Epsilon)
		if params.Epsilon == 0 {
			p = Count(human, metric)
		}
		if got := p.Acc23(); !near(got, float64(want.Value), exact) {
			t.Errorf("%s: got %v, want %v", v.ID, got, want.Value)
		}
	}
}

// A vector is a case of testdata/vectors.json. Its expected values come from
// scipy 1.10.1, numpy 1.24.2 and mt-metrics-eval 68a481a.
type vector struct {
	ID       string
	Fn       string
	Params   json.RawMessage
	Input    json.RawMessage
	Expected json.RawMessage
}

// vectors are those of a function, at least one.
func vectors(t *testing.T, fn string) (out []vector) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		if v.Fn == fn {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		t.Fatalf("no vectors for %s", fn)
	}
	return out
}

func (v vector) decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", v.ID, err)
	}
}

// A number is a float64, or NaN for null.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	*n = number(math.NaN())
	if string(b) == "null" {
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

func floats(in []number) []float64 {
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(v)
	}
	return out
}

// near reports whether both are undefined or within tolerance.
func near(got, want, tolerance float64) bool {
	if math.IsNaN(got) || math.IsNaN(want) {
		return math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= tolerance
}

const exact = 1e-9 // what the references are good for

func TestDeviation(t *testing.T) {
	for name, tt := range map[string]struct {
		x    []float64
		want float64
	}{
		// Mean 5, squares 9+1+1+1+0+0+4+16 = 32, 32/8 = 4.
		"by hand":  {[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 2},
		"constant": {[]float64{0.1, 0.1, 0.1}, 0}, // whose mean is not 0.1
		"one":      {[]float64{3}, 0},
		"nothing":  {nil, math.NaN()},
		"missing":  {[]float64{1, math.NaN()}, math.NaN()},
	} {
		if got := Deviation(tt.x); !near(got, tt.want, 0) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestMeanAndQuantiles(t *testing.T) {
	nan := math.NaN()
	for name, tt := range map[string]struct{ got, want float64 }{
		"mean leaves out what is missing": {Mean([]float64{1, nan, 4}), 2.5},
		"mean of nothing":                 {Mean([]float64{nan}), nan},
		"mean of large and small":         {Mean([]float64{1e16, 1, 1, -1e16}), 0.5},
		"median of an odd number":         {Median([]float64{9, 1, 2}), 2},
		"median of an even number":        {Median([]float64{9, 1, 2, 4}), 3},
		"median of nothing":               {Median(nil), nan},
		"quantile between neighbours":     {Quantile([]float64{10, 20, 40}, 0.75), 30},
		"lowest":                          {Quantile([]float64{10, 20, 40}, 0), 10},
		"highest":                         {Quantile([]float64{10, 20, 40}, 1), 40},
		"quantile of nothing":             {Quantile(nil, 0.5), nan},
		"ratio":                           {Ratio(1, 4), 0.25},
		"ratio to nothing":                {Ratio(1, 0), nan},
	} {
		if !near(tt.got, tt.want, 0) {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
