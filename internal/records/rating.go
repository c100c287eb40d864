package records

import (
	"bytes"
	"encoding/json"

	"annotate/internal/protocol"
)

// RatingColumns are the columns of the tables drafts and ratings that hold a rating. Equal
// ratings have equal columns, so that a query can tell whether a draft was changed.
type RatingColumns struct {
	Scores      string // JSON object of the entered scores
	Answers     string // JSON object of the answers to questions
	Spans       string // JSON array of the error spans
	NoErrors    bool   // in drafts only; a submitted rating without spans has no errors
	Comment     string
	Suggestions string // JSON array of the outcomes of suggestions
}

// Commented is the SQL condition that the rating r has a comment on the translation or on an error.
// Quotes in a text have a backslash before them in the JSON of spans, so no text matches the pattern.
const Commented = `(r.comment <> '' OR r.spans LIKE '%"comment":"%')`

// ColumnsOf encodes a rating.
func ColumnsOf(r protocol.Rating) RatingColumns {
	return RatingColumns{EncodeScores(r.Scores), encodeAnswers(r.Answers), EncodeSpans(r.Spans), r.NoErrors, r.Comment,
		EncodeOutcomes(r.Suggestions)}
}

// Rating decodes the columns. They were written by [ColumnsOf], so decoding can't fail.
func (c RatingColumns) Rating() protocol.Rating {
	r := protocol.Rating{Scores: decodeScores(c.Scores), Answers: decodeAnswers(c.Answers), Spans: DecodeSpans(c.Spans),
		NoErrors: c.NoErrors, Comment: c.Comment}
	if c.Suggestions != "" && c.Suggestions != "[]" {
		_ = json.Unmarshal([]byte(c.Suggestions), &r.Suggestions)
	}
	return r
}

// EncodeScores encodes scores as a JSON object by name.
func EncodeScores(scores map[string]float64) string {
	if scores == nil {
		scores = map[string]float64{}
	}
	b, _ := json.Marshal(scores) // finite numbers by name can't fail
	return string(b)
}

// encodeAnswers encodes answers as a JSON object by name of the question.
func encodeAnswers(answers map[string]protocol.Answer) string {
	if len(answers) == 0 {
		return "{}"
	}
	return encoded(answers)
}

// decodeAnswers decodes what encodeAnswers wrote; nil for none. The text may be empty.
func decodeAnswers(text string) (answers map[string]protocol.Answer) {
	if text != "" && text != "{}" {
		_ = json.Unmarshal([]byte(text), &answers)
	}
	return answers
}

// EncodeSpans encodes error spans as a JSON array.
func EncodeSpans(spans []protocol.ErrorSpan) string { return encodeList(spans) }

// EncodeOutcomes encodes the outcomes of suggestions as a JSON array.
func EncodeOutcomes(outcomes []protocol.Outcome) string { return encodeList(outcomes) }

// encodeList encodes a list as JSON.
func encodeList[T any](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	return encoded(list)
}

// encoded is JSON that does not escape < and >, because it is never put into a page.
func encoded(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // texts and numbers can't fail
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Submitted decodes the columns of a submitted rating. NoErrors is not set, because no spans
// already means no errors.
func (c RatingColumns) Submitted() protocol.Rating {
	r := c.Rating()
	r.NoErrors = false
	return r
}
