package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/protocol"
)

// The parts that a segment can bring to a campaign that takes it over, besides its ids, domain, data source, context
// and term. These are the values of --carry.
const (
	CarrySource     = "source"     // the cleaned source; without this part, the inspected source
	CarryReference  = "reference"  // the accepted text, as the reference [MainReference]; without one, the segment's own reference
	CarryAnswers    = "answers"    // the answer to the question domain as domain, and all settled answers as tags
	CarryCandidates = "candidates" // the candidate translations
	CarryTerms      = "terms"      // the gold terms ([GoldTerms]), as given terms
)

// Carries lists the parts that a segment can bring.
var Carries = []string{CarrySource, CarryReference, CarryAnswers, CarryCandidates, CarryTerms}

// Rejects is the answer, to the question that the gate compares, with which a following campaign rejects a segment that
// it took over.
const Rejects = "reject"

// MaxLineage is the largest number of campaigns that a chain can have.
const MaxLineage = 20

// A Condition compares a settled answer with a value.
type Condition struct {
	Question string
	Is       string // "=", or for a number also ">=" or "<="
	Value    string // for a choice also several values, separated by commas; the answer must be one of them
}

// String is the condition in the form that [NewFollow] reads, such as "difficulty>=3".
func (c Condition) String() string { return c.Question + c.Is + c.Value }

// A Follow says which settled segments of another campaign a campaign takes over, and which parts they bring.
type Follow struct {
	Where []Condition // a segment must meet all of them
	Carry []string    // some of Carries, in their order
}

// NewFollow reads conditions and the parts to bring. p is the protocol of the followed campaign. The error is an
// [InvalidError] that names the condition.
func NewFollow(p *protocol.Protocol, where, carry []string) (f Follow, err error) {
	for _, text := range where {
		c, err := readCondition(p, text)
		if err != nil {
			return f, err
		}
		f.Where = append(f.Where, c)
	}
	for _, what := range carry {
		if !slices.Contains(Carries, what) {
			return f, Invalid("carry", fmt.Sprintf("a segment cannot bring %q; use %s", what, strings.Join(Carries, ", ")))
		}
	}
	for _, what := range Carries {
		if slices.Contains(carry, what) {
			f.Carry = append(f.Carry, what)
		}
	}
	if f.brings(CarrySource) && !begins(p, protocol.BeginSource) {
		return f, Invalid("carry", fmt.Sprintf("%s asks for no cleaned source; leave source out", p.Name))
	}
	if f.brings(CarryTerms) && !p.Spans.OfTerms() {
		return f, Invalid("carry", fmt.Sprintf("%s is not about terms; leave terms out", p.Name))
	}
	return f, nil
}

// CheckNext returns an [InvalidError] if a campaign with the protocol next has no place for what segments bring.
func (f Follow) CheckNext(next *protocol.Protocol) error {
	if f.brings(CarryTerms) && next.Given == "" {
		return Invalid("carry", fmt.Sprintf("%s takes no terms as given; leave terms out", next.Name))
	}
	return nil
}

// readCondition reads a condition such as "keep=yes" or "difficulty>=3".
func readCondition(p *protocol.Protocol, text string) (c Condition, err error) {
	refuse := func(format string, args ...any) (Condition, error) {
		return c, Invalid("where", fmt.Sprintf("%q: ", text)+fmt.Sprintf(format, args...))
	}
	at := strings.IndexAny(text, "=<>")
	if at < 0 {
		return refuse("write a condition as QUESTION=VALUE, QUESTION>=N or QUESTION<=N")
	}
	c.Question, c.Is = strings.TrimSpace(text[:at]), text[at:at+1]
	if c.Is != "=" {
		if !strings.HasPrefix(text[at+1:], "=") {
			return refuse("write a condition as QUESTION=VALUE, QUESTION>=N or QUESTION<=N")
		}
		c.Is += "="
	}
	c.Value = strings.TrimSpace(text[at+len(c.Is):])
	q, ok := p.Question(c.Question)
	if !ok {
		var names []string
		for _, q := range p.Questions {
			if q.Kind != protocol.Text {
				names = append(names, q.Name)
			}
		}
		if len(names) == 0 {
			return refuse("%s asks no questions about segments; leave the condition out", p.Name)
		}
		return refuse("%s has no question %q; use %s", p.Name, c.Question, strings.Join(names, ", "))
	}
	switch q.Kind {
	case protocol.Number:
		if _, err := strconv.ParseFloat(c.Value, 64); err != nil {
			return refuse("%s is a number from %d to %d; compare it with one", q.Label, q.Min, q.Max)
		}
		return c, nil
	case protocol.Text:
		return refuse("%s is a text; conditions compare choices and numbers", q.Label)
	case protocol.Choice:
		if i := slices.IndexFunc(c.values(q), func(value string) bool { _, ok := q.Option(value); return !ok }); i >= 0 {
			var values []string
			for _, o := range q.Options {
				values = append(values, o.Value)
			}
			return refuse("%s has no answer %q; use one of %s", q.Label, c.values(q)[i], strings.Join(values, ", "))
		}
	}
	if c.Is != "=" {
		return refuse("%s is not a number; compare it with =", q.Label)
	}
	return c, nil
}

