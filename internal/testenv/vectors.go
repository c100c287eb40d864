package testenv

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// Tolerance is the largest absolute difference from a reference value that counts as
// equal; the values are given to about this precision.
const Tolerance = 1e-9

// A Vector is the input of a function and the value that is expected of it. A package keeps its vectors in
// testdata/vectors.json.
type Vector struct {
	ID       string
	Fn       string
	Params   json.RawMessage
	Input    json.RawMessage
	Expected json.RawMessage
}

// Vectors reads the vectors of a function, and fails the test where it has none.
func Vectors(t testing.TB, fn string) (out []Vector) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []Vector `json:"vectors"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Vectors {
		if c.Fn == fn {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatalf("testdata/vectors.json has no vector of %s", fn)
	}
	return out
}

// Decode reads a part of the vector.
func (c Vector) Decode(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
}

// A Number is a float64, or NaN for null, which stands for undefined.
type Number float64

func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(math.NaN())
	if string(b) == "null" {
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// Floats are numbers as floats.
func Floats(in []Number) []float64 {
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(v)
	}
	return out
}

// Near reports whether both are undefined, or both are defined and differ by at most the
// tolerance.
func Near[Want ~float64](got float64, want Want, tolerance float64) bool {
	difference := math.Abs(got - float64(want))
	if math.IsNaN(difference) {
		return math.IsNaN(got) && math.IsNaN(float64(want))
	}
	return difference <= tolerance
}
