package desk

// The sums that a campaign's pages show are kept in whole numbers. The part that a segment adds to them depends
// on that segment only, and additions and subtractions in any order give exactly the same sums. Therefore
// sums that are updated with each change equal a recount of everything. [sumsOf] returns what a [Counted]
// segment adds, a [SumTable] holds the sums, and tally_figures.go computes figures from them.

// The kinds of [sumKey]. Each comment says what User, Other and Name are, and what the [Sums] are. A
// field that it does not mention is empty or 0.
const (
	// kindStatus: Name is the status, a slash and the domain. N is the number of segments.
	kindStatus = "status"
	// kindFirstRound: Name is agreed, failed, or ungated if no pair was judged. N is the number of
	// segments whose round 1 is complete.
	kindFirstRound = "first"
	// kindReason: Name is the reason why a pair failed in round 1. N is the number of such pairs, X
	// the number of segments with one.
	kindReason = "reason"
	// kindSentBack: Name is the present status of segments that were sent back at least once. N is
	// the number of segments.
	kindSentBack = "back"
	// kindToDo: Name is the number of users who have submitted round 1 of a pending segment. N is
	// the number of such segments, X the number of their translations. Or Name is "again": N
	// is then the number of segments in reannotate, X the number of ratings they wait for.
	kindToDo = "todo"
	// kindTotal: User is the user. N is the number of ratings, X of turns, Y of milliseconds.
	kindTotal = "total"
	// kindWork is kindTotal by day: Name is the day, or empty if it is not known.
	kindWork = "work"
	// kindDay is kindWork of all users together.
	kindDay = "day"
	// kindScore: User is the user, Name the bucket of a gate score in the latest round that the
	// user submitted. N, X and XX are those of the scores.
	kindScore = "score"
	// kindValue: User is the user, Name a gate score in units. N is the number of ratings of
	// different texts with this score, in the latest round that the user submitted. Equal
	// translations of a segment count once. On a scale of costs, a translation counts only if
	// another user of the round gave it a score other than 0.
	kindValue = "value"
	// kindActiveTime: User is the user, Name an active time converted by [RoundedTime]. N is the number of
	// ratings of all rounds.
	kindActiveTime = "tempo"
	// kindAlike: User is the user. N is the number of segments in which r with another user is
	// defined, X the number of such pairs, Y the sum of their r times 2^40. Pairs are those of
	// kindTogether.
	kindAlike = "alike"
	// kindOthers: User is the user, Name the number k of others who rated the same translation in
	// the compared round of the segment, the latest that at least two users submitted. N is
	// the number of ratings, X and XX are those of the user's scores, Y and YY those of the
	// sums of the others' scores, and XY that of both.
	kindOthers = "others"
	// kindDrift: User is the user, Name the day. N is the number of ratings as in kindOthers, Y the sum
	// of the differences to the mean of the others, in thousandths of a unit.
	kindDrift = "drift"
	// kindTogether: User and Other are two users, User < Other. Name is "all", or "gold" for
	// segments in gold only. N is the number of segments in which both rated a translation, in
	// the latest round that both submitted. X is the number of these in which r is defined, Y
	// the sum of r times 2^40.
	kindTogether = "pair"
	// kindSystem: User, Other and the beginning of Name are as in kindTogether; a slash and the system
	// follow. N is the number of translations that both rated, X and Y are the sums of their
	// scores.
	kindSystem = "pairsum"
	// kindAlpha: Name is the number m, at least 2, of users who rated a translation in the compared
	// round. N is the number of translations, X and XX are those of all their scores, and YY
	// is the sum of the squares of the translations' sums.
	kindAlpha = "alpha"
	// kindCoincidence, on ordinal and nominal scales only: Name is m as in kindAlpha and two scores, the lower
	// first, with colons between. N is the number of ordered pairs of users who gave the first
	// and the second score to a translation.
	kindCoincidence = "coincidence"
	// kindSettled: Name is the id of settled answers (settled.go). N is the number of segments with them.
	kindSettled = "settled"
)

// A sumKey names sums of a campaign. Fields that the kind does not use are empty.
type sumKey struct{ Kind, User, Other, Name string }

// Sums are added up under a [sumKey]. N is a number of things. X and Y are sums of two variables, XX
// and YY of their squares, XY of their products. The kind says what the variables are.
type Sums struct{ N, X, XX, Y, YY, XY int64 }

// Plus is the sum of both.
func (s Sums) Plus(o Sums) Sums {
	return Sums{s.N + o.N, s.X + o.X, s.XX + o.XX, s.Y + o.Y, s.YY + o.YY, s.XY + o.XY}
}

// Minus is s - o.
func (s Sums) Minus(o Sums) Sums {
	return Sums{s.N - o.N, s.X - o.X, s.XX - o.XX, s.Y - o.Y, s.YY - o.YY, s.XY - o.XY}
}

// Times returns n times s.
func (s Sums) Times(n int64) Sums {
	return Sums{n * s.N, n * s.X, n * s.XX, n * s.Y, n * s.YY, n * s.XY}
}

// observe adds one pair of values.
func (s *Sums) observe(x, y int64) {
	*s = s.Plus(Sums{1, x, x * x, y, y * y, x * y})
}

// A SumTable holds sums by key. Sums of 0 are not in the table.
type SumTable map[sumKey]Sums

// Add adds sums to those of a key.
func (t SumTable) Add(k sumKey, s Sums) {
	if s = t[k].Plus(s); s == (Sums{}) {
		delete(t, k)
	} else {
		t[k] = s
	}
}

// Change replaces what a segment adds to the sums: it subtracts what before added, and adds what
// after adds. Either may be nil.
func (t SumTable) Change(before, after *Counted, scale scoreScale) {
	if after != nil {
		for k, s := range sumsOf(*after, scale) {
			t.Add(k, s)
		}
	}
	if before != nil {
		for k, s := range sumsOf(*before, scale) {
			t.Add(k, Sums{}.Minus(s))
		}
	}
}
