package wire

import (
	"time"

	"annotate/internal/protocol"
)

// A Card is a translation to rate, with what is stored of its rating.
type Card struct {
	Value
	Same        []int                `json:"same,omitempty"` // indexes, from 0, of the other cards with the same text
	Text        *string              `json:"text,omitempty"`
	Suggestions []protocol.ErrorSpan `json:"suggestions,omitempty"`
	Peers       *[]Peer              `json:"peers,omitempty"` // the annotators' ratings, on the page of an adjudicator
	Candidates  []CandidateText      `json:"candidates,omitempty"`
}

// A CandidateText is a text that an answer may choose.
type CandidateText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// A Value is what is stored of a card.
type Value struct {
	ID       string             `json:"id"`
	Revision int                `json:"revision"`
	Scores   map[string]float64 `json:"scores"`
	Comment  string             `json:"comment"`
	Seconds  float64            `json:"seconds"`
	// Answers are lists of texts by name of the question, also where one answer can be given. That none of the
	// candidates is chosen is an empty text.
	Answers map[string][]string `json:"answers,omitempty"`
	Marks
}

// Marks are the error spans of a card. All fields are nil if the protocol has no error spans.
type Marks struct {
	Spans    *[]protocol.ErrorSpan `json:"spans,omitempty"`
	NoErrors *bool                 `json:"no_errors,omitempty"`
	Rejected []string              `json:"rejected,omitempty"` // ids of the suggestions that were rejected
}

// A Peer is an annotator's rating as an adjudicator sees it.
type Peer struct {
	Letter string             `json:"letter"` // A, B, C …; the same annotator has the same letter on all cards
	Scores map[string]float64 `json:"scores"`
	// Answers are those to questions that are asked, as in a card.
	Answers map[string][]string `json:"answers,omitempty"`
	// Spans are in the order in which the page lists them. They do not say which suggestion
	// they came from.
	Spans *[]protocol.ErrorSpan `json:"spans,omitempty"`
}

// A Save asks the server to store a card as it is on the page.
type Save struct {
	Revision int                 `json:"revision"` // the latest revision that the page knows
	SaveID   string              `json:"save_id"`
	Scores   map[string]*float64 `json:"scores"` // pointers, so that null differs from 0
	Comment  string              `json:"comment"`
	Seconds  float64             `json:"seconds"`
	Answers  map[string][]string `json:"answers"` // as in a [Value]

	Spans    []protocol.ErrorSpan `json:"spans"`
	NoErrors bool                 `json:"no_errors"`
	Rejected []string             `json:"rejected"` // the rejected suggestions, by their places from 1
}

// Saved answers a [Save].
type Saved struct {
	Revision int       `json:"revision"`
	SavedAt  time.Time `json:"saved_at"`
}

// A Submit asks the server to submit the cards of a segment.
type Submit struct {
	Cards map[string]int `json:"cards"` // revisions by the id of the card
	Again bool           `json:"again"` // the page showed submitted work: the next page confirms that it was submitted again
}

// A Problem reports that a segment cannot be rated.
type Problem struct {
	Text string `json:"text"`
}

// An Ask sends a message to the leads.
type Ask struct {
	Text  string `json:"text"`
	Token string `json:"token"` // identifies the message; the page makes it
}

// A ThreadRead says which messages of the leads the annotator has read.
type ThreadRead struct {
	Until time.Time `json:"until"` // the time of the latest of these messages
}

// A Thread has the messages of an annotator and the leads about a segment, in order of time.
type Thread struct {
	Messages []Message `json:"messages"`
}

// A Message is one message of a [Thread].
type Message struct {
	By   string    `json:"by"`             // "You" or "Lead"
	What string    `json:"what,omitempty"` // the kind of the message in words, if it is about a problem
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	When string    `json:"when"`          // the time in words
	New  bool      `json:"new,omitempty"` // a lead wrote it, and the annotator has not read it
}

// A Skip asks the server to give the segment to another annotator.
type Skip struct {
	Reason string `json:"reason"`
}

// A Next answers a [Submit], a [Skip] or a [Problem].
type Next struct {
	Next string `json:"next"` // the path of the page to open next
}

// A Document lists the segments of the document of an assignment.
type Document struct {
	Segments []DocumentSegment `json:"segments"`
}

// A DocumentSegment is what an annotator may know of a segment of a document.
type DocumentSegment struct {
	Place       int     `json:"place"` // in the document, from 1
	Source      string  `json:"source"`
	Translation *string `json:"translation,omitempty"` // by the system of the card that was asked for
	URL         string  `json:"url,omitempty"`         // of the segment's annotate page; empty if the annotator can't open it
	State       string  `json:"state"`                 // one of the constants below
	Marks       []Mark  `json:"marks,omitempty"`       // the annotator's own errors on that translation, in the round of the assignment
	Written     string  `json:"written,omitempty"`     // the translation that the annotator has submitted, if the protocol asks for one
}

// A Mark is an error that an annotator has marked in a segment of a document.
type Mark struct {
	ID          string        `json:"id,omitempty"` // empty if no error can be linked to it
	Side        protocol.Side `json:"side"`
	Text        string        `json:"text"`     // the words covered
	Severity    string        `json:"severity"` // empty if none is chosen yet
	Category    string        `json:"category,omitempty"`
	Subcategory string        `json:"subcategory,omitempty"`
}

// The values of [DocumentSegment.State].
const (
	NotGiven  = "not given"
	ToDo      = "to do"
	Begun     = "begun"
	Submitted = "submitted"
	Changed   = "changed" // submitted, and changed since; the changes count once it is submitted again
	Decided   = "decided" // submitted, and no longer to be changed
)

// A Refusal is the body of every refused request of a script.
type Refusal struct {
	Code  string    `json:"code,omitempty"`  // "conflict" or "closed"
	Error string    `json:"error"`           // in words
	Field string    `json:"field,omitempty"` // the field that is wrong
	Card  *Value    `json:"card,omitempty"`  // the card as it is stored now, if another page has changed it
	Cards []Missing `json:"cards,omitempty"` // the cards that are not finished
}

// A Missing says what a card still needs before it can be submitted.
type Missing struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // in words
}

// Keys are the shortcut keys that a person has changed under a protocol.
type Keys struct {
	Protocol string            `json:"protocol"`
	Keys     map[string]string `json:"keys"` // by command
}

// A Version tells an open page whether its data has changed.
type Version struct {
	Version int64 `json:"version"`
}

// A Job is the state of work in the background. A page that waits for it asks for this.
type Job struct {
	Busy  bool    `json:"busy"`  // it is not over
	Words string  `json:"words"` // what it is doing now
	Share float64 `json:"share"` // the part that is done, from 0 to 1
}
