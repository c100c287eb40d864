// Package protocol says what an annotator gives when judging a translation:
// which scores exist, how a rating is checked, and which score the agreement
// gate runs on. A protocol is data; everything here is a pure function of it.
//
// Start at [Lookup]. Adding a protocol means adding a value of [Protocol] to
// the list in this file; handlers, storage and templates read the value.
package protocol

import "slices"

// A Protocol is one way of judging translations.
type Protocol struct {
	ID   string // as in files and URLs, e.g. "sqm"
	Name string // as people say it, e.g. "SQM"
	// About says in a sentence what the annotator is asked to do.
	About  string
	Scores []Score // what is entered for each translation, in order
	// Gate names the score whose vectors the agreement gate compares; higher
	// is better.
	Gate string
	// GateByDefault is the gate setting of a new campaign: "on" or "report".
	GateByDefault string
	// Tolerance is the default mean absolute difference that still counts as
	// agreement where Pearson's r is undefined, in points of the gate score.
	Tolerance float64
	// Guide is the guideline shown beside the work.
	Guide Guide
}

// A Score is one number an annotator enters: an integer from Min to Max,
// both included.
type Score struct {
	Name     string // as in files, e.g. "sqm"
	Label    string // as people read it
	Min, Max int
	Levels   []Level // described values, ascending; may be fewer than the range
}

// A Level says in words what one value of a [Score] means.
type Level struct {
	Value int
	Name  string // two to four words
	Text  string // when to give it
}

// A Guide is the short guideline of a protocol.
type Guide struct {
	Intro []string // paragraphs before the scale
	Hints []string // points to keep in mind, after the scale
}

var protocols = []*Protocol{sqm}

// Lookup returns the protocol with the given id.
func Lookup(id string) (*Protocol, bool) {
	i := slices.IndexFunc(protocols, func(p *Protocol) bool { return p.ID == id })
	if i < 0 {
		return nil, false
	}
	return protocols[i], true
}

// IDs lists the ids of all protocols, in the order they are offered.
func IDs() []string {
	ids := make([]string, len(protocols))
	for i, p := range protocols {
		ids[i] = p.ID
	}
	return ids
}

// Score returns the score with the given name.
func (p *Protocol) Score(name string) (Score, bool) {
	i := slices.IndexFunc(p.Scores, func(s Score) bool { return s.Name == name })
	if i < 0 {
		return Score{}, false
	}
	return p.Scores[i], true
}
