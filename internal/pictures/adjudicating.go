package main

import (
	"context"

	"github.com/chromedp/chromedp"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/e2e"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// adjudicator adjudicates a segment of each of these campaigns.
const adjudicator = "judge"

var toAdjudicate = []struct{ slug, doc, segment string }{
	{sample.ChineseEnglish, "poem-millet", "s11"},
	{markedESA, "ferry", "ferry"},
	{markedMQM, "chat", "chat"},
	{markedRATE, "letter", "letter"},
}

// askForAdjudication makes the adjudicator, and asks for one segment of each campaign.
func askForAdjudication(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	must(st.Accounts.AddUser(ctx, adjudicator, "", accounts.Member))
	for _, a := range toAdjudicate {
		c := must(st.Records.Campaign(ctx, a.slug))
		check(st.Accounts.AddMember(ctx, c.ID, adjudicator, campaign.Adjudicator, lead.ID))
		row := must(st.Records.SegmentRowID(ctx, c.ID, a.doc, a.segment))
		check(st.Rounds.AskForAdjudication(ctx, c.ID, []string{row}, "The annotators read the second half differently; please decide.", lead.ID))
	}
}

// opened opens the segment that waits for the adjudicator, and runs a script there.
func opened(script string) []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{
		chromedp.Click("td form button"), e2e.Visible("#submit"), loaded,
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := chromedp.Evaluate[bool](`(`+script+`, true)`)(ctx, t)
			return err
		}),
	}
}

// adjudicationPages are those of an adjudicator.
var adjudicationPages = []picture{
	{name: "adjudicate-list", login: adjudicator, path: zhEn + "/adjudicate"},
	{name: "adjudicate-sqm", login: adjudicator, path: zhEn + "/adjudicate", before: opened(`document.querySelector('[data-take=score]').click()`)},
	{name: "adjudicate-esa", login: adjudicator, path: "/campaigns/" + markedESA + "/adjudicate", before: opened(`document.querySelector('[data-take=majority]').click()`)},
	{name: "adjudicate-mqm", login: adjudicator, path: "/campaigns/" + markedMQM + "/adjudicate", before: opened(`document.querySelector('[data-take=all]').click()`)},
	{name: "adjudicate-rate", login: adjudicator, path: "/campaigns/" + markedRATE + "/adjudicate", before: opened(`document.querySelector('[data-take=span]').click()`)},
}
