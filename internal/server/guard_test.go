package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

var param = regexp.MustCompile(`:[a-z]+`)

// TestRouterHasTheTable: the router has every route of the table once, and no other.
func TestRouterHasTheTable(t *testing.T) {
	s := newSite(t)
	listed := map[string]bool{}
	for _, r := range s.srv.table() {
		name := r.Method + " " + r.Path
		if listed[name] {
			t.Errorf("%s stands in the table twice", name)
		}
		listed[name] = true
		if r.Who&site.Strangers != 0 && r.Who != site.Everybody {
			t.Errorf("%s is for strangers, but not for everybody who is signed in", name)
		}
	}
	for _, r := range s.srv.echo.Router().Routes() {
		if name := r.Method + " " + r.Path; !listed[name] {
			t.Errorf("the router answers %s, which is not in the table", name)
		} else {
			delete(listed, name)
		}
	}
	for name := range listed {
		t.Errorf("the router lacks %s", name)
	}
}

// TestRouteForNobody: a route that nobody has given a role is a mistake that shows at
// once.
func TestRouteForNobody(t *testing.T) {
	s := newSite(t)
	defer func() {
		if recover() == nil {
			t.Error("a route for nobody was registered")
		}
	}()
	s.srv.register(echo.New(), []site.Route{{Method: "GET", Path: "/forgotten", Handler: s.srv.answerHealth}})
}

// letIn is what a request that a guard let in is answered in [TestRoles].
const letIn = http.StatusTeapot

