package main

import (
	"context"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/sample"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// The campaign inviting is led by somebody else than the sample, and has invited the annotator invitee.
const (
	inviting     = "inviting"
	invitingLead = "ben"
	invitee      = "lin"
)

func invitedPerson(ctx context.Context, st *store.Store) {
	p, _ := protocol.Lookup("sqm")
	ben := must(st.Accounts.AddUser(ctx, invitingLead, "Ben Novak", accounts.Member))
	must(st.Accounts.CreateCampaign(ctx, campaign.Campaign{
		Slug: inviting, Title: "Spring news", Protocol: "sqm", Settings: campaign.DefaultSettings(p),
	}, ben.ID))
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	must(st.Accounts.RenewLink(ctx, must(st.Records.Campaign(ctx, sample.ChineseEnglish)).ID, invitee, lead)) // so that lead is out of reach
	joinPath(ctx, st)
}

// joinPath is the path of a new join link for the invitee.
func joinPath(ctx context.Context, st *store.Store) string {
	c, ben := must(st.Records.Campaign(ctx, inviting)), must(st.Accounts.UserByLogin(ctx, invitingLead))
	return site.JoinPath(must(st.Accounts.Invite(ctx, c.ID, invitee, "", campaign.Annotator, ben.ID)).Join)
}
