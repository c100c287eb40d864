package server

import (
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/records"
)

// TestSiteLog: admins read who did what to accounts, from where and in which request,
// as a page and as CSV; the command line is named, too.
func TestSiteLog(t *testing.T) {
	s := newSite(t)
	admin := s.signedIn(s.admin())
	for path, form := range map[string]url.Values{
		"/users":                                {"login": {"mara"}, "role": {"member"}},
		"/users/lead/sessions/end":              nil,
		"/users/researcher/disable":             nil,
		"/account/password":                     {"password": {"gravel lantern oboe"}},
		"/campaigns/sample/members":             {"login": {"noa"}, "role": {"annotator"}},
		"/campaigns/sample/members/ann1/remove": nil,
	} {
		if got := admin.post(path, form); got.status >= 400 {
			t.Fatalf("%s: %d", path, got.status)
		}
	}
	if err := s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, "mara", campaign.Lead, ""); err != nil {
		t.Fatal(err)
	}
	lead := s.signedIn(s.Lead)
	if got := lead.post("/sign-out", nil); got.status >= 400 {
		t.Fatalf("/sign-out: %d", got.status)
	}
	rows, err := csv.NewReader(strings.NewReader(admin.get("/audit.csv").body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, r := range rows[1:] {
		lines[r[1]+" "+r[2]+" "+r[3]] = r
	}
	for _, want := range []string{"root sign in root", "lead sign out lead", "root add account mara", "root make sign-in link mara", "root end sessions lead",
		"root disable account researcher", "root set password root", "root add account noa", "root set role in a campaign noa", "root remove from a campaign ann1"} {
		r, ok := lines[want]
		if !ok {
			t.Errorf("the log lacks %q:\n%q", want, rows)
		} else if want != "root sign in root" && (r[5] != "127.0.0.1" || len(r[6]) != 36) {
			t.Errorf("%q came from %q in request %q", want, r[5], r[6])
		}
	}
	if r := lines[" set role in a campaign mara"]; r == nil || r[5] != "" || r[4] != "lead of sample" {
		t.Errorf("the command line's line is %q", r)
	}
	found := admin.get("/audit?text=DISABLE").page(t).Find("tbody tr")
	if found.Length() != 1 || !strings.Contains(found.Text(), "researcher") {
		t.Errorf("searching finds %q", found.Text())
	}
}

// TestEventsAreLogged: failed sign-ins, refused pages, acts and exports stand in the
// log with user, address and request; an unknown login does not, for it may be a
// password.
func TestEventsAreLogged(t *testing.T) {
	s := newSite(t)
	var log strings.Builder
	srv, err := New(Config{Now: s.db.Clock.Now, SessionKey: s.srv.Config.SessionKey, Logger: slog.New(records.LogRequests(slog.NewJSONHandler(&log, nil)))}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	ann, lead := s.signedIn(s.Annotators[0]), s.signedIn(s.Lead)
	send := func(v *visitor, method, path string, form url.Values) {
		req := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		u, _ := url.Parse(s.url)
		for _, c := range v.client.Jar.Cookies(u) {
			req.AddCookie(c)
		}
		srv.Handler().ServeHTTP(httptest.NewRecorder(), req)
	}
	base := "/campaigns/" + s.Campaign.Slug
	send(s.stranger(), "POST", "/sign-in", url.Values{"login": {"lead"}, "password": {"wrong"}})
	send(s.stranger(), "POST", "/sign-in", url.Values{"login": {"hunter2hunter2"}, "password": {"lead"}})
	send(s.stranger(), "GET", base, nil)
	send(ann, "GET", base+"/settings", nil)
	send(ann, "POST", base+"/next", nil)
	send(ann, "GET", "/work", nil)
	send(lead, "POST", base+"/members/ann2/link", nil)
	send(lead, "GET", base+"/export/jsonl", nil)
	var got []string
	for line := range strings.Lines(log.String()) {
		var e struct{ Level, Msg, User, Login, Address, ID, Route, Format string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Address != "192.0.2.1" || len(e.ID) != 36 || e.Level != "INFO" {
			t.Errorf("a line lacks address, request or level: %s", line)
		}
		got = append(got, strings.TrimSpace(e.Msg+" "+e.User+" "+e.Login+" "+e.Format))
	}
	want := []string{"sign-in failed  lead", "sign-in failed", "refused", "refused ann1", "act lead ann2", "export lead  jsonl"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("logged\n%q, want\n%q", got, want)
	}
	if strings.Contains(log.String(), "hunter2") {
		t.Error("what was typed as an unknown login is in the log")
	}
}

// TestFirstAdmin: the page after the first sign-in leads to creating a campaign.
func TestFirstAdmin(t *testing.T) {
	s := newSite(t)
	admin := s.signedIn(s.admin())
	to, ok := admin.get("/work").page(t).Find("main .empty a.btn-main").Attr("href")
	if !ok || to != "/campaigns/new" {
		t.Fatalf("the button leads to %q", to)
	}
	if got := admin.get(to); got.status != 200 {
		t.Errorf("%s answers %d", to, got.status)
	}
	outsider, err := s.db.Accounts.AddUser(t.Context(), "outsider", "", "member")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.signedIn(outsider).get("/work").page(t).Find("main .empty a").Length(); n != 0 {
		t.Errorf("a member of nothing is offered %d links", n)
	}
}