// values are the values of a condition on the answer to q.
func (c Condition) values(q protocol.Question) []string {
	if q.Kind != protocol.Choice {
		return []string{c.Value}
	}
	return strings.Split(c.Value, ",")
}

// brings reports whether segments bring a part of [Carries].
func (f Follow) brings(what string) bool { return slices.Contains(f.Carry, what) }

// Texts are the conditions in the form that [NewFollow] reads.
func (f Follow) Texts() []string {
	out := make([]string, len(f.Where))
	for i, c := range f.Where {
		out[i] = c.String()
	}
	return out
}

// Settled has the settled answers of a segment in gold, without texts, on which it depends whether a following campaign can take
// the segment over. Many segments have the same.
type Settled struct {
	Answers map[string]protocol.Answer `json:"answers,omitempty"`  // settled answers that are neither numbers nor texts
	Numbers map[string]float64         `json:"numbers,omitempty"`  // gold of the numbers that were asked for
	Open    []string                   `json:"open,omitempty"`     // CarrySource, CarryReference or both, if they wait for an adjudicator because the texts differ
	NoTerms bool                       `json:"no_terms,omitempty"` // the protocol is about terms, and the segment has no gold term in its source
}

// Brought has the texts and answers that a settled segment gives, as they were when a following
// campaign took the segment over.
type Brought struct {
	Source    string `json:"source"`              // the cleaned source; if the protocol cleans none, the source
	Reference string `json:"reference,omitempty"` // the accepted text; if the protocol asks for none, the segment's own reference; empty if there is none
	Settled
	Terms []protocol.ErrorSpan `json:"terms,omitempty"` // the gold terms with all that annotators said of them ([TermsToGive]), if the protocol is about terms
}

// BroughtBy returns the texts and answers that a segment in gold under p gives.
func BroughtBy(p *protocol.Protocol, s Segment) Brought {
	reference, _ := FirstReference(s.References)
	b := Brought{Source: s.Source, Reference: reference.Text}
	if p.Spans.OfTerms() {
		b.Terms = TermsToGive(s)
		b.NoTerms = !slices.ContainsFunc(b.Terms, func(t protocol.ErrorSpan) bool { return t.Side == protocol.Source })
	}
	if !s.RatedItself() {
		return b
	}
	settled, open := SettledRating(p, s)
	b.Numbers, b.Answers, b.Open = settled.Scores, map[string]protocol.Answer{}, open
	for _, q := range p.Questions {
		if a, ok := settled.Answers[q.Name]; ok && q.Kind != protocol.Text {
			b.Answers[q.Name] = a
		}
	}
	b.Source, b.Reference = p.Curated(settled, textsOf(s))
	return b
}

// SettledRating is the gold of a segment, as a rating: gold answers, and the gold of numbers. The unit of p must be the
// segment. open has CarrySource, CarryReference or both, if annotators gave texts for them that have no gold.
func SettledRating(p *protocol.Protocol, s Segment) (settled protocol.Rating, open []string) {
	settled = protocol.Rating{Answers: map[string]protocol.Answer{}, Scores: map[string]float64{}}
	t := s.Translations[0]
	undecided := Undecided(p, s, t)
	for _, q := range p.Questions {
		if q.Kind == protocol.Number {
			if x, _, ok := HumanGold(p, q.Name, s, t); ok {
				settled.Scores[q.Name] = x
			}
			continue
		}
		a, ok := GoldAnswer(p, q, s, t)
		switch {
		case ok:
			settled.Answers[q.Name] = a
		case q.Begin == protocol.BeginSource && slices.Contains(undecided, q.Name):
			open = append(open, CarrySource)
		case q.Begin != "" && slices.Contains(undecided, q.Name):
			open = append(open, CarryReference)
		}
	}
	return settled, open
}

// textsOf are the texts that a rating of the whole segment is about.
func textsOf(s Segment) protocol.Texts {
	reference, _ := FirstReference(s.References)
	return protocol.Texts{Source: s.Source, Reference: reference.Text, Candidates: s.CandidateTexts()}
}

// An Edit is a settled text with the text that it began with.
type Edit struct {
	Question protocol.Question
	From, To string // From is empty if the text field began empty
}

