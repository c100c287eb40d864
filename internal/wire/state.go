package wire

import "annotate/internal/protocol"

// A State is the data block of the annotate page.
type State struct {
	Assignment  string  `json:"assignment"`
	User        string  `json:"user"`
	Round       int     `json:"round"`
	Submitted   bool    `json:"submitted"`
	Changed     bool    `json:"changed"`
	IdleSeconds int     `json:"idle_seconds"`
	Timezone    string  `json:"timezone"` // IANA name; times on the page are in it
	URLs        URLs    `json:"urls"`
	Scores      []Score `json:"scores"`
	Cards       []Card  `json:"cards"`
	Adjudicates bool    `json:"adjudicates,omitempty"` // the annotators' ratings stand below the cards

	Protocol string            `json:"protocol"`
	Keys     map[string]string `json:"keys,omitempty"` // that the annotator has changed, by act

	// Where errors are marked. The texts are here as they are stored, to the last
	// character; in a page a carriage return is lost.
	Marking *Marking `json:"marking,omitempty"`
	Source  *string  `json:"source,omitempty"`
}

// URLs are the addresses the scripts talk to.
type URLs struct {
	Cards    string `json:"cards"`
	Submit   string `json:"submit"`
	Skip     string `json:"skip"`      // takes a [Skip]
	TakeBack string `json:"take_back"` // undoes a submission for a moment
	Document string `json:"document"`  // a [Document]; ?card=ID adds translations
	Problem  string `json:"problem"`
	Keys     string `json:"keys"`
}

// A Score is to be entered on each card.
type Score struct {
	Name   string  `json:"name"`
	Label  string  `json:"label"`
	Min    int     `json:"min"`
	Max    int     `json:"max"`
	Levels []Level `json:"levels,omitempty"` // of a score that is a number
}

// A Level says what a value, or each value of a band, means.
type Level struct {
	Value int    `json:"value"`
	To    int    `json:"to,omitempty"`
	Name  string `json:"name"`
}

// A Marking says how errors are marked.
type Marking struct {
	Severities         []Severity         `json:"severities"` // from light to grave
	Categories         []Category         `json:"categories,omitempty"`
	Links              bool               `json:"links,omitempty"`
	MaxErrors          int                `json:"max_errors,omitempty"`
	MissingPunctuation *protocol.Template `json:"missing_punctuation,omitempty"`
	Derived            *Derived           `json:"derived,omitempty"`
	Suggestions        bool               `json:"suggestions,omitempty"` // there are some to decide on
}

// A Severity is one that is offered.
type Severity struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Style string `json:"style"` // class of its line
}

// A Category is one that is offered, with those below it.
type Category struct {
	Name    string        `json:"name"`
	Text    string        `json:"text"`
	Group   string        `json:"group,omitempty"`
	Rule    protocol.Rule `json:"rule,omitempty"`
	Comment bool          `json:"comment,omitempty"`
	Sub     []Category    `json:"sub,omitempty"`
}

// A Derived score runs along while errors are marked.
type Derived struct {
	Label   string            `json:"label"`
	Weights []protocol.Weight `json:"weights"`
}
