package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

func textOf(_ int, s *goquery.Selection) string { return s.Text() }

func TestStart(t *testing.T) {
	s := newSite(t)
	wantRedirect(t, "/ sends a stranger to", s.stranger().get("/"), "/sign-in")
	wantStatus(t, "the sign-in page", s.stranger().get("/sign-in"), http.StatusOK)
	if got := s.signedIn(s.Lead).get("/"); got.location() != "/work" {
		t.Errorf("/ sends a member to %s", got.location())
	}
}

func TestPassword(t *testing.T) {
	s := newSite(t)
	hash, err := accounts.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.Accounts.SetPassword(t.Context(), s.Lead.ID, hash); err != nil {
		t.Fatal(err)
	}
	try := func(login, secret, next string) answer {
		return s.stranger().post("/sign-in", url.Values{"login": {login}, "password": {secret}, "next": {next}})
	}
	wantRedirect(t, "the right password", try("lead", "correct horse battery", "/campaigns"), "/campaigns")
	for _, evil := range []string{"https://evil.example/", "//evil.example", "///evil.example", `/\evil.example`, "/a\r\nSet-Cookie: x"} {
		if got := try("lead", "correct horse battery", evil); got.location() != "/" {
			t.Errorf("next=%q led to %q", evil, got.location())
		}
	}
	wrong, unknown := try("lead", "wrong", ""), try("nobody", "wrong", "")
	if wrong.status != http.StatusUnprocessableEntity || unknown.status != wrong.status {
		t.Errorf("a wrong password %d, an unknown login %d", wrong.status, unknown.status)
	}
	said := func(a answer) string { return strings.Join(a.page(t).Find(".notice").Map(textOf), "") }
	if said(wrong) == "" || said(wrong) != said(unknown) {
		t.Errorf("the words differ: %q and %q", said(wrong), said(unknown))
	}
	storetest.Check(t, s.db.Accounts.SetPassword(t.Context(), s.Researcher.ID, hash))
	storetest.Check(t, s.db.Accounts.SetDisabled(t.Context(), s.Researcher.ID, true))
	if disabled := try(s.Researcher.Login, "correct horse battery", ""); disabled.status != wrong.status || said(disabled) != said(wrong) {
		t.Errorf("a disabled account is answered %d: %s", disabled.status, said(disabled))
	}
	last := answer{}
	for range 12 {
		last = try("lead", "guess", "")
	}
	if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
		t.Errorf("the twelfth guess was answered with %d", last.status)
	}
}

func TestSignInLink(t *testing.T) {
	s := newSite(t)
	token, err := s.db.Accounts.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	preview, person, thief := s.stranger(), s.stranger(), s.stranger()
	looked := preview.get(site.LinkPath(token)) // a messenger looks at the page
	if action, _ := looked.page(t).Find("main form").Attr("action"); looked.status != http.StatusOK || action != site.LinkPath(token) {
		t.Fatalf("the link answered %d with a form that posts to %q", looked.status, action)
	}
	if len(looked.header.Values("Set-Cookie")) > 0 || preview.get("/work").status != http.StatusSeeOther {
		t.Error("looking at a link signed somebody in")
	}
	if got := person.post(site.LinkPath(token), nil); got.location() != "/work" {
		t.Fatalf("signing in led to %d %s", got.status, got.location())
	}
	wantStatus(t, "signed in, /work", person.get("/work"), http.StatusOK)
	if got := person.get(site.LinkPath(token)); got.location() != "/work" {
		t.Errorf("a used link leads somebody who is signed in to %d %s", got.status, got.location())
	}
	for _, got := range []answer{thief.get(site.LinkPath(token)), thief.post(site.LinkPath(token), nil)} {
		if got.status != http.StatusGone {
			t.Errorf("a used link answers %d", got.status)
		}
	}
}

