package wire

import (
	"time"

	"annotate/internal/protocol"
)

// A Card is a translation to rate, with what is stored of its rating.
type Card struct {
	Value
	Same        []int                `json:"same,omitempty"` // places of the other cards with the same text, from 0
	Text        *string              `json:"text,omitempty"`
	Suggestions []protocol.ErrorSpan `json:"suggestions,omitempty"`
	Peers       *[]Peer              `json:"peers,omitempty"` // where an adjudicator can take from them
}

// A Value is what is stored of a card.
type Value struct {
	ID       string             `json:"id"`
	Revision int                `json:"revision"`
	Scores   map[string]float64 `json:"scores"`
	Comment  string             `json:"comment"`
	Seconds  float64            `json:"seconds"`
	Marks
}

// Marks are what is marked on a card; all are nil where nothing is marked under the
// protocol.
type Marks struct {
	Spans    *[]protocol.ErrorSpan `json:"spans,omitempty"`
	NoErrors *bool                 `json:"no_errors,omitempty"`
	Rejected []string              `json:"rejected,omitempty"` // suggestions that no span came of
}

// A Peer is an annotator's rating as an adjudicator sees it.
type Peer struct {
	Letter string             `json:"letter"` // A, B, C …: the same annotator on all cards
	Scores map[string]float64 `json:"scores"`
	// Spans are in the order in which the page lists them. Suggestions that they came of
	// are left out.
	Spans *[]protocol.ErrorSpan `json:"spans,omitempty"`
}

// A Save is a card as the page has it.
type Save struct {
	Revision int                 `json:"revision"` // that the page knows
	SaveID   string              `json:"save_id"`
	Scores   map[string]*float64 `json:"scores"` // without the pointer a null would be a 0
	Comment  string              `json:"comment"`
	Seconds  float64             `json:"seconds"`

	Spans    []protocol.ErrorSpan `json:"spans"`
	NoErrors bool                 `json:"no_errors"`
	Rejected []string             `json:"rejected"` // suggestions that no span came of, by their places
}

// Saved answers a [Save].
type Saved struct {
	Revision int       `json:"revision"`
	SavedAt  time.Time `json:"saved_at"`
}

// A Submit makes the cards the annotator's judgement.
type Submit struct {
	Cards map[string]int `json:"cards"` // revisions by the id of the card
}

// A Problem reports that a segment cannot be rated.
type Problem struct {
	Text string `json:"text"`
}

// A Skip gives a segment to another annotator.
type Skip struct {
	Reason string `json:"reason"`
}

// A Next says where the annotator goes on, after a [Submit] or a [Problem].
type Next struct {
	Next string `json:"next"` // path of the page
}

// A Document lists the segments of the document of an assignment.
type Document struct {
	Segments []DocumentSegment `json:"segments"`
}

// A DocumentSegment is a segment of a document, as the annotator may know it.
type DocumentSegment struct {
	Place       int     `json:"place"` // in the document, from 1
	Source      string  `json:"source"`
	Translation *string `json:"translation,omitempty"` // by the system of the card that was asked for
	URL         string  `json:"url,omitempty"`         // of the annotator's page of the segment; empty: it cannot be opened
	State       string  `json:"state"`
}

// What an annotator has done of a segment of a document.
const (
	NotGiven  = "not given"
	ToDo      = "to do"
	Begun     = "begun"
	Submitted = "submitted"
	Decided   = "decided" // submitted, and it cannot be changed any more
)

// A Refusal is the body of every refused request of a script.
type Refusal struct {
	Code  string    `json:"code,omitempty"`  // "conflict" or "closed"
	Error string    `json:"error"`           // in words
	Field string    `json:"field,omitempty"` // what is wrong with it
	Card  *Value    `json:"card,omitempty"`  // what it holds now
	Cards []Missing `json:"cards,omitempty"` // unfinished ones
}

// A Missing card says what it still needs to be submitted.
type Missing struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // in words
}

// Keys are those that a person has changed under a protocol.
type Keys struct {
	Protocol string            `json:"protocol"`
	Keys     map[string]string `json:"keys"` // by act
}

// A Version tells an open page whether there is anything new.
type Version struct {
	Version int64 `json:"version"`
}
