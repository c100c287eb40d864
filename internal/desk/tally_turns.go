package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/agreement"
)

// A Counted holds what is counted of one segment. Users, systems and days are named by any texts
// that never change. The keys of its JSON form are short, because one is stored for every segment.
type Counted struct {
	Status string `json:"s"` // pending, agreed and so on
	Domain string `json:"d,omitempty"`
	Gold   bool   `json:"g,omitempty"` // the status is one of those in gold
	Size   int    `json:"t,omitempty"` // number of translations
	// Again says that it was sent back for a second look at least once.
	Again bool `json:"a,omitempty"`
	// Waiting is the number of annotators that a round above the first, under way, waits for.
	Waiting int `json:"w,omitempty"`
	// First is nil if round 1 is not complete or the segment is withdrawn.
	First *firstRound `json:"f,omitempty"`
	// Settled is the id of the settled answers; empty if there are none.
	Settled string `json:"b,omitempty"`
	// Systems are the systems that somebody rated, in byte order. The scores of a turn are in
	// the same order.
	Systems []string `json:"y,omitempty"`
	// Same has, for each of Systems, the index of the first system with the same text, which
	// may be the system itself. It is nil if all texts are different.
	Same  []int         `json:"e,omitempty"`
	Turns []countedTurn `json:"r,omitempty"` // submitted and not set aside, by user, then round
}

// A firstRound is the decision on round 1 of a segment, by the ratings that count now.
type firstRound struct {
	Passed bool     `json:"p,omitempty"`
	Pairs  int      `json:"n,omitempty"` // number of pairs that were judged
	Failed []string `json:"f,omitempty"` // the reason of each pair that failed
}

// A countedTurn is what one annotator submitted in one round.
type countedTurn struct {
	User        string  `json:"u"`
	Round       int     `json:"n"`
	Day         string  `json:"d,omitempty"` // day of the submission in the campaign's time zone; empty if not known
	Ratings     int     `json:"c,omitempty"` // number of ratings
	Millis      int64   `json:"m,omitempty"` // active time in milliseconds
	Out         bool    `json:"o,omitempty"` // it counts as work, but not in agreement
	Scores      []int64 `json:"s,omitempty"` // gate scores in units of the [scoreScale], or missing
	ActiveTimes []int64 `json:"p,omitempty"` // the known active times of the ratings, converted by [RoundedTime], sorted
}

// Who implements [agreement.Turn].
func (t countedTurn) Who() (annotator string, round int) { return t.User, t.Round }

// missing is the score of a translation that was not rated.
const missing = math.MinInt64

// Encode returns the segment as a text that [decodeCounted] reads. Equal segments give equal texts.
func (s Counted) Encode() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts and whole numbers can't fail
	}
	return string(b)
}

// decodeCounted reads a text that [Counted.Encode] returned. The empty text gives nil, which adds
// nothing.
func decodeCounted(text string) (*Counted, error) {
	if text == "" {
		return nil, nil
	}
	var s Counted
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("decode counted segment: %w", err)
	}
	return &s, nil
}

// Order sorts the turns by user, then round.
func (s *Counted) Order() {
	slices.SortFunc(s.Turns, func(a, b countedTurn) int {
		return cmp.Or(strings.Compare(a.User, b.User), a.Round-b.Round)
	})
}

// counted lists the turns that count in agreement, in their order.
func (s Counted) counted() []countedTurn {
	if !slices.ContainsFunc(s.Turns, func(t countedTurn) bool { return t.Out }) {
		return s.Turns
	}
	return slices.DeleteFunc(slices.Clone(s.Turns), func(t countedTurn) bool { return t.Out })
}

// ComparedRound is the latest round that at least two users submitted; 0 if there is none.
func (s Counted) ComparedRound() int {
	if turns := agreement.LatestOfTwo(s.counted()); len(turns) > 0 {
		return turns[0].Round
	}
	return 0
}

// A countedPair compares two users in a segment, in the latest round that both submitted.
type countedPair struct {
	User, Other string // User < Other in byte order
	Round       int
	Shared      int     // number of translations that both rated, at least 1
	R           float64 // Pearson's r; NaN with fewer than 3 such translations, or if the scores of one user are all equal
	Far         int64   // sum of the absolute differences, in units
	a, b        []int64 // the scores of User and of Other
}

// Pairs lists the pairs of users who both rated a translation of the segment in the latest round
// that both submitted.
func (s Counted) Pairs() []countedPair {
	var out []countedPair
	counted := s.counted()
	for i, j := range agreement.LatestShared(counted) {
		a, b := counted[i], counted[j]
		p := countedPair{User: a.User, Other: b.User, Round: a.Round, a: a.Scores, b: b.Scores}
		var sums Sums
		for k, x := range a.Scores {
			if y := b.Scores[k]; x != missing && y != missing {
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

// minShared is the least number of values that a correlation is computed from. Two points always
// lie on a line.
const minShared = 3

// Against compares a user's turn of a round with the others' turns of the same round. own are the
// sums of the user's scores. compared is the number of the translations that others rated too.
// difference is the mean, over these, of own score minus mean of the others, in units; NaN if
// there are none.
func (s Counted) Against(user string, round int) (own Sums, compared int, difference float64) {
	counted := s.counted()
	i := slices.IndexFunc(counted, func(t countedTurn) bool { return t.User == user && t.Round == round })
	if i < 0 {
		return own, 0, math.NaN()
	}
	total := 0.0
	for system, x := range counted[i].Scores {
		if x == missing {
			continue
		}
		own = own.Plus(Sums{N: 1, X: x, XX: x * x})
		var others Sums
		for j, t := range counted {
			if y := t.Scores[system]; j != i && t.Round == round && y != missing {
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