// TestManySignInAtOnce: a hundred people behind one address sign in at the same time.
// Failures there are still counted.
func TestManySignInAtOnce(t *testing.T) {
	s := newSite(t)
	// A hash of "gravel lantern oboe" that is quick to check.
	const hash = "$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IG9mIDE2IGJ5dA$1fx4k8N47c72ldp5eN1O3P/NEQ+w9PvFxK2Z6mnAA3U"
	for i := range 100 {
		u, err := s.db.Accounts.AddUser(t.Context(), fmt.Sprintf("p%d", i), "", accounts.Member)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.db.Accounts.SetPassword(t.Context(), u.ID, hash); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			got := s.stranger().post("/sign-in", url.Values{"login": {fmt.Sprintf("p%d", i)}, "password": {"gravel lantern oboe"}})
			if got.status != http.StatusSeeOther {
				t.Errorf("p%d is answered %d", i, got.status)
			}
		})
	}
	wg.Wait()
}

// TestStrangersLockNobodyOut: wrong passwords count for a login at an address. Very many from everywhere slow down
// new addresses, and not those from which the login has signed in.
func TestStrangersLockNobodyOut(t *testing.T) {
	s := newSite(t)
	srv, err := New(Config{Now: s.db.Clock.Now, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	s.url = ts.URL
	// A hash of "gravel lantern oboe" that is quick to check.
	const hash, right = "$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IG9mIDE2IGJ5dA$1fx4k8N47c72ldp5eN1O3P/NEQ+w9PvFxK2Z6mnAA3U", "gravel lantern oboe"
	if err := s.db.Accounts.SetPassword(t.Context(), s.Lead.ID, hash); err != nil {
		t.Fatal(err)
	}
	try := func(address, secret string, want int) {
		t.Helper()
		v := s.stranger()
		v.header.Set("X-Forwarded-For", address)
		if got := v.post("/sign-in", url.Values{"login": {"lead"}, "password": {secret}}); got.status != want {
			t.Errorf("%q from %s is answered %d, want %d", secret, address, got.status, want)
		}
	}
	try("192.0.2.1", right, http.StatusSeeOther)
	for range 10 {
		try("198.51.100.1", "wrong", http.StatusUnprocessableEntity)
	}
	try("198.51.100.1", right, http.StatusTooManyRequests)
	try("192.0.2.1", right, http.StatusSeeOther)
	try("203.0.113.1", right, http.StatusSeeOther)
	for i := range 90 {
		try(fmt.Sprintf("198.51.100.%d", 2+i/9), "wrong", http.StatusUnprocessableEntity)
	}
	try("203.0.113.2", right, http.StatusTooManyRequests)
	try("192.0.2.1", right, http.StatusSeeOther)
	s.db.Clock.Advance(15 * time.Second)
	try("203.0.113.3", right, http.StatusSeeOther)
}

// TestLinksBeginWithAnAddress: without a base_url, a link begins with the Host of the request that makes it, if
// that is an address.
func TestLinksBeginWithAnAddress(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	for host, want := range map[string]string{"annotate.example.org": "http://annotate.example.org/", "[::1]:8080": "http://[::1]:8080/", "evil.example'x": "/sign-in/", "a_b,c": "/sign-in/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/campaigns/"+s.Campaign.Slug+"/members/ann1/link", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, cookie := range lead.client.Jar.Cookies(req.URL) {
			req.AddCookie(cookie)
		}
		req.Host = host // for which the jar has no cookie, like a browser
		res, err := lead.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		page, err := goquery.NewDocumentFromReader(res.Body)
		res.Body.Close()
		if link := page.Find("input[data-link]").AttrOr("value", ""); err != nil || !strings.HasPrefix(link, want) {
			t.Errorf("for the host %q, answered %d, the link is %q: %v", host, res.StatusCode, link, err)
		}
	}
}

func TestSignOutRevokes(t *testing.T) {
	s := newSite(t)
	a, b := s.signedIn(s.Lead), s.signedIn(s.Lead)
	if a.get("/work").status != http.StatusOK || b.get("/work").status != http.StatusOK {
		t.Fatal("not signed in")
	}
	stolen := *b
	wantStatus(t, "ending other sessions", a.post("/account/sessions/end", nil), http.StatusSeeOther)
	wantStatus(t, "a revoked session", stolen.get("/work"), http.StatusSeeOther)
	a.post("/sign-out", nil)
	wantStatus(t, "after signing out /work", a.get("/work"), http.StatusSeeOther)
}

func TestSessionExpires(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	v.get("/work")
	s.db.Clock.Advance(31 * 24 * time.Hour)
	wantStatus(t, "after 31 days /work", v.get("/work"), http.StatusSeeOther)
}
