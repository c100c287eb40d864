package agreement

import (
	"cmp"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A Span is a stretch of text that an annotator marked as wrong: [Start, End) in
// code points. One without words, Start = End, covers the one character at its
// place. Spans on different sides have nothing in common, wherever they lie.
type Span struct {
	Side       string
	Severity   string
	Start, End int
}

func (s Span) end() int { return max(s.End, s.Start+1) }

func (s Span) length() int { return s.end() - s.Start }

// common is how many characters two spans share.
func (s Span) common(t Span) int {
	if s.Side != t.Side || s.Severity != t.Severity {
		return 0
	}
	return max(0, min(s.end(), t.end())-max(s.Start, t.Start))
}

// Theta is the share that two spans must have in common to match if nothing else
// is said.
const Theta = 0.5

// Spans compares the spans that two annotators, A and B, marked in the same
// translations, one translation after the other. Its zero value has seen none.
type Spans struct {
	// BySeverity has spans and characters of different severities count as
	// different; else severities are ignored.
	BySeverity bool
	// Theta is the least share of both spans that the two of a match have in
	// common, in (0, 1]; 0 stands for [Theta].
	Theta float64

	Translations int // compared
	Alike        int // translations in which both marked something, or neither did
	// Characters marked by both, by A and by B. Spans of one annotator are united:
	// a character counts once, however often it was marked.
	CharsBoth, CharsA, CharsB int
	// Spans matched one to one, of A and of B.
	Matched, SpansA, SpansB int

	f1, ofB, ofA stat.Sum // of the translations
}

// Add compares one translation.
func (c *Spans) Add(a, b []Span) {
	c.Translations++
	if (len(a) > 0) == (len(b) > 0) {
		c.Alike++
	}
	if len(a) == 0 && len(b) == 0 {
		c.f1.Add(1)
		c.ofB.Add(1)
		c.ofA.Add(1)
		return
	}
	a, b = c.sorted(a), c.sorted(b)
	ua, ub := united(a), united(b)
	both, charsA, charsB := 0, length(ua), length(ub)
	for _, s := range ua {
		for _, t := range ub {
			both += s.common(t)
		}
	}
	c.CharsBoth, c.CharsA, c.CharsB = c.CharsBoth+both, c.CharsA+charsA, c.CharsB+charsB
	c.f1.Add(2 * float64(both) / float64(charsA+charsB))
	c.ofB.Add(overlapped(b, ua))
	c.ofA.Add(overlapped(a, ub))
	c.SpansA, c.SpansB = c.SpansA+len(a), c.SpansB+len(b)
	theta := c.Theta
	if theta == 0 {
		theta = Theta
	}
	c.Matched += matches(a, b, theta)
}

// Presence is the share of translations in which both marked something or neither
// did; NaN without translations.
func (c *Spans) Presence() float64 { return ratio(float64(c.Alike), c.Translations) }

// CharF1 is the F1 of characters over all translations, 2·both / (A + B); 1 where
// nobody marked anything. NaN without translations.
func (c *Spans) CharF1() float64 {
	if c.CharsA+c.CharsB == 0 && c.Translations > 0 {
		return 1
	}
	return ratio(2*float64(c.CharsBoth), c.CharsA+c.CharsB)
}

// MeanCharF1 is the mean over translations of the F1 of characters in each, 1
// where neither marked anything. NaN without translations.
func (c *Spans) MeanCharF1() float64 { return ratio(c.f1.Value(), c.Translations) }

// OverlapOfB is how much of what B marked A saw too (Table 7 of the RATE paper):
// per translation the share of B's spans that have a character in common with a
// span of A, 1 where B has none; the mean over translations. NaN without
// translations.
func (c *Spans) OverlapOfB() float64 { return ratio(c.ofB.Value(), c.Translations) }

// OverlapOfA is [Spans.OverlapOfB] the other way round.
func (c *Spans) OverlapOfA() float64 { return ratio(c.ofA.Value(), c.Translations) }

// Matches are the precision, recall and F1 of A's spans against B's: matched spans
// as a share of A's, of B's, and of both. Two spans match if what they share is at
// least Theta of both, one with one, the largest shared stretch first (HiMATE,
// appendix E). Each is NaN where it divides by no spans.
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

// sorted copies spans in the order in which united takes them, without their
// severities where these do not count.
func (c *Spans) sorted(spans []Span) []Span {
	out := slices.Clone(spans)
	if !c.BySeverity {
		for i := range out {
			out[i].Severity = ""
		}
	}
	slices.SortFunc(out, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out
}

// united joins sorted spans of a side and severity that overlap or touch.
func united(spans []Span) []Span {
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Side == s.Side && out[n-1].Severity == s.Severity && s.Start <= out[n-1].end() {
			out[n-1].End = max(out[n-1].end(), s.end())
		} else {
			out = append(out, s)
		}
	}
	return out
}

func length(spans []Span) (n int) {
	for _, s := range spans {
		n += s.length()
	}
	return n
}

// overlapped is the share of spans that touch one of the others; 1 for none.
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

// matches counts the spans of a and b that match one to one. Where pairs share
// equally much, the one whose spans are more alike comes first, then the one
// further ahead in the text, so that the order of marking does not matter.
func matches(a, b []Span, theta float64) (n int) {
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
			n++
		}
	}
	return n
}
