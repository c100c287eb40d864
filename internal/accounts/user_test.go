package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

func TestUsers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.Must(db.Accounts.AddUser(t.Context(), "mia", "", accounts.Admin))(t)
		if u.Name != "mia" || u.Role != accounts.Admin || u.PasswordHash != "" || u.Disabled || !u.CreatedAt.Equal(storetest.Start) {
			t.Errorf("got %+v", u)
		}
		if got := storetest.Must(db.Accounts.UserByLogin(t.Context(), "mia"))(t); got != u {
			t.Errorf("read %+v, want %+v", got, u)
		}
		_, err := db.Accounts.AddUser(t.Context(), "mia", "Mia", accounts.Member)
		storetest.WantErr(t, err, campaign.ErrConflict)
		if _, err = db.Accounts.AddUser(t.Context(), "Mia", "", accounts.Member); err != nil {
			t.Errorf("logins tell case apart: %v", err)
		}
		for _, tt := range []struct{ login, name, role, field string }{
			{"", "", accounts.Member, "login"},
			{"a b", "", accounts.Member, "login"},
			{"a\x00b", "", accounts.Member, "login"},
			{"a\xffb", "", accounts.Member, "login"},
			{"-a", "", accounts.Member, "login"},
			{strings.Repeat("a", 101), "", accounts.Member, "login"},
			{"ok", "two\nlines", accounts.Member, "name"},
			{"ok", "bad \xff", accounts.Member, "name"},
			{"ok", "", "owner", "role"},
		} {
			_, err := db.Accounts.AddUser(t.Context(), tt.login, tt.name, tt.role)
			storetest.WantInvalid(t, err, tt.field)
		}
		_, err = db.Accounts.UserByLogin(t.Context(), "nobody")
		storetest.WantErr(t, err, campaign.ErrNotFound)

		for _, change := range []func(id string) error{
			func(id string) error { return db.Accounts.SetName(t.Context(), id, "Mia 🙂") },
			func(id string) error { return db.Accounts.SetRole(t.Context(), id, accounts.Member) },
			func(id string) error { return db.Accounts.SetPassword(t.Context(), id, "hash") },
			func(id string) error { return db.Accounts.SetDisabled(t.Context(), id, true) },
		} {
			storetest.Check(t, change(u.ID))
			storetest.WantErr(t, change("nobody"), campaign.ErrNotFound)
		}
		u.Name, u.Role, u.PasswordHash, u.Disabled = "Mia 🙂", accounts.Member, "hash", true
		if got := storetest.Must(db.Accounts.UserByLogin(t.Context(), "mia"))(t); got != u {
			t.Errorf("changed %+v, want %+v", got, u)
		}
		storetest.WantInvalid(t, db.Accounts.SetName(t.Context(), u.ID, " "), "name")
		storetest.WantInvalid(t, db.Accounts.SetRole(t.Context(), u.ID, "lead"), "role")
	})
}

// Users are sorted by the bytes of their logins, whatever the collation of the database.
func TestUsersOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		want := []string{"B", "Z", "_", "a", "b", "b.c", "bc", "ä"}
		want = slices.DeleteFunc(want, func(s string) bool { return s == "_" }) // no login
		s := storetest.Campaign(t, db.Store, storetest.Annotators(0))
		for _, login := range []string{"b.c", "ä", "Z", "a", "bc", "B", "b"} {
			s.AddAnnotator(t, login)
		}
		want = append(want[:len(want)-1], "lead", "researcher", "ä")
		var users, members []string
		for _, u := range storetest.Must(db.Accounts.Users(t.Context()))(t) {
			users = append(users, u.Login)
		}
		for _, m := range storetest.Must(db.Accounts.Members(t.Context(), s.Campaign.ID))(t) {
			members = append(members, m.User.Login)
		}
		if !slices.Equal(users, want) {
			t.Errorf("users %q, want %q", users, want)
		}
		if !slices.Equal(members, want) {
			t.Errorf("members %q, want %q", members, want)
		}
	})
}

// An address or a form may contain bytes that PostgreSQL cannot store as text. Nothing has such
// a name.
func TestLookUpWhatCannotBe(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		for _, text := range []string{"a\x00b", "a\xffb"} {
			_, err := db.Accounts.UserByLogin(t.Context(), text)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			_, err = db.Records.Campaign(t.Context(), text)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			_, err = db.Desk.Segment(t.Context(), s.Campaign, text)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			_, err = db.Work.LoadWork(t.Context(), s.Campaign, text, s.Lead.ID)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			storetest.WantErr(t, db.Work.Submit(t.Context(), s.Campaign, s.Lead.ID, text, nil), campaign.ErrNotFound)
			_, err = db.SessionUser(t.Context(), text)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			storetest.WantErr(t, db.Accounts.RevokeSession(t.Context(), s.Lead.ID, text), campaign.ErrNotFound)
			storetest.WantErr(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, text, campaign.Lead, ""), campaign.ErrNotFound)
			storetest.WantErr(t, db.Work.ResolveProblem(t.Context(), s.Campaign.ID, text, "x", false, s.Lead.ID), campaign.ErrNotFound)
		}
	})
}
