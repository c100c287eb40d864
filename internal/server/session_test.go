package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/store"
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

// Who comes every day stays signed in; who stays away for long does not.
func TestCookieIsRenewed(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	v.client.Jar = &clockJar{s.db.Clock.Now, map[string]*http.Cookie{}}
	token, err := s.db.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	v.get(LinkPath(token))
	for day := range 40 {
		if got := v.get("/work"); got.status != http.StatusOK {
			t.Fatalf("day %d: %d", day, got.status)
		}
		if got := v.get("/work"); got.header.Get("Set-Cookie") != "" {
			t.Errorf("day %d: each page sets the cookie", day)
		}
		s.db.Clock.Advance(24 * time.Hour)
	}
	s.db.Clock.Advance(store.SessionLifetime)
	if got := v.get("/work"); got.status != http.StatusSeeOther {
		t.Errorf("after a long time: %d", got.status)
	}
}

// Following the link of somebody else ends the session before it, and says whose
// this one is.
func TestLinkOfSomeoneElse(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	v.get("/work")
	before := *v.client
	old := clockJar{s.db.Clock.Now, map[string]*http.Cookie{}}
	u, _ := url.Parse(s.url)
	for _, c := range v.client.Jar.Cookies(u) {
		c.MaxAge = 1000
		old.SetCookies(u, []*http.Cookie{c})
	}
	before.Jar = &old
	token, err := s.db.NewLink(t.Context(), s.Researcher.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.get(LinkPath(token)); got.location() != "/work" {
		t.Fatalf("the link answered %d", got.status)
	}
	if got, want := v.get("/work").page(t).Find(".flash, .notice, [role=status]").Text(), "You are now signed in as researcher."; !strings.Contains(got, want) {
		t.Errorf("the page says %q", got)
	}
	if got := (&visitor{s, &before, http.Header{}}).get("/work"); got.status != http.StatusSeeOther {
		t.Errorf("the session before answers %d", got.status)
	}
}
