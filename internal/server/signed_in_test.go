package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// TestNeverSignedIn checks that the pages of members and of users mark the logins that have never signed
// in, and no login whose session has expired.
func TestNeverSignedIn(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Accounts.Invite(t.Context(), s.Campaign.ID, "newcomer", "", "annotator", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	s.signedIn(s.Annotators[0])
	s.db.Clock.Advance(40 * 24 * time.Hour)
	if err := s.Store.Housekeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Accounts.Invite(t.Context(), s.Campaign.ID, "latecomer", "", "annotator", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	never := func(page answer, login string) bool {
		row := page.page(t).Find("tr").FilterFunction(func(_ int, row *goquery.Selection) bool {
			return strings.HasPrefix(strings.TrimSpace(row.Find("th").Text()), login)
		})
		if row.Length() != 1 {
			t.Fatalf("%d rows are about %s", row.Length(), login)
		}
		return strings.Contains(row.Text(), "never signed in")
	}
	members := s.signedIn(s.Lead).get("/campaigns/" + s.Campaign.Slug + "/members")
	users := s.signedIn(s.admin()).get("/users")
	for login, want := range map[string]bool{"latecomer": true, s.Lead.Login: false} {
		if never(members, login) != want || never(users, login) != want {
			t.Errorf("%s: the pages say never signed in: members %t, users %t; want %t", login, never(members, login), never(users, login), want)
		}
	}
	if never(users, s.Annotators[0].Login) || !never(users, "newcomer") {
		t.Error("the page of users is wrong about somebody whose session or link has expired")
	}
}

// TestDisabledMember checks that leads read of an account that an admin has disabled, and are offered no link
// for it, with which nobody could sign in.
func TestDisabledMember(t *testing.T) {
	s := newSite(t)
	login, members := s.Annotators[0].Login, "/campaigns/"+s.Campaign.Slug+"/members"
	if err := s.Store.Accounts.SetDisabled(t.Context(), s.Annotators[0].ID, true); err != nil {
		t.Fatal(err)
	}
	lead := s.signedIn(s.Lead)
	row := lead.get(members).page(t).Find("tr").FilterFunction(func(_ int, row *goquery.Selection) bool {
		return strings.HasPrefix(strings.TrimSpace(row.Find("th").Text()), login)
	})
	if text := row.Text(); !strings.Contains(text, "account disabled") || strings.Contains(text, "New sign-in link") {
		t.Errorf("the page says %q", text)
	}
	annotators := "/campaigns/" + s.Campaign.Slug + "/annotators"
	says(t, "the page of annotators says", lead.get(annotators).page(t).Find(`tr.gone[data-key="`+login+`"] th`).Text(), "account disabled")
	says(t, "the annotator's page says", lead.get(annotators+"/"+login).page(t).Find(".notice").Text(), "Account disabled.")
	refused := lead.post(members+"/"+login+"/link", nil)
	if text := refused.page(t).Find(".notice").Text(); refused.status != http.StatusForbidden || !strings.Contains(text, "The account \""+login+"\" is disabled; an admin can enable it.") {
		t.Errorf("a link is refused with %d %q", refused.status, text)
	}
}
