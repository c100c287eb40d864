package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/codepoint"
	"annotate/internal/wording"
)

// A Unit says what a card of a protocol is about.
type Unit string

const (
	// TranslationUnit is the unit of a protocol that has a card for each translation of a segment. It is
	// the unit of a file that names none.
	TranslationUnit Unit = "translation"
	// SegmentUnit is the unit of a protocol that has one card for each segment. The translations of the
	// segment, if it has any, are candidates.
	SegmentUnit Unit = "segment"
)

// OfSegments reports whether a rating under p is about a segment instead of a translation.
func (p *Protocol) OfSegments() bool { return p.Unit == SegmentUnit }

// A Kind says which answers a [Question] has.
type Kind string

// The kinds of questions.
const (
	Number    Kind = "number"    // a whole number on a scale: a [Score]
	Choice    Kind = "choice"    // one of the options, or with Several any number of them
	Candidate Kind = "candidate" // one of the segment's candidates or, with None, none of them
	Text      Kind = "text"      // a text of the annotator's own, or one that begins from another text
)

// Kinds lists the kinds of questions.
var Kinds = []Kind{Number, Choice, Candidate, Text}

// A Question is asked of each card.
type Question struct {
	Name  string `json:"name"`  // in files, e.g. "keep"
	Label string `json:"label"` // on pages
	Kind  Kind   `json:"kind"`
	Help  string `json:"help,omitempty"` // what the annotator should know to answer it
	// Required says that a rating needs an answer, if the question is asked.
	Required bool `json:"required,omitempty"`
	// When says which answer to another question this one depends on. If it is nil, the question
	// is always asked.
	When *When `json:"when,omitempty"`

	// Options are the answers of a choice, in the order of the page.
	Options []Option `json:"options,omitempty"`
	Several bool     `json:"several,omitempty"` // a choice may have several of the options
	// None is the label of the answer that no candidate is the right one. If it is empty, one
	// must be chosen.
	None string `json:"none,omitempty"`
	// Begin names the text with which a text field begins: [BeginSource], [BeginReference], or the name of a question of
	// the kind candidate. If Begin is empty, the field begins empty.
	Begin string `json:"begin,omitempty"`

	// A number has the fields of its [Score].
	Min         int         `json:"min,omitempty"`
	Max         int         `json:"max,omitempty"`
	Levels      []Level     `json:"levels,omitempty"`
	Human       string      `json:"human,omitempty"` // empty for the name, with - for _
	Measurement Measurement `json:"measurement,omitempty"`
}

// Values of [Question.Begin].
const (
	BeginSource    = "source"    // the text field begins with the source
	BeginReference = "reference" // the text field begins with the first reference of the segment
)

// A When is a condition on the answer to an earlier question, a choice or a number.
type When struct {
	Question string   `json:"question"`
	Is       []string `json:"is"` // one of these is the answer, or among the answers
}

// An Option is one answer of a choice.
type Option struct {
	Value   string `json:"value"` // in files
	Label   string `json:"label"` // on pages
	Text    string `json:"text,omitempty"`
	Comment bool   `json:"comment,omitempty"` // a rating with this answer needs a comment
}

// MaxCandidates is the largest number of candidates of a segment.
const MaxCandidates = 50

// MaxAnswer is the longest text of an answer, in bytes.
const MaxAnswer = 100_000

// score is the score of a question of the kind number.
func (q Question) score() Score {
	human := q.Human
	if human == "" {
		human = strings.ReplaceAll(q.Name, "_", "-")
	}
	return Score{Name: q.Name, Label: q.Label, Min: q.Min, Max: q.Max, Levels: q.Levels, Human: human, Measurement: q.Measurement}
}

// Option returns the option of a choice with the given value.
func (q Question) Option(value string) (Option, bool) {
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == value })
	if i < 0 {
		return Option{}, false
	}
	return q.Options[i], true
}

