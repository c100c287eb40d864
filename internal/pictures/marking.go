package main

import (
	"context"
	"fmt"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/e2e"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
	"annotate/internal/work"
)

// Marker has begun to mark in the first open document of the sample campaigns. Elsewhere has
// begun the other one, so that sample.Annotator is given the same segment as marker.
const marker, elsewhere = "mara", "jonas"

// drafts are what marker has marked so far in the segments that are open: marks that
// overlap and lie in one another, in the translation and in the source.
var drafts = map[string][]given{
	sample.ESA: {
		{system: "Aster", scores: map[string]float64{"score": 78}, spans: []protocol.ErrorSpan{mark("brummt", "minor", "")}},
		{system: "Birch", scores: map[string]float64{"score": 31}, comment: "Word by word.", spans: []protocol.ErrorSpan{
			mark("Hälfte von Ellersby läuft nun den langen Weg rund", "major", ""), mark("läuft nun", "minor", ""), mark("Weg rund, zu vermeiden die Melodie", "major", ""), inSource("walks the long way round", "minor", "")}},
	},
	sample.MQM: {
		{system: "Aster", spans: []protocol.ErrorSpan{mark("all borrowed", "minor", "Style/Awkward")}},
		{system: "Birch", spans: []protocol.ErrorSpan{
			mark("pity once rain all borrow light ☔️, left that one", "major", "Fluency/Grammar"), mark("once rain", "minor", "Fluency/Grammar"), mark("light ☔️, left", "major", "Accuracy/Mistranslation"),
			inSource("就全借光了☔️", "minor", "Accuracy/Omission"), mark("Share umbrella", "major", "")}},
	},
	sample.RATE: {
		{system: "Aster", scores: both(91, 94), spans: []protocol.ErrorSpan{mark("يخبرك", "1", "Style")}},
		{system: "Birch", scores: both(52, 24), comment: "Word by word.", spans: []protocol.ErrorSpan{
			with(mark("ماء الريحان عندما التطبيق يقول هكذا", "5", "Grammar"), "s1", "", ""), mark("عندما التطبيق", "3", "Fluency"), with(mark("التطبيق يقول هكذا، ليس", "2", "Style"), "s3", "", "stiff"),
			with(mark("حزين؛", "4", "Inconsistency"), "s4", "s1", "see the first one"), gapAfter("ريحان", "2", "Grammar", "missing punctuation"), inSource("always looks", "4", "Undertranslation")}},
	},
}

// markDrafts saves the drafts of marker, and hands out the other document to elsewhere.
func markDrafts(ctx context.Context, st *store.Store) {
	u := must(st.Accounts.UserByLogin(ctx, marker))
	other := must(st.Accounts.UserByLogin(ctx, elsewhere))
	for slug, all := range drafts {
		c := must(st.Records.Campaign(ctx, slug))
		id := must(st.Work.Next(ctx, c.ID, u.ID))
		must(st.Work.Next(ctx, c.ID, other.ID))
		w := must(st.Work.LoadWork(ctx, c, id, u.ID))
		texts := map[string]string{}
		for s, err := range st.Records.AllSegments(ctx, c) {
			check(err)
			if s.Source != w.Source {
				continue
			}
			for _, t := range s.Translations {
				texts[t.Text] = t.System
			}
		}
		for i, card := range w.Cards {
			for _, g := range all {
				if g.system != texts[card.Text] {
					continue
				}
				saveDraft(ctx, st, c, w, u.ID, i, g)
			}
		}
	}
}

func saveDraft(ctx context.Context, st *store.Store, c campaign.Campaign, w work.Work, userID string, index int, g given) {
	r := protocol.Rating{Scores: g.scores, Comment: g.comment}
	for i, s := range g.spans {
		s := must(place(s, protocol.Texts{Source: w.Source, Translation: w.Cards[index].Text}))
		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", i+1)
		}
		r.Spans = append(r.Spans, s)
	}
	must(st.Work.SaveCard(ctx, c, userID, work.CardSave{AssignmentID: w.Assignment.ID, CardID: w.Cards[index].ID, Revision: w.Cards[index].Revision, SaveID: fmt.Sprint("draft", index), Rating: r}))
}

// markingPages are the annotate page where errors are marked.
var markingPages = []picture{
	{name: "annotate-esa", login: marker, path: "/campaigns/" + sample.ESA + "/assignments/NEXT", before: onCard("Fußbrücke", ".", ".", ".")},
	{name: "annotate-esa-selected", login: marker, path: "/campaigns/" + sample.ESA + "/assignments/NEXT", before: onCard("Fußbrücke", "Shift+End")},
	{name: "annotate-esa-suggested", login: sample.Annotator, path: "/campaigns/" + sample.ESA + "/assignments/NEXT", before: onCard("Fußbrücke", "y")},
	{name: "annotate-mqm", login: marker, path: "/campaigns/" + sample.MQM + "/assignments/NEXT", before: onCard("Share umbrella", ".", ".", ".", ".")},
	{name: "annotate-mqm-category", login: marker, path: "/campaigns/" + sample.MQM + "/assignments/NEXT", before: onCard("Share umbrella", ".", ".", ".", "c")},
	{name: "annotate-mqm-suggested", login: sample.Annotator, path: "/campaigns/" + sample.MQM + "/assignments/NEXT", before: onCard("Share umbrella", "y")},
	{name: "annotate-rate", login: marker, path: "/campaigns/" + sample.RATE + "/assignments/NEXT", before: onCard("ماء الريحان", ".", ".", ".")},
	{name: "annotate-rate-category", login: marker, path: "/campaigns/" + sample.RATE + "/assignments/NEXT", before: onCard("ماء الريحان", ".", ".", "c")},
	{name: "annotate-rate-link", login: marker, path: "/campaigns/" + sample.RATE + "/assignments/NEXT", before: onCard("ماء الريحان", ".", ".", "l")},
	{name: "annotate-rate-open", login: sample.Annotator, path: "/campaigns/" + sample.RATE + "/assignments/NEXT"},
}

// onCard goes to the card of the translation that has these words, and presses keys.
func onCard(words string, keys ...string) []chromedp.Action[chromedp.Void] {
	steps := []chromedp.Action[chromedp.Void]{chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool](`([...document.querySelectorAll('.card')].find((c) => c.textContent.includes('`+words+`')).focus(), true)`)(ctx, t)
		return err
	})}
	for _, k := range keys {
		steps = append(steps, e2e.Key(k))
	}
	return steps
}
