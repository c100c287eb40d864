package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/outbox"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

// tokenIn is the token of the link in a mail.
func tokenIn(m outbox.Mail) string {
	for word := range strings.FieldsSeq(m.Text) {
		if token, ok := strings.CutPrefix(word, "https://annotate.example.org/sign-in/link/"); ok {
			return token
		}
	}
	return ""
}

// mailed lists what was mailed since the last call, as "address: subject".
func mailed(t *testing.T, db *storetest.DB) (out []string) {
	t.Helper()
	for _, m := range storetest.Mailed(t, db) {
		out = append(out, m.To+": "+m.Subject)
	}
	slices.Sort(out)
	return out
}

func wantMailed(t *testing.T, db *storetest.DB, what string, want ...string) {
	t.Helper()
	if got := mailed(t, db); !slices.Equal(got, want) {
		t.Errorf("%s: %q was mailed, want %q", what, got, want)
	}
}

// TestInvitationsByMail: a login that is an address is written to; who has an account is told that they take part, or gets a join link.
func TestInvitationsByMail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
		storetest.Check(t, db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, s.Lead.Login, "")) // it has another lead
		storetest.SendMails(t, db)
		invite := func(s *storetest.Sample, login string) accounts.Invited {
			t.Helper()
			return storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, login, "", campaign.Annotator, s.Lead.ID))(t)
		}
		made := invite(s, "noa@example.org")
		mails := storetest.Mailed(t, db)
		if len(mails) != 1 || mails[0].To != "noa@example.org" || tokenIn(mails[0]) != made.SignIn || !strings.Contains(mails[0].Text, s.Campaign.Title) || !strings.Contains(mails[0].Text, s.Lead.Name) {
			t.Errorf("the invitation is %+v", mails)
		}
		invite(s, "noa@example.org")
		invite(s, "ben")
		wantMailed(t, db, "no change, and no address")
		storetest.Must(db.Accounts.RenewLink(t.Context(), s.Campaign.ID, "noa@example.org", s.Lead))(t)
		wantMailed(t, db, "a new link", "noa@example.org: Your sign-in link")
		storetest.WantCount(t, db, 2, "deliveries WHERE campaign_id = ?", s.Campaign.ID)

		u := storetest.AddUser(t, db, "mara@example.org")
		storetest.Check(t, db.Accounts.AddMember(t.Context(), other.Campaign.ID, u.Login, campaign.Annotator, ""))
		if join := invite(s, u.Login).Join; join == "" {
			t.Error("a member of another campaign joins without being asked")
		}
		wantMailed(t, db, "somebody who has to accept", "mara@example.org: Invitation to "+s.Campaign.Title)
		free := storetest.AddUser(t, db, "kim@example.org")
		invite(s, free.Login)
		wantMailed(t, db, "somebody who joins at once", "kim@example.org: You take part in "+s.Campaign.Title)
		storetest.Check(t, db.Accounts.SetMailOff(t.Context(), free.ID, true))
		storetest.Check(t, db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, free.Login, ""))
		invite(s, free.Login)
		wantMailed(t, db, "somebody who wants no mails about work")
	})
}

