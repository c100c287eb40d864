package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

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
