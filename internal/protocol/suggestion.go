package protocol

import (
	"fmt"
	"slices"

	"annotate/internal/wording"
)

// Became says what an annotator made of a suggested error span.
type Became string

// What can become of a suggestion. One that is not decided yet has no [Outcome].
const (
	Accepted Became = "accepted" // a span is as it was suggested, but for its id
	Changed  Became = "changed"  // a span came of it that differs: in place, severity, category, comment or link
	Rejected Became = "rejected" // no span came of it, or it was removed again
)

// An Outcome is what became of one suggestion of a translation in a rating. Its
// JSON is that of the format "ratings".
type Outcome struct {
	ID     string `json:"id"` // of the suggestion
	Became Became `json:"became"`
}

// Suggestions are error spans that something else than an annotator, such as a
// metric that marks errors, found in a translation. Annotators decide on each.
type Suggestions struct {
	Origin string      // what made them; may be empty, and never reaches an annotator
	Spans  []ErrorSpan // each with an id of its own and without a link
}

// CheckSuggestions reports what is wrong with spans that are to be suggested to
// annotators under p, by field, such as "spans[2].severity". What could not be
// entered can't be suggested: a severity or category that p does not offer, or that
// came with an import; a place outside the text, or other words than are there. The
// limit on errors does not bind, nor must a category be there, since each span is
// still to be decided on.
func (p *Protocol) CheckSuggestions(spans []ErrorSpan, t Texts) []Violation {
	if p.Spans == nil {
		return []Violation{{"spans", "under " + p.Name + " no errors are marked, so that none can be suggested"}}
	}
	if len(spans) > MaxSpans {
		return []Violation{{"spans", fmt.Sprintf("%d errors are suggested, and no more than %d can be kept; leave the least certain out", len(spans), MaxSpans)}}
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

// offered is m without what came with imports.
func (m *Marking) offered() *Marking {
	out := *m
	out.Severities = slices.DeleteFunc(slices.Clone(m.Severities), func(s Severity) bool { return s.Own })
	out.Categories = offeredCategories(m.Categories)
	return &out
}

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

// Decide returns r with what became of each of the suggestions that are decided, in
// their order. A span that names a suggestion came of it; of the outcomes that r
// has, only those that say [Rejected] are looked at, and a span outweighs them.
// Violations are spans and outcomes of suggestions that are not there, and two
// spans of the same.
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

// asSuggested reports whether a span is what was suggested, but for its id.
func asSuggested(s, suggested ErrorSpan) bool {
	s.ID, s.Suggestion = suggested.ID, ""
	return s == suggested
}

// Undecided counts the suggestions that a rating says nothing of; r is as [Decide]
// returns it.
func Undecided(suggested []ErrorSpan, r Rating) int {
	return len(suggested) - len(r.Suggestions)
}

// UndecidedText is a number of suggestions to decide, as it is told where a rating
// can't be submitted yet.
func UndecidedText(n int) string {
	return "a decision on " + wording.Counted(n, "suggestion")
}

// CheckOutcomes reports where the outcomes of a finished rating contradict it: an
// id given twice, an outcome of no known kind, an accepted or changed suggestion
// that no span came of, a span whose suggestion has no such outcome. Whether the
// suggestions are those of the campaign it can't tell.
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
			out = append(out, Violation{field("became"), fmt.Sprintf("says that %q was %s; one span must have it as its suggestion, and %d have it", o.ID, o.Became, came)})
		}
		became[o.ID] = o.Became
	}
	for i, s := range r.Spans {
		if _, said := became[s.Suggestion]; s.Suggestion != "" && !said {
			out = append(out, Violation{fmt.Sprintf("spans[%d].suggestion", i), fmt.Sprintf("names the suggestion %q, but the field suggestions does not say what became of that; add it there", s.Suggestion)})
		}
	}
	return out
}
