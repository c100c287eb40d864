package agreement

import (
	"math"
	"testing"

	"annotate/internal/testenv"
)

// The expected values come from scikit-learn 1.2.1 (cohen_kappa), the published examples
// of Krippendorff's alpha, and the definition of sets (span_char_f1).

func TestAlphaVectors(t *testing.T) {
	metrics := map[string]Metric{}
	for _, m := range []Metric{Ordinal, Interval} {
		metrics[m.String()] = m
	}
	for _, v := range testenv.Vectors(t, "krippendorff_alpha") {
		t.Run(v.ID, func(t *testing.T) {
			var params struct{ Level string }
			var in struct {
				Ratings [][]testenv.Number `json:"ratings_by_rater"`
			}
			var want struct{ Alpha testenv.Number }
			v.Decode(t, v.Params, &params)
			v.Decode(t, v.Input, &in)
			v.Decode(t, v.Expected, &want)
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
			if !testenv.Near(got.Alpha, want.Alpha, testenv.Tolerance) {
				t.Errorf("got %v, want %v", got.Alpha, want.Alpha)
			}
			if math.IsNaN(got.Alpha) != (len(got.Warnings) > 0) {
				t.Errorf("alpha %v has warnings %q", got.Alpha, got.Warnings)
			}
		})
	}
}

// The weights of the vectors count the classes that occur. In all of them these lie
// evenly, where the whole scale gives the same figure.
func TestKappaVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "cohen_kappa") {
		t.Run(v.ID, func(t *testing.T) {
			var in struct{ A, B []float64 }
			var want struct{ Kappa testenv.Number }
			v.Decode(t, v.Input, &in)
			v.Decode(t, v.Expected, &want)
			if got := Kappa(in.A, in.B, 0, 5); !testenv.Near(got, want.Kappa, testenv.Tolerance) {
				t.Errorf("got %v, want %v", got, want.Kappa)
			}
		})
	}
}

func TestSpanVectors(t *testing.T) {
	for _, v := range testenv.Vectors(t, "span_char_f1") {
		t.Run(v.ID, func(t *testing.T) {
			if v.ID == "span_f1/zero_length" || v.ID == "span_f1/zero_length_both" {
				return // there an empty span covers nothing; here it covers one character
			}
			var in struct{ A, B [][2]int }
			var want struct {
				TP     int
				A      int            `json:"len_a"`
				B      int            `json:"len_b"`
				Either testenv.Number `json:"f1_bothempty1"`
			}
			v.Decode(t, v.Input, &in)
			v.Decode(t, v.Expected, &want)
			var c Spans
			c.Add(spans(in.A), spans(in.B))
			if c.CharsBoth != want.TP || c.CharsA != want.A || c.CharsB != want.B || !testenv.Near(c.CharF1(), want.Either, testenv.Tolerance) {
				t.Errorf("got %+v, F1 %v, want %+v", c, c.CharF1(), want)
			}
		})
	}
}

func spans(places [][2]int) []Span {
	var out []Span
	for _, p := range places {
		out = append(out, Span{Side: "target", Severity: "minor", Start: p[0], End: p[1]})
	}
	return out
}
