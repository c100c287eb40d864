package campaign

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

// An Act is what a lead did to a segment, with what it stored.
type Act struct {
	ID     string
	Kind   ActKind
	Undone bool // taken away again; its round, if it had one of its own, stays reserved
	// Round is the round that AnotherLook reserves, that AcceptMean averages, that
	// FurtherAnnotator and Replace are about. Of Adjudicate it is 0, or a round whose
	// mean is gold where nothing was entered.
	Round int
	// Annotators are logins: who is asked (AnotherLook, FurtherAnnotator), or whose
	// mean is gold (AcceptMean).
	Annotators []string
	From, To   string // logins of Replace; To is empty where nobody takes over
	Restores   string // id of the act that Restore takes back
}
