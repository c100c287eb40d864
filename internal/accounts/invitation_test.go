package accounts_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// An invited is a person whom lead invited to sample, who signed in with lead's link and set a password in
// that session, and whom ben then invites to other, which only he leads.
type invited struct {
	t       *testing.T
	db      *storetest.DB
	s       *storetest.Sample
	other   campaign.Campaign
	ben     accounts.User
	person  accounts.User
	session string // begun with lead's link
	link    string // a second one that lead made
	join    string // the join link of ben's invitation
}

func newInvited(t *testing.T, db *storetest.DB) *invited {
	t.Helper()
	s := storetest.Campaign(t, db.Store, storetest.Annotators(0))
	i := &invited{t: t, db: db, s: s, ben: storetest.AddUser(t, db, "ben")}
	i.other = storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "other"), i.ben.ID))(t)
	made := storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "mia", "Mia", campaign.Annotator, s.Lead.ID))(t)
	i.session = storetest.Must(db.Accounts.UseLink(t.Context(), made.SignIn, ""))(t)
	storetest.Check(t, db.Accounts.ChangePassword(t.Context(), i.session, "", "old hash"))
	i.link = storetest.Must(db.Accounts.RenewLink(t.Context(), s.Campaign.ID, "mia", s.Lead))(t)
	i.person = storetest.Must(db.Accounts.UserByLogin(t.Context(), "mia"))(t)
	i.join = i.invite()
	return i
}

func (i *invited) invite() string {
	i.t.Helper()
	made := storetest.Must(i.db.Accounts.Invite(i.t.Context(), i.other.ID, "mia", "", campaign.Annotator, i.ben.ID))(i.t)
	if made.Join == "" || made.SignIn != "" {
		i.t.Fatalf("the invitation made %+v", made)
	}
	return made.Join
}

// untouched fails the test if an invitation took something away.
func (i *invited) untouched(after string) {
	i.t.Helper()
	ctx := i.t.Context()
	if _, err := i.db.SessionUser(ctx, i.session); err != nil {
		i.t.Errorf("after %s the session: %v", after, err)
	}
	if _, err := i.db.Accounts.LinkUser(ctx, i.link); err != nil {
		i.t.Errorf("after %s the link: %v", after, err)
	}
	if u, err := i.db.Accounts.UserByLogin(ctx, "mia"); err != nil || u.PasswordHash != "old hash" {
		i.t.Errorf("after %s the password is %q, %v", after, u.PasswordHash, err)
	}
	if _, err := i.db.Accounts.RenewLink(ctx, i.s.Campaign.ID, "mia", i.s.Lead); err != nil {
		i.t.Errorf("after %s the first lead makes a link: %v", after, err)
	}
	if role := storetest.RoleIn(i.t, i.db, "other", i.person.ID); role != "" {
		i.t.Errorf("after %s the person is a %s", after, role)
	}
}

func (i *invited) accept(session, link, hash string) (string, error) {
	return i.db.Accounts.Join(records.WithActor(i.t.Context(), records.Actor{UserID: i.person.ID, Session: session}), i.other.ID, session, link, hash, "")
}

// TestInvitationTakesNothing: an invitation by another lead ends nothing, also when it is repeated,
// declined, withdrawn, or when a file of ratings names the login.
func TestInvitationTakesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		i := newInvited(t, db)
		ctx := t.Context()
		i.untouched("the invitation")
		first := i.join
		i.join = i.invite()
		_, err := db.Accounts.JoinLink(ctx, first)
		storetest.WantErr(t, err, accounts.ErrJoinUnknown)
		i.untouched("a second invitation")
		_, err = db.Accounts.RenewLink(ctx, i.other.ID, "mia", i.ben)
		storetest.WantErr(t, err, campaign.ErrNotFound) // the inviting lead can't sign in as an invited person
		_, err = db.Accounts.ChangeRole(ctx, i.other.ID, "mia", campaign.Annotator, i.ben.ID)
		storetest.WantErr(t, err, campaign.ErrNotFound) // and can't make them a member

		storetest.Check(t, db.Accounts.WithdrawInvitation(ctx, i.other.ID, "mia", i.ben.ID))
		storetest.WantErr(t, db.Accounts.WithdrawInvitation(ctx, i.other.ID, "mia", i.ben.ID), campaign.ErrNotFound)
		_, err = i.accept(i.session, i.join, "new hash")
		storetest.WantErr(t, err, accounts.ErrNotInvited)
		i.untouched("it is withdrawn")
		i.join = i.invite()
		storetest.Check(t, db.Accounts.DeclineInvitation(ctx, i.other.ID, i.person))
		storetest.Check(t, db.Accounts.DeclineInvitation(ctx, i.other.ID, i.person))
		_, err = i.accept(i.session, i.join, "new hash")
		storetest.WantErr(t, err, accounts.ErrNotInvited)
		i.untouched("it is declined")

		third := storetest.Campaign(t, db.Store, storetest.Slug("third"), storetest.Annotators(0))
		storetest.Check(t, db.Accounts.AddMember(ctx, third.Campaign.ID, "ben", campaign.Lead, ""))
		storetest.Check(t, db.Accounts.RemoveMember(ctx, third.Campaign.ID, "lead", ""))
		storetest.ImportRatings(t, third, storetest.TurnLines(third, "s1", "mia", 1, 0, 2, 4)...)
		i.untouched("an import of ratings by the login")
		if m := storetest.MembershipOf(t, third, "mia"); !m.Removed || m.Role != campaign.Annotator {
			t.Errorf("the import made the person %+v", m)
		}
		// The command line asks nobody, and says what ended.
		ended := storetest.Must(db.Accounts.GiveRole(ctx, i.other.ID, "mia", campaign.Annotator, ""))(t)
		if len(ended) != 1 || ended[0].Login != "mia" || !slices.Equal(ended[0].Kinds, []string{"link", "password", "session"}) {
			t.Errorf("the command line ended %+v", ended)
		}
	})
}

