package templates

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"annotate/internal/codepoint"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// A Marking is the error spans of one rating, numbered as they stand on a page.
type Marking struct {
	Letter string // of the annotator where several are told apart; may be empty
	Marks  []mark // those of the translation first, then by place
}

// A mark is one error span on a page. It stands in the text, where its number
// leads to its entry in the list beside it, and in that list, from where the
// number leads back.
type mark struct {
	protocol.ErrorSpan
	Number   string // "A2", or "2"
	ID       string // of its entry in the list, unique on the page
	Style    string // class of the line that shows its severity
	Grade    string // its severity in words
	Kind     string // category and subcategory; empty where it has none
	Unknown  string // what of these the protocol does not have; empty: nothing
	LinkedTo string // number of the mark of this rating that its link names; empty if there is none
	LinkID   string
}

// NewMarking numbers the spans of a rating. id begins the ids of its marks.
func NewMarking(p *protocol.Protocol, letter, id string, spans []protocol.ErrorSpan) Marking {
	m := Marking{Letter: letter, Marks: make([]mark, len(spans))}
	for i, s := range spans {
		m.Marks[i].ErrorSpan = s
	}
	slices.SortStableFunc(m.Marks, func(a, b mark) int {
		return cmp.Or(sideOrder(a.Side)-sideOrder(b.Side), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	at := make(map[string]int, len(spans))
	for i := range m.Marks {
		k := &m.Marks[i]
		k.Number = letter + strconv.Itoa(i+1)
		k.ID = id + strconv.Itoa(i+1)
		k.Grade, k.Style, k.Kind, k.Unknown = Describe(p, k.ErrorSpan)
		if k.ErrorSpan.ID != "" {
			at[k.ErrorSpan.ID] = i
		}
	}
	for i := range m.Marks {
		k := &m.Marks[i]
		if other, ok := at[k.Link]; ok && k.Link != "" {
			k.LinkedTo, k.LinkID = m.Marks[other].Number, m.Marks[other].ID
		}
	}
	return m
}

// answersOf are the answers to the questions that p asks of a term, in words.
func answersOf(p *protocol.Protocol, s protocol.ErrorSpan) (out []string) {
	for _, q := range p.Spans.Questions {
		if text, ok := s.Answers[q.Name]; ok {
			label := q.Label
			if !strings.HasSuffix(label, "?") {
				label += ":"
			}
			out = append(out, label+" "+q.Words(protocol.Answer{Text: text}))
		}
	}
	return out
}

func sideOrder(s protocol.Side) int {
	if s == protocol.Source {
		return 1
	}
	return 0
}

// Describe says what a span stands for, and how its severity is drawn.
func Describe(p *protocol.Protocol, s protocol.ErrorSpan) (grade, style, kind, unknown string) {
	m := p.Spans
	if m.OfTerms() {
		return cmp.Or(s.Category, "term"), "sv-term", strings.Join(answersOf(p, s), " · "), ""
	}
	if m == nil { // of another protocol once
		m = &protocol.Marking{}
	}
	grade, style = s.Severity, StyleOf(m, s.Severity)
	severity, known := m.Severity(s.Severity)
	var missing []string
	if known && severity.Name != "" {
		grade = severity.Name
	}
	if s.Severity != "" && (!known || severity.Own) {
		missing = append(missing, "severity")
	}
	kind = s.Category
	if s.Subcategory != "" {
		kind = strings.TrimPrefix(kind+" / "+s.Subcategory, " / ")
	}
	if kind != "" && !offers(m, s) {
		missing = append(missing, "category")
	}
	if len(missing) > 0 {
		unknown = strings.Join(missing, " and ") + " not part of " + p.Name
	}
	return cmp.Or(grade, "no severity"), style, kind, unknown
}

// offers reports whether the protocol itself has the category of a span.
func offers(m *protocol.Marking, s protocol.ErrorSpan) bool {
	if t := m.MissingPunctuation; t != nil && s.Category == t.Category && s.Subcategory == t.Subcategory {
		return true
	}
	c, sub, ok := m.Category(s.Category, s.Subcategory)
	return ok && !c.Own && !sub.Own
}

// lineStyles are the lines of the severities that most protocols share.
var lineStyles = map[string]string{"neutral": "sv-dotted", "minor": "sv-single", "major": "sv-double", "critical": "sv-thick"}

// StyleOf is the class of the line below a mark. Severities of other names are
// drawn in five weights, from light to grave; one that the protocol does not have
// is drawn in waves, which is no weight at all.
func StyleOf(m *protocol.Marking, id string) string {
	if s, ok := m.Severity(id); !ok || s.Own {
		return "sv-own"
	}
	if style := lineStyles[strings.ToLower(id)]; style != "" {
		return style
	}
	last, place := 0, 0
	for i, s := range m.Severities {
		if s.Own {
			continue
		}
		if s.ID == id {
			place = i
		}
		last = i
	}
	weight := 3
	if last > 0 {
		weight = 1 + (4*place+last/2)/last
	}
	return "sv-w" + strconv.Itoa(weight)
}

// about is what a screen reader says of the mark, and a pointer that rests on it.
func (k mark) about() string {
	s := k.Number + ": " + k.Grade
	if k.Kind != "" {
		s += ", " + k.Kind
	}
	if k.Start == k.End {
		s += ", at a gap"
	}
	return s
}

// Words are those a mark covers, shortened in the middle where they are many.
func (k mark) Words() string {
	const most = 90
	n := codepoint.Len(k.Text)
	if n <= most {
		return k.Text
	}
	head, _ := codepoint.Slice(k.Text, 0, most/2)
	tail, _ := codepoint.Slice(k.Text, n-most/2, n)
	return head + " … " + tail
}

// maxLines is how many lines below a text have a place of their own; further
// ones are drawn in the last.
const maxLines = 12

// A MarkedText is one text with marks over it, which may be those of several
// ratings.
type MarkedText struct {
	Text  string
	Lang  Lang
	Marks []mark // all on one side
}

// Over gathers the marks on one side of some ratings.
func Over(text string, lang Lang, side protocol.Side, ms ...Marking) MarkedText {
	t := MarkedText{Text: text, Lang: lang}
	for _, m := range ms {
		for _, k := range m.Marks {
			if k.Side == side {
				t.Marks = append(t.Marks, k)
			}
		}
	}
	return t
}

// lanes are the spans of the marks, the line below the text that each is drawn in, and the number of lines.
func (t MarkedText) lanes() (spans []textSpan, lanes []int, n int) {
	spans = make([]textSpan, len(t.Marks))
	for i, k := range t.Marks {
		spans[i] = textSpan{Start: k.Start, End: k.End}
	}
	lanes, n = lanesOf(spans)
	return spans, lanes, n
}

// begin opens the paragraph of the text.
func (t MarkedText) begin(class string) string {
	return `<p class="` + class + `" lang="` + templ.EscapeString(t.Lang.Lang) + `" dir="` + templ.EscapeString(t.Lang.Dir) + `">`
}

// Draw writes the text with its marks and their numbers. It is no templ component because nothing,
// not even a space, may come between the pieces: line breaks and spaces of the
// text are shown as they are.
func (t MarkedText) Draw() templ.Component {
	spans, lanes, n := t.lanes()
	var b strings.Builder
	b.Grow(len(t.Text) + 300*len(spans))
	b.WriteString(t.begin("text marked lines-" + strconv.Itoa(min(n, maxLines))))
	var on []int // marks that go on behind the piece
	for _, p := range cutText(t.Text, spans) {
		if !p.Gap() {
			on = slices.DeleteFunc(slices.Clone(p.Spans), func(i int) bool { return slices.Contains(p.Ends, i) })
		}
		switch {
		case p.Spans == nil:
			b.WriteString(templ.EscapeString(p.Text))
		case p.Gap():
			for _, i := range p.Spans {
				t.gap(&b, t.Marks[i])
			}
		default:
			t.covered(&b, p, lanes)
		}
		t.numbers(&b, p.Ends, on, lanes)
	}
	b.WriteString("</p>")
	return templ.Raw(b.String())
}

// DrawLines writes the text with the lines of its marks alone, for a picture of an example.
func (t MarkedText) DrawLines() templ.Component {
	spans, lanes, _ := t.lanes()
	var b strings.Builder
	b.WriteString(t.begin("text"))
	for _, p := range cutText(t.Text, spans) {
		t.lines(&b, p.Text, p.Spans, lanes)
	}
	b.WriteString("</p>")
	return templ.Raw(b.String())
}

// lines writes a text with a line below it for each mark over it.
func (t MarkedText) lines(b *strings.Builder, text string, over, lanes []int) {
	for _, i := range over {
		t.line(b, i, lanes)
	}
	b.WriteString(templ.EscapeString(text))
	b.WriteString(strings.Repeat("</span>", len(over)))
}

// covered is text with a line below it for each mark over it.
func (t MarkedText) covered(b *strings.Builder, p stretch, lanes []int) {
	var ids, about []string
	for _, i := range p.Spans {
		ids = append(ids, t.Marks[i].ID)
		about = append(about, t.Marks[i].about())
	}
	b.WriteString(`<mark data-m="` + templ.EscapeString(strings.Join(ids, " ")) + `" title="` + templ.EscapeString(strings.Join(about, "\n")) + `"`)
	if strings.Trim(p.Text, "\r\n") == "" {
		b.WriteString(` class="break"`)
	}
	b.WriteString(">")
	t.lines(b, p.Text, p.Spans, lanes)
	b.WriteString("</mark>")
}

// gap is the caret of a mark without words.
func (t MarkedText) gap(b *strings.Builder, k mark) {
	b.WriteString(`<mark class="gap ` + k.Style + `" data-m="` + templ.EscapeString(k.ID) + `" title="` + templ.EscapeString(k.about()) + `"></mark>`)
}

// numbers stand where marks end. The lines of marks that go on run below them.
func (t MarkedText) numbers(b *strings.Builder, ends, on, lanes []int) {
	if len(ends) == 0 {
		return
	}
	for _, i := range on {
		t.line(b, i, lanes)
	}
	for _, i := range ends {
		t.number(b, t.Marks[i])
	}
	for range on {
		b.WriteString("</span>")
	}
}

// line begins the line below the text that is a mark's.
func (t MarkedText) line(b *strings.Builder, i int, lanes []int) {
	b.WriteString(`<span class="u ` + t.Marks[i].Style + ` l` + strconv.Itoa(min(lanes[i], maxLines-1)) + `">`)
}

// number leads from a mark to its entry in the list. A style sheet writes it, so
// that it is no part of the text when that is copied.
func (t MarkedText) number(b *strings.Builder, k mark) {
	id := templ.EscapeString(k.ID)
	b.WriteString(`<a class="ref" id="at-` + id + `" href="#` + id + `" data-m="` + id + `" data-n="` + templ.EscapeString(k.Number) + `" aria-label="` + templ.EscapeString("mark "+k.about()) + `"></a>`)
}

// becameWords is "Suggestions: 2 accepted, 1 rejected"; empty where there were none.
func becameWords(r protocol.Rating) string {
	counts := map[protocol.Became]int{}
	for _, o := range r.Suggestions {
		counts[o.Became]++
	}
	var parts []string
	for _, became := range []protocol.Became{protocol.Accepted, protocol.Changed, protocol.Rejected} {
		if n := counts[became]; n > 0 {
			parts = append(parts, wording.Count(n)+" "+string(became))
		}
	}
	if parts == nil {
		return ""
	}
	return "Suggestions: " + strings.Join(parts, ", ")
}

// MarkCount is "no errors" or "3 errors", or "1 term" where the spans are terms.
func MarkCount(m *protocol.Marking, n int) string {
	if n == 0 {
		return "no " + m.Noun() + "s"
	}
	return wording.Counted(n, m.Noun())
}

// onlyDerived are the scores that were computed, or those that were not.
func onlyDerived(values []Entered, derived bool) []Entered {
	return slices.DeleteFunc(slices.Clone(values), func(x Entered) bool { return x.Derived != derived })
}

// An Entered is one number of a rating with its name.
type Entered struct {
	Label, Value string
	Derived      bool // computed from what was entered
}

// On are the marks on one side.
func (m Marking) On(side protocol.Side) (n int) {
	for _, k := range m.Marks {
		if k.Side == side {
			n++
		}
	}
	return n
}
