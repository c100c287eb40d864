package campaign

import "slices"

// An ActKind names what a lead can do to a segment.
type ActKind string

// The deciding acts. The latest that is not taken back decides the segment.
const (
	AnotherLook ActKind = "another look" // a round of its own, by chosen annotators, decides the segment
	AcceptMean  ActKind = "accept mean"  // the mean of a round is gold
	Adjudicate  ActKind = "adjudicate"   // the rating of an adjudicator is gold
	Discard     ActKind = "discard"      // the segment is left out of gold
	Withdraw    ActKind = "withdraw"     // the segment is taken out of the campaign
)

// The other acts.
const (
	FurtherAnnotator   ActKind = "further annotator"    // one more annotator rates a round; nobody waits for them
	Replace            ActKind = "replace"              // somebody takes over a round, and the ordinary rounds above it
	AskForAdjudication ActKind = "ask for adjudication" // an adjudicator is to decide; the status stays
	Restore            ActKind = "restore"              // takes a deciding act back
	NewText            ActKind = "new text"             // the reference is replaced by the text that the forebear gives now
	NewSource          ActKind = "new source"           // the source is replaced by the one that the forebear gives now
	LookedAt           ActKind = "looked at"            // the lead knows the ratings that came after a deciding act
)

// Decides reports whether acts of this kind decide a segment.
func (k ActKind) Decides() bool {
	switch k {
	case AnotherLook, AcceptMean, Adjudicate, Discard, Withdraw:
		return true
	}
	return false
}

// Asks reports whether somebody is asked for ratings while an act of this kind decides.
func (k ActKind) Asks() bool { return !k.Decides() || k == AnotherLook }

// ReplacesText reports whether acts of this kind replace a text of the segment.
func (k ActKind) ReplacesText() bool { return k == NewText || k == NewSource }

// An Act is what a lead did to a segment, with what it stored.
type Act struct {
	ID     string
	Kind   ActKind
	Undone bool // undone acts have no effect, but the round that AnotherLook reserved stays reserved
	// Round depends on Kind. AnotherLook reserves this round. AcceptMean averages it.
	// FurtherAnnotator and Replace change who rates it. Adjudicate has round 0 if an
	// adjudicator rated the segment. If a lead entered gate scores instead, systems
	// without an entered score keep the mean of this round as gold.
	Round int
	// Annotators are logins: who is asked (AnotherLook, FurtherAnnotator), whose mean
	// is gold (AcceptMean), or who may adjudicate the segment although they annotated
	// it (AskForAdjudication).
	Annotators []string `person:"login"`
	From, To   string   `person:"login"` // logins of Replace; To is empty if nobody takes over
	Restores   string   // id of the act that Restore takes back
	Replaced   string   // the text that NewText or NewSource replaced
	// Rated is the largest [Turn.Rated] of the segment at the time of the act.
	Rated int64
}

// RatedAfterDecision reports whether a segment has ratings that were stored after the act
// with id holding decided it, and that no lead has looked at since ([LookedAt]). Ratings of
// the round that AnotherLook asked for do not count as later. The order of storing
// ([Turn.Rated]) decides, not the clock.
func (f Facts) RatedAfterDecision(holding string) bool {
	at := slices.IndexFunc(f.Acts, func(a Act) bool { return a.ID == holding })
	if holding == "" || at < 0 {
		return false
	}
	held := f.Acts[at]
	known := held.Rated
	for _, a := range f.Acts {
		if a.Kind == LookedAt && !a.Undone {
			known = max(known, a.Rated)
		}
	}
	return slices.ContainsFunc(f.Turns, func(t Turn) bool {
		return t.Submitted && !t.SetAside && t.Rated > known && (held.Kind != AnotherLook || t.Round != held.Round)
	})
}

// Entered reports whether a lead entered the gate scores of this adjudication. All other
// adjudications take gold from the rating of an adjudicator.
func (a Act) Entered() bool { return a.Kind == Adjudicate && a.Round > 0 }

// WaitsForAdjudicator reports whether an adjudicator is asked for: the latest act that
// asks for one is not undone, and no later act decides the segment. Acts are in the
// order in which they were done.
func WaitsForAdjudicator(acts []Act) bool {
	taken := map[string]bool{}
	for _, a := range slices.Backward(acts) {
		switch {
		case a.Undone:
		case a.Kind == Restore:
			taken[a.Restores] = true
		case a.Kind == AskForAdjudication:
			return true
		case a.Kind.Decides() && !taken[a.ID]:
			return false
		}
	}
	return false
}

// MayAdjudicateOwn reports whether a lead has asked an annotator of the segment to
// adjudicate it.
func MayAdjudicateOwn(acts []Act, login string) bool {
	return slices.ContainsFunc(acts, func(a Act) bool {
		return a.Kind == AskForAdjudication && !a.Undone && slices.Contains(a.Annotators, login)
	})
}
