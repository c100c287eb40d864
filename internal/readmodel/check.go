package readmodel

import (
	"math"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/stat"
)

// A Check is a translation that is judged as a check. Scores are gate scores in points.
type Check struct {
	ID          string // row id of the translation
	Kind        campaign.CheckKind
	UserID      string // of the annotator, as is Login
	Login       string `person:"login"`
	DocID       string // of the original, as are SegmentID and System
	SegmentID   string
	SegmentRow  string // row id of the original segment; empty if it is gone
	System      string
	Original    string // text of the original translation
	Text        string // that the annotator sees
	TextRemoved bool   // a lead has removed the degraded text, so that nobody gets it any more
	Removed     bool   // a lead has removed the check, so that it does not count
	OfID        string // row id of the original translation
	Submitted   bool
	SubmittedAt time.Time // zero until submitted
	Score       float64   // NaN until submitted
	Against     float64   // the score that Score is compared with; NaN while there is none
	Basis       string    // where Against comes from: "own", "others" or "lead"; empty while there is none
	Passed      bool
	Uncounted   string  // why the check tells nothing, in words; see [campaign.CheckRule.Uncounted]
	Seconds     float64 // active time on the card
}

// Judged reports whether the check counts: it is submitted and can be compared, it tells something, and no lead
// has removed it.
func (c Check) Judged() bool { return c.Submitted && c.Basis != "" && c.Uncounted == "" && !c.Removed }

// AnnotatorChecks is what the checks of an annotator show.
type AnnotatorChecks struct {
	UserID   string // of the annotator, as is Login
	Login    string `person:"login"`
	SetAside bool
	Results  []campaign.CheckResult // all kinds together, then each kind; see [campaign.JudgeChecks]
	Open     int                    // checks that are not judged yet
	// Uncounted is the number of checks that tell nothing; see [campaign.CheckRule.Uncounted].
	Uncounted int
	Self      SelfAgreement
}

// SelfAgreement is how far an annotator agrees with themselves on translations that they rated twice, by the
// repeats.
type SelfAgreement struct {
	N          int
	Difference float64 // mean absolute difference, in points; NaN without repeats
	R          float64 // Pearson's r between the earlier and the later scores; NaN if undefined
	Answers    bool    // answers that are not numbers are compared: Difference is the share that differs, and R is NaN
}

// SelfAgreementOf computes agreement with oneself from the earlier and the later scores of the same
// translations.
func SelfAgreementOf(earlier, later []float64) SelfAgreement {
	sum := 0.0
	for i := range earlier {
		sum += math.Abs(earlier[i] - later[i])
	}
	return SelfAgreement{N: len(earlier), Difference: sum / float64(len(earlier)), R: stat.Pearson(earlier, later)}
}

// HandedOut is how many documents the active annotators of a campaign were handed, checks included.
type HandedOut struct{ Annotators, Fewest, Most int }

// A KnownAnswer is the gate score that a lead gave to a translation, for checks; under a protocol whose gate is no number, the
// answer.
type KnownAnswer struct {
	ID, DocID, SegmentID, System, Text string // ID is the row id of the translation
	Score                              float64
	Answer                             string `gorm:"-"` // value of an option, or name of a candidate, which may be empty; in a list, the answer in words
}
