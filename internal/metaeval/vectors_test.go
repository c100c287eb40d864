package metaeval

import "annotate/internal/testvectors"

func matrix(in [][]testvectors.Number) [][]float64 {
	out := make([][]float64, len(in))
	for i, row := range in {
		out[i] = testvectors.Floats(row)
	}
	return out
}
