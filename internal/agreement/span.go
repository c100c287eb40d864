package agreement

import (
	"cmp"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A Span is an error that an annotator marked: [Start, End) in code points of the
// text of one side. An empty span, Start = End, counts as the one character at Start.
// Spans on different sides never overlap.
type Span struct {
	Side       string
	Severity   string
	Start, End int
}

func (s Span) end() int { return max(s.End, s.Start+1) }

func (s Span) length() int { return s.end() - s.Start }

// common returns the number of characters that two spans share.
func (s Span) common(t Span) int {
	if s.Side != t.Side || s.Severity != t.Severity {
		return 0
	}
	return max(0, min(s.end(), t.end())-max(s.Start, t.Start))
}

// Theta is the default of [Spans.Theta].
const Theta = 0.5

// Spans compares the spans that two annotators, A and B, marked in the same
// translations. Add adds one translation after the other. The zero value is empty.
type Spans struct {
	// BySeverity makes spans and characters of different severities differ.
	// Otherwise severities are ignored.
	BySeverity bool
	// Theta is the least share of each of two spans that must overlap with the other
	// for a match, in (0, 1]. 0 stands for [Theta].
	Theta float64

	Translations int // the number of translations
	Alike        int // translations in which both marked something, or neither did
	// CharsBoth, CharsA and CharsB count the characters marked by both, by A and by B.
	// A character that an annotator marked several times counts once.
	CharsBoth, CharsA, CharsB int
	// Matched counts spans of A matched one to one with spans of B. SpansA and SpansB
	// count all spans.
	Matched, SpansA, SpansB int

	ofB, ofA stat.Sum // sums over the translations
}

// Add adds the spans of one translation.
func (c *Spans) Add(a, b []Span) {
	var x, y Marks
	x.Set(a, c.BySeverity)
	y.Set(b, c.BySeverity)
	c.AddMarks(&x, &y)
}

// AddMarks is [Spans.Add] for spans that are compared many times. They have to be set with the BySeverity of c.
func (c *Spans) AddMarks(a, b *Marks) {
	c.Translations++
	if (len(a.spans) > 0) == (len(b.spans) > 0) {
		c.Alike++
	}
	if len(a.spans) == 0 && len(b.spans) == 0 {
		c.ofB.Add(1)
		c.ofA.Add(1)
		return
	}
	both := 0
	for _, s := range a.united {
		for _, t := range b.united {
			both += s.common(t)
		}
	}
	c.CharsBoth, c.CharsA, c.CharsB = c.CharsBoth+both, c.CharsA+a.characters, c.CharsB+b.characters
	c.ofB.Add(overlapped(b.spans, a.united))
	c.ofA.Add(overlapped(a.spans, b.united))
	c.SpansA, c.SpansB = c.SpansA+len(a.spans), c.SpansB+len(b.spans)
	if both > 0 {
		c.Matched += matches(a.spans, b.spans, cmp.Or(c.Theta, Theta))
	}
}

// Merge adds the comparison of other translations, with the same BySeverity and Theta.
func (c *Spans) Merge(d Spans) {
	c.Translations, c.Alike = c.Translations+d.Translations, c.Alike+d.Alike
	c.CharsBoth, c.CharsA, c.CharsB = c.CharsBoth+d.CharsBoth, c.CharsA+d.CharsA, c.CharsB+d.CharsB
	c.Matched, c.SpansA, c.SpansB = c.Matched+d.Matched, c.SpansA+d.SpansA, c.SpansB+d.SpansB
	c.ofB.Add(d.ofB.Value())
	c.ofA.Add(d.ofA.Value())
}

// Swapped is the comparison of B with A.
func (c Spans) Swapped() Spans {
	c.CharsA, c.CharsB, c.SpansA, c.SpansB, c.ofA, c.ofB = c.CharsB, c.CharsA, c.SpansB, c.SpansA, c.ofB, c.ofA
	return c
}

// Marks are the spans that an annotator marked in a translation, prepared for comparisons. The zero value has none.
type Marks struct {
	spans      []Span // in the order that united needs
	united     []Span
	characters int // of united
}

// Set replaces the spans. It removes severities unless bySeverity is set.
func (m *Marks) Set(spans []Span, bySeverity bool) {
	m.spans = append(m.spans[:0], spans...)
	if !bySeverity {
		for i := range m.spans {
			m.spans[i].Severity = ""
		}
	}
	slices.SortFunc(m.spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	m.united, m.characters = united(m.united[:0], m.spans), 0
	for _, s := range m.united {
		m.characters += s.length()
	}
}

// Presence is the share of translations in which both marked something or neither
// did. It is NaN without translations.
func (c *Spans) Presence() float64 { return ratio(float64(c.Alike), c.Translations) }

// CharF1 is the F1 of characters over all translations, 2·CharsBoth / (CharsA +
// CharsB). It is 1 if nobody marked anything, and NaN without translations.
func (c *Spans) CharF1() float64 {
	if c.CharsA+c.CharsB == 0 && c.Translations > 0 {
		return 1
	}
	return ratio(2*float64(c.CharsBoth), c.CharsA+c.CharsB)
}

// OverlapOfB is the directed overlap of Popov et al. 2025 (Table 7): the share of B's
// spans that have a character in common with a span of A, as the mean over
// translations. A translation in which B has no span counts as 1. It is NaN without
// translations.
func (c *Spans) OverlapOfB() float64 { return ratio(c.ofB.Value(), c.Translations) }

// OverlapOfA is [Spans.OverlapOfB] with A and B exchanged.
func (c *Spans) OverlapOfA() float64 { return ratio(c.ofA.Value(), c.Translations) }

// Matches returns the precision, recall and F1 of A's spans against B's. Two spans
// match if the characters they share are at least the share Theta of each. Each span
// matches at most one other, and the pair with the most shared characters is matched
// first (Zhang et al. 2025, appendix E). A result is NaN if its divisor is 0.
func (c *Spans) Matches() (precision, recall, f1 float64) {
	m := float64(c.Matched)
	return ratio(m, c.SpansA), ratio(m, c.SpansB), ratio(2*m, c.SpansA+c.SpansB)
}

func ratio(a float64, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / float64(b)
}

// united appends sorted spans to out and joins those of the same side and severity that overlap or touch.
func united(out, spans []Span) []Span {
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Side == s.Side && out[n-1].Severity == s.Severity && s.Start <= out[n-1].end() {
			out[n-1].End = max(out[n-1].end(), s.end())
		} else {
			out = append(out, s)
		}
	}
	return out
}

// overlapped returns the share of spans that overlap one of the others. It is 1 if
// there are no spans.
func overlapped(spans, others []Span) float64 {
	if len(spans) == 0 {
		return 1
	}
	n := 0
	for _, s := range spans {
		if slices.ContainsFunc(others, func(t Span) bool { return s.common(t) > 0 }) {
			n++
		}
	}
	return float64(n) / float64(len(spans))
}

// matches counts the spans of a and b that match one to one.
func matches(a, b []Span, theta float64) int { return len(Pairs(a, b, theta)) }

// Pairs matches spans of a and b one to one, as [Spans.Matches] does, and returns the indexes of
// each pair in a and b. Spans of different severities do not match; leave severities empty to
// ignore them. If pairs share equally many characters, the pair with the shorter spans is matched
// first, then the pair that starts earlier in the text. So the order of marking does not matter.
func Pairs(a, b []Span, theta float64) (pairs [][2]int) {
	type candidate struct{ common, i, j int }
	var found []candidate
	for i, s := range a {
		for j, t := range b {
			common := s.common(t)
			if common > 0 && float64(common) >= theta*float64(max(s.length(), t.length()))-slack {
				found = append(found, candidate{common, i, j})
			}
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return [][2]int{{found[0].i, found[0].j}}
	}
	slices.SortFunc(found, func(x, y candidate) int {
		return cmp.Or(
			cmp.Compare(y.common, x.common),
			cmp.Compare(a[x.i].length()+b[x.j].length(), a[y.i].length()+b[y.j].length()),
			cmp.Compare(a[x.i].Start+b[x.j].Start, a[y.i].Start+b[y.j].Start),
			cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j))
	})
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	for _, c := range found {
		if !usedA[c.i] && !usedB[c.j] {
			usedA[c.i], usedB[c.j] = true, true
			pairs = append(pairs, [2]int{c.i, c.j})
		}
	}
	return pairs
}