// An Answer is what an annotator answered to a question that is no number. In JSON it is a text, or
// a list of texts if the question may have several answers.
type Answer struct {
	Text    string   // an option's value, a candidate's name (empty for none of them), or a text
	Several []string // not nil for a question with several answers, in the order of its options
}

// Equal reports whether two answers are the same.
func (a Answer) Equal(b Answer) bool {
	return a.Text == b.Text && (a.Several == nil) == (b.Several == nil) && slices.Equal(a.Several, b.Several)
}

// Has reports whether a value is the answer or among the answers.
func (a Answer) Has(value string) bool {
	if a.Several != nil {
		return slices.Contains(a.Several, value)
	}
	return a.Text == value
}

// MarshalJSON returns a text or a list.
func (a Answer) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // the JSON of answers is never put into a page as it is
	var err error
	if a.Several != nil {
		err = encoder.Encode(a.Several)
	} else {
		err = encoder.Encode(a.Text)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// UnmarshalJSON reads a text or a list.
func (a *Answer) UnmarshalJSON(text []byte) error {
	*a = Answer{}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		a.Several = []string{}
		return json.Unmarshal(text, &a.Several)
	}
	return json.Unmarshal(text, &a.Text)
}

// Asks lists the questions of p that are not numbers, in order.
func (p *Protocol) Asks() []Question {
	return slices.DeleteFunc(slices.Clone(p.Questions), func(q Question) bool { return q.Kind == Number })
}

// Question returns the question with the given name.
func (p *Protocol) Question(name string) (Question, bool) {
	i := slices.IndexFunc(p.Questions, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return Question{}, false
	}
	return p.Questions[i], true
}

// AsksCandidate reports whether a question of p is answered by a candidate.
func (p *Protocol) AsksCandidate() bool {
	return slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Kind == Candidate })
}

// NeedsReference reports whether annotators see the reference whatever the campaign's settings say, because a text
// field begins with it or because terms are marked in it.
func (p *Protocol) NeedsReference() bool {
	return p.BeginsFromReference() || p.MarksReference() || p.Given != ""
}

// BeginsFromReference reports whether a text field of p begins with the reference, which annotators therefore see.
func (p *Protocol) BeginsFromReference() bool {
	return slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Begin == BeginReference })
}

// Asked reports whether q is asked, given the answers of r. A question that depends on one that is
// not asked is not asked.
func (p *Protocol) Asked(q Question, r Rating) bool {
	if q.When == nil {
		return true
	}
	of, ok := p.Question(q.When.Question)
	if !ok || !p.Asked(of, r) {
		return false
	}
	if of.Kind == Number {
		x, ok := r.Scores[of.Name]
		return ok && slices.Contains(q.When.Is, strconv.FormatFloat(x, 'f', -1, 64))
	}
	a, ok := r.Answers[of.Name]
	return ok && slices.ContainsFunc(q.When.Is, a.Has)
}

// OnlyAsked returns r without the scores and answers of questions that are not asked. A draft keeps
// them, so that an annotator who changes an answer back finds them again.
func (p *Protocol) OnlyAsked(r Rating) Rating {
	var unasked []Question
	for _, q := range p.Questions {
		if !p.Asked(q, r) {
			unasked = append(unasked, q)
		}
	}
	if len(unasked) == 0 {
		return r
	}
	scores, answers := make(map[string]float64, len(r.Scores)), make(map[string]Answer, len(r.Answers))
	is := func(name string) bool {
		return slices.ContainsFunc(unasked, func(q Question) bool { return q.Name == name })
	}
	for name, x := range r.Scores {
		if !is(name) {
			scores[name] = x
		}
	}
	for name, a := range r.Answers {
		if !is(name) {
			answers[name] = a
		}
	}
	r.Scores, r.Answers = scores, answers
	return r
}

