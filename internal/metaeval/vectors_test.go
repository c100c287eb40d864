package metaeval

import "annotate/internal/testenv"

func matrix(in [][]testenv.Number) [][]float64 {
	out := make([][]float64, len(in))
	for i, row := range in {
		out[i] = testenv.Floats(row)
	}
	return out
}
