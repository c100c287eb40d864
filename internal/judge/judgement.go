package judge

import "math"

// A Status says whether a judgement has a score.
type Status string

// The statuses of a judgement.
const (
	OK         Status = "ok"
	Unparsable Status = "unparsable" // a reply could not be read; there is no score
)

// A Judgement is what a method says of one translation.
type Judgement struct {
	Status Status
	Score  *float64 // within the method's scale, higher is better; nil unless the status is ok
	// Errors are the errors that the model named, in its order. An unparsable judgement keeps those
	// that could be read.
	Errors []Error
	Scores map[string]float64 // further scores of the method, e.g. "score_eq1" of m-mad; may be nil
	// Comment is what the method says of the text as a whole, such as the reason for its score; mostly empty.
	Comment string
	Why     string // why the judgement is unparsable; empty if it is ok
	// Confidences are the log-probabilities of the verification replies of himate, from which
	// [ConfidenceThreshold] takes the threshold of a run.
	Confidences []float64
}

// An Error is an error that a judge found in a translation.
type Error struct {
	Severity string // "critical", "major", "minor" or "neutral"; empty if the method gives none
	Category string // as the method writes it, e.g. "accuracy/mistranslation"
	Text     string // the words that the model quotes, exactly; they may stand nowhere
	Comment  string // what the model says of the error; mostly empty
	Place
}

// scored is a judgement with a score. Weights are tenths, so scores are rounded to nine decimals to
// leave out what binary numbers add to them.
func scored(score float64, errors []Error) Judgement {
	score = round9(score)
	return Judgement{Status: OK, Score: &score, Errors: errors}
}

// unparsable is a judgement without a score.
func unparsable(why error, errors []Error) Judgement {
	return Judgement{Status: Unparsable, Why: why.Error(), Errors: errors}
}

// round9 rounds to nine decimals. It never returns a negative zero.
func round9(v float64) float64 { return math.Round(v*1e9)/1e9 + 0 }

// one is the result of a task with one translation.
func one(j Judgement) []Judgement { return []Judgement{j} }