// TestRoles asks for every route of the table as every kind of person, with handlers
// that only say that they were reached: the answer is the one that the table gives.
// Nobody without a role in a campaign may learn that it exists.
func TestRoles(t *testing.T) {
	s := newSite(t)
	reached := func(c *echo.Context) error { return c.NoContent(letIn) }
	table := s.srv.table()
	for i := range table {
		table[i].Handler = reached
	}
	e := echo.New()
	e.HTTPErrorHandler = s.srv.handleError
	e.Use(s.srv.identify)
	s.srv.register(e, table)

	add := func(login string) accounts.User {
		u, err := s.db.Accounts.AddUser(t.Context(), login, "", accounts.Member)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	adjudicator := add("adjudicator")
	if err := s.db.Accounts.AddMember(t.Context(), s.Campaign.ID, adjudicator.Login, campaign.Adjudicator, s.Lead.ID); err != nil {
		t.Fatal(err)
	}
	cookies, tokens := map[site.People]string{}, map[site.People]string{}
	for kind, u := range map[site.People]accounts.User{
		site.Outsiders: add("outsider"), site.Annotators: s.Annotators[0], site.Adjudicators: adjudicator,
		site.Researchers: s.Researcher, site.Leads: s.Lead, site.Admins: s.admin(),
	} {
		tokens[kind] = s.token(u, accounts.NewToken{Writes: true, Everywhere: true})
		v := s.signedIn(u)
		address, _ := url.Parse(s.url)
		for _, c := range v.client.Jar.Cookies(address) {
			cookies[kind] += c.String()
		}
	}
	names := map[site.People]string{site.Strangers: "a stranger", site.Outsiders: "an outsider", site.Annotators: "an annotator", site.Adjudicators: "an adjudicator",
		site.Researchers: "a researcher", site.Leads: "a lead", site.Admins: "an admin"}
	for _, r := range s.srv.table() {
		path := param.ReplaceAllString(strings.ReplaceAll(r.Path, ":slug", s.Campaign.Slug), "1")
		ofCampaign := strings.Contains(r.Path, ":slug")
		for kind, name := range names {
			for _, script := range []bool{false, true} {
				req := httptest.NewRequest(r.Method, path, nil)
				program := site.ForProgram(req)
				if program && kind != site.Strangers {
					req.Header.Set("Authorization", "Bearer "+tokens[kind])
				} else if !program {
					req.Header.Set("Cookie", cookies[kind])
				}
				if script {
					req.Header.Set("Accept", "application/json")
				}
				w := httptest.NewRecorder()
				e.ServeHTTP(w, req)
				want := http.StatusForbidden
				switch {
				case r.Who&kind != 0:
					want = letIn
				case kind == site.Strangers && (script || program):
					want = http.StatusUnauthorized
				case kind == site.Strangers:
					want = http.StatusSeeOther
				case kind == site.Outsiders && ofCampaign:
					want = http.StatusNotFound
				}
				if w.Code != want {
					t.Errorf("%s %s as %s: %d, want %d", r.Method, path, name, w.Code, want)
				}
				if to := w.Header().Get("Location"); want == http.StatusSeeOther && !strings.HasPrefix(to, "/sign-in?next=") {
					t.Errorf("%s %s sends a stranger to %q", r.Method, path, to)
				}
			}
		}
	}
}

// TestRolesInWords holds the table to what must never change by an oversight: nobody
// reads the work of others but researchers, leads and admins, and nobody changes a
// campaign but leads and admins. Researchers run judges and stop them.
func TestRolesInWords(t *testing.T) {
	s := newSite(t)
	computed := regexp.MustCompile(`^/(agreement|metaeval|report/archive|exports/:format|judges/forecast)$`)
	work := regexp.MustCompile(`/(next|finished|numbers|problem|announcements/:announcement/read|instructions/accept|guide/closed|train|practise)(/|$)`)
	adjudication := regexp.MustCompile(`^/(assignments|adjudicate)(/|$)`)
	for _, r := range s.srv.table() {
		var most site.People
		switch rest, ofCampaign := strings.CutPrefix(strings.TrimPrefix(r.Path, site.APIPath), "/campaigns/:slug"); {
		case strings.HasPrefix(r.Path, "/users"), strings.HasPrefix(r.Path, "/tokens"), strings.HasPrefix(r.Path, "/audit"):
			most = site.Admins
		case !ofCampaign:
			continue
		case rest == "/adjudicate":
			most = site.Adjudicators | site.Leads | site.Admins
		case work.MatchString(rest):
			most = site.Annotators
		case adjudication.MatchString(rest):
			most = site.Annotators | site.Adjudicators | site.Leads | site.Admins // everybody has only their own assignments
		case (rest == "/guide" || rest == "/instructions") && r.Method == http.MethodGet:
			most = site.SignedIn &^ site.Outsiders
		case r.Method == http.MethodGet, rest == "/report", rest == "/files/:file", computed.MatchString(rest): // what is computed anew changes nothing
			most = site.Researchers | site.Leads | site.Admins
		case rest == "/judges", rest == "/judges/stop", rest == "/judges/:judge/stop":
			most = site.Researchers | site.Leads | site.Admins
		default:
			most = site.Leads | site.Admins
		}
		if r.Who&site.Sides != 0 && r.Who&(site.Annotators|site.Adjudicators) != 0 {
			t.Errorf("%s %s shows a side campaign to people with a blind role", r.Method, r.Path)
		}
		if r.Who&^(most|site.Sides) != 0 {
			t.Errorf("%s %s is for more people than it should be", r.Method, r.Path)
		}
	}
}

// TestSomeoneElsesAssignment: an annotator can neither read nor change the work
// of another.
func TestSomeoneElsesAssignment(t *testing.T) {
	s := newSite(t)
	id := s.Next(t, 0)
	other := s.signedIn(s.Annotators[1])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	for _, got := range []answer{
		other.get(path),
		other.json("PUT", path+"/cards/"+s.CardID(t, 0, id, 0), map[string]any{"scores": map[string]int{"sqm": 1}}),
		other.json("POST", path+"/submit", map[string]any{"cards": storetest.Revisions(s.Work(t, 0, id))}),
		other.json("POST", path+"/problem", map[string]any{"text": "not mine"}),
		other.json("POST", path+"/take-back", nil),
		other.json("POST", path+"/skip", map[string]any{"reason": "not mine"}),
		other.get(path + "/document"),
	} {
		if got.status != http.StatusNotFound {
			t.Errorf("got %d, want 404: %s", got.status, got.body)
		}
	}
}

// TestCrossOrigin: a change that another site asks for is refused, whoever is
// signed in.
func TestCrossOrigin(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	path := "/campaigns/" + s.Campaign.Slug + "/state"
	for name, header := range map[string]http.Header{
		"fetch metadata": {"Sec-Fetch-Site": {"cross-site"}},
		"same site":      {"Sec-Fetch-Site": {"same-site"}},
		"origin":         {"Origin": {"https://evil.example"}},
	} {
		lead.header = header
		wantStatus(t, name+": got", lead.post(path, url.Values{"state": {"paused"}}), http.StatusForbidden)
	}
	s.Reload(t)
	if s.Campaign.State != campaign.Open {
		t.Errorf("the campaign is %s", s.Campaign.State)
	}
	lead.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	wantStatus(t, "from the same origin: got", lead.post(path, url.Values{"state": {"paused"}}), http.StatusSeeOther)
}

func TestHeadersAndCookies(t *testing.T) {
	s := newSite(t)
	v := s.signedIn(s.Lead)
	for _, path := range []string{"/work", "/campaigns/nosuch", "/sign-in", "/static/nothing"} {
		h := v.get(path).header
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: no nosniff", path)
		}
	}
	token, err := s.db.Accounts.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	cookie := s.stranger().post(site.LinkPath(token), nil).header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Errorf("cookie %q is Secure over plain HTTP: it would never come back", cookie)
	}
}

