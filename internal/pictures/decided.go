package main

import (
	"context"

	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
	"annotate/internal/work"
)

// rateAll saves the same rating on every card of an assignment, and returns the revisions
// to submit.
func rateAll(ctx context.Context, st *store.Store, slug, assignment, userID string, rating protocol.Rating) map[string]int {
	c := must(st.Records.Campaign(ctx, slug))
	w := must(st.Work.LoadWork(ctx, c, assignment, userID))
	revisions := map[string]int{}
	for _, card := range w.Cards {
		saved := must(st.Work.SaveCard(ctx, c, userID, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: rating, Seconds: 1}))
		revisions[card.ID] = saved.Revision
	}
	return revisions
}

// decided has the adjudicator decide a segment under MQM, and a lead discard one that an
// annotator rates all the same.
func decided(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	judge := must(st.Accounts.UserByLogin(ctx, adjudicator))
	marked := must(st.Records.Campaign(ctx, markedMQM))
	verse := must(st.Records.SegmentRowID(ctx, marked.ID, "verse", "verse"))
	check(st.Rounds.AskForAdjudication(ctx, marked.ID, []string{verse}, "Please decide.", lead.ID))
	id := must(st.Work.OpenAdjudication(ctx, marked.ID, verse, judge.ID))
	minor := protocol.Rating{Spans: []protocol.ErrorSpan{{ID: "a", Side: protocol.Target, Start: 0, End: 3, Severity: "minor", Category: "Style", Subcategory: "Awkward"}}, Comment: "Stiff, but right."}
	revisions := rateAll(ctx, st, markedMQM, id, judge.ID, minor)
	check(st.Work.Submit(ctx, marked, judge.ID, id, revisions))

	c := must(st.Records.Campaign(ctx, sample.EnglishArabic))
	late := must(st.Accounts.UserByLogin(ctx, "samir"))
	id = must(st.Work.Next(ctx, c.ID, late.ID))
	revisions = rateAll(ctx, st, c.Slug, id, late.ID, protocol.Rating{Scores: map[string]float64{"sqm": 3}})
	w := must(st.Work.LoadWork(ctx, c, id, late.ID))
	check(st.Rounds.Discard(ctx, c.ID, []string{w.Assignment.SegmentID}, "The source is cut off.", lead.ID))
	check(st.Work.Submit(ctx, c, late.ID, id, revisions))
}

// decidedPages are those of leads about what was decided.
var decidedPages = []picture{
	{name: "decided-overview", login: sample.Lead, path: enAr},
	{name: "decided-queue-overtaken", login: sample.Lead, path: enAr + "/queue?show=overtaken"},
	{name: "decided-queue-asked", login: sample.Lead, path: zhEn + "/queue?show=asked"},
	{name: "decided-segment", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/verse/verse"},
	{name: "decided-asked", login: sample.Lead, path: zhEn},
}
