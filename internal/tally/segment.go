// Package tally counts what a campaign's pages show, in whole numbers alone: what
// one segment adds to the sums of its campaign depends on that segment only, and
// adding and taking away in any order gives the same bits. So sums that are kept
// up change by change equal a recount from scratch exactly.
//
// Start at [Of], which says what a [Segment] adds, and [Table], which holds the
// sums. What is read from them (means, correlations, matrices, alpha) is computed
// by the functions of derive.go.
package tally

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/agreement"
)

// A Segment is what is counted of one segment. Users, systems and days are named
// by any texts that stay the same; keys of its JSON form are short, since one is
// stored for every segment.
type Segment struct {
	Status string `json:"s"` // pending, agreed and so on
	Domain string `json:"d,omitempty"`
	Gold   bool   `json:"g,omitempty"` // the status is one of those in gold
	Size   int    `json:"t,omitempty"` // translations
	// Again: it was given back to its annotators at least once.
	Again bool `json:"a,omitempty"`
	// Waiting is how many annotators a later round under way waits for.
	Waiting int `json:"w,omitempty"`
	// First is nil while round 1 is not complete, and where the segment is withdrawn.
	First *First `json:"f,omitempty"`
	// Systems are those that somebody rated, in byte order; the scores of a turn are
	// in their order.
	Systems []string `json:"y,omitempty"`
	// Same is, for each of Systems, the place of the first of them whose translation is
	// the same text, which may be its own; nil: all texts are different.
	Same  []int  `json:"e,omitempty"`
	Turns []Turn `json:"r,omitempty"` // submitted and not set aside, by user, then round
}

// First is how round 1 of a segment is judged by the ratings that count now.
type First struct {
	Passed bool     `json:"p,omitempty"`
	Pairs  int      `json:"n,omitempty"` // that were judged
	Failed []string `json:"f,omitempty"` // reasons of the pairs that failed, one for each
}

// A Turn is what one annotator submitted in one round.
type Turn struct {
	User    string  `json:"u"`
	Round   int     `json:"n"`
	Day     string  `json:"d,omitempty"` // of the submission in the campaign's time zone; empty: not known
	Ratings int     `json:"c,omitempty"`
	Millis  int64   `json:"m,omitempty"` // active time
	Out     bool    `json:"o,omitempty"` // it is work done, but does not count in agreement
	Scores  []int64 `json:"s,omitempty"` // gate scores in units of the [Scale]; Missing: not rated
	Paces   []int64 `json:"p,omitempty"` // active times of the ratings that have one, each as [Pace] writes it, sorted
}

// Who implements [agreement.Turn].
func (t Turn) Who() (annotator string, round int) { return t.User, t.Round }

// Missing stands for the score of a translation that was not rated.
const Missing = math.MinInt64

// Encode writes the segment as [Decode] reads it. Equal segments give equal texts.
func (s Segment) Encode() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and whole numbers can't fail
	}
	return string(b)
}

// Decode reads what Encode wrote; the empty text is no segment, which adds nothing.
func Decode(text string) (*Segment, error) {
	if text == "" {
		return nil, nil
	}
	var s Segment
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("decode counted segment: %w", err)
	}
	return &s, nil
}

// Order sorts the turns as [Segment.Turns] has them.
func (s *Segment) Order() {
	slices.SortFunc(s.Turns, func(a, b Turn) int {
		return cmp.Or(strings.Compare(a.User, b.User), a.Round-b.Round)
	})
}

// counted lists the turns that count in agreement, in their order.
func (s Segment) counted() []Turn {
	if !slices.ContainsFunc(s.Turns, func(t Turn) bool { return t.Out }) {
		return s.Turns
	}
	return slices.DeleteFunc(slices.Clone(s.Turns), func(t Turn) bool { return t.Out })
}

// ComparedRound is the latest round that at least two submitted; 0 where there is none.
func (s Segment) ComparedRound() int {
	if turns := agreement.LatestOfTwo(s.counted()); len(turns) > 0 {
		return turns[0].Round
	}
	return 0
}

// A Pair is how two annotators rated a segment, in the latest round that both
// submitted.
type Pair struct {
	User, Other string // User < Other in byte order
	Round       int
	Shared      int     // translations both rated, at least 1
	R           float64 // Pearson's r; NaN with fewer than 3 translations or where a vector is constant
	Far         int64   // sum of the absolute differences, in units
	a, b        []int64 // scores
}

// Pairs lists the pairs of annotators who both rated a translation of the segment in the
// latest round that both submitted.
func (s Segment) Pairs() []Pair {
	var out []Pair
	counted := s.counted()
	for i, j := range agreement.LatestShared(counted) {
		a, b := counted[i], counted[j]
		p := Pair{User: a.User, Other: b.User, Round: a.Round, a: a.Scores, b: b.Scores}
		var sums Sums
		for k, x := range a.Scores {
			if y := b.Scores[k]; x != Missing && y != Missing {
				sums.observe(x, y)
				p.Far += max(x-y, y-x)
			}
		}
		if p.Shared = int(sums.N); p.Shared > 0 {
			p.R = math.NaN()
			if p.Shared >= minShared {
				p.R = sums.Correlation()
			}
			out = append(out, p)
		}
	}
	return out
}

// minShared is as many values as a correlation is taken seriously from; two points
// always lie on a line.
const minShared = 3

// Against sets a user's turn of a round against those of the others in it: the sums
// of the own scores, how many of the translations others rated too, and over these
// the mean difference of own score and mean of the others, in units; NaN without
// any.
func (s Segment) Against(user string, round int) (own Sums, compared int, difference float64) {
	counted := s.counted()
	i := slices.IndexFunc(counted, func(t Turn) bool { return t.User == user && t.Round == round })
	if i < 0 {
		return own, 0, math.NaN()
	}
	total := 0.0
	for system, x := range counted[i].Scores {
		if x == Missing {
			continue
		}
		own = own.Plus(Sums{N: 1, X: x, XX: x * x})
		var others Sums
		for j, t := range counted {
			if y := t.Scores[system]; j != i && t.Round == round && y != Missing {
				others.N++
				others.X += y
			}
		}
		if others.N > 0 {
			compared++
			total += float64(x) - others.Mean()
		}
	}
	return own, compared, total / float64(compared)
}