// TestSecureCookie: behind an https base_url cookies are Secure and bound to the host,
// and browsers are told to come by HTTPS alone.
func TestSecureCookie(t *testing.T) {
	s := newSite(t)
	srv, err := New(Config{BaseURL: "https://annotate.example", Now: s.db.Clock.Now}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.db.Accounts.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	srv.Handler().ServeHTTP(w, httptest.NewRequest("POST", site.LinkPath(token), nil))
	cookie := w.Header().Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-annotate_session=") || !strings.Contains(cookie, "; Secure") || !strings.Contains(cookie, "Path=/;") || strings.Contains(cookie, "Domain") {
		t.Errorf("cookie %q", cookie)
	}
	if got := w.Header().Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
		t.Errorf("Strict-Transport-Security: %q", got)
	}
	req := httptest.NewRequest("GET", "/work", nil)
	req.Header.Set("Cookie", strings.Split(cookie, ";")[0])
	w = httptest.NewRecorder()
	if srv.Handler().ServeHTTP(w, req); w.Code != http.StatusOK {
		t.Errorf("with the cookie /work answers %d", w.Code)
	}
	if got := s.stranger().get("/sign-in").header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("over plain HTTP, Strict-Transport-Security is %q", got)
	}
}

// TestUndeclaredProxy: one line of the log warns of a proxy that is not configured.
func TestUndeclaredProxy(t *testing.T) {
	s := newSite(t)
	var log strings.Builder
	srv, err := New(Config{Now: s.db.Clock.Now, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Logger: slog.New(slog.NewTextHandler(&log, nil))}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range []string{"10.1.1.1:1", "192.0.2.7:1", "192.0.2.8:1"} {
		req := httptest.NewRequest("GET", "/sign-in", nil)
		req.RemoteAddr = peer
		req.Header.Set("X-Forwarded-For", "198.51.100.1")
		srv.Handler().ServeHTTP(httptest.NewRecorder(), req)
	}
	if n := strings.Count(log.String(), "trusted_proxies"); n != 1 || !strings.Contains(log.String(), "peer=192.0.2.7:1") {
		t.Errorf("%d warnings:\n%s", n, log.String())
	}
}

// TestKindOf: a role that the guards do not know gives nothing.
func TestKindOf(t *testing.T) {
	for role, want := range map[campaign.Role]site.People{
		campaign.Annotator: site.Annotators, campaign.Researcher: site.Researchers, campaign.Lead: site.Leads,
		campaign.Adjudicator: site.Adjudicators, "": site.Outsiders, "owner": site.Outsiders,
	} {
		if got := site.KindOf(role); got != want {
			t.Errorf("%q is of kind %b, want %b", role, got, want)
		}
	}
}

// TestCampaignsListIsNotForAnnotators: it tells how far the annotators agree.
func TestCampaignsListIsNotForAnnotators(t *testing.T) {
	s := newSite(t)
	wantStatus(t, "an annotator gets", s.signedIn(s.Annotators[0]).get("/campaigns"), http.StatusForbidden)
	if got := s.signedIn(s.Researcher).get("/campaigns"); got.status != http.StatusOK || !strings.Contains(got.body, s.Campaign.Title) {
		t.Errorf("a researcher gets %d from the list of campaigns", got.status)
	}
}
