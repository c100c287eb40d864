package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// TestSecondFactorPages: where it is required, a lead gets no further without a second factor and an annotator does. The lead
// sets one up, is asked for its code, guesses a few times only, and an admin resets it.
func TestSecondFactorPages(t *testing.T) {
	s := newSite(t)
	s.srv.Config.SecondFactor = site.FactorRequired
	path, overview := "/account/second-factor", "/campaigns/"+s.Campaign.Slug
	wantStatus(t, "the work of an annotator", s.signedIn(s.Annotators[0]).get("/work"), http.StatusOK)
	lead := s.signedIn(s.Lead)
	if led := lead.get(overview); led.status != http.StatusSeeOther || led.header.Get("Location") != path {
		t.Errorf("a lead without a second factor is answered %d and led to %q", led.status, led.header.Get("Location"))
	}
	wantStatus(t, "a change by a lead without one", lead.post(overview+"/state", url.Values{"state": {"paused"}}), http.StatusSeeOther)
	storetest.WantCount(t, s.db, 0, "campaigns WHERE state = 'paused'")
	wantStatus(t, "make a key", lead.post(path, nil), http.StatusSeeOther)
	page := lead.get(path)
	key := strings.ReplaceAll(page.page(t).Find("code").Text(), " ", "")
	if d, _ := page.page(t).Find("svg.qr path").Attr("d"); len(key) != 32 || !strings.HasPrefix(d, "M4 4h1v1h-1z") {
		t.Fatalf("the page has the key %q, and a QR code that begins with %.20q", key, d)
	}
	code := func() string { return storetest.Must(totp.GenerateCode(key, s.db.Clock.Now()))(t) }
	wantStatus(t, "a wrong code", lead.post(path+"/confirm", url.Values{"code": {"12345"}}), http.StatusUnprocessableEntity)
	confirmed := lead.post(path+"/confirm", url.Values{"code": {code()}})
	wantStatus(t, "confirm", confirmed, http.StatusOK)
	codes := confirmed.page(t).Find(".links li")
	if codes.Length() != 10 || strings.Contains(lead.get(path).body, codes.First().Text()) {
		t.Errorf("there are %d recovery codes, or they are shown again", codes.Length())
	}
	wantStatus(t, "the overview", lead.get(overview), http.StatusOK)
	s.db.Clock.Advance(time.Minute)
	renewed := lead.post(path+"/codes", url.Values{"code": {code()}})
	if again := renewed.page(t).Find(".links li"); again.Length() != 10 || again.First().Text() == codes.First().Text() {
		t.Errorf("there are %d new recovery codes, or they are the former ones", again.Length())
	}
	s.db.Clock.Advance(time.Minute)

	other := s.stranger()
	link := site.LinkPath(storetest.Must(s.db.Accounts.NewLink(t.Context(), s.Lead.ID))(t))
	if led := other.post(link, nil).header.Get("Location"); led != "/sign-in/code?next=%2Fwork" {
		t.Errorf("the link leads to %q", led)
	}
	if led := other.get(overview); led.status != http.StatusSeeOther || !strings.HasPrefix(led.header.Get("Location"), "/sign-in") {
		t.Errorf("without the code the overview is answered %d", led.status)
	}
	for range 5 {
		other.post("/sign-in/code", url.Values{"code": {"000000"}})
	}
	s.db.Clock.Advance(time.Minute)
	if refused := other.post("/sign-in/code", url.Values{"code": {code()}}); !strings.Contains(refused.body, "too many wrong codes") {
		t.Error("codes can be guessed without a limit")
	}
	s.db.Clock.Advance(6 * time.Minute)
	if in := other.post("/sign-in/code", url.Values{"code": {code()}, "next": {"/account"}}); in.header.Get("Location") != "/account" {
		t.Errorf("the right code is answered %d: %s", in.status, in.body)
	}
	wantStatus(t, "the overview after the code", other.get(overview), http.StatusOK)

	s.srv.Config.SecondFactor = site.FactorNo
	admin := s.signedIn(s.admin())
	wantStatus(t, "where none is offered", admin.post(path, nil), http.StatusNotFound)
	reset := admin.post("/users/"+s.Lead.Login+"/second-factor/reset", nil)
	wantStatus(t, "reset", reset, http.StatusSeeOther)
	storetest.WantCount(t, s.db, 0, "second_factors")
}