// TestJoin: somebody with the session and the join link joins with a new password, and nothing that the
// first lead may hold is good then. Nobody joins with only one of the two.
func TestJoin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		i := newInvited(t, db)
		ctx := t.Context()
		refused := func(err, want error) {
			t.Helper()
			storetest.WantErr(t, err, want)
			i.untouched("a refusal")
		}
		thief := storetest.Must(db.Accounts.StartSession(ctx, storetest.AddUser(t, db, "thief"), ""))(t)
		_, err := i.accept(thief, i.join, "thief's hash")
		refused(err, accounts.ErrNotInvited)
		_, err = i.accept(i.session, "", "lead's hash")
		refused(err, accounts.ErrNeedsJoinLink)
		_, err = i.accept(i.session, i.join, "")
		refused(err, accounts.ErrNeedsPassword)
		storetest.Check(t, db.Rounds.Archive(ctx, i.other.ID, i.ben.ID))
		_, err = i.accept(i.session, i.join, "new hash")
		refused(err, campaign.ErrConflict)
		storetest.Check(t, db.Rounds.BringBack(ctx, i.other.ID, i.ben.ID))
		db.Clock.Advance(accounts.LinkLifetime - time.Hour)
		i.link = storetest.Must(db.Accounts.RenewLink(ctx, i.s.Campaign.ID, "mia", i.s.Lead))(t)
		storetest.Must(db.Accounts.LinkUser(ctx, i.link))(t)
		db.Clock.Advance(2 * time.Hour)
		_, err = i.accept(i.session, i.join, "new hash")
		refused(err, accounts.ErrNeedsJoinLink)
		_, err = db.Accounts.JoinLink(ctx, i.join)
		storetest.WantErr(t, err, accounts.ErrJoinExpired)
		i.join = storetest.Must(db.Accounts.RenewJoinLink(ctx, i.other.ID, "mia", i.ben.ID))(t)

		fresh := storetest.Must(i.accept(i.session, i.join, "new hash"))(t)
		if u := storetest.Must(db.SessionUser(ctx, fresh))(t); u.Login != "mia" || u.PasswordHash != "new hash" {
			t.Errorf("joined as %+v", u)
		}
		if role := storetest.RoleIn(t, db, "other", i.person.ID); role != campaign.Annotator {
			t.Errorf("joined as %q", role)
		}
		if _, err := i.accept(fresh, i.join, "another hash"); err != nil {
			t.Errorf("accepting twice: %v", err)
		}
		if u := storetest.Must(db.Accounts.UserByLogin(ctx, "mia"))(t); u.PasswordHash != "new hash" {
			t.Errorf("accepting twice set the password %q", u.PasswordHash)
		}
		for name, old := range map[string]func() error{
			"session": func() error { _, err := db.SessionUser(ctx, i.session); return err },
			"link":    func() error { _, err := db.Accounts.UseLink(ctx, i.link, ""); return err },
			"password": func() error {
				u := i.person
				u.PasswordHash = "old hash"
				_, err := db.Accounts.StartSession(ctx, u, "")
				return err
			},
			"password in the old session": func() error { return db.Accounts.ChangePassword(ctx, i.session, "", "lead's hash") },
			"link made in the old session": func() error {
				old := records.WithActor(ctx, records.Actor{UserID: i.person.ID, Session: i.session})
				_, err := db.Accounts.NewLink(old, i.person.ID)
				return err
			},
			"new link": func() error { _, err := db.Accounts.RenewLink(ctx, i.s.Campaign.ID, "mia", i.s.Lead); return err },
		} {
			if old() == nil {
				t.Errorf("the first lead's %s is good", name)
			}
		}
		if holders := storetest.Count(t, db, "session_holders") + storetest.Count(t, db, "password_holders"); holders != 0 {
			t.Errorf("%d holders are left", holders)
		}
	})
}

