package accounts_test

import (
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// A link and a session that it began end when their user gets rights that the lead who
// made the link does not have.
func TestLinksEndWithNewRights(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Annotators(0))
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Annotators(0))
		storetest.AddUser(t, db, "second")
		if err := db.Accounts.AddMember(t.Context(), other.Campaign.ID, "second", campaign.Lead, ""); err != nil {
			t.Fatal(err)
		}
		if err := db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, "lead", ""); err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			change func(u accounts.User) error
			ends   bool
		}{
			"admin":    {func(u accounts.User) error { return db.Accounts.SetRole(t.Context(), u.ID, accounts.Admin) }, true},
			"member":   {func(u accounts.User) error { return db.Accounts.SetRole(t.Context(), u.ID, accounts.Member) }, false},
			"password": {func(u accounts.User) error { return db.Accounts.SetPassword(t.Context(), u.ID, "hash") }, true},
			"name":     {func(u accounts.User) error { return db.Accounts.SetName(t.Context(), u.ID, "x") }, false},
			"another": {func(u accounts.User) error {
				return db.Accounts.AddMember(t.Context(), other.Campaign.ID, u.Login, campaign.Lead, "")
			}, true},
			"the same": {func(u accounts.User) error {
				return db.Accounts.AddMember(t.Context(), s.Campaign.ID, u.Login, campaign.Lead, "")
			}, false},
		} {
			login := "u" + name[:2]
			storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, login, "", campaign.Researcher, s.Lead.ID))(t)
			u := storetest.Must(db.Accounts.UserByLogin(t.Context(), login))(t)
			link := storetest.Must(db.Accounts.RenewLink(t.Context(), s.Campaign.ID, login, s.Lead))(t)
			used := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.RenewLink(t.Context(), s.Campaign.ID, login, s.Lead))(t), ""))(t)
			if err := tt.change(u); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			_, err := db.Accounts.UseLink(t.Context(), link, "")
			if (err != nil) != tt.ends {
				t.Errorf("%s: the link then: %v", name, err)
			}
			_, err = db.SessionUser(t.Context(), used)
			if (err != nil) != tt.ends {
				t.Errorf("%s: a session in use: %v", name, err)
			}
		}
		// The first invitation does not end the link of an account that an admin made.
		u := storetest.AddUser(t, db, "new")
		link := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
		storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "new", "", campaign.Annotator, s.Lead.ID))(t)
		storetest.Must(db.Accounts.UseLink(t.Context(), link, ""))(t)
	})
}

// Anyone who may have seen systems and ratings can't rate.
func TestReadersDoNotBecomeAnnotators(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		add := func(login string, role campaign.Role) error {
			return db.Accounts.AddMember(t.Context(), s.Campaign.ID, login, role, s.Lead.ID)
		}
		for _, role := range []campaign.Role{campaign.Annotator, campaign.Researcher} { // before the first rating
			if err := add("researcher", role); err != nil {
				t.Fatal(err)
			}
		}
		storetest.AddUser(t, db, "second")
		if err := add("second", campaign.Lead); err != nil {
			t.Fatal(err)
		}
		s.RateNext(t, 0, 0, 1, 2)
		storetest.WantErr(t, add("researcher", campaign.Annotator), campaign.ErrConflict)
		storetest.WantErr(t, add("lead", campaign.Annotator), campaign.ErrConflict)
		if err := db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "researcher", s.Lead.ID); err != nil {
			t.Fatal(err)
		}
		storetest.WantErr(t, add("researcher", campaign.Annotator), campaign.ErrConflict)
		_, err := db.Accounts.Invite(t.Context(), s.Campaign.ID, "researcher", "", campaign.Annotator, s.Lead.ID)
		storetest.WantErr(t, err, campaign.ErrConflict)
		if err := add("researcher", campaign.Researcher); err != nil {
			t.Error(err)
		}

		storetest.Must(db.Accounts.AddUser(t.Context(), "root", "", accounts.Admin))(t)
		storetest.WantErr(t, add("root", campaign.Annotator), campaign.ErrConflict)
		if err := add("root", campaign.Researcher); err != nil {
			t.Error(err)
		}
		storetest.WantErr(t, db.Accounts.SetRole(t.Context(), s.Annotators[0].ID, accounts.Admin), campaign.ErrConflict)
		if err := db.Accounts.SetRole(t.Context(), s.Researcher.ID, accounts.Admin); err != nil {
			t.Error(err)
		}
	})
}

func TestLastLeadStays(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Annotators(0))
		boss := storetest.Must(db.Accounts.AddUser(t.Context(), "boss", "", accounts.Admin))(t)
		second := storetest.AddUser(t, db, "second")
		demote := func(by string) error {
			return db.Accounts.AddMember(t.Context(), s.Campaign.ID, "lead", campaign.Researcher, by)
		}
		storetest.WantErr(t, demote(s.Lead.ID), campaign.ErrConflict)
		storetest.WantErr(t, db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "lead", s.Lead.ID), campaign.ErrConflict)
		if err := db.Accounts.AddMember(t.Context(), s.Campaign.ID, "second", campaign.Lead, s.Lead.ID); err != nil {
			t.Fatal(err)
		}
		if err := db.Accounts.SetDisabled(t.Context(), second.ID, true); err != nil {
			t.Fatal(err)
		}
		storetest.WantErr(t, demote(s.Lead.ID), campaign.ErrConflict) // the other can't sign in
		if err := db.Accounts.SetDisabled(t.Context(), second.ID, false); err != nil {
			t.Fatal(err)
		}
		if err := demote(s.Lead.ID); err != nil {
			t.Fatal(err)
		}
		storetest.WantErr(t, db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "second", s.Lead.ID), campaign.ErrConflict)
		if err := db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "second", boss.ID); err != nil {
			t.Error(err)
		}
	})
}
