// Package readmodel has the rows that pages list. The packages that read the database fill these
// structs, and the templates show them, so that neither depends on the other.
package readmodel

import (
	"time"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// A Segment is a segment in a list.
type Segment struct {
	ID        string // row id, in addresses
	DocID     string
	SegmentID string
	Domain    string
	Source    string
	Status    campaign.Status
	Round     int
	Taken     int       // places of the first round that are taken
	Submitted int       // number of annotators who submitted the round under way
	Held      bool      // an annotator reported a problem that is not answered yet
	LowestR   float64   // lowest r of all pairs, each in the latest round that both submitted; NaN if none is defined
	ChangedAt time.Time // the last submission, or the last decision with a new status; zero if there is none or it is not known
	Score     float64   // of the metric or judge that was asked for; NaN if it has none
}

// A PairSegment is a segment that two annotators rated in the same round.
type PairSegment struct {
	Segment
	PairRound  int     // the latest round that both submitted
	R          float64 // Pearson's r of the two in that round; NaN if undefined
	Shared     int     // translations that both rated
	Difference float64 // mean absolute difference of their gate scores
}

// Reason says why the pair passes or fails a rule.
func (s PairSegment) Reason(rule agreement.Rule) agreement.Reason {
	return rule.Rejudge(agreement.Verdict{R: s.R, MeanAbsDiff: s.Difference, Shared: s.Shared}).Reason
}

// A QueueEntry is a segment in the re-annotation queue.
type QueueEntry struct {
	ID        string // row id, in addresses
	DocID     string
	SegmentID string
	Domain    string
	Source    string
	Status    campaign.Status
	Round     int       // the round under way; of a discarded segment the last one
	Since     time.Time // when a lead decided it, or else when the last decision was formed; zero if there is neither
	Held      bool      // an annotator reported a problem that is not answered yet
	LowestR   float64   // lowest r of the pairs of the round decided last; NaN if none is defined
	Turns     []QueueTurn
	Pairs     []campaign.Pair // the pairs that failed in that round
	Undecided []string        // names of the questions whose answers have no gold
}

// A QueueTurn is an annotator's part in the round of a segment in the queue.
type QueueTurn struct {
	Login    string `person:"login"`
	State    campaign.AssignmentState
	Work     campaign.Work
	Begun    bool // the annotator has drafts or has submitted
	Stranded bool // the annotator left the campaign, or can't sign in, and has not submitted
}

// A Turn is an annotator's assignment in a round of a segment.
type Turn struct {
	Login string `person:"login"`
	Round int
	State campaign.AssignmentState
	// SetAside is the state before the annotator's work was set aside; empty if it is not set
	// aside.
	SetAside    campaign.AssignmentState
	Work        campaign.Work
	Replaced    bool      // the place in the round was given to another annotator, or to nobody
	Counts      bool      // its ratings count in agreement
	Added       bool      // a lead added it
	Skipped     string    // why the annotator skipped it; empty: they did not
	Begun       bool      // something was saved or submitted
	StartedAt   time.Time // when the segment was handed out
	TouchedAt   time.Time // when the annotator's page last sent something
	SubmittedAt time.Time // zero: not submitted, or imported without a time
	Seconds     float64   // active time of the submitted ratings
}

// A LeadAct is an act of a lead on a segment.
type LeadAct struct {
	campaign.Act
	Batch   string // acts that were done together are of one batch
	ByLogin string `person:"login"` // empty: the command line, or not known
	Reason  string `person:"text"`  // empty: see the audit log
	At      time.Time
}

// An Undo says what undoing the latest act on a segment would touch.
type Undo struct {
	ActID    string
	Segments int         // with that act as their latest, this segment among them
	Blocked  int         // with that act and a later one, which has to be undone first
	Blocking []SegmentID // the first of these in the order of import
}

// A SegmentID is a segment by its row id and by its name.
type SegmentID struct{ ID, Name string }

// A StatusMove counts the segments that go from one status to another. From and To are
// equal for segments that are decided again with the same status.
type StatusMove struct {
	From, To campaign.Status
	N        int
}

// An AnnotatorDay has the totals of one day of an annotator.
type AnnotatorDay struct {
	Day        string // such as 2026-11-20; empty for imported work without a time
	Segments   int
	Ratings    int
	Seconds    float64
	Compared   int     // ratings of translations that others rated in the same round
	Difference float64 // mean difference to the mean of these others
}

// An AnnotatorTurn is a segment that an annotator submitted.
type AnnotatorTurn struct {
	ID          string // row id of the segment
	DocID       string
	SegmentID   string
	Status      campaign.Status
	Round       int
	SubmittedAt time.Time // zero: not known
	Ratings     int
	Seconds     float64
	Mean        float64 // of the gate scores
	Compared    int     // ratings of translations that others rated in that round
	Difference  float64 // mean difference to the mean of these others
}

// Fates counts what an annotator did with the suggested errors of one origin.
type Fates struct {
	Origin                      string // what made the suggestions; may be empty
	Accepted, Changed, Rejected int
}

// Decided is the number of suggestions that the annotator decided on.
func (f Fates) Decided() int { return f.Accepted + f.Changed + f.Rejected }

// Kept is the number of suggestions that the annotator accepted or changed.
func (f Fates) Kept() int { return f.Accepted + f.Changed }

// A Problem is what an annotator reported instead of rating a segment.
type Problem struct {
	ID           string
	SegmentRowID string // in addresses
	DocID        string
	SegmentID    string
	Source       string
	Login        string
	Text         string
	Answer       string
	ReportedAt   time.Time
	ResolvedAt   time.Time // zero: open
}

// A MessageKind is the kind of a [Message].
type MessageKind string

// The values of [MessageKind].
const (
	Said     MessageKind = "message"
	Reported MessageKind = "problem" // the annotator reported a problem
	Resolved MessageKind = "answer"  // a lead answered the problem
)

// A Message is a message in a [Thread]. The report of a problem and its answer are messages too.
type Message struct {
	Kind    MessageKind
	Problem string // id of the problem that the message reports or answers; empty for other messages
	ByLead  bool   // the author is a lead and not the annotator
	Login   string // of the author; empty for an answer to a problem
	Text    string
	At      time.Time
	New     bool // the annotator has not read the message; set only for the annotator
}

// A Thread is the conversation about a segment between one annotator and the leads.
type Thread struct {
	ID           string // empty if there are no messages
	SegmentRowID string // in addresses
	DocID        string
	SegmentID    string
	Source       string
	Login        string // of the annotator
	Waits        bool   // a message or a problem of the annotator needs an answer
	OpenProblem  string // id of the problem that no lead has resolved; empty if there is none
	Messages     []Message
	// Comments are the comments that the annotator gave with the submitted ratings of a round.
	// A thread has either comments or messages.
	Comments []Comment
	Round    int // of the comments
	At       time.Time
}

// Last returns the time of the last message of a lead. It is zero if there is none.
func (t Thread) Last() (at time.Time) {
	for _, m := range t.Messages {
		if m.ByLead && m.At.After(at) {
			at = m.At
		}
	}
	return at
}

// A Comment is the comment of an annotator on a translation or on a marked error.
type Comment struct {
	System string
	Words  string // marked words; empty for a comment on the whole translation
	Error  string // severity and category of the error; empty for a comment on the whole translation
	Text   string
}

// An UnreadJudgement is a judgement that is unparsable or has errors whose words stand in neither text.
type UnreadJudgement struct {
	ID               string // row id of the segment
	DocID, SegmentID string
	System           string
	Judgement        campaign.Judgement
}

// An UnreadThread is a thread with a message of a lead that the annotator has not read.
type UnreadThread struct {
	AssignmentID string // of the annotator's latest round of the segment
	Source       string // of the segment
	Answer       string // the first message of a lead that the annotator has not read
}

// An Announcement is a text that a lead shows to the annotators of a campaign.
type Announcement struct {
	ID     string
	Text   string
	Login  string // of the lead; empty for annotators
	At     time.Time
	EndsAt time.Time // zero if the announcement stays until a lead ends it
	Ended  bool
	New    bool     // the annotator has not read it; set only for the annotator
	Read   []string // logins of the annotators who have read it; set only for leads
	Unread []string // logins of the active annotators who have not read it; set only for leads
}

// Instructions are a text that annotators of a campaign must accept before they get work.
type Instructions struct {
	Version  int    // 0 if the campaign has no instructions
	Text     string // in Markdown; empty if there is nothing to accept
	Login    string // of the lead who wrote the version
	At       time.Time
	Accepted []Acceptance // of each annotator, in order of their logins
}

// An Acceptance says which version of the instructions an annotator accepted last.
type Acceptance struct {
	Login   string
	Version int // 0 if the annotator has accepted no version
	At      time.Time
}

// An AuditEntry is one line of the audit log of a campaign or of the site.
type AuditEntry struct {
	At      time.Time
	Login   string // empty: the command line
	Act     string
	Subject string
	Reason  string // in the log of the site: further details
	Before  string // the values that the act changed, in words; empty if it changed none
	After   string
	Side    campaign.Side // where the act was, if it was in the training or the checks of the campaign
	Address string        // network address, in the log of the site; empty: the command line
	Request string        // id of the request as in the server's log, in the log of the site
	Place   string        // the place of the entry in the order of the log, after which the next page of the log begins
}

// A PeerRating is an annotator's rating of a translation as an adjudicator sees it.
type PeerRating struct {
	Letter string // A, B, C …; the same annotator has the same letter on all cards of the segment
	protocol.Rating
}

// A ToAdjudicate is a segment that waits for an adjudicator.
type ToAdjudicate struct {
	ID        string // row id of the segment
	DocID     string
	SegmentID string
	Source    string
	Asked     time.Time // when a lead asked last, or when the annotators' answers came to differ
	Reason    string    `person:"text"` // the lead's words, or which answers differ
	Begun     bool      // the user has it in work
	Refused   string    // why the user can't adjudicate it, in words; empty: the user can
}

// Counts holds a number of segments by status.
type Counts map[campaign.Status]int

// Total is the number of all segments.
func (c Counts) Total() int {
	n := 0
	for _, v := range c {
		n += v
	}
	return n
}

// Settled is the number of segments nobody has to rate any more.
func (c Counts) Settled() int { return c.Total() - c[campaign.Pending] - c[campaign.Reannotate] }

// InGold is the number of segments in gold.
func (c Counts) InGold() int {
	n := 0
	for status, v := range c {
		if status.InGold() {
			n += v
		}
	}
	return n
}

// A Domain counts the segments of a domain. An empty name stands for "no domain".
type Domain struct {
	Name     string
	Segments Counts
}

// An Annotator sums up one annotator's work in a campaign. Figures without ratings to form
// them from are undefined.
type Annotator struct {
	Login     string `person:"login"`
	Name      string `person:"name"` // may be empty
	Removed   bool
	Disabled  bool // an admin has disabled the account
	SetAside  bool // a lead has set the work aside; it counts nowhere
	Segments  int  // submitted assignments, all rounds
	Ratings   int
	Seconds   float64 // active time of what was submitted
	Open      int     // assignments in work that they are asked for
	Second    int     // of those, second looks
	Today     int     // ratings submitted today
	Checked   int     // ratings of checks submitted today, which count towards the quota and nowhere else
	LastSeen  time.Time
	Submitted time.Time // last submission; zero: none

	Mean, Deviation float64         // of the gate scores, of the latest round submitted of each segment
	Compared        int             // ratings of translations that others rated in the same round, the latest that at least two submitted
	Difference      float64         // mean difference to the mean of these others
	LeaveOneOut     float64         // Pearson's r with the mean of these others
	Drift           float64         // the change of that difference; NaN: too few ratings to say
	Flags           []campaign.Flag // what a lead should know; none for an annotator whose work counts nowhere
}

// An OwnState says how far an annotator is with a segment, in the annotator's own list.
type OwnState string

// The values of [OwnState].
const (
	OwnToDo     OwnState = "open"
	OwnBegun    OwnState = "begun"    // something is saved, and nothing submitted yet
	OwnBack     OwnState = "back"     // the annotator has submitted it before, and looks at it again
	OwnDone     OwnState = "done"     // submitted
	OwnSkipped  OwnState = "skipped"  // the annotator left it to others
	OwnReported OwnState = "reported" // the annotator reported a problem, which a lead has not answered
	OwnLeft     OwnState = "left"     // left idle, so that another annotator may get it
	OwnOver     OwnState = "over"     // nothing is asked of the annotator now
)

// An OwnSegment is a segment in an annotator's own list.
type OwnSegment struct {
	AssignmentID string
	State        OwnState
	DocID        string
	Place        int // in the document, from 1
	SegmentID    string
	Source       string
	Round        int
	Scores       []string // what was submitted, in words, one string per card in the annotator's order
	Comments     int      // cards with a comment
	Seconds      float64  // active time on all cards
	SubmittedAt  time.Time
	Decided      bool // it can't be revised any more
	Changed      bool // has changes that were not submitted again
}

// A Session is one browser in which a user is signed in.
type Session struct {
	ID         string // for revoking; says nothing about the token
	Agent      string
	CreatedAt  time.Time
	LastSeenAt time.Time
	Current    bool
}

// A Token is a personal access token, by which programs act for its owner. The token itself is not kept.
type Token struct {
	ID         string
	Login      string // of its owner
	Name       string
	Writes     bool     // it may change things, and otherwise only read
	Everywhere bool     // it is good for all campaigns of its owner
	Campaigns  []string // slugs of the campaigns that it is good for, sorted; nil if Everywhere
	CreatedAt  time.Time
	ExpiresAt  time.Time
	LastUsedAt time.Time // zero: it was not used
}

// A Webhook is an address that is told of events.
type Webhook struct {
	ID        string
	Campaign  string // slug; empty: it is told of all campaigns
	URL       string
	Events    []string // names, in the order of outbox.Events
	CreatedAt time.Time
	Waiting   int // deliveries that are to be sent, or sent again
	Failed    int // deliveries that were given up
}

// A Delivery is an event that is sent to a webhook, or a mail, and what became of it.
type Delivery struct {
	ID        string
	WebhookID string // empty: a mail
	To        string // address
	Campaign  string // slug; empty: none
	Event     string // or what a mail is about
	State     string // waiting, sent or failed
	Attempts  int
	CreatedAt time.Time
	NextAt    time.Time // of the next attempt, if it waits
	EndedAt   time.Time // of the latest attempt; zero: there was none
	Status    int       // that the receiver answered with; 0: it did not answer
	Problem   string    // of the latest attempt; empty: none
}

// A Member is a member of a campaign.
type Member struct {
	Login, Name string // the name may be empty
	Role        campaign.Role
	Adjudicates bool // an annotator who is an adjudicator beside
	Removed     bool
	Since       time.Time
	CanSignIn   bool // the account has a password, a session or a link that is still good, and is not disabled
	Disabled    bool // an admin has disabled the account
	SignedIn    bool // has signed in at any time
	Fixed       bool // has annotated here and stays an annotator
}

// A Standing is how far a campaign has come as a whole. A figure that is undefined is NaN.
type Standing struct {
	Segments     Counts
	Domains      []Domain // by name
	Systems      []string // in byte order
	Ratings      int      // submitted
	OpenProblems int

	FirstDecided int // segments, not withdrawn, whose round 1 is complete
	FirstAgreed  int // of those, how many have a pair and pass
	FirstFailed  int // of those, how many fail
	Reasons      []ReasonCount
	SentBack     Counts    // segments that were ever given a second look, by what became of them
	Open         int       // ratings that are still to be given: places of the first round, second looks
	Days         []DayWork // the last seven days, today last
	// Alpha is Krippendorff's over all translations, each in the latest round of its
	// segment that at least two submitted: ordinal for sqm, interval otherwise.
	Alpha           float64
	Mean, Deviation float64 // of all gate scores, of everybody; population standard deviation
	Version         int64   // of the campaign before anything else was read

	Members   int       // annotators who were not removed
	Submitted time.Time // last submission of anybody; zero: none
	// RatingsPerDay is the number of ratings a day since the first rating, over Days at most; NaN:
	// not known. See [campaign.RatingsPerDay].
	RatingsPerDay float64
}

// DaysLeft is how many days the open ratings take at as many a day; NaN where that is not known.
func (s Standing) DaysLeft() float64 { return float64(s.Open) / s.RatingsPerDay }

// A Waiting counts the segments that wait for something that a lead should know.
type Waiting struct {
	Stranded     int // segments whose second look no active annotators can complete
	Stuck        int // pending segments that no active annotator can rate
	Held         int // segments whose second look is held back by a reported problem
	Late         int // segments whose second look somebody has not touched for release_hours
	Overtaken    int // segments that were rated after a lead had decided them
	Failed       int // segments that the gate has discarded
	ToAdjudicate int // segments that wait for an adjudicator
	Adjudicating int // of those, how many an adjudicator has in work
	LeftOut      int // segments that nobody was given, and that the filter of the campaign leaves out
	NotReady     int // pending segments that nobody is given, since they lack translations, candidates or given terms
	Unreferenced int // pending segments without a reference, in a campaign whose protocol always shows it
	Rejected     int // settled segments that a following campaign has rejected
}

// A ReasonCount counts the failing pairs of first decisions that have a reason in common.
type ReasonCount struct {
	Reason   agreement.Reason
	Pairs    int // of annotators
	Segments int // with at least one such pair
}

// A DayWork sums up what was submitted on a day of the campaign's time zone.
type DayWork struct {
	Day     string // 2026-11-20
	Ratings int
}
