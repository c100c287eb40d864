package store

import (
	"bytes"
	"encoding/json"

	"annotate/internal/protocol"
)

// ratingColumns are the columns in which drafts and ratings hold what an annotator
// gave. Equal ratings have equal columns, so that a query can tell whether a draft
// was changed.
type ratingColumns struct {
	Scores      string // JSON object of the entered scores
	Spans       string // JSON array of the error spans
	NoErrors    bool   // drafts only: a submitted rating without spans says the same
	Comment     string
	Suggestions string // JSON array of what became of suggestions
}

func columnsOf(r protocol.Rating) ratingColumns {
	return ratingColumns{encodeScores(r.Scores), encodeSpans(r.Spans), r.NoErrors, r.Comment, encodeOutcomes(r.Suggestions)}
}

// rating is what the columns hold; what is read here was written by columnsOf.
func (c ratingColumns) rating() protocol.Rating {
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

func encodeScores(scores map[string]float64) string {
	if scores == nil {
		scores = map[string]float64{}
	}
	b, _ := json.Marshal(scores) // finite numbers by name can't fail
	return string(b)
}

// encodeSpans leaves < and > in texts as they are, which no page is made from.
func encodeSpans(spans []protocol.ErrorSpan) string { return encodeList(spans) }

func encodeOutcomes(outcomes []protocol.Outcome) string { return encodeList(outcomes) }

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

// submitted is a rating as it was submitted, where having no spans says that there
// are no errors.
func (c ratingColumns) submitted() protocol.Rating {
	r := c.rating()
	r.NoErrors = false
	return r
}
