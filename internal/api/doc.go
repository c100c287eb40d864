// Package api holds what programs are told: the JSON that commands print and that /api/v1 answers, and the functions that read or
// compute it. A rule that a command, a page and the interface for programs need stands here or below, and not in any of them.
package api

import (
	"encoding/json"
	"io"
	"math"
)

// A Number is a statistic. NaN is null in JSON.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// WriteJSON writes v on a line. It leaves <, > and & as they are.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
