package report

import (
	"cmp"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// A fateKey is a set of suggestions: those to an annotator, of a category, or of an origin.
type fateKey struct{ by, of string }

const toAnnotator, ofCategory, ofOrigin = "Annotator", "Category", "Origin"

// fates counts what became of suggestions.
type fates map[fateKey]map[protocol.Became]int

// add counts the decisions of a rating on the suggestions for its translation. A file of ratings may have
// decisions on suggestions that the campaign lacks. They count only for the annotator.
func (f fates) add(e *estimates, document int, t campaign.Translation, r campaign.Rating) {
	for _, o := range r.Suggestions {
		keys := []fateKey{{toAnnotator, r.Annotator}}
		if t.Suggested != nil {
			if i := slices.IndexFunc(t.Suggested.Spans, func(s protocol.ErrorSpan) bool { return s.ID == o.ID }); i >= 0 {
				keys = append(keys, fateKey{ofCategory, cmp.Or(t.Suggested.Spans[i].Category, noCategory)}, fateKey{ofOrigin, origin(t)})
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
	for _, by := range []string{toAnnotator, ofCategory, ofOrigin} {
		var names []string
		for k := range f {
			if k.by == by {
				names = append(names, k.of)
			}
		}
		slices.Sort(names)
		if len(names) > 0 {
			t.rule()
		}
		for _, of := range names {
			k := fateKey{by, of}
			accepted, changed, rejected := f[k][protocol.Accepted], f[k][protocol.Changed], f[k][protocol.Rejected]
			all := accepted + changed + rejected
			kept := estimated(stat.Ratio(accepted+changed, all), e.interval("suggestions", k, "kept"))
			t.add(text(by), text(of), count(all), count(accepted), count(changed), count(rejected), kept)
		}
	}
	return t
}
