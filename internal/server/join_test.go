package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// TestInvitationPages follows the invitation of an account that another lead made, from the page Members to
// the campaign.
func TestInvitationPages(t *testing.T) {
	s := newSite(t)
	made := storetest.Must(s.db.Accounts.Invite(t.Context(), s.Campaign.ID, "mia", "Mia", campaign.Annotator, s.Lead.ID))(t)
	mia, again := s.stranger(), s.stranger()
	mia.post(site.LinkPath(made.SignIn), nil)
	benUser := storetest.Must(s.db.Accounts.AddUser(t.Context(), "ben", "Ben", accounts.Member))(t)
	storetest.Must(s.db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "other"), benUser.ID))(t)
	ben, members := s.signedIn(benUser), "/campaigns/other/members"

	wantStatus(t, "a role for somebody who is no member", ben.post(members+"/mia/role", url.Values{"role": {"annotator"}}), http.StatusNotFound)
	page := ben.post(members, url.Values{"login": {"mia"}, "role": {"annotator"}}).page(t)
	link := page.Find("input[data-link]").AttrOr("value", "")
	i := strings.Index(link, "/join/")
	if i < 0 || !strings.Contains(page.Find(".links").Text(), "Pass on 1 join link") || strings.Contains(page.Text(), "Mia") {
		t.Fatalf("the invitation shows %q: %s", link, page.Find("main").Text())
	}
	path := link[i:]
	says(t, "Members says", ben.get(members).page(t).Find("[aria-labelledby=invited-title]").Text(), "mia", "has a join link")

	// The first lead, who has a session but no join link, does not get in from My work.
	work := mia.get("/work")
	if work.status != http.StatusOK || strings.Contains(work.body, path) || !strings.Contains(work.body, "Open the join link that Ben gives you") {
		t.Errorf("My work: %d", work.status)
	}
	decline := work.page(t).Find("form[action$='/decline']").AttrOr("action", "")
	accept := strings.Replace(decline, "/decline", "/accept", 1)
	if mia.post(accept, nil); !strings.Contains(mia.get("/work").body, "You have not joined. Open the join link") {
		t.Error("accepting without the join link is not refused in words")
	}

	// Signed out, one signs in first. As another login, one learns nothing.
	wantRedirect(t, "signed out", again.get(path), "/sign-in?next="+url.QueryEscape(path))
	third := s.signedIn(s.Researcher)
	for _, got := range []answer{third.get(path), third.post(path, url.Values{"password": {"gravel lantern oboe"}})} {
		if text := got.page(t).Find("main").Text(); !strings.Contains(text, "for another login") || strings.Contains(text, "mia") || strings.Contains(text, "Ben") {
			t.Errorf("another login sees %q", text)
		}
	}

	asks := mia.get(path).page(t).Find("main")
	if text := asks.Text(); !strings.Contains(text, "made a sign-in link of yours and could have used it") || asks.Find("input[name=password]").Length() != 1 {
		t.Errorf("the join link shows %q", text)
	}
	for _, secret := range []string{"", "short"} {
		if got := mia.post(path, url.Values{"password": {secret}}); got.status != http.StatusUnprocessableEntity || got.page(t).Find("#password-error").Length() != 1 {
			t.Errorf("the password %q: %d", secret, got.status)
		}
	}
	wantRedirect(t, "joining", mia.post(path, url.Values{"password": {"gravel lantern oboe"}}), "/work")
	if body := mia.get("/work").body; !strings.Contains(body, "as annotator. Your new password is saved") {
		t.Error("My work does not say that one has joined")
	}
	for name, got := range map[string]answer{"the link": mia.get(path), "joining": mia.post(path, nil), "accepting": mia.post(accept, nil), "declining": mia.post(decline, nil)} {
		if got.status != http.StatusSeeOther || got.location() != "/work" {
			t.Errorf("%s again: %d %s", name, got.status, got.location())
		}
	}
	if role := storetest.RoleIn(t, s.db, "other", storetest.Must(s.db.Accounts.UserByLogin(t.Context(), "mia"))(t).ID); role != campaign.Annotator {
		t.Errorf("the role is %q", role)
	}
	wantStatus(t, "withdrawing an accepted invitation", ben.post(members+"/mia/withdraw", nil), http.StatusSeeOther)
}
