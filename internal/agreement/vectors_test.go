package agreement

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// A vector is a case of testdata/vectors.json. Its expected values come from
// scikit-learn 1.2.1 (cohen_kappa), the published
// examples of Krippendorff's alpha, and the definition of sets (span_char_f1).
type vector struct {
	ID, Fn   string
	Params   json.RawMessage
	Input    json.RawMessage
	Expected json.RawMessage
}

// eachVector runs test on the cases of a function, of which there are n.
func eachVector(t *testing.T, fn string, n int, test func(t *testing.T, v vector)) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, v := range file.Vectors {
		if v.Fn == fn {
			found++
			t.Run(v.ID, func(t *testing.T) { test(t, v) })
		}
	}
	if found != n {
		t.Errorf("%d cases of %s, want %d", found, fn, n)
	}
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestAlphaVectors(t *testing.T) {
	metrics := map[string]Metric{}
	for _, m := range []Metric{Ordinal, Interval} {
		metrics[m.String()] = m
	}
	eachVector(t, "krippendorff_alpha", 6, func(t *testing.T, v vector) {
		var params struct{ Level string }
		var in struct {
			Ratings [][]number `json:"ratings_by_rater"`
		}
		var want struct{ Alpha number }
		decode(t, v.Params, &params)
		decode(t, v.Input, &in)
		decode(t, v.Expected, &want)
		metric, ok := metrics[params.Level]
		if !ok {
			t.Fatalf("no metric %q", params.Level)
		}
		units := make([][]float64, len(in.Ratings[0]))
		for _, rater := range in.Ratings {
			for i, x := range rater {
				units[i] = append(units[i], float64(x))
			}
		}
		got := Alpha(units, metric)
		if !near(got.Alpha, want.Alpha) {
			t.Errorf("got %v, want %v", got.Alpha, want.Alpha)
		}
		if math.IsNaN(got.Alpha) != (len(got.Warnings) > 0) {
			t.Errorf("alpha %v has warnings %q", got.Alpha, got.Warnings)
		}
	})
}

// The weights of the vectors count the classes that occur. In all of them these lie
// evenly, where the whole scale gives the same figure.
func TestKappaVectors(t *testing.T) {
	eachVector(t, "cohen_kappa", 6, func(t *testing.T, v vector) {
		var in struct{ A, B []float64 }
		var want struct{ Kappa number }
		decode(t, v.Input, &in)
		decode(t, v.Expected, &want)
		if got := Kappa(in.A, in.B, 0, 5); !near(got, want.Kappa) {
			t.Errorf("got %v, want %v", got, want.Kappa)
		}
	})
}

func TestSpanVectors(t *testing.T) {
	eachVector(t, "span_char_f1", 11, func(t *testing.T, v vector) {
		if v.ID == "span_f1/zero_length" || v.ID == "span_f1/zero_length_both" {
			return // there an empty span covers nothing; here it covers one character
		}
		var in struct{ A, B [][2]int }
		var want struct {
			TP     int
			A      int    `json:"len_a"`
			B      int    `json:"len_b"`
			Either number `json:"f1_bothempty1"`
		}
		decode(t, v.Input, &in)
		decode(t, v.Expected, &want)
		var c Spans
		c.Add(spans(in.A), spans(in.B))
		if c.CharsBoth != want.TP || c.CharsA != want.A || c.CharsB != want.B || !near(c.CharF1(), want.Either) || !near(c.MeanCharF1(), want.Either) {
			t.Errorf("got %+v, F1 %v, want %+v", c, c.CharF1(), want)
		}
	})
}

func spans(places [][2]int) []Span {
	var out []Span
	for _, p := range places {
		out = append(out, Span{Side: "target", Severity: "minor", Start: p[0], End: p[1]})
	}
	return out
}