// EditsOf lists the settled texts of a segment in gold under p, in the order of the questions. There are none if the
// unit of p is not the segment.
func EditsOf(p *protocol.Protocol, s Segment) (out []Edit) {
	if !s.RatedItself() || !s.Status.InGold() {
		return nil
	}
	settled, _ := SettledRating(p, s)
	for _, q := range p.Questions {
		if a, ok := settled.Answers[q.Name]; ok && q.Begin != "" && p.Asked(q, settled) {
			out = append(out, Edit{q, p.Beginning(q, settled, textsOf(s)), a.Text})
		}
	}
	return out
}

// begins reports whether a question of p begins with a text.
func begins(p *protocol.Protocol, text string) bool {
	return slices.ContainsFunc(p.Questions, func(q protocol.Question) bool { return q.Begin == text })
}

// Unmet returns the first condition that b does not meet. ok is false if b meets all.
func (f Follow) Unmet(b Settled) (c Condition, ok bool) {
	i := slices.IndexFunc(f.Where, func(c Condition) bool { return !c.holds(b) })
	if i < 0 {
		return c, false
	}
	return f.Where[i], true
}

// holds reports whether b meets a condition. A question without a settled answer meets none.
func (c Condition) holds(b Settled) bool {
	if a, ok := b.Answers[c.Question]; ok {
		return a.Has(c.Value) || slices.ContainsFunc(strings.Split(c.Value, ","), a.Has)
	}
	x, ok := b.Numbers[c.Question]
	limit, err := strconv.ParseFloat(c.Value, 64)
	if !ok || err != nil {
		return false
	}
	switch c.Is {
	case ">=":
		return x >= limit
	case "<=":
		return x <= limit
	}
	return x == limit
}

// Ready reports whether a segment that gives b can be taken over: it is in gold, and nothing keeps it behind.
func (f Follow) Ready(s Segment, b Brought) bool {
	return s.Status.InGold() && f.Behind(b.Settled) == ""
}

// The reasons why a settled segment that meets all conditions stays behind.
const (
	textOpen = "a text waits for an adjudicator"
	noTerm   = "no settled term in the source"
)

// Behind is the first of [Follow.Reasons] for which a segment in gold that gives b cannot be taken over: it does not
// meet a condition, a text that it brings waits for an adjudicator, or it brings terms and its source has none. It is
// empty if the segment can be taken over.
func (f Follow) Behind(b Settled) string {
	if c, unmet := f.Unmet(b); unmet {
		return unmetWords(c)
	}
	switch {
	case slices.ContainsFunc(b.Open, f.brings):
		return textOpen
	case b.NoTerms && f.brings(CarryTerms):
		return noTerm
	}
	return ""
}

// Reasons lists what can keep settled segments behind, in the order in which it is asked.
func (f Follow) Reasons() (out []string) {
	for _, c := range f.Where {
		out = append(out, unmetWords(c))
	}
	if f.brings(CarrySource) || f.brings(CarryReference) {
		out = append(out, textOpen)
	}
	if f.brings(CarryTerms) {
		out = append(out, noTerm)
	}
	return out
}

func unmetWords(c Condition) string { return "does not meet " + c.String() }

// The steps of a chain, by which lists of segments are filtered. A colon and the slug of the following campaign come after StepReady,
// StepBehind and StepTaken. Another colon and one of [Follow.Reasons] may come after StepBehind and its slug.
const (
	StepFiltered = "filtered" // the filter of the campaign leaves them out, and nobody was handed them
	StepWork     = "work"     // not settled, and not left out
	StepOut      = "out"      // discarded or withdrawn
	StepGold     = "gold"     // in gold
	StepFailed   = "failed"   // they failed the gate in round 1
	StepSaved    = "saved"    // the same, and in gold
	StepReady    = "ready"    // they meet the conditions of the following campaign, whether or not it has taken them over
	StepTaken    = "taken"    // the following campaign has taken them over
	StepBehind   = "behind"   // in gold and not ready
)

// Handed is the segment that a following campaign gets from s, which gives b. next is the protocol of the following
// campaign.
func (f Follow) Handed(next *protocol.Protocol, s Segment, b Brought) Segment {
	out := Segment{
		DocID:       s.DocID,
		SegmentID:   s.SegmentID,
		Domain:      s.Domain,
		DataSource:  s.DataSource,
		Source:      s.Source,
		Context:     s.Context,
		Term:        s.Term,
		Explication: s.Explication,
	}
	if f.brings(CarrySource) {
		out.Source = b.Source
	}
	if f.brings(CarryReference) && b.Reference != "" {
		out.References = []Reference{{MainReference, b.Reference}}
	}
	if f.brings(CarryTerms) {
		out.Terms = b.Terms
	}
	if a, ok := b.Answers["domain"]; ok && f.brings(CarryAnswers) && a.Several == nil && a.Text != "" {
		out.Domain = a.Text
	}
	candidates := s.Candidates
	if !s.RatedItself() {
		for _, t := range s.Translations {
			candidates = append(candidates, CandidateText{t.System, t.Text})
		}
	}
	if !f.brings(CarryCandidates) {
		candidates = nil
	}
	if next.OfSegments() {
		out.Translations, out.Candidates = ItselfOnly(), candidates
		return out
	}
	for _, c := range candidates {
		out.Translations = append(out.Translations, Translation{System: c.Name, Text: c.Text})
	}
	return out
}

