package desk

import (
	"annotate/internal/accounts"
	"annotate/internal/readmodel"
)

// The pages of a lead read sums that every write keeps up (see tally.go); none of
// them grows with the number of ratings. A figure that is undefined is NaN.

// Matrices hold how far each two annotators agree.
type Matrices struct {
	Annotators   []accounts.User // who has submitted, and other annotators who are members; by login
	SystemLevel  []Cell          // every pair of Annotators once, by A, then B
	SegmentLevel []Cell
}

// A Cell is what a matrix says of two annotators.
type Cell struct {
	A, B   string  `person:"login"` // logins; A < B in byte order
	R      float64 // in [-1, 1]; NaN where undefined
	Shared int     // segments of which both rated a translation in the same round
	// Defined is how many figures R comes from: systems at system level, segments
	// with a defined r at segment level.
	Defined int
}

// A Bucket is a bar of a histogram of gate scores: from Low to High, both of them
// included where they are whole numbers; of costs the last one has no upper end.
type Bucket struct {
	Label     string // "3", "40 to 49", "25+"
	Low, High float64
}

// Distributions are the gate scores of each annotator, of the latest round that
// they submitted of each segment.
type Distributions struct {
	Buckets    []Bucket // from the worst score to the best; none if the scores are places of candidates
	Annotators []AnnotatorScores
	All        AnnotatorScores // of everybody together; no User
}

// AnnotatorScores sum up the gate scores that an annotator gave.
type AnnotatorScores struct {
	User      accounts.User
	Counts    []int // by bucket
	Ratings   int
	Mean      float64
	Deviation float64 // population standard deviation
}

// An AnnotatorDetail is all that is known of an annotator's work in a campaign.
type AnnotatorDetail struct {
	AnnotatorProgress
	Aside   *Aside                   // why the work is set aside; nil if it is not
	Days    []readmodel.AnnotatorDay // oldest first; imported work without a time comes first, without a day
	With    []AgreementWith          // each other annotator, by login
	Buckets []Bucket
	Scores  AnnotatorScores
	All     AnnotatorScores           // of everybody
	Fates   []readmodel.Fates         // of suggested errors, by origin
	Last    []readmodel.AnnotatorTurn // the latest first, at most lastTurns
}

// AgreementWith says how far an annotator agrees with another one.
type AgreementWith struct {
	User                      accounts.User
	Shared                    int // segments
	SystemLevel, SegmentLevel float64
}

// A QueueFilter chooses segments of the re-annotation queue.
type QueueFilter struct {
	Only   string // one of the Queue constants; empty: every second look under way
	Sort   string // [SortSince], [SortLowest] or [SortPosition]; empty: SortSince
	Offset int
	Limit  int
}

// The kinds of segments that a [QueueFilter] may ask for.
const (
	QueueWaiting  = "waiting"  // for annotators who can go on
	QueueStranded = "stranded" // that no active annotators can complete
	QueueHeld     = "held"     // for the lead, who was told of a problem
	QueueFailed   = "failed"   // discarded by the gate, for the lead to decide
	QueueLeft     = "left"     // discarded or withdrawn by a lead

	QueueStuck     = "stuck"     // pending, and no active annotator can rate them
	QueueLate      = "late"      // second looks that somebody has not touched for release_hours
	QueueOvertaken = "overtaken" // decided by a lead, and rated after that
	QueueAsked     = "asked"     // that wait for an adjudicator
)

// A Queue is the list of segments that were sent back and are not settled, or of
// those that are discarded.
type Queue struct {
	Entries []readmodel.QueueEntry
	// Counts has the number of segments in each part, by the values of [QueueFilter.Only]. A segment in two
	// parts counts in both.
	Counts   map[string]int
	Rejected int // the settled segments that later campaigns have rejected, which are in no part
}

// The orders of segments. Those other than SortPosition break ties by it.
const (
	SortPosition = "position" // the order of import
	SortID       = "id"       // document, then segment, in byte order
	SortStatus   = "status"
	SortRound    = "round"
	SortLowest   = "lowest"  // lowest r of a pair first; those without any come last
	SortChanged  = "changed" // last submission, or decision that said something new, first
	SortSince    = "since"   // longest in the queue first
	SortScore    = "score"   // lowest score of a metric or a judge first; segments without one come last
)
