package main

import (
	"context"
	"errors"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/post"
	"annotate/internal/sample"
	"annotate/internal/store"
)

// senders are there so that pages offer mail. Nothing is sent by them.
var senders = outbox.Senders{Mail: &post.MailServer{}}

// The careful one has a second factor, whose page has this path.
const (
	careful    = "kit"
	factorPath = "/account/second-factor?set-up"
)

// operation adds what the pages of operation show: webhooks and mails that were taken, refused and wait, and a subject of a provider.
func operation(ctx context.Context, st *store.Store) {
	lead := must(st.Accounts.UserByLogin(ctx, sample.Lead))
	news := must(st.Records.Campaign(ctx, sample.ChineseEnglish))
	must(st.Accounts.AddUser(ctx, careful, "", accounts.Admin))
	check(st.Outbox.SendMails(ctx, "https://annotate.example.org"))
	check(st.Accounts.SetMail(ctx, lead.ID, "lead@example.org"))
	for _, login := range []string{"yuki@example.org", "a.very.long.login.of.somebody@translation.university.example.org"} {
		must(st.Accounts.Invite(ctx, news.ID, login, "", campaign.Annotator, lead.ID))
	}
	for of, address := range map[string]string{news.ID: "https://ci.example.org/hooks/annotate?project=zh-en", "": "https://status.example.org/annotate"} {
		for range 2 {
			_, _, err := st.Outbox.AddWebhook(ctx, of, address, []string{outbox.GoldChanged, outbox.CampaignComplete, outbox.ImportDone}, lead.ID)
			check(err)
		}
	}
	must(st.Outbox.SendDue(ctx, outbox.Senders{Webhooks: &halfTaken[outbox.Message]{}, Mail: &halfTaken[outbox.Mail]{}}, ""))
	check(st.Accounts.Forgotten(ctx, lead.Login))
	check(st.Accounts.BindSubject(ctx, lead.ID, "https://login.university.example.org", "8f14e45f-ceea-467a-9e2b-1c1fd50f7ccf"))
}

// A halfTaken takes every second message.
type halfTaken[M any] struct{ n int }

func (h *halfTaken[M]) Send(context.Context, M) (int, error) {
	if h.n++; h.n%2 == 1 {
		return 550, errors.New("the receiver answered with status 550: no such mailbox here")
	}
	return 250, nil
}

// confirmFactor gives the careful one a second factor, while their session goes on.
func confirmFactor(ctx context.Context, st *store.Store) {
	u := must(st.Accounts.UserByLogin(ctx, careful))
	check(st.DB.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec(
			"INSERT INTO second_factors (user_id, secret, confirmed_at) VALUES (?, '', 1) ON CONFLICT (user_id) DO UPDATE SET confirmed_at = 1", u.ID,
		).Error
	}))
}
