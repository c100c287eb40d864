package campaign

import (
	"time"

	"annotate/internal/protocol"
)

// MaxJudges is the most judges of a campaign: every two of them are compared.
const MaxJudges = 100

// A Judge is a model with a method and settings, or another tool, that rates translations
// in the form in which people do.
type Judge struct {
	ID     string // row id
	Name   string // unique in a campaign, also among its metrics
	Method string // such as "gemba-mqm"; may be empty for a judge that was imported
	Model  string // likewise
	About  string // method, prompts, model, server, days and parameters in one line, or what a file says of them
	MadeAt time.Time
	// OK and Unparsable count the judge's judgements by status.
	OK, Unparsable int
	// Left counts the translations that the judge has not judged, without withdrawn segments.
	Left int
}

// A JudgeAbout is a judge's name with the line about it.
type JudgeAbout struct {
	Judge string
	About string // as of [Judge]
}

// A JudgementStatus says whether a judge gave an answer.
type JudgementStatus string

// The statuses of a judgement.
const (
	JudgementOK         JudgementStatus = "ok"
	JudgementUnparsable JudgementStatus = "unparsable" // the answer could not be read, so there is no score
)

// A Judgement is one judge's rating of one translation. It is never gold and counts
// nowhere as the rating of a person.
type Judgement struct {
	Judge  string // name
	Status JudgementStatus
	Score  *float64           // higher is better; nil if the judge gave none
	Scores map[string]float64 // further scores, by name
	// Spans are the errors that the judge marked, with the offsets of
	// [protocol.ErrorSpan]. Their severities and categories are the judge's own. Nil: the
	// judge marks no errors. Empty: it found none.
	Spans []protocol.ErrorSpan
	// Unplaced are errors whose words stand in neither text. They have no offsets.
	Unplaced []protocol.ErrorSpan
	Why      string // why the answer could not be read, or the reason that the judge gives for its score; empty if there is none, and for what was imported
}

// A TraceCall is one call to a model, or one search, that led to a judgement.
type TraceCall struct {
	Step         string  `json:"step"`
	Role         string  `json:"role"`
	Prompt       string  `json:"prompt"`
	Reply        string  `json:"reply"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Seconds      float64 `json:"seconds"`
}

// A JudgementLine is a [Judgement] with the ids of its translation and what is known of
// its judge, as a file gives it.
type JudgementLine struct {
	Place                // where it was read
	DocID         string // may be empty if SegmentID is unique without it
	SegmentID     string
	System        string
	Method, Model string // may be empty
	About         string // as of [Judge]; may be empty
	Judgement
	Trace []TraceCall // may be empty
}