// TestForgotten: who has forgotten the password gets a link at their own address, by login or address, that lasts an hour. One whose address a
// lead gave gets it as long as the lead may do as much; then the lead is a holder of what follows.
func TestForgotten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"))
		storetest.Check(t, db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, s.Lead.Login, "")) // it has another lead
		storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "noa@example.org", "", campaign.Annotator, s.Lead.ID))(t)
		storetest.SendMails(t, db)
		ask := func(typed string) {
			t.Helper()
			before := storetest.Count(t, db, "site_log")
			storetest.Check(t, db.Accounts.Forgotten(t.Context(), typed))
			if n := storetest.Count(t, db, "site_log") - before; n != 1 {
				t.Errorf("%q: the log has %d lines more", typed, n)
			}
		}
		for _, typed := range []string{"nobody", "lead", "", "gravel lantern oboe", "x\x00y"} {
			ask(typed)
		}
		wantMailed(t, db, "no account, or no address")
		storetest.WantCount(t, db, 0, "site_log WHERE subject LIKE '%gravel%'")
		ask("NOA@example.org")
		mails := storetest.Mailed(t, db)
		if len(mails) != 1 {
			t.Fatalf("%d mails", len(mails))
		}
		session := storetest.Must(db.Accounts.UseLink(t.Context(), tokenIn(mails[0]), ""))(t)
		storetest.WantCount(t, db, 1, "session_holders WHERE holder_id = ?", s.Lead.ID)
		noa := storetest.Must(db.SessionUser(t.Context(), session))(t)

		ask("noa@example.org")
		late := tokenIn(storetest.Mailed(t, db)[0])
		db.Clock.Advance(accounts.ForgottenLasts + 1)
		_, err := db.Accounts.UseLink(t.Context(), late, "")
		storetest.WantErr(t, err, accounts.ErrLinkExpired)

		storetest.Check(t, db.Accounts.AddMember(t.Context(), other.Campaign.ID, noa.Login, campaign.Annotator, ""))
		ask("noa@example.org")
		wantMailed(t, db, "an address that a lead gave who may do less")
		storetest.Must(db.Accounts.NewLink(t.Context(), noa.ID))(t) // by the command line
		wantMailed(t, db, "a link of the command line to it")
		own := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.NewLink(t.Context(), noa.ID))(t), ""))(t)
		storetest.Check(t, db.Accounts.ChangeMail(records.WithActor(t.Context(), records.Actor{UserID: noa.ID, Session: own}), own, "", "noa@example.com"))
		wantMailed(t, db, "another address", "noa@example.org: Your e-mail address was changed")
		ask("noa@example.org")
		wantMailed(t, db, "their own address", "noa@example.com: Your sign-in link")
		storetest.Check(t, db.Accounts.SetDisabled(t.Context(), noa.ID, true))
		ask("noa@example.org")
		wantMailed(t, db, "a disabled account")
	})
}

// TestChangeMail: an address needs a proof, as a password does, and who could have given the proof holds the address.
func TestChangeMail(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		made := storetest.Must(db.Accounts.Invite(t.Context(), s.Campaign.ID, "noa", "", campaign.Annotator, s.Lead.ID))(t)
		session := storetest.Must(db.Accounts.UseLink(t.Context(), made.SignIn, ""))(t)
		for _, address := range []string{"noa", "noa@", "Noa <noa@example.org>", "nöa@example.org", "noa@example.org\r\nBcc: x@example.org", strings.Repeat("x", 300) + "@example.org"} {
			storetest.WantInvalid(t, db.Accounts.ChangeMail(t.Context(), session, "", address), "mail")
		}
		storetest.Check(t, db.Accounts.ChangeMail(t.Context(), session, "", "noa@example.org"))
		storetest.WantCount(t, db, 1, "mail_holders WHERE holder_id = ?", s.Lead.ID)
		db.Clock.Advance(accounts.ProofLifetime + 1)
		storetest.WantErr(t, db.Accounts.ChangeMail(t.Context(), session, "", ""), accounts.ErrNoProof)
		storetest.WantErr(t, db.Accounts.ChangeMail(t.Context(), session, "another hash", ""), campaign.ErrConflict)
		noa := storetest.Must(db.SessionUser(t.Context(), session))(t)
		storetest.Check(t, db.Accounts.SetPassword(t.Context(), noa.ID, "hash")) // by the command line
		noa.PasswordHash = "hash"
		session = storetest.Must(db.Accounts.StartSession(t.Context(), noa, ""))(t)
		storetest.Check(t, db.Accounts.ChangeMail(t.Context(), session, "hash", "noa@example.com"))
		storetest.WantCount(t, db, 0, "mail_holders")
		storetest.Check(t, db.Accounts.ChangeMail(t.Context(), session, "hash", ""))
		storetest.WantCount(t, db, 1, "users WHERE login = 'noa' AND mail = ''")
	})
}
