package protocol

import (
	"fmt"
	"slices"

	"annotate/internal/wording"
)

// Became is an annotator's decision on a suggested error span.
type Became string

// The decisions on a suggestion. A suggestion without a decision has no [Outcome].
const (
	Accepted Became = "accepted" // the rating has the span exactly as it was suggested, except for its id
	Changed  Became = "changed"  // the rating has the span with another place, severity, category, comment or link
	Rejected Became = "rejected" // the rating does not have the span
)

// An Outcome is an annotator's decision on one suggestion. Its JSON is that of the format "ratings".
type Outcome struct {
	ID     string `json:"id"` // id of the suggestion
	Became Became `json:"became"`
}

// Suggestions are error spans of a translation that a program, such as a metric that marks errors, has
// found. Annotators accept, change or reject each of them.
type Suggestions struct {
	Origin string      // what made them; may be empty; annotators never see it
	Spans  []ErrorSpan // each has a different id and no link
}

// CheckSuggestions reports what is wrong with spans that are to be suggested to annotators under p, by
// field, such as "spans[2].severity". A span that an annotator could not enter can't be suggested: its
// severity and category must be offered by p and not come from an import, and its range and text must be
// those of the translation. The limit on errors does not apply, and a category is not required, because
// annotators still decide on each span.
func (p *Protocol) CheckSuggestions(spans []ErrorSpan, t Texts) []Violation {
	if p.Spans == nil {
		return []Violation{{"spans", "under " + p.Name + " no errors are marked, so that none can be suggested"}}
	}
	if len(spans) > MaxSpans {
		return []Violation{
			{"spans", fmt.Sprintf("%d errors are suggested, and no more than %d can be kept; leave the least certain out", len(spans), MaxSpans)},
		}
	}
	var out []Violation
	offered := p.Spans.offered()
	ids := map[string]bool{}
	for i, s := range spans {
		field := func(name string) string { return fmt.Sprintf("spans[%d].%s", i, name) }
		switch {
		case s.ID == "" || len(s.ID) > maxSpanID:
			out = append(out, Violation{field("id"), fmt.Sprintf("every suggestion needs an id of 1 to %d bytes", maxSpanID)})
		case ids[s.ID]:
			out = append(out, Violation{field("id"), fmt.Sprintf("two suggestions have the id %q; give each its own", s.ID)})
		}
		ids[s.ID] = true
		if s.Suggestion != "" {
			out = append(out, Violation{field("suggestion"), "is for errors that came of a suggestion; leave it out"})
		}
		if s.Link != "" {
			out = append(out, Violation{field("link"), "suggestions are not linked; leave it out"})
		}
		if s.Severity == "" {
			out = append(out, Violation{field("severity"), offered.noSeverity("")})
		}
		for _, v := range offered.checkSpan(s, t) {
			out = append(out, Violation{field(v.Field), v.Msg})
		}
	}
	return out
}

// offered returns m without severities and categories that came with imports.
func (m *Marking) offered() *Marking {
	out := *m
	out.Severities = slices.DeleteFunc(slices.Clone(m.Severities), func(s Severity) bool { return s.Own })
	out.Categories = offeredCategories(m.Categories)
	return &out
}

// offeredCategories returns a list without categories that came with imports.
func offeredCategories(list []Category) []Category {
	var out []Category
	for _, c := range list {
		if !c.Own {
			c.Sub = offeredCategories(c.Sub)
			out = append(out, c)
		}
	}
	return out
}

