package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
)

// clockJar keeps cookies until they expire by the clock of the site.
type clockJar struct {
	now     func() time.Time
	cookies map[string]*http.Cookie
}

func (j *clockJar) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		c.Expires = j.now().Add(time.Duration(c.MaxAge) * time.Second)
		j.cookies[c.Name] = c
	}
}

func (j *clockJar) Cookies(*url.URL) (out []*http.Cookie) {
	for _, c := range j.cookies {
		if c.Expires.After(j.now()) {
			out = append(out, c)
		}
	}
	return out
}

// Somebody who comes every day stays signed in, and somebody who stays away for long does not.
func TestCookieIsRenewed(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	v.client.Jar = &clockJar{s.db.Clock.Now, map[string]*http.Cookie{}}
	token, err := s.db.Accounts.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	v.post(site.LinkPath(token), nil)
	for day := range 40 {
		if got := v.get("/work"); got.status != http.StatusOK {
			t.Fatalf("day %d: %d", day, got.status)
		}
		for { // The visit is stored in the background; one that comes too soon after another is not.
			seen, err := s.db.Accounts.LastSeen(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if seen[s.Lead.ID].Equal(s.db.Clock.Now()) {
				break
			}
			v.get("/work")
		}
		if got := v.get("/work"); got.header.Get("Set-Cookie") != "" {
			t.Errorf("day %d: each page sets the cookie", day)
		}
		s.db.Clock.Advance(24 * time.Hour)
	}
	s.db.Clock.Advance(accounts.SessionLifetime)
	wantStatus(t, "after a long time", v.get("/work"), http.StatusSeeOther)
}

// TestLinkOfSomeoneElse: opening the link of somebody else asks and changes nothing.
// Signing in with it ends the session before it.
func TestLinkOfSomeoneElse(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	old := v.copy()
	token, err := s.db.Accounts.NewLink(t.Context(), s.Researcher.ID)
	if err != nil {
		t.Fatal(err)
	}
	asked := v.get(site.LinkPath(token))
	text := strings.Join(strings.Fields(asked.page(t).Find("main").Text()), " ")
	if asked.status != http.StatusOK || !strings.Contains(text, "You are signed in as lead.") || !strings.Contains(text, "Sign in as researcher") {
		t.Fatalf("the link answered %d: %s", asked.status, text)
	}
	says(t, "after looking at the link, the account is", v.get("/account").page(t).Find(".page-head").Text(), "as lead")
	if got := v.post(site.LinkPath(token), nil); got.location() != "/work" {
		t.Fatalf("signing in with the link answered %d", got.status)
	}
	says(t, "after signing in with the link, the account is", v.get("/account").page(t).Find(".page-head").Text(), "as researcher")
	wantStatus(t, "the session before", old.get("/work"), http.StatusSeeOther)
}

// copy is another browser with the cookies that this one has now.
func (v *visitor) copy() *visitor {
	u, _ := url.Parse(v.s.url)
	other := v.s.stranger()
	other.client.Jar.SetCookies(u, v.client.Jar.Cookies(u))
	return other
}

// TestPasswordNeedsProof: a session that was left open is not enough to take an
// account over. The current password or a sign-in link used just now is.
func TestPasswordNeedsProof(t *testing.T) {
	s := newSite(t)
	set := func(v *visitor, current, fresh string) int {
		return v.post("/account/password", url.Values{"current": {current}, "password": {fresh}}).status
	}
	v := s.signedIn(s.Lead)
	s.db.Clock.Advance(accounts.ProofLifetime + time.Second)
	if got := set(v, "", "gravel lantern oboe"); got != http.StatusForbidden {
		t.Errorf("a first password in an old session: %d", got)
	}
	if form := v.get("/account").page(t).Find(`form[action="/account/password"]`); form.Length() != 0 {
		t.Error("the form for a first password is offered in an old session")
	}
	v = s.signedIn(s.Lead)
	if got := set(v, "", "gravel lantern oboe"); got != http.StatusSeeOther {
		t.Errorf("a first password after a link: %d", got)
	}
	s.db.Clock.Advance(accounts.ProofLifetime + time.Second)
	if got := set(v, "wrong", "gravel lantern tuba"); got != http.StatusUnprocessableEntity {
		t.Errorf("with a wrong current password: %d", got)
	}
	if got := set(v, "gravel lantern oboe", "gravel lantern tuba"); got != http.StatusSeeOther {
		t.Errorf("with the current password: %d", got)
	}
	v = s.signedIn(s.Lead) // who has forgotten it
	if got := set(v, "", "gravel lantern harp"); got != http.StatusSeeOther {
		t.Errorf("after another link: %d", got)
	}
}

// TestSignOutEverywhere: people end all their sessions, and admins those of anybody.
func TestSignOutEverywhere(t *testing.T) {
	s := newSite(t)
	a, b := s.signedIn(s.Lead), s.signedIn(s.Lead)
	if got := a.post("/account/sessions/end", url.Values{"here": {"yes"}}); got.location() != "/sign-in" {
		t.Errorf("signing out everywhere: %d %s", got.status, got.location())
	}
	for i, v := range []*visitor{a, b} {
		if got := v.get("/work"); got.status != http.StatusSeeOther {
			t.Errorf("browser %d is answered %d", i, got.status)
		}
	}
	lead, admin := s.signedIn(s.Lead), s.signedIn(s.admin())
	link, err := s.db.Accounts.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := admin.post("/users/lead/sessions/end", nil); got.location() != "/users" {
		t.Errorf("an admin signs somebody out: %d", got.status)
	}
	wantStatus(t, "then the lead", lead.get("/work"), http.StatusSeeOther)
	wantStatus(t, "an unused link", s.stranger().post(site.LinkPath(link), nil), http.StatusGone)
}