// TestJoinAtOnce: who may do everything that the person may do adds them without asking, unless somebody else
// holds a credential.
func TestJoinAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		i := newInvited(t, db)
		ctx := context.Background()
		second := storetest.Must(db.Accounts.CreateCampaign(ctx, storetest.NewCampaign(t, "second"), i.s.Lead.ID))(t)
		if made := storetest.Must(db.Accounts.Invite(ctx, second.ID, "mia", "", campaign.Annotator, i.s.Lead.ID))(t); made != (accounts.Invited{}) {
			t.Errorf("the same lead's second campaign: %+v", made)
		}
		if role := storetest.RoleIn(t, db, "second", i.person.ID); role != campaign.Annotator {
			t.Errorf("the person is a %q of the second campaign", role)
		}
		i.untouched("a second campaign of the same lead")
		// A lead who could not sign in as the person adds nobody unasked, even where nothing would end.
		jo := storetest.AddUser(t, db, "jo")
		storetest.Check(t, db.Accounts.AddMember(ctx, i.s.Campaign.ID, "jo", campaign.Annotator, ""))
		if made := storetest.Must(db.Accounts.Invite(ctx, i.other.ID, "jo", "", campaign.Annotator, i.ben.ID))(t); made.Join == "" || storetest.RoleIn(t, db, "other", jo.ID) != "" {
			t.Errorf("somebody with credentials of their own alone: %+v", made)
		}
		storetest.Must(db.Accounts.Join(ctx, i.other.ID, storetest.Must(db.Accounts.StartSession(ctx, jo, ""))(t), "", "", ""))(t)
		// One click suffices where nobody is out of reach.
		storetest.Check(t, db.Accounts.AddMember(ctx, i.other.ID, "lead", campaign.Lead, i.ben.ID))
		if fresh := storetest.Must(i.accept(i.session, "", ""))(t); fresh != "" {
			t.Error("a new session although nothing ended")
		}
		if u := storetest.Must(db.SessionUser(ctx, i.session))(t); u.PasswordHash != "old hash" {
			t.Errorf("the password is %q", u.PasswordHash)
		}
		storetest.WantCount(t, db, 0, "invitations")
	})
}

// TestJoinLinkOfFormerLead: somebody who may have both the session and the join link, but no longer leads the
// campaign, joins nothing in the person's name.
func TestJoinLinkOfFormerLead(t *testing.T) {
	db := storetest.Open(t)
	i := newInvited(t, db)
	ctx := t.Context()
	storetest.Check(t, db.Accounts.AddMember(ctx, i.other.ID, "lead", campaign.Lead, i.ben.ID))
	i.join = storetest.Must(db.Accounts.RenewJoinLink(ctx, i.other.ID, "mia", i.s.Lead.ID))(t)
	storetest.Check(t, db.Accounts.RemoveMember(ctx, i.other.ID, "lead", i.ben.ID))
	_, err := i.accept(i.session, i.join, "lead's hash")
	storetest.WantErr(t, err, campaign.ErrForbidden)
	i.untouched("the refusal")
	i.join = storetest.Must(db.Accounts.RenewJoinLink(ctx, i.other.ID, "mia", i.ben.ID))(t)
	storetest.Must(i.accept(i.session, i.join, "new hash"))(t)
}

// TestInterleavedJoin: a password that is set in the old session while the person joins is not good
// afterwards.
func TestInterleavedJoin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		i := newInvited(t, db)
		for n := range 20 {
			login := fmt.Sprint("p", n)
			made := storetest.Must(db.Accounts.Invite(t.Context(), i.s.Campaign.ID, login, "", campaign.Annotator, i.s.Lead.ID))(t)
			session := storetest.Must(db.Accounts.UseLink(t.Context(), made.SignIn, ""))(t)
			join := storetest.Must(db.Accounts.Invite(t.Context(), i.other.ID, login, "", campaign.Annotator, i.ben.ID))(t).Join
			var wg sync.WaitGroup
			wg.Go(func() { _ = db.Accounts.ChangePassword(t.Context(), session, "", "lead's hash") })
			wg.Go(func() { _, _ = db.Accounts.Join(t.Context(), i.other.ID, session, join, "new hash", "") })
			wg.Wait()
			if u := storetest.Must(db.Accounts.UserByLogin(t.Context(), login))(t); u.PasswordHash != "new hash" {
				t.Errorf("%s: the password is %q", login, u.PasswordHash)
			}
		}
	})
}

// TestInvitedAndDisabled: a disabled person joins nothing, and an invitation outlasts that.
func TestInvitedAndDisabled(t *testing.T) {
	db := storetest.Open(t)
	i := newInvited(t, db)
	storetest.Check(t, db.Accounts.SetDisabled(t.Context(), i.person.ID, true))
	_, err := i.accept(i.session, i.join, "new hash")
	storetest.WantErr(t, err, campaign.ErrForbidden)
	storetest.Check(t, db.Accounts.SetDisabled(t.Context(), i.person.ID, false))
	link := storetest.Must(db.Accounts.RenewLink(t.Context(), i.s.Campaign.ID, "mia", i.s.Lead))(t)
	session := storetest.Must(db.Accounts.UseLink(t.Context(), link, ""))(t)
	storetest.Must(i.accept(session, i.join, "new hash"))(t)
}
