package export_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/protocol"
)

// A generator makes values for round trips, the same ones for a seed.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

// pieces are characters that are often damaged when texts are copied: white space, line
// breaks, quotes, apparent escapes, right-to-left and combining marks, half-width forms,
// emoji with joiners, characters outside the first plane, private use, noncharacters.
var pieces = []string{
	"a", " ", "  ", "\t", "\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\u00a0", "\u3000", "\v", "\f", "\b", "\x01", "\x1b", "\x7f", "\u200b", "\ufeff",
	`"`, `\`, `\n`, `\u0000`, `\ud800`, `/`, `</script>`, "<>&'", `{"a":1}`, ",", ";", "|", "=1+1", "null", "\ufffd",
	"é", "e\u0301", "ﬁ", "ß", "İ", "中", "说实话", "ｶﾞ", "한", "\u1112\u1161\u11ab", "שלום", "\u200fمرحبا\u200e", "\u202e", "\u2067x\u2069",
	"🙂", "💅🏽", "👩‍👩‍👧‍👦", "🇩🇪", "𝔘", "\U000F0000", "\U0010FFFF", "\ufdd0", "\uffff",
}

func (g generator) text(most int) string {
	var b strings.Builder
	for range g.IntN(most + 1) {
		if g.IntN(4) > 0 {
			b.WriteString(pieces[g.IntN(len(pieces))])
			continue
		}
		// Any character but U+0000.
		if r := rune(1 + g.IntN(0x10FFFF)); r < 0xD800 || r > 0xDFFF {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// name is a text that may name something: not empty, without control characters.
func (g generator) name() string {
	s := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '_'
		}
		return r
	}, g.text(4))
	return cmp.Or(s, "_")
}

func (g generator) maybe(s string) string {
	if g.IntN(2) == 0 {
		return ""
	}
	return s
}

func (g generator) names(n int) []string {
	set := map[string]bool{}
	for len(set) < n {
		set[g.name()] = true
	}
	var out []string
	for name := range set {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// segments have a translation by every system.
func (g generator) segments(n int, systems []string) []campaign.Segment {
	return g.lacking(n, systems, false)
}

// lacking makes segments that, if ragged, lack the translations of some systems,
// but never all.
func (g generator) lacking(n int, systems []string, ragged bool) []campaign.Segment {
	out := make([]campaign.Segment, n)
	for i := range out {
		s := campaign.Segment{
			DocID: g.name(), SegmentID: fmt.Sprint(i, g.name()), Domain: g.maybe(g.name()), DataSource: g.maybe(g.text(5)),
			SourceLang: "zh", TargetLang: "pt-BR", Source: g.text(20) + "x" + g.text(20), Context: g.maybe(g.text(9)), Note: g.maybe(g.text(9)),
		}
		names := g.names(g.IntN(4))
		if g.IntN(2) == 0 && !slices.Contains(names, campaign.MainReference) {
			names = append(names, campaign.MainReference)
			slices.Sort(names)
		}
		for _, name := range names {
			s.References = append(s.References, campaign.Reference{Name: name, Text: g.text(20)})
		}
		for k, system := range systems {
			if ragged && k != i%len(systems) && g.IntN(3) == 0 {
				s.Absent = append(s.Absent, system)
				continue
			}
			s.Translations = append(s.Translations, campaign.Translation{System: system, Text: g.maybe(g.text(20))})
		}
		out[i] = s
	}
	return out
}

func (g generator) rating(login string, round int) campaign.Rating {
	r := rated(login, round, float64(g.IntN(5)))
	r.Comment = g.maybe(g.text(10))
	if g.IntN(2) == 0 {
		r.Seconds = float64(g.IntN(100_000)) / 1000
	}
	if g.IntN(2) == 0 {
		r.SubmittedAt = time.UnixMicro(1_700_000_000_000_000 + g.Int64N(1e14)).UTC()
	}
	return r
}

// under is a rating under p of a translation, with spans anywhere in both texts:
// overlapping, nested, empty, over the whole text; with severities and categories
// of p and with unknown ones.
func (g generator) under(p *protocol.Protocol, login string, round int, texts protocol.Texts) campaign.Rating {
	r := g.rating(login, round)
	r.Scores = nil
	for _, s := range p.Scores {
		if r.Scores == nil {
			r.Scores = map[string]float64{}
		}
		r.Scores[s.Name] = float64(s.Min + g.IntN(s.Max-s.Min+1))
	}
	if p.Spans == nil {
		return r
	}
	for i := range g.IntN(5) {
		s := g.span(p, texts)
		if g.IntN(2) == 0 {
			s.ID = fmt.Sprint("s", i)
		}
		if p.Spans.Links && i > 0 && r.Spans[i-1].ID != "" {
			s.Link = r.Spans[i-1].ID
		}
		r.Spans = append(r.Spans, s)
	}
	r.NoErrors = len(p.Scores) == 0 && len(r.Spans) == 0
	return r
}

func (g generator) span(p *protocol.Protocol, texts protocol.Texts) protocol.ErrorSpan {
	s := protocol.ErrorSpan{Side: protocol.Target, Comment: g.maybe(g.text(5))}
	text := texts.Translation
	if g.IntN(3) == 0 {
		s.Side, text = protocol.Source, texts.Source
	}
	n := codepoint.Len(text)
	s.Start = g.IntN(n + 1)
	s.End = s.Start + g.IntN(n-s.Start+1)
	s.Text, _ = codepoint.Slice(text, s.Start, s.End)
	s.Severity = p.Spans.Severities[g.IntN(len(p.Spans.Severities))].ID
	if g.IntN(9) == 0 {
		s.Severity = "Own severity"
	}
	if len(p.Spans.Categories) > 0 {
		c := p.Spans.Categories[g.IntN(len(p.Spans.Categories))]
		s.Category = c.Name
		if len(c.Sub) > 0 {
			s.Subcategory = c.Sub[g.IntN(len(c.Sub))].Name
		}
	}
	switch g.IntN(9) {
	case 0:
		s.Category, s.Subcategory = "Own category", ""
	case 1:
		s.Category, s.Subcategory = "Own category", "Own subcategory"
	case 2:
		if t := p.Spans.MissingPunctuation; t != nil {
			s.Category, s.Subcategory = t.Category, t.Subcategory
		}
	}
	return s
}
