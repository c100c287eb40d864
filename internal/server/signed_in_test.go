package server

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// TestNeverSignedIn checks that the pages of members and of users mark the logins that have never signed
// in, and no login whose session has expired.
func TestNeverSignedIn(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Invite(t.Context(), s.Campaign.ID, "newcomer", "", "annotator", s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	s.signedIn(s.Annotators[0])
	s.db.Clock.Advance(40 * 24 * time.Hour)
	if err := s.Store.Housekeep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Invite(t.Context(), s.Campaign.ID, "latecomer", "", "annotator", s.Lead.ID); err != nil {
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
