// Package protocol defines what an annotator is asked to give for a translation: which scores exist,
// which severities and categories an error span may have, how a rating is checked, and which scores
// derive from it. A protocol is data, a [Protocol]. All functions are pure.
//
// Start at [Lookup]. The folder builtin has the protocols that come with the program, as files that
// [Read] reads. Custom protocols have the same form. Adding a protocol changes no handler, table or
// template. [Protocol.With] applies the settings of a campaign.
//
// Offsets are half-open ranges of Unicode code points: see [ErrorSpan].
package protocol

import "slices"

// A Protocol is one way of judging translations. In a file it is a JSON object
// with the keys given here; see [Read].
type Protocol struct {
	ID   string `json:"id"`   // in files and URLs, e.g. "sqm"
	Name string `json:"name"` // on pages, e.g. "SQM"
	// About says in a sentence what the annotator is asked to do.
	About string `json:"about"`
	// Unit says what a card is about. Empty means [TranslationUnit].
	Unit   Unit    `json:"unit,omitempty"`
	Scores []Score `json:"scores,omitempty"` // the scores to enter for each card, in order; [Read] adds the questions of the kind number
	// Questions are what each card is asked for beside scores, in the order of the page. Those of the
	// kind number are scores, too.
	Questions []Question `json:"questions,omitempty"`
	// Spans says how errors or terms are marked. It is nil if the protocol has no spans.
	Spans *Marking `json:"spans,omitempty"`
	// Given is [TermLayer] if annotators mark nothing. Each segment then comes with its terms, and annotators answer the
	// questions of Spans about each term in the source for each translation. Otherwise Given is empty.
	Given Layer `json:"given,omitempty"`
	// Derived are the scores that are computed from what is entered, in order.
	Derived []Derived `json:"derived,omitempty"`
	// Gate is the name of the entered or derived score that the agreement gate compares and gold averages. Its sign is
	// turned if lower is better. It may also be the name of a question with one choice or candidate: the gate then asks
	// whether answers are equal, and gold is what more than half answered. It is empty if annotators only mark terms. The
	// protocol then has no gate, and a term is gold if more than half of the annotators marked it ([GoldTerms]).
	Gate string `json:"gate"`
	// GateByDefault is the gate setting of a new campaign: "on", "report" or "off".
	GateByDefault string `json:"gate_by_default"`
	// Redundancy is the number of annotators per segment of a new campaign. 0 means 2.
	Redundancy int `json:"redundancy,omitempty"`
	// Tolerance is the default of the setting tolerance: the largest mean absolute difference
	// that passes the gate if Pearson's r is undefined, in points of the gate score.
	Tolerance float64 `json:"tolerance"`
	// Preset is the name of the meta score by which reports rank metrics: "ment", "wmt23" or "wmt24".
	// Empty means "wmt23".
	Preset string `json:"preset,omitempty"`
	// Guide is the guideline that annotators can open beside their work.
	Guide Guide `json:"guide"`
	// settings are the keys for [Protocol.Heeds]. [Protocol.With] sets them, because the
	// protocol that it returns lacks what a setting has removed.
	settings []string
}

// A Score is a number that an annotator enters: an integer from Min to Max, both included. Higher is
// better.
type Score struct {
	Name   string  `json:"name"`  // in files, e.g. "sqm"
	Label  string  `json:"label"` // on pages
	Min    int     `json:"min"`
	Max    int     `json:"max"`
	Levels []Level `json:"levels,omitempty"` // meanings of values, ascending; not every value needs one
	Human  string  `json:"human"`            // its name as a human score, e.g. "rate-accuracy"
	// Measurement is the level of measurement of the scale. Empty means [Interval].
	Measurement Measurement `json:"measurement,omitempty"`
}

// Length is the distance between the ends of the scale. It is a float64 because the distance between two
// ints may be no int.
func (s Score) Length() float64 { return float64(s.Max) - float64(s.Min) }

// A Measurement says what the values of a scale mean to the measures of agreement.
type Measurement string

const (
	// Ordinal values have an order but no distances. Krippendorff's alpha compares
	// their ranks, and weighted kappa is computed.
	Ordinal Measurement = "ordinal"
	// Interval values have distances. Krippendorff's alpha compares their
	// differences, and kappa is not computed.
	Interval Measurement = "interval"
)

// A Level describes the meaning of a value of a [Score], or of a range of values.
type Level struct {
	Value int    `json:"value"`
	To    int    `json:"to,omitempty"` // last value of the range; 0 if the level is Value alone
	Name  string `json:"name"`         // two to four words
	Text  string `json:"text"`         // when to give it
}

// Lookup returns a protocol that comes with the program, by its id.
func Lookup(id string) (*Protocol, bool) {
	read, ok := builtin[id]
	if !ok {
		return nil, false
	}
	return read(), true
}

// IDs lists the ids of the protocols that come with the program, in the order in which pages show
// them.
func IDs() []string { return slices.Clone(builtinIDs) }

// OrdinalGate returns the gate score if it is an entered score on an ordinal scale.
// A derived score is a sum or a mean, so it is never ordinal.
func (p *Protocol) OrdinalGate() (Score, bool) {
	s, ok := p.Score(p.Gate)
	return s, ok && s.Measurement == Ordinal
}

// Score returns the entered score with the given name.
func (p *Protocol) Score(name string) (Score, bool) {
	i := slices.IndexFunc(p.Scores, func(s Score) bool { return s.Name == name })
	if i < 0 {
		return Score{}, false
	}
	return p.Scores[i], true
}
