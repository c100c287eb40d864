package sample

import (
	"context"
	"time"

	"annotate/internal/store"
	"annotate/internal/work"
)

// LoadTalk adds conversations between annotators and the lead to a store that [Load] has filled. The
// Chinese campaign gets a question that waits, a question with an answer, and a problem. The MQM campaign
// gets an answer to an annotator who has written comments.
func LoadTalk(ctx context.Context, st *store.Store, clock *Clock) error {
	defer func() { clock.at = clock.now }()
	lead, err := st.Accounts.UserByLogin(ctx, Lead)
	if err != nil {
		return err
	}
	for n, talk := range []struct{ slug, login, question, answer string }{
		{ChineseEnglish, "lin", "The source says 渡口, but the photo in the post shows a bridge.\nShould I judge by the text alone?", ""},
		{ChineseEnglish, "jonas", "Is 小满 a name here, or the day of the calendar?", "It is the name of the cat. Please treat it as a name in the whole poem."},
		{MQM, "lin", "Do I mark the missing article as grammar?", "Yes: Fluency/Grammar, minor."},
	} {
		clock.at = clock.now.Add(time.Duration(n-40) * time.Minute)
		c, err := st.Records.Campaign(ctx, talk.slug)
		if err != nil {
			return err
		}
		annotator, err := st.Accounts.UserByLogin(ctx, talk.login)
		if err != nil {
			return err
		}
		finished, _, err := st.Desk.FinishedWork(ctx, c, annotator.ID, 0, 1)
		if err != nil {
			return err
		}
		w, err := st.Work.LoadWork(ctx, c, finished[0].AssignmentID, annotator.ID)
		if err != nil {
			return err
		}
		if err := st.Work.Ask(ctx, c, annotator.ID, w.Assignment.ID, "1", talk.question); err != nil {
			return err
		}
		if talk.answer == "" {
			continue
		}
		seen := clock.at
		clock.at = clock.at.Add(20 * time.Minute)
		if err := st.Work.Reply(ctx, c.ID, work.Reply{SegmentID: w.Assignment.SegmentID, Login: talk.login, Text: talk.answer, Seen: seen}, lead.ID); err != nil {
			return err
		}
	}
	clock.at = clock.now.Add(-12 * time.Minute)
	c, err := st.Records.Campaign(ctx, ChineseEnglish)
	if err != nil {
		return err
	}
	if err := st.Work.Announce(ctx, c.ID, "The guide has a new section on dialect words: please read it before you go on.\nOn Friday there is no meeting.", clock.now.AddDate(0, 0, 3), lead.ID); err != nil {
		return err
	}
	samir, err := st.Accounts.UserByLogin(ctx, "samir")
	if err != nil {
		return err
	}
	id, err := st.Work.Next(ctx, c.ID, samir.ID)
	if err != nil {
		return err
	}
	return st.Work.ReportProblem(ctx, c, samir.ID, id, "The source is cut off in the middle of the line.")
}
