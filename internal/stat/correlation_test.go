package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"annotate/internal/testenv"
)

func TestCorrelationVectors(t *testing.T) {
	for fn, f := range map[string]func(x, y []float64) float64{
		"pearson": Pearson, "spearman": Spearman, "kendall_b": TauB,
	} {
		for _, v := range testenv.Vectors(t, fn) {
			var in struct{ X, Y []testenv.Number }
			var want struct{ R, Rho, Tau *testenv.Number }
			v.Decode(t, v.Input, &in)
			v.Decode(t, v.Expected, &want)
			value := testenv.Number(math.NaN()) // null
			for _, p := range []*testenv.Number{want.R, want.Rho, want.Tau} {
				if p != nil {
					value = *p
				}
			}
			tolerance := testenv.Tolerance
			if v.ID == "pearson/large_offset" {
				tolerance = 1e-6 // of the data's README
			}
			if got := f(testenv.Floats(in.X), testenv.Floats(in.Y)); !testenv.Near(got, value, tolerance) {
				t.Errorf("%s: got %v, want %v", v.ID, got, value)
			}
		}
	}
}

// A stored r is compared bit by bit with a computed one, so no bit of it may change. The
// values are those of stat.Correlation of gonum 0.17.0 on amd64, for 2, 3, … 34 values.
func TestPearsonToTheBit(t *testing.T) {
	recorded := []float64{
		0x1p+00, 0x1.e4a7d8c80d0e9p-01, 0x1.54075d61519dp-02, 0x1.2254f87d7bf26p-02,
		0x1.3e1365d575ab5p-02, -0x1.1b19c39384894p-02, -0x1.72720a3c16cbp-02, -0x1.a9b60a73a6234p-03,
		-0x1.2a3e743a4c8dfp-02, -0x1.2655bdb39931bp-02, 0x1.281164b138967p-02, 0x1.4d30f1a334f52p-02,
		0x1.29693386a4502p-01, 0x1.393ef321856c3p-01, 0x1.3406c5839b695p-01, 0x1.08ccc90cefe6cp-01,
		0x1.afa3c813dfa8p-02, 0x1.d1fcb04ec4e13p-02, 0x1.d2799428a0cb1p-02, 0x1.1961b42e11fdp-02,
		0x1.1afb2fe3f6742p-02, 0x1.2fef70d5fda9ap-03, 0x1.f4651300db70ep-04, -0x1.04e3e4c16ae38p-06,
		-0x1.1137dc8cd7c73p-03, -0x1.452357a1c86bep-02, -0x1.202ad86e12b11p-02, -0x1.78febc805b3a6p-03,
		-0x1.9a20515e63c8cp-03, -0x1.d280f1d45d623p-03, -0x1.d20bd5abbc6cdp-03, -0x1.1c1dafc00f453p-03,
		-0x1.726697c6c10dap-04,
	}
	for k, want := range recorded {
		n := k + 2
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64((i*i*7919+31*n)%1001)/10, float64((i*6007+i*i*i*17)%997)/7
		}
		if got := Pearson(x, y); got != want {
			t.Errorf("%d values: got %x, want %x", n, got, want)
		}
		// Nor may it depend on where in memory the values are.
		x, y = append([]float64{0}, x...)[1:], append([]float64{0}, y...)[1:]
		if got := Pearson(x, y); got != want {
			t.Errorf("%d values within a larger slice: got %x, want %x", n, got, want)
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
		if got := tt.f(tt.x, tt.y); !testenv.Near(got, want, 1e-12) {
			t.Errorf("%s: got %v, want %v", tt.name, got, want)
		}
	}
}

// A coefficient depends neither on the order of the items nor on which score is called
// human. Negating a score negates the coefficient. Rank coefficients depend only on the
// order of values.
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
			if got := f(px, py); !testenv.Near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v after a permutation, %v before", name, n, got, r)
			}
			if got := f(y, x); !testenv.Near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v with the scores exchanged, %v before", name, n, got, r)
			}
			if got := f(x, turned); !testenv.Near(got, -r, 1e-12) {
				t.Errorf("%s, n=%d: %v for the turned score, %v before", name, n, got, r)
			}
			if got := f(x, grown); name != "pearson" && !testenv.Near(got, r, 1e-12) {
				t.Errorf("%s, n=%d: %v for the exponential, %v before", name, n, got, r)
			}
			if got := f(x, x); !testenv.Near(got, 1.0, 1e-12) && !math.IsNaN(got) {
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
	for _, v := range testenv.Vectors(t, "kendall_variant") {
		var in struct{ Human, Metric []testenv.Number }
		var params struct{ Epsilon float64 }
		var want struct{ Value testenv.Number }
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Params, &params)
		v.Decode(t, v.Expected, &want)
		human, metric := testenv.Floats(in.Human), testenv.Floats(in.Metric)
		p := CountWithin(human, metric, params.Epsilon)
		if params.Epsilon == 0 {
			p = Count(human, metric)
		}
		if got := p.Acc23(); !testenv.Near(got, want.Value, testenv.Tolerance) {
			t.Errorf("%s: got %v, want %v", v.ID, got, want.Value)
		}
	}
}

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
		if got := Deviation(tt.x); !testenv.Near(got, tt.want, 0) {
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
		if !testenv.Near(tt.got, tt.want, 0) {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
