package campaign

import (
	"time"

	"annotate/internal/protocol"
)

// The limits of what is compared with each other, of which pages and reports have a number for every two.
const (
	MaxAnnotators = 500 // of a campaign, that an import adds to
	MaxRaters     = 50  // annotators of a round of a segment, that an import or the setting redundancy leads to
)

// A Status is the state of a segment. The package comment has a table of the states.
type Status string

// The statuses of a segment.
const (
	Pending        Status = "pending"         // round 1 is not complete
	Agreed         Status = "agreed"          // passed the gate
	BelowThreshold Status = "below_threshold" // failed, and is kept, since the gate only reports
	Ungated        Status = "ungated"         // complete, but not judged: it has no pair of annotators, or the gate is off
	Reannotate     Status = "reannotate"      // a further round is under way
	Adjudicated    Status = "adjudicated"     // an adjudicator or the lead decided its gold
	Discarded      Status = "discarded"       // failed its last round, or discarded by a lead: left out of gold
	Withdrawn      Status = "withdrawn"       // taken out of the campaign
)

// Statuses lists every status in the order in which pages and reports show them.
var Statuses = []Status{Pending, Ungated, Agreed, BelowThreshold, Reannotate, Adjudicated, Discarded, Withdrawn}

// Words returns the status as pages, the report and the audit log say it.
func (s Status) Words() string {
	switch s {
	case Reannotate:
		return "second look"
	case BelowThreshold:
		return "below threshold"
	}
	return string(s)
}

// Settled reports whether segments of this status need no more ratings.
func (s Status) Settled() bool { return s != Pending && s != Reannotate }

// InGold reports whether segments of this status are part of the gold data.
func (s Status) InGold() bool {
	return s == Agreed || s == BelowThreshold || s == Adjudicated || s == Ungated
}

// A Segment is one source text with all its translations, as it is imported and exported.
// Texts are never changed, not even in their white space.
type Segment struct {
	DocID        string // external id of its document
	SegmentID    string // external id; (DocID, SegmentID) is unique in a campaign
	Domain       string
	DataSource   string // where the text comes from
	SourceLang   string
	TargetLang   string
	Source       string // never empty
	Context      string // what an annotator should know of the surrounding text
	Note         string `person:"text"` // from the lead to the annotator
	Term         string // of the source, which some judges look at; mostly empty
	Explication  string // what Term means
	References   []Reference
	Translations []Translation   // in byte order of the systems' names; [ItselfOnly] under a protocol whose unit is the segment
	Candidates   []CandidateText // the texts to choose from under such a protocol, in byte order of their names
	// Terms are the given terms that annotators judge in each translation, if the protocol takes terms as given
	// ([protocol.Protocol.Given]). They come from an import or from another campaign, and are in the order of the text.
	Terms    []protocol.ErrorSpan
	Absent   []string // systems of the campaign that have no translation of the segment, in byte order
	Status   Status
	Round    int      // the round under way if Status is pending or reannotate, otherwise the round that settled the segment; 1 if no round did
	Complete int      // the last complete round; 0: none
	MeanOf   []string `person:"login"` // logins whose mean a lead accepted as gold; nil if no lead did
	// Agreement is what agreement is computed from. It is nil unless a reader asks for it.
	Agreement *Rated
}

// A Reference is a human translation that metrics compare with. The references of a segment
// are in byte order of their names.
type Reference struct{ Name, Text string }

// FirstReference is the reference of a segment that annotators see: the one with the name [MainReference], or else the
// first by name. ok is false if the segment has no reference.
func FirstReference(refs []Reference) (first Reference, ok bool) {
	for _, r := range refs {
		if r.Name == MainReference {
			return r, true
		}
		if !ok || r.Name < first.Name {
			first, ok = r, true
		}
	}
	return first, ok
}

// A CandidateText is a translation of a segment that is rated itself: its translations are not rated, but one of
// them may be the answer to a question.
type CandidateText struct{ Name, Text string }

// ItselfOnly are the translations of a segment that is rated itself. Its ratings hang on one
// translation without text, by a system without a name, so that everything that is done with ratings of
// translations is done with ratings of segments.
func ItselfOnly() []Translation { return []Translation{{}} }

// RatedItself reports whether the ratings of s are about the segment; see [ItselfOnly].
func (s Segment) RatedItself() bool {
	return len(s.Translations) == 1 && s.Translations[0].System == ""
}

// CandidateTexts returns the texts of the candidates by name; nil if there are none.
func (s Segment) CandidateTexts() map[string]string {
	if len(s.Candidates) == 0 {
		return nil
	}
	texts := make(map[string]string, len(s.Candidates))
	for _, c := range s.Candidates {
		texts[c.Name] = c.Text
	}
	return texts
}

// MainReference is the name of a reference that was imported without a name.
const MainReference = "ref"

// A Translation is a system's translation of one segment, with its ratings and scores.
type Translation struct {
	System      string
	Text        string                // may be empty
	HumanScores []HumanScore          // imported averages, which are not ratings
	Metrics     []MetricValue         // imported scores of automatic metrics, and scores of judges, in byte order of their names
	Judgements  []Judgement           // in byte order of the judges' names; annotators never see them
	Suggested   *protocol.Suggestions // error spans that annotators accept or reject; nil if there are none
	Ratings     []Rating              // submitted ratings, by round, then by login
	// Adjudication is the adjudicator's rating that is gold; nil if there is none. Its
	// round is 0, and its Annotator is the adjudicator's login.
	Adjudication *Rating
	Gold         *Gold // nil while the segment is not in gold
}

// A HumanScore is an average of human ratings that came with an import.
type HumanScore struct {
	Name  string
	Score float64
}

// HumanMENT is the name of the averages in the MENT data.
const HumanMENT = "ment"

// Gold is the score taken as truth for a translation.
type Gold struct {
	Score       float64 // of the protocol's gate score
	Adjudicated bool    // an adjudicator or a lead decided the segment
	Entered     bool    // the score is what an adjudicator or a lead entered, not the mean
}

// A Rating is one annotator's judgement of one translation, as it is exported and imported.
type Rating struct {
	protocol.Rating
	Annotator   string    `person:"login"` // login
	Round       int       // 1 is the first annotation
	Seconds     float64   // active time on the card
	SubmittedAt time.Time // zero if not known
	// Partners are the errors in other segments of the document that the rating's own are linked
	// to, by id: the submitted ones of the same annotator on the same system in the same round. A
	// link that neither a span of the rating nor a partner answers leads nowhere. Only what is
	// read from a database has partners.
	Partners map[string]Partner
}

// A Partner is an error in another segment that an error is linked to.
type Partner struct {
	// Settled says that its rating is the adjudication of its segment or, if there is none, is
	// one of the last complete round. See [CompleteRound].
	Settled bool
}

// A RatingLine is a [Rating] with the ids of its segment and its system, as a file of
// ratings gives it.
type RatingLine struct {
	Place            // where it was read
	DocID     string // may be empty if SegmentID is unique without it
	SegmentID string
	System    string
	Rating
	Adjudicated bool // an adjudicator's rating, which is gold and belongs to no round
}
