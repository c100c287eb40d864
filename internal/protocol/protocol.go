// Package protocol says what an annotator gives when judging a translation:
// which scores exist, which severities and categories an error span may have,
// how a rating is checked, and which scores derive from it. A protocol is data,
// a [Protocol]; everything here is a pure function of it.
//
// Start at [Lookup]. The protocols that come with the program lie in the folder
// builtin, in the form that [Read] reads, which is also that of a custom one:
// adding a protocol touches no handler, no table and no template. What a
// campaign's settings change in a protocol, [Protocol.With] changes.
//
// Offsets are Unicode code points, half open: see [ErrorSpan].
package protocol

import "slices"

// A Protocol is one way of judging translations. In a file it is a JSON object
// with the keys given here; see [Read].
type Protocol struct {
	ID   string `json:"id"`   // as in files and URLs, e.g. "sqm"
	Name string `json:"name"` // as people say it, e.g. "SQM"
	// About says in a sentence what the annotator is asked to do.
	About  string  `json:"about"`
	Scores []Score `json:"scores,omitempty"` // what is entered for each translation, in order
	// Spans says how errors are marked; nil where none are.
	Spans *Marking `json:"spans,omitempty"`
	// Derived are computed from what is entered, in order.
	Derived []Derived `json:"derived,omitempty"`
	// Gate names the score, entered or derived, that the agreement gate compares
	// and gold averages; its sign is turned where lower is better.
	Gate string `json:"gate"`
	// GateByDefault is the gate setting of a new campaign: "on", "report" or "off".
	GateByDefault string `json:"gate_by_default"`
	// Tolerance is the default mean absolute difference that still counts as
	// agreement where Pearson's r is undefined, in points of the gate score.
	Tolerance float64 `json:"tolerance"`
	// Preset names the meta score by which metrics are ranked against the gold of
	// a campaign: "ment" or "wmt23". Empty means "wmt23".
	Preset string `json:"preset,omitempty"`
	// Guide is the guideline shown beside the work.
	Guide Guide `json:"guide"`
	// settings is what [Protocol.Heeds] looks into; With sets it, which takes away
	// what a setting would offer.
	settings []string
}

// A Score is one number an annotator enters: an integer from Min to Max,
// both included; higher is better.
type Score struct {
	Name   string  `json:"name"`  // as in files, e.g. "sqm"
	Label  string  `json:"label"` // as people read it
	Min    int     `json:"min"`
	Max    int     `json:"max"`
	Levels []Level `json:"levels,omitempty"` // described values, ascending; may be fewer than the range
	Human  string  `json:"human"`            // its name as a human score, e.g. "rate-accuracy"
	// Measurement is the level of measurement of the scale. Empty means [Interval].
	Measurement Measurement `json:"measurement,omitempty"`
}

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

// A Level says in words what one value of a [Score] means, or each value of a
// band.
type Level struct {
	Value int    `json:"value"`
	To    int    `json:"to,omitempty"` // last value of the band; 0: Value alone
	Name  string `json:"name"`         // two to four words
	Text  string `json:"text"`         // when to give it
}

// Lookup returns the protocol of that id that comes with the program.
func Lookup(id string) (*Protocol, bool) {
	i := slices.IndexFunc(builtin, func(p *Protocol) bool { return p.ID == id })
	if i < 0 {
		return nil, false
	}
	return builtin[i], true
}

// IDs lists the ids of the protocols that come with the program, in the order
// they are offered.
func IDs() []string {
	ids := make([]string, len(builtin))
	for i, p := range builtin {
		ids[i] = p.ID
	}
	return ids
}

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
