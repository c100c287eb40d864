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
func rateAll(ctx context.Context, st *store.Store, slug, assignment, userID string, rating protocol.Rating) (map[string]int, error) {
	c, err := st.Campaign(ctx, slug)
	if err != nil {
		return nil, err
	}
	w, err := st.LoadWork(ctx, c, assignment, userID)
	if err != nil {
		return nil, err
	}
	revisions := map[string]int{}
	for _, card := range w.Cards {
		saved, err := st.SaveCard(ctx, c, userID, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: rating, Seconds: 1})
		if err != nil {
			return nil, err
		}
		revisions[card.ID] = saved.Revision
	}
	return revisions, nil
}

// decided has the adjudicator decide a segment under MQM, and a lead discard one that an
// annotator rates all the same.
func decided(ctx context.Context, st *store.Store) error {
	lead, err := st.UserByLogin(ctx, sample.Lead)
	if err != nil {
		return err
	}
	judge, err := st.UserByLogin(ctx, adjudicator)
	if err != nil {
		return err
	}
	marked, err := st.Campaign(ctx, markedMQM)
	if err != nil {
		return err
	}
	verse, err := st.SegmentRowID(ctx, marked.ID, "verse", "verse")
	if err != nil {
		return err
	}
	if err := st.AskForAdjudication(ctx, marked.ID, []string{verse}, "Please decide.", lead.ID); err != nil {
		return err
	}
	id, err := st.OpenAdjudication(ctx, marked.ID, verse, judge.ID)
	if err != nil {
		return err
	}
	minor := protocol.Rating{Spans: []protocol.ErrorSpan{{ID: "a", Side: protocol.Target, Start: 0, End: 3, Severity: "minor", Category: "Style", Subcategory: "Awkward"}}, Comment: "Stiff, but right."}
	revisions, err := rateAll(ctx, st, markedMQM, id, judge.ID, minor)
	if err != nil {
		return err
	}
	if err := st.Submit(ctx, marked, judge.ID, id, revisions); err != nil {
		return err
	}

	c, err := st.Campaign(ctx, sample.EnglishArabic)
	if err != nil {
		return err
	}
	late, err := st.UserByLogin(ctx, "samir")
	if err != nil {
		return err
	}
	if id, err = st.Next(ctx, c.ID, late.ID); err != nil {
		return err
	}
	if revisions, err = rateAll(ctx, st, c.Slug, id, late.ID, protocol.Rating{Scores: map[string]float64{"sqm": 3}}); err != nil {
		return err
	}
	w, err := st.LoadWork(ctx, c, id, late.ID)
	if err != nil {
		return err
	}
	if err := st.Discard(ctx, c.ID, []string{w.Assignment.SegmentID}, "The source is cut off.", lead.ID); err != nil {
		return err
	}
	return st.Submit(ctx, c, late.ID, id, revisions)
}

// decidedPages are those of leads about what was decided.
var decidedPages = []picture{
	{name: "decided-overview", login: sample.Lead, path: enAr},
	{name: "decided-queue-overtaken", login: sample.Lead, path: enAr + "/queue?show=overtaken"},
	{name: "decided-queue-asked", login: sample.Lead, path: zhEn + "/queue?show=asked"},
	{name: "decided-segment", login: sample.Lead, path: "/campaigns/" + markedMQM + "/segments/verse/verse"},
	{name: "decided-asked", login: sample.Lead, path: zhEn},
}