// Decide returns r with the outcome of each suggestion that is decided, in the order of suggested. A
// suggestion is accepted or changed if a span of r names it. Otherwise it is rejected if an outcome of r
// says [Rejected]. Other outcomes of r are ignored. Spans and outcomes that name a suggestion that does
// not exist, and two spans that name the same one, are violations.
func Decide(suggested []ErrorSpan, r Rating) (Rating, []Violation) {
	var out []Violation
	became := make(map[string]Became, len(suggested))
	for i, o := range r.Suggestions {
		if o.Became == Rejected {
			became[o.ID] = Rejected
		}
		if !slices.ContainsFunc(suggested, func(s ErrorSpan) bool { return s.ID == o.ID }) {
			out = append(out, Violation{fmt.Sprintf("suggestions[%d].id", i), noSuggestion(o.ID)})
		}
	}
	came := map[string]bool{}
	for i, s := range r.Spans {
		if s.Suggestion == "" {
			continue
		}
		field := fmt.Sprintf("spans[%d].suggestion", i)
		k := slices.IndexFunc(suggested, func(o ErrorSpan) bool { return o.ID == s.Suggestion })
		switch {
		case k < 0:
			out = append(out, Violation{field, noSuggestion(s.Suggestion)})
		case came[s.Suggestion]:
			out = append(out, Violation{field, fmt.Sprintf("two errors came of the suggestion %q; keep it at one of them", s.Suggestion)})
		default:
			became[s.Suggestion] = Changed
			if asSuggested(s, suggested[k]) {
				became[s.Suggestion] = Accepted
			}
		}
		came[s.Suggestion] = true
	}
	r.Suggestions = nil
	for _, s := range suggested {
		if b, decided := became[s.ID]; decided {
			r.Suggestions = append(r.Suggestions, Outcome{s.ID, b})
		}
	}
	return r, out
}

func noSuggestion(id string) string {
	return fmt.Sprintf("there is no suggestion %q for this translation", id)
}

// asSuggested reports whether a span equals its suggestion, except for the id.
func asSuggested(s, suggested ErrorSpan) bool {
	s.ID, s.Suggestion = suggested.ID, ""
	return s.Equal(suggested)
}

// Undecided is the number of suggestions without a decision in r, which [Decide] returned.
func Undecided(suggested []ErrorSpan, r Rating) int {
	return len(suggested) - len(r.Suggestions)
}

// UndecidedText says that a rating still needs decisions on n suggestions, in the form of
// [Protocol.Missing].
func UndecidedText(n int) string {
	return "a decision on " + wording.Counted(n, "suggestion")
}

// CheckOutcomes reports outcomes that contradict the rating: an id that is given twice, an unknown
// decision, an accepted or changed suggestion that no span names, and a span whose suggestion has no
// outcome. It does not know the suggestions of the campaign, so it does not check that they exist.
func CheckOutcomes(r Rating) []Violation {
	var out []Violation
	became := map[string]Became{}
	for i, o := range r.Suggestions {
		field := func(name string) string { return fmt.Sprintf("suggestions[%d].%s", i, name) }
		_, twice := became[o.ID]
		came := 0
		for _, s := range r.Spans {
			if s.Suggestion == o.ID {
				came++
			}
		}
		switch {
		case o.ID == "" || len(o.ID) > maxSpanID:
			out = append(out, Violation{field("id"), fmt.Sprintf("every suggestion needs an id of 1 to %d bytes", maxSpanID)})
		case twice:
			out = append(out, Violation{field("id"), fmt.Sprintf("what became of the suggestion %q is said twice; keep one", o.ID)})
		case o.Became != Accepted && o.Became != Changed && o.Became != Rejected:
			out = append(out, Violation{field("became"), fmt.Sprintf("must be %q, %q or %q, not %q", Accepted, Changed, Rejected, o.Became)})
		case o.Became == Rejected && came > 0:
			out = append(out, Violation{field("became"), fmt.Sprintf("says that %q was rejected, but a span came of it; correct one of them", o.ID)})
		case o.Became != Rejected && came != 1:
			out = append(
				out,
				Violation{field("became"), fmt.Sprintf("says that %q was %s; one span must have it as its suggestion, and %d have it", o.ID, o.Became, came)},
			)
		}
		became[o.ID] = o.Became
	}
	for i, s := range r.Spans {
		if _, said := became[s.Suggestion]; s.Suggestion != "" && !said {
			out = append(
				out,
				Violation{
					fmt.Sprintf("spans[%d].suggestion", i),
					fmt.Sprintf("names the suggestion %q, but the field suggestions does not say what became of that; add it there", s.Suggestion),
				},
			)
		}
	}
	return out
}
