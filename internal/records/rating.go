package records

import (
	"bytes"
	"encoding/json"

	"annotate/internal/protocol"
)

// RatingColumns are the columns in which drafts and ratings hold what an annotator
// gave. Equal ratings have equal columns, so that a query can tell whether a draft
// was changed.
type RatingColumns struct {
	Scores      string // JSON object of the entered scores
	Spans       string // JSON array of the error spans
	NoErrors    bool   // drafts only: a submitted rating without spans says the same
	Comment     string
	Suggestions string // JSON array of what became of suggestions
}

// ColumnsOf is a rating as its columns.
func ColumnsOf(r protocol.Rating) RatingColumns {
	return RatingColumns{EncodeScores(r.Scores), EncodeSpans(r.Spans), r.NoErrors, r.Comment, EncodeOutcomes(r.Suggestions)}
}

// Rating is what the columns hold; what is read here was written by ColumnsOf.
func (c RatingColumns) Rating() protocol.Rating {
	r := protocol.Rating{Scores: map[string]float64{}, NoErrors: c.NoErrors, Comment: c.Comment}
	_ = json.Unmarshal([]byte(c.Scores), &r.Scores)
	if c.Spans != "" && c.Spans != "[]" {
		_ = json.Unmarshal([]byte(c.Spans), &r.Spans)
	}
	if c.Suggestions != "" && c.Suggestions != "[]" {
		_ = json.Unmarshal([]byte(c.Suggestions), &r.Suggestions)
	}
	return r
}

// EncodeScores writes scores as a JSON object by name.
func EncodeScores(scores map[string]float64) string {
	if scores == nil {
		scores = map[string]float64{}
	}
	b, _ := json.Marshal(scores) // finite numbers by name can't fail
	return string(b)
}

// EncodeSpans leaves < and > in texts as they are, which no page is made from.
func EncodeSpans(spans []protocol.ErrorSpan) string { return encodeList(spans) }

// EncodeOutcomes writes what became of suggestions as a JSON array.
func EncodeOutcomes(outcomes []protocol.Outcome) string { return encodeList(outcomes) }

func encodeList[T any](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(list) // texts and numbers can't fail
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Submitted is a rating as it was submitted, where having no spans says that there
// are no errors.
func (c RatingColumns) Submitted() protocol.Rating {
	r := c.Rating()
	r.NoErrors = false
	return r
}
