package report

import (
	"cmp"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// A fateKey is a set of suggestions: those to an annotator, of a category, or of an origin. Only one field
// is set.
type fateKey struct{ annotator, category, origin string }

// fates counts what became of suggestions.
type fates map[fateKey]map[protocol.Became]int

// add counts the decisions of a rating on the suggestions for its translation. A file of ratings may have
// decisions on suggestions that the campaign lacks. They count only for the annotator.
func (f fates) add(e *estimates, document int, t campaign.Translation, r campaign.Rating) {
	for _, o := range r.Suggestions {
		keys := []fateKey{{annotator: r.Annotator}}
		if t.Suggested != nil {
			if i := slices.IndexFunc(t.Suggested.Spans, func(s protocol.ErrorSpan) bool { return s.ID == o.ID }); i >= 0 {
				keys = append(keys, fateKey{category: cmp.Or(t.Suggested.Spans[i].Category, noCategory)}, fateKey{origin: origin(t)})
			}
		}
		kept := 0.0
		if o.Became != protocol.Rejected {
			kept = 1
		}
		for _, k := range keys {
			if f[k] == nil {
				f[k] = map[protocol.Became]int{}
			}
			f[k][o.Became]++
			e.group("suggestions", k).add(document, "kept", ratioOf, kept, 1)
		}
	}
}

// table counts the suggestions that annotators accepted, changed and rejected, by annotator, category and
// origin.
func (f fates) table(e *estimates) Table {
	t := Table{ID: "suggestions", Title: "What became of suggestions",
		Caption: "Suggested errors that annotators accepted as they were, changed, or rejected.",
		Note:    "Counts are over the ratings that gold is formed from. A suggestion counts once for each annotator who decided on it. Kept: accepted or changed. A category is that of the suggestion. The origin is the judge or tool that made it.",
		Columns: slices.Concat(
			texts("By", "Of"), counts("Suggestions", "Accepted", "Changed", "Rejected"), shares("Kept"),
		)}
	section := func(by string, name func(fateKey) string) {
		names := map[string]fateKey{}
		for k := range f {
			if of := name(k); of != "" {
				names[of] = k
			}
		}
		if len(names) > 0 {
			t.rule()
		}
		for _, of := range sorted(names) {
			n := f[names[of]]
			kept, all := n[protocol.Accepted]+n[protocol.Changed], n[protocol.Accepted]+n[protocol.Changed]+n[protocol.Rejected]
			t.add(
				text(by), text(of), count(all), count(n[protocol.Accepted]), count(n[protocol.Changed]),
				count(n[protocol.Rejected]), estimated(stat.Ratio(kept, all), e.interval("suggestions", names[of], "kept")),
			)
		}
	}
	section("Annotator", func(k fateKey) string { return k.annotator })
	section("Category", func(k fateKey) string { return k.category })
	section("Origin", func(k fateKey) string { return k.origin })
	return t
}
