package accounts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// TestTokens: a token is good for what it was made for, until it expires, is revoked, or its owner is disabled.
func TestTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
		ctx, lead := t.Context(), s.Lead.ID
		add := func(n accounts.NewToken) string {
			t.Helper()
			return storetest.Must(db.Accounts.AddToken(ctx, lead, n))(t)
		}
		some := add(accounts.NewToken{Name: "some", Campaigns: []string{s.Campaign.Slug, s.Campaign.Slug}, Days: 1})
		all := add(accounts.NewToken{Name: "all", Writes: true, Everywhere: true, Days: 2})
		if !strings.HasPrefix(some, accounts.TokenPrefix) || storetest.Count(t, db, "tokens WHERE token_hash LIKE ?", "%"+some[20:]+"%") != 0 {
			t.Errorf("token %q, or its text is stored", some)
		}
		use := func(token string) accounts.Grant {
			t.Helper()
			u, g, err := db.Accounts.UseToken(ctx, token)
			if err != nil || u.ID != lead {
				t.Fatalf("got %+v, %v", u, err)
			}
			return g
		}
		dead := func(token string) {
			t.Helper()
			_, _, err := db.Accounts.UseToken(ctx, token)
			storetest.WantErr(t, err, campaign.ErrNotFound)
		}
		if g := use(some); g.Writes || !g.Sees(s.Campaign.ID) || g.Sees(other.Campaign.ID) {
			t.Errorf("some: %+v", g)
		}
		if g := use(all); !g.Writes || !g.Sees(s.Campaign.ID) || !g.Sees(other.Campaign.ID) {
			t.Errorf("all: %+v", g)
		}
		dead(all[:len(all)-1])
		dead("")
		db.Accounts.Wait()
		mine := storetest.Must(db.Accounts.Tokens(ctx, lead))(t)
		if len(mine) != 2 || mine[0].Name != "all" || !mine[0].Everywhere || mine[1].Campaigns[0] != s.Campaign.Slug || !mine[1].LastUsedAt.Equal(db.Clock.Now()) {
			t.Errorf("listed %+v", mine)
		}
		db.Clock.Advance(25 * time.Hour)
		dead(some)
		use(all)
		storetest.Check(t, db.Accounts.RevokeToken(ctx, lead, mine[0].ID))
		dead(all)
		storetest.WantErr(t, db.Accounts.RevokeToken(ctx, lead, mine[0].ID), campaign.ErrNotFound)
		late := add(accounts.NewToken{Name: "late", Everywhere: true, Days: 9})
		storetest.Check(t, db.Accounts.SetDisabled(ctx, lead, true))
		dead(late)
		storetest.Check(t, db.Accounts.SetDisabled(ctx, lead, false))
		dead(late)
	})
}

func TestWrongTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		for field, n := range map[string]accounts.NewToken{
			"name":      {Everywhere: true, Days: 1},
			"days":      {Name: "x", Everywhere: true, Days: accounts.MaxTokenDays + 1},
			"campaigns": {Name: "x", Days: 1},
		} {
			_, err := db.Accounts.AddToken(t.Context(), s.Lead.ID, n)
			storetest.WantInvalid(t, err, field)
		}
		_, err := db.Accounts.AddToken(t.Context(), s.Researcher.ID, accounts.NewToken{Name: "x", Campaigns: []string{"no-such"}, Days: 1})
		storetest.WantInvalid(t, err, "campaigns")
		if n := storetest.Count(t, db, "tokens"); n != 0 {
			t.Errorf("%d tokens are left of those that were refused", n)
		}
	})
}

// TestTokenOfAnotherPersonsLink: a lead makes a link for an annotator and uses it to make a token. The token ends when the
// annotator may do more than the lead.
func TestTokenOfAnotherPersonsLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
		ann := s.Annotators[0]
		asLead := records.WithActor(t.Context(), records.Actor{UserID: s.Lead.ID})
		if other.Lead.ID == s.Lead.ID {
			storetest.Check(t, db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, s.Lead.Login, ""))
			storetest.Check(t, db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, ann.Login, ""))
		}
		link := storetest.Must(db.Accounts.RenewLink(asLead, s.Campaign.ID, ann.Login, s.Lead))(t)
		session := storetest.Must(db.Accounts.UseLink(t.Context(), link, ""))(t)
		as := records.WithActor(t.Context(), records.Actor{UserID: ann.ID, Session: session})
		token := storetest.Must(db.Accounts.AddToken(as, ann.ID, accounts.NewToken{Name: "x", Everywhere: true, Writes: true, Days: 9}))(t)
		_, g, err := db.Accounts.UseToken(t.Context(), token)
		storetest.Check(t, err)
		_, err = db.Accounts.CreateCampaign(records.WithActor(t.Context(), records.Actor{UserID: ann.ID, Token: g.ID}), campaign.Campaign{Slug: "mine", Title: "Mine", Protocol: "sqm", Settings: s.Campaign.Settings}, ann.ID)
		storetest.WantErr(t, err, campaign.ErrForbidden)
		ended := storetest.Must(db.Accounts.GiveRole(context.Background(), other.Campaign.ID, ann.Login, campaign.Annotator, ""))(t)
		_, _, err = db.Accounts.UseToken(t.Context(), token)
		storetest.WantErr(t, err, campaign.ErrNotFound)
		if len(ended) != 1 || ended[0].Login != ann.Login || !strings.Contains(strings.Join(ended[0].Kinds, " "), "token") {
			t.Errorf("ended %+v", ended)
		}
	})
}