// Changed says in words what has changed since a segment was taken over. s is the present state of the forebear under
// p, and b are the texts and answers that it gave. The result is nil if nothing has changed.
func (f Follow) Changed(p *protocol.Protocol, s Segment, b Brought) (out []string) {
	if !s.Status.InGold() {
		return []string{"it is no longer settled: " + s.Status.Words()}
	}
	now := BroughtBy(p, s)
	if c, unmet := f.Unmet(now.Settled); unmet {
		out = append(out, "it no longer meets "+c.String())
	}
	if f.handsSource(p) && now.Source != b.Source {
		out = append(out, "its source has changed")
	}
	if slices.ContainsFunc(now.Open, f.brings) {
		return append(out, "its text waits for an adjudicator")
	}
	if f.brings(CarryReference) && now.Reference != b.Reference {
		out = append(out, "its accepted text has changed")
	}
	if f.brings(CarryAnswers) && !(maps.EqualFunc(now.Answers, b.Answers, protocol.Answer.Equal) && maps.Equal(now.Numbers, b.Numbers)) {
		out = append(out, "its answers have changed")
	}
	if f.brings(CarryTerms) && !slices.EqualFunc(now.Terms, b.Terms, protocol.ErrorSpan.Equal) {
		out = append(out, changedTerms(b.Terms, now.Terms))
	}
	return out
}

// changedTerms says whether other words are marked as terms, or something else is said of the same ones.
func changedTerms(before, now []protocol.ErrorSpan) string {
	same := func(a, b protocol.ErrorSpan) bool {
		return a.SamePlace(b) && a.Category == b.Category && a.Subcategory == b.Subcategory
	}
	if slices.EqualFunc(before, now, same) {
		return "its terms are explained or linked differently"
	}
	return "other terms are marked in it, or in other categories"
}

// TakesNewTexts reports whether segments of a campaign under p can take over a new reference after they were rated: the reference is
// what is asked about, and no marks lie in it.
func TakesNewTexts(p *protocol.Protocol) bool {
	return p.OfSegments() && p.BeginsFromReference() && !p.MarksReference()
}

// TakesNewSources reports whether segments of a campaign under p can take over a new source after they were rated: what is asked about is
// the segment, and neither marks nor given terms lie in it.
func TakesNewSources(p *protocol.Protocol) bool {
	return p.OfSegments() && p.Spans == nil && p.Given == ""
}

// ComparesTexts reports whether a campaign under next can take over texts that change in the followed campaign, under p, later.
func (f Follow) ComparesTexts(p, next *protocol.Protocol) bool {
	return f.brings(CarryReference) && TakesNewTexts(next) || f.handsSource(p) && TakesNewSources(next)
}

// handsSource reports whether the source of a segment that comes over from a campaign under p is that of [Brought].
func (f Follow) handsSource(p *protocol.Protocol) bool {
	return f.brings(CarrySource) || !begins(p, protocol.BeginSource)
}

// NewTexts returns the source and the accepted text that a forebear gives now, if a segment under next can take them
// over; each is empty if it is the same. s is the present state of the forebear under p, and b are the texts and
// answers that it gave. Nothing can be taken over of a forebear that could not be taken over now, or whose source, too,
// has changed, but can't be replaced.
func (f Follow) NewTexts(p, next *protocol.Protocol, s Segment, b Brought) (source, reference string) {
	if !s.Status.InGold() {
		return "", ""
	}
	now := BroughtBy(p, s)
	if !f.Ready(s, now) {
		return "", ""
	}
	if f.handsSource(p) && now.Source != b.Source {
		if !TakesNewSources(next) {
			return "", ""
		}
		source = now.Source
	}
	if f.brings(CarryReference) && TakesNewTexts(next) && b.Reference != "" && now.Reference != b.Reference {
		reference = now.Reference
	}
	return source, reference
}

// A Descent says from which segments a taken-over segment comes.
type Descent struct {
	Forebear
	Brought Brought
	Earlier []Forebear // of the forebear, the nearest first
}

// A Forebear is a segment of an earlier campaign.
type Forebear struct {
	Segment  string // row id
	Campaign string // id
	Stage    string // title of the campaign when the segment was taken over
}