// Finished returns the rating that r is once it is submitted: without the answers to questions that are not asked
// ([Protocol.OnlyAsked]), and with the texts that were not changed from what they began from. A text that was changed has
// no white space at its ends, which nobody sees.
func (p *Protocol) Finished(r Rating, t Texts) Rating {
	r = p.OnlyAsked(r)
	if p.Spans != nil {
		r.Spans = p.Spans.onlyAsked(r.Spans)
	}
	for _, q := range p.Questions {
		if q.Kind != Text || !p.Asked(q, r) {
			continue
		}
		a, given := r.Answers[q.Name]
		text := p.Beginning(q, r, t)
		if given && a.Text != text {
			text = strings.TrimSpace(a.Text)
		}
		if given && a.Text == text || !given && text == "" {
			continue
		}
		if r.Answers = maps.Clone(r.Answers); r.Answers == nil {
			r.Answers = map[string]Answer{}
		}
		r.Answers[q.Name] = Answer{Text: text}
	}
	return r
}

// Curated returns the source and the reference of a segment after a rating, for a campaign that follows. t has the
// texts that the rating is about.
//
//   - The answer to a text that begins with the source is the source.
//   - The answer to a text that begins with a candidate or with the reference is the reference.
//   - If the question is not asked, or its answer is blank, the text that it would have begun with is used.
//
// If no question begins with a side, the text of this side is that of t. reference is empty if the segment has none and
// the rating neither chooses nor writes one.
func (p *Protocol) Curated(r Rating, t Texts) (source, reference string) {
	source, reference = t.Source, t.Reference
	for _, q := range p.Questions {
		if q.Begin == "" {
			continue
		}
		text := p.Beginning(q, r, t)
		if a := r.Answers[q.Name]; !Blank(a.Text) && p.Asked(q, r) {
			text = a.Text
		}
		switch {
		case q.Begin == BeginSource:
			source = text
		case text != "":
			reference = text
		}
	}
	return source, reference
}

// Beginning is the text that the text q begins from: the source, the reference, or the candidate that r chooses. It
// is empty if there is none.
func (p *Protocol) Beginning(q Question, r Rating, t Texts) string {
	switch q.Begin {
	case BeginSource:
		return t.Source
	case BeginReference:
		return t.Reference
	}
	if a, ok := r.Answers[q.Begin]; ok {
		return t.Candidates[a.Text]
	}
	return ""
}

// CheckAnswers reports the answers that p does not have, by name of the question. candidates are the
// texts of the candidates, by name.
func (p *Protocol) CheckAnswers(answers map[string]Answer, candidates map[string]string) []Violation {
	var out []Violation
	for name, a := range answers {
		q, ok := p.Question(name)
		switch {
		case !ok:
			out = append(out, Violation{name, fmt.Sprintf("%s has no question named %q", p.Name, name)})
		case q.Kind == Number:
			out = append(out, Violation{name, fmt.Sprintf("%s is a number; give it among the scores", q.Label)})
		default:
			if msg := q.check(a, candidates); msg != "" {
				out = append(out, Violation{name, msg})
			}
		}
	}
	slices.SortFunc(out, func(a, b Violation) int { return strings.Compare(a.Field, b.Field) })
	return out
}

// check returns what is wrong with an answer; empty if it can be given.
func (q Question) check(a Answer, candidates map[string]string) string {
	several := q.Kind == Choice && q.Several
	if several != (a.Several != nil) {
		if several {
			return q.Label + " may have several answers; give a list of them"
		}
		return q.Label + " has one answer; give it as a text"
	}
	switch q.Kind {
	case Choice:
		given := a.Several
		if !several {
			given = []string{a.Text}
		}
		for i, value := range given {
			if _, ok := q.Option(value); !ok {
				return fmt.Sprintf("%s has no answer %q; choose one of: %s", q.Label, value, q.values())
			}
			if slices.Contains(given[:i], value) {
				return fmt.Sprintf("%s has the answer %q twice; keep one", q.Label, value)
			}
		}
	case Candidate:
		if _, ok := candidates[a.Text]; !ok && (a.Text != "" || q.None == "") {
			return fmt.Sprintf("%s: the segment has no candidate %q; choose one of its candidates", q.Label, a.Text)
		}
	case Text:
		if n := len(a.Text) - MaxAnswer; n > 0 {
			return fmt.Sprintf("%s is too long; shorten it by %s", q.Label, wording.Counted(codepoint.Len(a.Text[wholeRune(a.Text, MaxAnswer):]), "character"))
		}
	}
	return ""
}

