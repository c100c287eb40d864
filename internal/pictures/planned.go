package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/intake"
	"annotate/internal/plan"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// planned is the slug of a campaign with 400 documents for twelve annotators, which a lead has planned.
const planned = "planned"

// manyPeople are the logins and names of its annotators.
var manyPeople = [][2]string{
	{"amal", "أمل الحداد"}, {"bao", "包晓明"}, {"carla", "Carla"}, {"dmitri", "Дмитрий"}, {"eva", "Eva-Maria Oberhollenzer-Schmidt"}, {"farid", "فريد"},
	{"gita", "गीता"}, {"hugo", ""}, {"ines", "Inês"}, {"jun", "純"}, {"kofi", "Kofi"}, {"lena", "Lena"},
}

// plannedCampaign makes that campaign. The batch that was due first is late.
func plannedCampaign(ctx context.Context, st *store.Store) {
	p, _ := protocol.Lookup("sqm")
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	c := must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: planned, Title: "Four hundred documents", Protocol: "sqm", SourceLang: "en", TargetLang: "ar", Settings: campaign.DefaultSettings(p),
	}, lead.ID))
	for _, person := range manyPeople {
		must(st.Accounts.AddUser(ctx, person[0], person[1], accounts.Member))
		check(st.Accounts.AddMember(ctx, c.ID, person[0], campaign.Annotator, lead.ID))
	}
	rng := rand.New(rand.NewPCG(4, 4))
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for i := range 1200 {
			d := i / 3
			s := campaign.Segment{
				DocID:        fmt.Sprintf("%s-%03d", []string{"news", "legal", "social", "speech"}[d%4], d),
				SegmentID:    fmt.Sprint("s", i),
				Domain:       []string{"news", "legal", "social", "speech"}[d%4],
				Source:       "The " + strings.Repeat("long ", rng.IntN(60)) + "sentence.",
				Translations: []campaign.Translation{{System: "Aster", Text: "الجملة"}},
			}
			if !yield(campaign.SegmentLine{Line: i + 1, Segment: s}, nil) {
				return
			}
		}
	}
	must(st.Intake.ImportSegments(ctx, c.ID, lines, intake.ImportOptions{File: "planned.jsonl", ByID: lead.ID}))
	var first []string
	for d := range 40 {
		first = append(first, fmt.Sprintf("%s-%03d", []string{"news", "legal", "social", "speech"}[d%4], d))
	}
	for _, e := range []plan.Edit{
		{Kind: plan.EditSavePool, Pool: plan.Pool{Name: "Lawyers", Domain: "legal", Members: []string{"amal", "carla", "eva", "farid", "lena"}}},
		{Kind: plan.EditSaveBatch, Documents: first, Batch: plan.Batch{Name: "Pilot", Priority: 10, Due: now.AddDate(0, 0, -2).Format("2006-01-02")}},
		{Kind: plan.EditSaveBatch, Batch: plan.Batch{Name: "December", Priority: 5, Due: "2026-12-18"}},
		{Kind: plan.EditSetPeople, People: []plan.Person{{Login: "bao", Share: 0.5}, {Login: "hugo", Share: 1, Words: 4000}, {Login: "amal", Share: 1, Away: []plan.Away{{From: "2026-12-01", To: "2026-12-06"}}}}},
		{Kind: plan.EditAnew},
		{Kind: plan.EditUnassign, Documents: []string{"news-396", "legal-397"}},
	} {
		must(st.Plan.ChangePlan(ctx, c.ID, e, "", lead.ID))
	}
	for _, login := range []string{"amal", "eva"} {
		u := must(st.Accounts.UserByLogin(ctx, login))
		must(st.Work.Next(ctx, c.ID, u.ID))
	}
}
