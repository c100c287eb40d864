package metaeval

import (
	"math"
	"testing"

	"annotate/internal/testenv"
)

func TestRankSumVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "rank_sum") {
		var in struct{ A, B []testenv.Number }
		var want struct {
			Z testenv.Number `json:"ranksums_z"`
			P testenv.Number `json:"ranksums_p"`
		}
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		z, p := RankSum(testenv.Floats(in.A), testenv.Floats(in.B))
		if !testenv.Near(z, float64(want.Z), testenv.Tolerance) || !testenv.Near(p, want.P, testenv.Tolerance) {
			t.Errorf("%s: z = %v, p = %v, want %v, %v", v.ID, z, p, want.Z, want.P)
		}
	}
	if z, p := RankSum([]float64{math.NaN()}, []float64{1}); !math.IsNaN(z) || !math.IsNaN(p) {
		t.Errorf("without a score: z = %v, p = %v", z, p)
	}
}

// Ten scores each around 0, 0 and 100: the first two can't be told apart, the
// third stands alone. A fourth has no scores and no place.
func TestSystemClusters(t *testing.T) {
	scores := make([][]float64, 4)
	for i := range 10 {
		x := float64(i)
		scores[0] = append(scores[0], x)
		scores[1] = append(scores[1], x+0.5)
		scores[2] = append(scores[2], x+100)
		scores[3] = append(scores[3], math.NaN())
	}
	got := SystemClusters(scores)
	want := []RankedSystem{{2, 104.5, 1}, {1, 5, 2}, {0, 4.5, 2}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("place %d: got %v, want %v", i+1, got[i], want[i])
		}
	}
	// The systems in between join what would be apart: 0 and 4 differ by 4 of
	// 10, but each from its neighbour by 1.
	var chain [][]float64
	for s := range 9 {
		var row []float64
		for i := range 10 {
			row = append(row, float64(i+s))
		}
		chain = append(chain, row)
	}
	for _, r := range SystemClusters(chain) {
		if r.Cluster != 1 {
			t.Errorf("system %d is in cluster %d", r.System, r.Cluster)
		}
	}
	if len(SystemClusters(nil)) != 0 {
		t.Error("places for no system")
	}
}

func TestWilliamsVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "williams") {
		var in struct {
			R12, R13, R23 float64
			N             int
		}
		var want struct {
			P testenv.Number `json:"p_one_sided"`
		}
		v.Decode(t, v.Input, &in)
		v.Decode(t, v.Expected, &want)
		if got := Williams(in.R12, in.R13, in.R23, in.N); !testenv.Near(got, want.P, testenv.Tolerance) {
			t.Errorf("%s: got %v, want %v", v.ID, got, want.P)
		}
	}
	for _, p := range []float64{
		Williams(0.5, 0.4, 0.3, 3),
		Williams(math.NaN(), 0.4, 0.3, 10),
		Williams(0.5, 0.5, 1, 10), // the same metric twice
	} {
		if !math.IsNaN(p) {
			t.Errorf("got %v, want it undefined", p)
		}
	}
}
