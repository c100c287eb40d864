package tally

import "maps"

// The kinds of [Key]; what its other fields name, and what the [Sums] hold.
const (
	// Status: Name is the status, a slash and the domain. N segments.
	Status = "status"
	// FirstLook: Name is agreed, failed, or ungated where no pair was judged. N first
	// decisions.
	FirstLook = "first"
	// Reason: Name is why a pair failed in a first decision. N pairs, X segments.
	Reason = "reason"
	// SentBack: Name is the status of what was given back at least once. N segments.
	SentBack = "back"
	// ToDo: Name is how many submitted the first round of pending segments, and N is
	// these, X their translations; or "again", and X is how many ratings second looks
	// wait for, in N segments.
	ToDo = "todo"
	// Total: User. N ratings, X turns, Y milliseconds.
	Total = "total"
	// Work is Total by day, which Name is; empty where it is not known.
	Work = "work"
	// Day is Work of everybody; no User.
	Day = "day"
	// Score: User; Name is the bucket of a gate score of the latest round that the
	// user submitted. N, X, XX of the scores.
	Score = "score"
	// Value: User; Name is a gate score in units. N ratings of different texts that have
	// it, of the latest round that the user submitted: of translations of a segment
	// with the same text one counts. Of costs only translations count for which
	// somebody else in the round gave another score than 0.
	Value = "value"
	// Tempo: User; Name is an active time as [Pace] writes it. N ratings of all rounds.
	Tempo = "tempo"
	// Alike: User. N segments in which r with another user is defined, X such pairs, Y
	// the sum of their r times 2^40; each pair as for Together.
	Alike = "alike"
	// Others: User; Name is a number k of others who rated the same translation in
	// the compared round of its segment (the latest that at least two submitted). N
	// ratings, X and XX of the user's scores, Y and YY of the sums of the others'
	// scores, XY of both.
	Others = "others"
	// Drift: User; Name is the day. N ratings as in Others, Y the sum of the
	// differences to the others' mean in thousandths of a unit.
	Drift = "drift"
	// Together: User < Other; Name is "all", or "gold" for segments in gold alone. N
	// segments in which both rated a translation, in the latest round both submitted;
	// X of them with a defined r, Y the sum of these, times 2^40.
	Together = "pair"
	// System: User < Other; Name is as for Together, a slash and the system. N
	// translations both rated, X and Y the sums of their scores.
	System = "pairsum"
	// Alpha: Name is a number m, at least 2, of users who rated a translation in the
	// compared round. N translations, X and XX of all their scores, YY the sum of the
	// squares of the translations' sums.
	Alpha = "alpha"
	// Coincidence, on ordinal scales: Name is m, as in Alpha, and two scores, the lower
	// first, all with a colon between. N ordered pairs of users who gave a translation
	// the one and the other.
	Coincidence = "coincidence"
)

// A Key names sums of a campaign. What a kind does not use is empty.
type Key struct{ Kind, User, Other, Name string }

// Sums are what is added up under a [Key]: how many, and sums, sums of squares and
// of products of up to two variables. Which, the kind says.
type Sums struct{ N, X, XX, Y, YY, XY int64 }

// Plus is the sum of both.
func (s Sums) Plus(o Sums) Sums {
	return Sums{s.N + o.N, s.X + o.X, s.XX + o.XX, s.Y + o.Y, s.YY + o.YY, s.XY + o.XY}
}

// Minus is what has to be added to o to get s.
func (s Sums) Minus(o Sums) Sums {
	return Sums{s.N - o.N, s.X - o.X, s.XX - o.XX, s.Y - o.Y, s.YY - o.YY, s.XY - o.XY}
}

// observe adds one pair of values.
func (s *Sums) observe(x, y int64) {
	*s = s.Plus(Sums{1, x, x * x, y, y * y, x * y})
}

// A Table holds sums by key. A key that is not there has sums of 0, and sums of 0
// are not kept.
type Table map[Key]Sums

// Add adds sums to those of a key.
func (t Table) Add(k Key, s Sums) {
	if s = t[k].Plus(s); s == (Sums{}) {
		delete(t, k)
	} else {
		t[k] = s
	}
}

// Change adds what a segment that was counted as before adds more, now that it is
// as after. Either may be nil: it is not there.
func (t Table) Change(before, after *Segment, scale Scale) {
	if after != nil {
		for k, s := range Of(*after, scale) {
			t.Add(k, s)
		}
	}
	if before != nil {
		for k, s := range Of(*before, scale) {
			t.Add(k, Sums{}.Minus(s))
		}
	}
}

// Equal reports whether two tables hold the same sums.
func (t Table) Equal(o Table) bool { return maps.Equal(t, o) }
