package records

import (
	"strconv"

	"annotate/internal/protocol"
)

// WithIDs gives spans without an id the next number that none has.
func WithIDs(spans []protocol.ErrorSpan) []protocol.ErrorSpan {
	out := make([]protocol.ErrorSpan, len(spans))
	taken := make(map[string]bool, len(spans))
	for i, s := range spans {
		out[i] = s
		taken[s.ID] = true
	}
	n := 0
	for i := range out {
		for out[i].ID == "" {
			if n++; !taken[strconv.Itoa(n)] {
				out[i].ID = strconv.Itoa(n)
			}
		}
	}
	return out
}
