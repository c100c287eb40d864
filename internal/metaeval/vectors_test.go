package metaeval

import "annotate/internal/reference"

func matrix(in [][]reference.Number) [][]float64 {
	out := make([][]float64, len(in))
	for i, row := range in {
		out[i] = reference.Floats(row)
	}
	return out
}
