package protocol

import (
	"fmt"
	"maps"
	"reflect"

	"annotate/internal/codepoint"
	"annotate/internal/wording"
)

// A Side is the text that an error span lies in.
type Side string

// The sides of a translation.
const (
	Source    Side = "source"    // the source text, e.g. for words that are missing in the translation
	Target    Side = "target"    // the translation
	Reference Side = "reference" // the reference of the segment; for terms only
)

// An ErrorSpan is a part of a text that is marked as wrong or, in a layer of terms, as a term ([TermLayer]). Its JSON
// is that of the format "ratings".
type ErrorSpan struct {
	ID   string `json:"id,omitempty"` // unique within the rating, and within the document if it was entered on the page; may be empty in an import
	Side Side   `json:"side"`
	// The span is the half-open range [Start, End) of Unicode code points of the side's text,
	// exactly as it is stored. Start equals End for a mark without words.
	Start       int    `json:"start"`
	End         int    `json:"end"`
	Text        string `json:"text"`               // the text of the range
	Severity    string `json:"severity"`           // empty in a layer of terms, or if none is chosen yet
	Category    string `json:"category,omitempty"` // empty if the protocol has no categories, or none is chosen yet
	Subcategory string `json:"subcategory,omitempty"`
	Comment     string `json:"comment,omitempty" person:"text"`
	Link        string `json:"link,omitempty"` // id of another span by the same annotator on the same system, document and round
	// Answers are the answers to the questions of the layer, by name: an option's value, or a text.
	Answers    map[string]string `json:"answers,omitempty" person:"text"`
	Suggestion string            `json:"suggestion,omitempty"` // id of the suggestion that the span came from; empty if the annotator marked the span
}

// Equal reports whether all fields of two spans are the same.
func (s ErrorSpan) Equal(o ErrorSpan) bool {
	answers, others := s.Answers, o.Answers
	s.Answers, o.Answers = nil, nil
	return reflect.DeepEqual(s, o) && maps.Equal(answers, others)
}

// SamePlace reports whether two spans cover the same characters of the same text.
func (s ErrorSpan) SamePlace(o ErrorSpan) bool {
	return s.Side == o.Side && s.Start == o.Start && s.End == o.End
}

// Texts are the texts that the spans of a rating refer to.
type Texts struct {
	Source, Translation string
	// Reference is the reference of the segment that annotators see. It is empty unless a text field begins with it
	// ([Protocol.BeginsFromReference]) or terms are marked in it ([Protocol.MarksReference]).
	Reference string
	// Given are the terms of the segment if the protocol takes terms as given ([Protocol.Given]).
	Given []ErrorSpan
	// Candidates are the texts of the candidates of the segment, by name; nil unless a question
	// is answered by one of them.
	Candidates map[string]string
	// Linkable holds the ids of spans in other segments that a span may be linked to: those
	// by the same annotator on the same system, document and round. If the rating itself has
	// a span with the id, the link refers to that one.
	Linkable map[string]bool
}

func (t Texts) of(side Side) string {
	switch side {
	case Source:
		return t.Source
	case Reference:
		return t.Reference
	}
	return t.Translation
}

// Place checks that s lies in its text, and that its Text equals the text of its range. It returns s
// with the text of its range, so s.Text may be empty. The violation is nil if s is correct; otherwise
// its field is "start", "end", "side" or "text".
func (t Texts) Place(s ErrorSpan) (ErrorSpan, *Violation) {
	if s.Side != Source && s.Side != Target && (s.Side != Reference || t.Reference == "") {
		return s, &Violation{"side", fmt.Sprintf("must be %q or %q, not %q", Source, Target, s.Side)}
	}
	text, whose := t.of(s.Side), string(s.Side)
	if s.Side == Target {
		whose = "translation"
	}
	switch n := codepoint.Len(text); {
	case s.Start < 0 || s.Start > n:
		return s, &Violation{"start", fmt.Sprintf("%d lies outside the %s, which has %d characters; count Unicode code points from 0", s.Start, whose, n)}
	case s.End < s.Start:
		return s, &Violation{"end", fmt.Sprintf("%d lies before the start, %d; correct one of them", s.End, s.Start)}
	case s.End > n:
		return s, &Violation{"end", fmt.Sprintf("%d lies outside the %s, which has %d characters; count Unicode code points from 0", s.End, whose, n)}
	}
	words, _ := codepoint.Slice(text, s.Start, s.End)
	if s.Text != "" && s.Text != words {
		return s, &Violation{
			"text",
			fmt.Sprintf(
				"says %s, but characters %d to %d of the %s are %s; offsets count Unicode code points of the text exactly as it was imported",
				wording.Quote(s.Text), s.Start, s.End, whose, wording.Quote(words),
			),
		}
	}
	s.Text = words
	return s, nil
}
