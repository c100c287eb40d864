package protocol

import (
	"fmt"
	"math"
	"slices"
)

// A Rating is all that one annotator gave to one translation.
type Rating struct {
	Scores  map[string]float64 // by name of the score; absent: not given
	Comment string
}

// MaxComment is the longest comment accepted, in bytes.
const MaxComment = 10_000

// A Violation says which part of a rating breaks the protocol, in words for
// the person who entered it.
type Violation struct {
	Field string // name of the score, or "comment"
	Msg   string
}

// Check reports everything in r that p does not allow, sorted by field: unknown
// scores, values out of range or not whole, a comment that is too long. A score
// not given yet is no violation; see [Protocol.Missing].
func (p *Protocol) Check(r Rating) []Violation {
	var out []Violation
	for name, v := range r.Scores {
		s, ok := p.Score(name)
		switch {
		case !ok:
			out = append(out, Violation{name, fmt.Sprintf("%s has no score named %q", p.Name, name)})
		case v != math.Trunc(v) || v < float64(s.Min) || v > float64(s.Max):
			out = append(out, Violation{name, fmt.Sprintf("%s must be a whole number from %d to %d, not %v", s.Label, s.Min, s.Max, v)})
		}
	}
	if len(r.Comment) > MaxComment {
		out = append(out, Violation{"comment", fmt.Sprintf("the comment is longer than %d bytes", MaxComment)})
	}
	slices.SortFunc(out, func(a, b Violation) int {
		if a.Field < b.Field {
			return -1
		}
		if a.Field > b.Field {
			return 1
		}
		return 0
	})
	return out
}

// Missing says what r still needs before it can be submitted, in words such
// as "a score"; it is empty for a finished rating.
func (p *Protocol) Missing(r Rating) string {
	for _, s := range p.Scores {
		if _, ok := r.Scores[s.Name]; !ok {
			if len(p.Scores) == 1 {
				return "a score"
			}
			return "a score for " + s.Label
		}
	}
	return ""
}

// GateScore returns the number the agreement gate compares, higher is better;
// false while the rating does not have it.
func (p *Protocol) GateScore(r Rating) (float64, bool) {
	v, ok := r.Scores[p.Gate]
	return v, ok
}
