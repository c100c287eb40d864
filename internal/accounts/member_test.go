package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

func TestRemoveMember(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=2"))
	a0, a1 := s.Next(t, 0), s.Next(t, 1)
	s.Save(t, 0, a0, 0, 3)
	storetest.WantNext(t, s, 2, campaign.ErrNoWork)

	s.Remove(t, "ann1")
	storetest.WantErr(t, db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, "ann1", s.Lead.ID), campaign.ErrNotFound)
	if role := storetest.RoleIn(t, db, s.Campaign.Slug, s.Annotators[0].ID); role != "" {
		t.Errorf("a removed member is a %s", role)
	}
	if of := storetest.Must(db.Accounts.CampaignsOf(t.Context(), s.Annotators[0].ID))(t); len(of) != 0 {
		t.Errorf("a removed member belongs to %+v", of)
	}
	if m := storetest.MembershipOf(t, s, "ann1"); !m.Removed || m.Role != campaign.Annotator {
		t.Errorf("membership %+v, want it kept as removed", m)
	}
	storetest.WantNext(t, s, 0, campaign.ErrForbidden)

	a2 := s.Next(t, 2) // the place is free
	s.Rate(t, 1, a1, 0, 2, 4)
	s.Rate(t, 2, a2, 0, 2, 4)
	if got := s.All(t)[0].Status; got != campaign.Agreed {
		t.Errorf("status %s, want agreed: nobody waits for who was removed", got)
	}
	storetest.WantCount(t, db, 1, "drafts WHERE assignment_id = ?", a0)
}

// If a second look waits for one annotator alone, it is decided when that annotator is removed.
// It waits again after the annotator has returned.
func TestRemoveMemberDecides(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1), storetest.Annotators(3), storetest.Set("redundancy=3"))
		for i := range 3 {
			s.RateNext(t, i, [][]float64{{0, 2, 4}, {4, 2, 0}}[i%2]...)
		}
		for i := range 2 {
			s.RateNext(t, i, 0, 2, 4)
		}
		storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
		s.Remove(t, "ann3")
		storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0, 2, 4)
		s.Join(t, "ann3", campaign.Annotator)
		storetest.WantSegment(t, s, 1, campaign.Reannotate, 2)
		storetest.Check(t, db.Accounts.SetDisabled(t.Context(), s.Annotators[2].ID, true))
		storetest.WantSegment(t, s, 1, campaign.Agreed, 2, 0, 2, 4)
	})
}

func TestInvite(t *testing.T) {
	db, s := storetest.New(t, storetest.Annotators(1))
	token := storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "mia", "Mia M.", campaign.Annotator, s.Lead.ID))(t).SignIn
	if m := storetest.MembershipOf(t, s, "mia"); m.Role != campaign.Annotator || m.User.Name != "Mia M." || m.User.Role != accounts.Member || !m.CanSignIn {
		t.Errorf("invited %+v", m)
	}
	session := storetest.Must(db.Accounts.UseLink(t.Context(), token, ""))(t)
	if u := storetest.Must(db.SessionUser(t.Context(), session))(t); u.Login != "mia" {
		t.Errorf("the link signs %q in", u.Login)
	}
	if made := storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "ann1", "", campaign.Annotator, s.Lead.ID))(t); made != (accounts.Invited{}) {
		t.Error("a lead got a link of an account that existed")
	}
	people := []accounts.Invitation{
		{Login: "one", Role: campaign.Annotator}, {Login: "ann1", Role: campaign.Annotator},
		{Login: "two", Name: "Two", Role: campaign.Lead},
	}
	tokens := storetest.Must(db.Accounts.InviteAll(t.Context(), s.Campaign.ID, people, s.Lead.ID))(t)
	if len(tokens) != 3 || tokens[0].SignIn == "" || tokens[1] != (accounts.Invited{}) || tokens[2].SignIn == "" {
		t.Errorf("tokens %q", tokens)
	}
	if got := storetest.MembershipOf(t, s, "one").User.Name; got != "one" {
		t.Errorf("name %q, want the login", got)
	}
	_, err := db.Accounts.InviteAll(t.Context(), s.Campaign.ID, []accounts.Invitation{{Login: "three", Role: campaign.Annotator}, {Login: "a b", Role: campaign.Annotator}}, s.Lead.ID)
	storetest.WantInvalid(t, err, "login")
	if err == nil || !strings.HasPrefix(err.Error(), "a b: ") {
		t.Errorf("%v does not name the login", err)
	}
	_, err = db.Accounts.UserByLogin(t.Context(), "three")
	storetest.WantErr(t, err, campaign.ErrNotFound) // all or none
}

func TestRenewLink(t *testing.T) {
	db, s := storetest.New(t)
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Annotators(0))
	boss := storetest.Must(db.Accounts.AddUser(t.Context(), "boss", "", accounts.Admin))(t)
	stranger := storetest.AddUser(t, db, "stranger")
	renew := func(login string, by accounts.User) error {
		token, err := db.Accounts.RenewLink(t.Context(), s.Campaign.ID, login, by)
		if err == nil {
			session := storetest.Must(db.Accounts.UseLink(t.Context(), token, ""))(t)
			if u := storetest.Must(db.SessionUser(t.Context(), session))(t); u.Login != login {
				t.Errorf("the link of %s signs %s in", login, u.Login)
			}
		}
		return err
	}
	storetest.Check(t, renew("ann1", s.Lead))
	// A lead of both campaigns may do it, too.
	storetest.Check(t, db.Accounts.AddMember(t.Context(), other.Campaign.ID, "ann1", campaign.Annotator, s.Lead.ID))
	storetest.Check(t, renew("ann1", s.Lead))
	storetest.Check(t, db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, "lead", boss.ID))
	storetest.WantErr(t, renew("ann1", s.Lead), campaign.ErrForbidden)
	storetest.Check(t, renew("ann1", boss))
	storetest.WantErr(t, renew("stranger", s.Lead), campaign.ErrNotFound)
	storetest.WantErr(t, renew("nobody", s.Lead), campaign.ErrNotFound)
	storetest.Check(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, "boss", campaign.Researcher, boss.ID))
	storetest.WantErr(t, renew("boss", s.Lead), campaign.ErrForbidden)
	storetest.Check(t, renew("ann2", s.Lead))
	storetest.WantErr(t, renew("ann2", stranger), campaign.ErrForbidden)
}

func TestMembershipIsLogged(t *testing.T) {
	db, s := storetest.New(t, storetest.Annotators(0), storetest.Segments(0))
	storetest.AddUser(t, db, "mia")
	s.Join(t, "mia", campaign.Annotator)
	storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "noa", "", campaign.Researcher, ""))(t)
	storetest.Must(db.Accounts.RenewLink(t.Context(), s.Campaign.ID, "mia", s.Lead))(t)
	s.Remove(t, "mia")
	want := []string{
		"lead create campaign sample", "lead add member researcher as researcher",
		"lead add member mia as annotator", " invite noa as researcher", "lead new sign-in link mia", "lead remove member mia",
	}
	if got := storetest.AuditLines(t, db, s); !slices.Equal(got, want) {
		t.Errorf("audit log\n%q, want\n%q", got, want)
	}
}
