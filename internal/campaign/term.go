package campaign

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/protocol"
)

// A TermLine is a given term of a segment in the form of a file.
type TermLine struct {
	Place            // where it was read
	DocID     string // may be empty if SegmentID is unique without it
	SegmentID string
	Term      protocol.ErrorSpan
}

// The answers to a term's questions that a line of the format terms has.
const (
	Explication = "explication" // the meaning of the term
	Equivalent  = "equivalent"  // the established term of the target language
)

// GoldTerms returns the terms of a segment, for a file or for a campaign that takes terms as given. These are the given
// terms of s or, if it has none, the gold of the terms that annotators ([protocol.GoldTerms]) or an adjudicator marked.
// There are none if s is not in gold.
func GoldTerms(s Segment) []protocol.ErrorSpan {
	if len(s.Terms) > 0 || len(s.Translations) == 0 {
		return s.Terms
	}
	var given [][]protocol.ErrorSpan
	for _, r := range GoldSource(s, s.Translations[0]) {
		given = append(given, r.Spans)
	}
	return protocol.GoldTerms(given)
}

// TermsToGive returns the terms of [GoldTerms] with a meaning and an equivalent wherever an annotator gave one: they help readers,
// and two people hardly write the same words. If annotators gave different ones, which are not gold, a term has each of them
// once, in the order of the annotators, with " / " between them.
func TermsToGive(s Segment) []protocol.ErrorSpan {
	terms := GoldTerms(s)
	if len(s.Terms) > 0 || len(terms) == 0 {
		return terms
	}
	for i, t := range terms {
		for _, name := range []string{Explication, Equivalent} {
			var all []string
			for _, r := range GoldSource(s, s.Translations[0]) {
				for _, o := range r.Spans {
					if text := o.Answers[name]; o.SamePlace(t) && o.Category == t.Category && text != "" && !slices.Contains(all, text) {
						all = append(all, text)
					}
				}
			}
			if len(all) > 1 {
				if terms[i].Answers == nil {
					terms[i].Answers = map[string]string{}
				}
				terms[i].Answers[name] = strings.Join(all, " / ")
			}
		}
	}
	return terms
}

// Counterpart returns the term of the reference that a term of the source is linked to, in either direction. ok is false if there is none.
func Counterpart(terms []protocol.ErrorSpan, t protocol.ErrorSpan) (c protocol.ErrorSpan, ok bool) {
	i := slices.IndexFunc(terms, func(o protocol.ErrorSpan) bool {
		return o.Side == protocol.Reference && (o.ID == t.Link || o.Link != "" && o.Link == t.ID)
	})
	if i < 0 {
		return c, false
	}
	return terms[i], true
}

// A RenderedTerm is a given term with the answers about its rendering in one translation.
type RenderedTerm struct {
	Term    protocol.ErrorSpan
	Answers map[string]string // gold, by name of the question: the answer of more than half of the annotators who count
}

// RenderedTerms returns the terms of a translation of s under p, which takes terms as given, with the gold answers to
// the questions of p. A question without an answer of more than half has no gold answer.
func RenderedTerms(p *protocol.Protocol, s Segment, t Translation) (out []RenderedTerm) {
	ratings := GoldSource(s, t)
	for _, r := range ratings {
		for _, span := range r.Spans {
			if slices.ContainsFunc(out, func(o RenderedTerm) bool { return o.Term.SamePlace(span) }) {
				continue
			}
			answers := map[string]string{}
			for _, q := range p.Spans.Questions {
				var given []string
				for _, r := range ratings {
					if i := slices.IndexFunc(r.Spans, span.SamePlace); i >= 0 {
						if a, ok := r.Spans[i].Answers[q.Name]; ok {
							given = append(given, a)
						}
					}
				}
				for _, a := range given {
					if 2*countOf(given, a) > len(ratings) {
						answers[q.Name] = a
					}
				}
			}
			out = append(out, RenderedTerm{span, answers})
		}
	}
	return out
}

func countOf(list []string, value string) (n int) {
	for _, x := range list {
		if x == value {
			n++
		}
	}
	return n
}

// FitTerms returns the terms that a segment takes from another campaign: the terms in the source, and the terms in the
// reference that still fit its text. The error names a term that is not in the source.
func FitTerms(s Segment) ([]protocol.ErrorSpan, error) {
	texts := protocol.Texts{Source: s.Source}
	if ref, ok := FirstReference(s.References); ok {
		texts.Reference = ref.Text
	}
	var out []protocol.ErrorSpan
	gone := map[string]bool{}
	for _, t := range s.Terms {
		if placed, bad := texts.Place(t); bad == nil {
			out = append(out, placed)
		} else if t.Side == protocol.Source {
			return nil, fmt.Errorf("the term %q is not in the present source: its %s %s", t.Text, bad.Field, bad.Msg)
		} else {
			gone[t.ID] = true
		}
	}
	for i := range out {
		if gone[out[i].Link] {
			out[i].Link = ""
		}
	}
	return out, nil
}
