package desk

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"annotate/internal/agreement"
)

// sumsOf returns the sums that a segment adds to those of its campaign.
func sumsOf(s Counted, scale scoreScale) SumTable {
	t := SumTable{}
	t.Add(sumKey{Kind: kindStatus, Name: s.Status + "/" + s.Domain}, Sums{N: 1})
	if s.Settled != "" {
		t.Add(sumKey{Kind: kindSettled, Name: s.Settled}, Sums{N: 1})
	}
	if s.Again {
		t.Add(sumKey{Kind: kindSentBack, Name: s.Status}, Sums{N: 1})
	}
	t.addToDo(s)
	t.addFirstRound(s)
	for _, turn := range s.Turns {
		sums := Sums{N: int64(turn.Ratings), X: 1, Y: turn.Millis}
		t.Add(sumKey{Kind: kindTotal, User: turn.User}, sums)
		t.Add(sumKey{Kind: kindWork, User: turn.User, Name: turn.Day}, sums)
		t.Add(sumKey{Kind: kindDay, Name: turn.Day}, sums)
		for _, tenths := range turn.ActiveTimes {
			t.Add(sumKey{Kind: kindActiveTime, User: turn.User, Name: strconv.FormatInt(tenths, 10)}, Sums{N: 1})
		}
	}
	for _, turn := range agreement.LatestOfEach(s.counted()) {
		for _, x := range turn.Scores {
			if x != missing {
				t.Add(sumKey{Kind: kindScore, User: turn.User, Name: strconv.Itoa(scale.Bucket(x))}, Sums{N: 1, X: x, XX: x * x})
			}
		}
	}
	t.addValues(s, scale)
	t.addCompared(agreement.LatestOfTwo(s.counted()), scale)
	t.addPairs(s)
	return t
}

// addToDo adds the work that the segment still needs.
func (t SumTable) addToDo(s Counted) {
	switch s.Status {
	case "pending":
		submitted := 0
		for _, turn := range s.Turns {
			if turn.Round == 1 && !turn.Out {
				submitted++
			}
		}
		t.Add(sumKey{Kind: kindToDo, Name: strconv.Itoa(submitted)}, Sums{N: 1, X: int64(s.Size)})
	case "reannotate":
		t.Add(sumKey{Kind: kindToDo, Name: "again"}, Sums{N: 1, X: int64(s.Size * s.Waiting)})
	}
}

// addFirstRound adds how round 1 was judged.
func (t SumTable) addFirstRound(s Counted) {
	if s.First == nil {
		return
	}
	name := "failed"
	switch {
	case s.First.Pairs == 0:
		name = "ungated"
	case s.First.Passed:
		name = "agreed"
	}
	t.Add(sumKey{Kind: kindFirstRound, Name: name}, Sums{N: 1})
	for i, reason := range s.First.Failed {
		sums := Sums{N: 1}
		if !slices.Contains(s.First.Failed[:i], reason) {
			sums.X = 1
		}
		t.Add(sumKey{Kind: kindReason, Name: reason}, sums)
	}
}

// addValues adds the scores that each user gave to different texts.
func (t SumTable) addValues(s Counted, scale scoreScale) {
	for _, turn := range agreement.LatestOfEach(s.counted()) {
		seen := map[int]bool{}
		for i, x := range turn.Scores {
			text := i
			if s.Same != nil {
				text = s.Same[i]
			}
			if x == missing || seen[text] || scale.costs && !s.marked(turn, i) {
				continue
			}
			seen[text] = true
			t.Add(sumKey{Kind: kindValue, User: turn.User, Name: strconv.FormatInt(x, 10)}, Sums{N: 1})
		}
	}
}

// marked reports whether another user gave a translation a score other than 0 in the round of a
// turn.
func (s Counted) marked(turn countedTurn, system int) bool {
	return slices.ContainsFunc(s.counted(), func(o countedTurn) bool {
		return o.Round == turn.Round && o.User != turn.User && o.Scores[system] != 0 && o.Scores[system] != missing
	})
}

// addCompared adds the comparison of the users with each other, from the turns of one round.
func (t SumTable) addCompared(turns []countedTurn, scale scoreScale) {
	if len(turns) == 0 {
		return
	}
	given := make([]int64, 0, len(turns))
	for system := range turns[0].Scores {
		given = given[:0]
		var sum, squares int64
		for _, turn := range turns {
			if x := turn.Scores[system]; x != missing {
				given = append(given, x)
				sum += x
				squares += x * x
			}
		}
		m := int64(len(given))
		if m < 2 {
			continue
		}
		t.Add(sumKey{Kind: kindAlpha, Name: strconv.FormatInt(m, 10)}, Sums{N: 1, X: sum, XX: squares, YY: sum * sum})
		if scale.ByPairs {
			t.addCoincidences(given)
		}
		for _, turn := range turns {
			x := turn.Scores[system]
			if x == missing {
				continue
			}
			k, rest := m-1, sum-x
			t.Add(sumKey{Kind: kindOthers, User: turn.User, Name: strconv.FormatInt(k, 10)}, Sums{1, x, x * x, rest, rest * rest, x * rest})
			t.Add(sumKey{Kind: kindDrift, User: turn.User, Name: turn.Day}, Sums{N: 1, Y: divide(thousand*(k*x-rest), k)})
		}
	}
}

const thousand = 1000

// divide is a/b rounded to the nearest whole number, and halves away from 0. b is positive.
func divide(a, b int64) int64 {
	if a < 0 {
		return -divide(-a, b)
	}
	return (a + b/2) / b
}

// addCoincidences adds the ordered pairs of scores of one translation.
func (t SumTable) addCoincidences(given []int64) {
	for i, c := range given {
		for j, k := range given {
			if i != j && c <= k {
				t.Add(sumKey{Kind: kindCoincidence, Name: fmt.Sprintf("%d:%d:%d", len(given), c, k)}, Sums{N: 1})
			}
		}
	}
}

// oneR represents r = 1 in sums of r. It is as large as possible without an overflow in a sum of
// millions.
const oneR = 1 << 40

// addPairs adds the comparison of each pair of users.
func (t SumTable) addPairs(s Counted) {
	names := []string{"all"}
	if s.Gold {
		names = append(names, "gold")
	}
	alike := map[string]Sums{}
	for _, p := range s.Pairs() {
		sums := Sums{N: 1}
		if !math.IsNaN(p.R) {
			sums.X, sums.Y = 1, int64(math.Round(p.R*oneR))
			for _, user := range []string{p.User, p.Other} {
				alike[user] = alike[user].Plus(Sums{X: 1, Y: sums.Y})
			}
		}
		for _, name := range names {
			t.Add(sumKey{kindTogether, p.User, p.Other, name}, sums)
			for i, x := range p.a {
				if y := p.b[i]; x != missing && y != missing {
					t.Add(sumKey{kindSystem, p.User, p.Other, name + "/" + s.Systems[i]}, Sums{N: 1, X: x, Y: y})
				}
			}
		}
	}
	for user, sums := range alike {
		sums.N = 1
		t.Add(sumKey{Kind: kindAlike, User: user}, sums)
	}
}
