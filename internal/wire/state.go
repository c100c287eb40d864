package wire

import "annotate/internal/protocol"

// A State is the data block of the annotate page, from which its scripts start.
type State struct {
	Assignment  string  `json:"assignment"`
	User        string  `json:"user"`
	Round       int     `json:"round"`
	Submitted   bool    `json:"submitted"`
	Changed     bool    `json:"changed"`
	IdleSeconds int     `json:"idle_seconds"`
	UndoSeconds int     `json:"undo_seconds"` // for which a submission can be taken back; 0: never
	DocLength   int     `json:"doc_length"`   // segments of the document
	Timezone    string  `json:"timezone"`     // IANA name; times on the page are in it
	URLs        URLs    `json:"urls"`
	Scores      []Score `json:"scores"`
	// Questions are what each card is asked for; those of the kind number are among Scores, too.
	Questions   []Question `json:"questions,omitempty"`
	Itself      bool       `json:"itself,omitempty"` // the one card is the segment itself
	Cards       []Card     `json:"cards"`
	Adjudicates bool       `json:"adjudicates,omitempty"` // the annotators' ratings stand below the cards
	Preview     bool       `json:"preview,omitempty"`     // the page shows a protocol with sample texts; scripts send and keep nothing

	Protocol string            `json:"protocol"`
	Keys     map[string]string `json:"keys,omitempty"` // the shortcut keys that the annotator has changed, by command

	// Marking and Source are set if the protocol has error spans, and Source if it asks questions. The offsets of spans
	// need the exact texts. They are here because HTML does not keep carriage returns.
	Marking *Marking `json:"marking,omitempty"`
	Source  *string  `json:"source,omitempty"`
	// Terms are the given terms of the segment, with what they mean.
	Terms []protocol.ErrorSpan `json:"terms,omitempty"`
	// Reference is set if a question begins from it and the segment has one.
	Reference *string `json:"reference,omitempty"`
}

// URLs are the addresses the scripts talk to.
type URLs struct {
	Cards    string `json:"cards"`
	Submit   string `json:"submit"`
	Skip     string `json:"skip"`      // takes a [Skip]
	TakeBack string `json:"take_back"` // undoes a submission, for a short time after it
	Document string `json:"document"`  // a [Document]; ?card=ID adds translations
	Problem  string `json:"problem"`
	Thread   string `json:"thread"` // a [Thread]; takes an [Ask] by POST, and a [ThreadRead] by PUT
	Keys     string `json:"keys"`
}

// A Score is a score that the annotator enters on each card.
type Score struct {
	Name   string  `json:"name"`
	Label  string  `json:"label"`
	Min    int     `json:"min"`
	Max    int     `json:"max"`
	Levels []Level `json:"levels,omitempty"` // the meanings of its values, if the score is typed as a number
}

// A Question is asked of each card.
type Question struct {
	Name     string        `json:"name"`
	Label    string        `json:"label"`
	Kind     protocol.Kind `json:"kind"`
	Required bool          `json:"required,omitempty"`
	When     *When         `json:"when,omitempty"`
	Several  bool          `json:"several,omitempty"`
	Options  []Option      `json:"options,omitempty"`
	None     string        `json:"none,omitempty"`  // the answer that no candidate is the right one
	Help     string        `json:"help,omitempty"`  // of a question about a term
	Begin    string        `json:"begin,omitempty"` // "source", or the question whose candidate a text begins from
	Min      int           `json:"min,omitempty"`
	Max      int           `json:"max,omitempty"`
}

// A When says with which answers to another question a question is asked.
type When struct {
	Question string   `json:"question"`
	Is       []string `json:"is"`
}

// An Option is an answer of a choice.
type Option struct {
	Value   string `json:"value"`
	Label   string `json:"label"`
	Text    string `json:"text,omitempty"` // of a question about a term
	Comment bool   `json:"comment,omitempty"`
}

// A Level says what a value, or each value of a band, means.
type Level struct {
	Value int    `json:"value"`
	To    int    `json:"to,omitempty"`
	Name  string `json:"name"`
}

// A Marking says how errors are marked.
type Marking struct {
	Severities         []Severity         `json:"severities"`          // from light to grave; empty for terms
	Terms              bool               `json:"terms,omitempty"`     // terms are marked instead of errors
	Given              bool               `json:"given,omitempty"`     // the terms are given: none is added or removed
	Reference          bool               `json:"reference,omitempty"` // the text of the card is the reference of the segment
	Questions          []Question         `json:"questions,omitempty"` // are asked of each term in the source
	Categories         []Category         `json:"categories,omitempty"`
	Links              bool               `json:"links,omitempty"`
	IDPrefix           string             `json:"id_prefix,omitempty"` // begins the ids of new errors; another one each time the page is loaded
	MaxErrors          int                `json:"max_errors,omitempty"`
	MissingPunctuation *protocol.Template `json:"missing_punctuation,omitempty"`
	Derived            *Derived           `json:"derived,omitempty"`
	Suggestions        bool               `json:"suggestions,omitempty"` // there are suggestions to accept or reject
}

// A Severity is a severity that the annotator can choose.
type Severity struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Style string `json:"style"` // CSS class of the line below a span
}

// A Category is a category that the annotator can choose, with its subcategories.
type Category struct {
	Name    string        `json:"name"`
	Text    string        `json:"text"`
	Group   string        `json:"group,omitempty"`
	Rule    protocol.Rule `json:"rule,omitempty"`
	Comment bool          `json:"comment,omitempty"`
	Sub     []Category    `json:"sub,omitempty"`
}

// A Derived is a score that the page computes from the error spans and shows at once.
type Derived struct {
	Label   string            `json:"label"`
	Weights []protocol.Weight `json:"weights"`
}