// wholeRune is the offset of the character that the byte at an offset belongs to.
func wholeRune(text string, at int) int {
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// values lists the values of the options.
func (q Question) values() string {
	all := make([]string, len(q.Options))
	for i, o := range q.Options {
		all[i] = o.Value
	}
	return strings.Join(all, ", ")
}

// lackedBy reports whether r needs an answer to q, which is asked of it, and has none.
func (q Question) lackedBy(r Rating) bool {
	if q.Kind == Number {
		_, given := r.Scores[q.Name]
		return q.Required && !given
	}
	a, given := r.Answers[q.Name]
	return q.Required && (!given || q.Kind == Text && Blank(a.Text) || a.Several != nil && len(a.Several) == 0)
}

// missingAnswer says what the questions of p still need in r.
func (p *Protocol) missingAnswer(r Rating) Lack {
	for _, q := range p.Questions {
		if !p.Asked(q, r) {
			continue
		}
		a, given := r.Answers[q.Name]
		switch {
		case q.lackedBy(r) && q.Kind == Number:
			return Lack{Words: "a score for " + q.Label}
		case q.lackedBy(r):
			return Lack{"an answer to “" + q.Label + "”", q.Name}
		}
		for _, o := range q.Options {
			if given && o.Comment && a.Has(o.Value) && Blank(r.Comment) {
				return Lack{Words: fmt.Sprintf("a comment that explains “%s”", o.Label)}
			}
		}
	}
	return Lack{}
}

// NominalGate returns the question that the gate compares if it is no number. Two answers to it are
// equal or not; no mean is taken of them. The gate score of such an answer is a number that stands for
// the answer: see [Protocol.GateScore].
func (p *Protocol) NominalGate() (Question, bool) {
	q, ok := p.Question(p.Gate)
	return q, ok && q.Kind != Number
}

// codes lists the answers to q that is a gate. The number that stands for an answer is its place: the options in their
// order, or none of the candidates and then the candidates in byte order of their names.
func (q Question) codes(candidates map[string]string) (out []Answer) {
	for _, o := range q.Options {
		out = append(out, Answer{Text: o.Value})
	}
	if q.Kind == Candidate {
		for _, name := range append([]string{""}, slices.Sorted(maps.Keys(candidates))...) {
			out = append(out, Answer{Text: name})
		}
	}
	return out
}

// AnswerOf returns the answer to q that a gate score stands for. It is false if none has the number.
func (q Question) AnswerOf(code float64, candidates map[string]string) (Answer, bool) {
	answers := q.codes(candidates)
	if i := int(code); i >= 0 && i < len(answers) && float64(i) == code {
		return answers[i], true
	}
	return Answer{}, false
}

// Words is an answer as pages and tables for people say it. A candidate is said by its name.
func (q Question) Words(a Answer) string {
	label := func(value string) string {
		if o, ok := q.Option(value); ok {
			return o.Label
		}
		return value
	}
	switch {
	case a.Several != nil:
		labels := make([]string, len(a.Several))
		for i, value := range a.Several {
			labels[i] = label(value)
		}
		return strings.Join(labels, ", ")
	case q.Kind == Choice:
		return label(a.Text)
	case q.Kind == Candidate && a.Text == "":
		return q.None
	}
	return a.Text
}
