package agreement

import "iter"

// A Turn is one annotator's submission of a segment in one round.
type Turn interface {
	Who() (annotator string, round int)
}

// LatestShared yields, for each pair of annotators who submitted the same round, the
// indices of their turns in the latest such round. turns must be sorted by annotator, then
// by round, with at most one turn for each annotator and round.
func LatestShared[T Turn](turns []T) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range turns {
			for j := i + 1; j < len(turns); j++ {
				if sameRound(turns[i], turns[j]) && !shareLater(turns, i, j) && !yield(i, j) {
					return
				}
			}
		}
	}
}

// sameRound reports whether two turns belong to different annotators and the same round.
func sameRound[T Turn](x, y T) bool {
	a, m := x.Who()
	b, n := y.Who()
	return a != b && m == n
}

// shareLater reports whether the annotators of two turns both submitted a later round.
func shareLater[T Turn](turns []T, i, j int) bool {
	a, _ := turns[i].Who()
	b, _ := turns[j].Who()
	for x := i + 1; x < len(turns) && by(turns[x], a); x++ {
		for y := j + 1; y < len(turns) && by(turns[y], b); y++ {
			if sameRound(turns[x], turns[y]) {
				return true
			}
		}
	}
	return false
}

func by[T Turn](turn T, annotator string) bool {
	a, _ := turn.Who()
	return a == annotator
}

// LatestOfTwo returns the turns of the latest round that at least two annotators
// submitted, in the order of turns. It returns nil if there is no such round.
func LatestOfTwo[T Turn](turns []T) (out []T) {
	latest := 0
	for i := range turns {
		_, n := turns[i].Who()
		for j := range i {
			if n > latest && sameRound(turns[i], turns[j]) {
				latest = n
			}
		}
	}
	for _, t := range turns {
		if _, n := t.Who(); latest > 0 && n == latest {
			out = append(out, t)
		}
	}
	return out
}

// LatestOfEach returns the turn of each annotator in their latest round. turns must be
// sorted by annotator, then by round.
func LatestOfEach[T Turn](turns []T) (out []T) {
	for i, t := range turns {
		a, _ := t.Who()
		if i+1 == len(turns) || !by(turns[i+1], a) {
			out = append(out, t)
		}
	}
	return out
}
