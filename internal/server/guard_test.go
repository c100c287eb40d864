package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

var param = regexp.MustCompile(`:[a-z]+`)

// everyRoute lists method and path of each route; ids stand for nothing real,
// but for the campaign's slug.
func (s *site) everyRoute() [][2]string {
	var out [][2]string
	for _, r := range s.srv.echo.Routes() {
		if r.Method == echo.RouteNotFound {
			continue // of groups; they answer 404
		}
		path := strings.ReplaceAll(r.Path, ":slug", s.Campaign.Slug)
		out = append(out, [2]string{r.Method, param.ReplaceAllString(path, "1")})
	}
	return out
}

// open are the routes for strangers.
func openToStrangers(path string) bool {
	return path == "/" || path == "/healthz" || strings.HasPrefix(path, "/sign-") || strings.HasPrefix(path, "/static/")
}

// TestStrangersAreSentAway asks for every route without a session.
func TestStrangersAreSentAway(t *testing.T) {
	s := newSite(t)
	n := 0
	for _, r := range s.everyRoute() {
		if openToStrangers(r[1]) {
			continue
		}
		n++
		v := s.stranger()
		if got := v.do(r[0], r[1], "", ""); got.status != http.StatusSeeOther || !strings.HasPrefix(got.location(), "/sign-in?next=") {
			t.Errorf("%s %s answered a stranger with %d %s", r[0], r[1], got.status, got.location())
		}
		if got := v.json(r[0], r[1], nil); got.status != http.StatusUnauthorized {
			t.Errorf("%s %s answered a stranger's script with %d", r[0], r[1], got.status)
		}
	}
	if n < 30 {
		t.Errorf("only %d guarded routes were tried", n)
	}
}

// TestRoles asks for every route of a campaign in every role: who is no member
// must not learn that the campaign exists, and each role reaches its own only.
func TestRoles(t *testing.T) {
	s := newSite(t)
	outsider, err := s.db.AddUser(t.Context(), "outsider", "", store.Member)
	if err != nil {
		t.Fatal(err)
	}
	annotatorOnly := regexp.MustCompile(`/(next|finished|assignments)`)
	leadOnly := regexp.MustCompile(`/(state|problems|members|import|settings|audit|adjudicate|add|replace|reopen|discard|withdraw|set-aside|restore)`)
	prefix := "/campaigns/" + s.Campaign.Slug
	people := map[campaign.Role]*visitor{
		"": s.signedIn(outsider), campaign.Annotator: s.signedIn(s.Annotators[0]),
		campaign.Lead: s.signedIn(s.Lead), campaign.Researcher: s.signedIn(s.Researcher),
	}
	for _, r := range s.everyRoute() {
		if !strings.HasPrefix(r[1], prefix) {
			continue
		}
		rest := strings.TrimPrefix(r[1], prefix)
		for role, v := range people {
			// Nothing real is behind the ids, and every body is empty, so that a
			// request let through changes nothing that matters here.
			got := v.do(r[0], r[1], "", "")
			want := 0 // let through, whatever comes then
			switch {
			case role == "":
				want = http.StatusNotFound
			case rest == "/guide" && (r[0] == http.MethodGet || role == campaign.Lead): // everybody reads it
			case rest == "/guide":
				want = http.StatusForbidden
			case rest == "/queue" && r[0] == http.MethodPost && role != campaign.Lead: // who may read it need not decide
				want = http.StatusForbidden
			case annotatorOnly.MatchString(rest) && !strings.Contains(rest, "problems") && role != campaign.Annotator,
				leadOnly.MatchString(rest) && role != campaign.Lead && !strings.Contains(rest, "assignments"),
				!annotatorOnly.MatchString(rest) && role == campaign.Annotator:
				want = http.StatusForbidden
			}
			if want != 0 && got.status != want || want == 0 && (got.status == http.StatusForbidden || got.status >= 500) {
				t.Errorf("%s %s as %q: %d, want %d", r[0], r[1], role, got.status, want)
			}
		}
	}
}

func TestAdminPagesAreForAdmins(t *testing.T) {
	s := newSite(t)
	if got := s.signedIn(s.Lead).get("/users"); got.status != http.StatusForbidden {
		t.Errorf("a lead got %d from /users", got.status)
	}
	admin := s.signedIn(s.admin())
	if got := admin.get("/users"); got.status != http.StatusOK {
		t.Errorf("an admin got %d from /users", got.status)
	}
	if got := admin.get("/campaigns/" + s.Campaign.Slug); got.status != http.StatusOK {
		t.Errorf("an admin got %d from a campaign", got.status)
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
		other.json("PUT", path+"/cards/0", map[string]any{"scores": map[string]int{"sqm": 1}}),
		other.json("POST", path+"/submit", map[string]any{"revisions": []int{0, 0, 0}}),
		other.json("POST", path+"/problem", map[string]any{"text": "not mine"}),
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
		if got := lead.post(path, url.Values{"state": {"paused"}}); got.status != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", name, got.status)
		}
	}
	s.Reload(t)
	if s.Campaign.State != campaign.Open {
		t.Errorf("the campaign is %s", s.Campaign.State)
	}
	lead.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if got := lead.post(path, url.Values{"state": {"paused"}}); got.status != http.StatusSeeOther {
		t.Errorf("from the same origin: got %d, want 303", got.status)
	}
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
	token, err := s.db.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	cookie := s.stranger().get(LinkPath(token)).header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Errorf("cookie %q is Secure over plain HTTP: it would never come back", cookie)
	}
}

// TestSecureCookie: behind an https base_url cookies are Secure.
func TestSecureCookie(t *testing.T) {
	s := newSite(t)
	srv, err := New(Config{BaseURL: "https://annotate.example", Now: s.db.Clock.Now}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.db.NewLink(t.Context(), s.Lead.ID)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	srv.Handler().ServeHTTP(w, httptest.NewRequest("GET", LinkPath(token), nil))
	if cookie := w.Header().Get("Set-Cookie"); !strings.Contains(cookie, "; Secure") {
		t.Errorf("cookie %q is not Secure", cookie)
	}
}

// TestBlinding reads every response an annotator gets while working through the
// campaign, and looks for what must not be there.
func TestBlinding(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Annotators(2))
	s.Systems = []string{"Aquila", "Boreas", "Corvus", "Draco", "Eridanus"}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for n := range 6 {
			seg := storetest.Segment(n+1, n/2+1, s.Systems)
			seg.References = []campaign.Reference{{Name: campaign.MainReference, Text: "the reference"}}
			if !yield(campaign.SegmentLine{Line: n + 1, Segment: seg}, nil) {
				return
			}
		}
	}
	if _, err := s.db.ImportSegments(t.Context(), s.Campaign.ID, lines, store.ImportOptions{File: "blind.jsonl"}); err != nil {
		t.Fatal(err)
	}
	// The other annotator's ratings and comments are there to be leaked.
	for range 6 {
		id := s.Next(t, 0)
		for i, card := range s.Work(t, 0, id).Cards {
			rating := protocol.Rating{Scores: map[string]float64{"sqm": float64((i * 3) % 5)}, Comment: "whispered"}
			if _, err := s.db.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, store.CardSave{AssignmentID: id, Index: i, Revision: card.Revision, Rating: rating}); err != nil {
				t.Fatal(err)
			}
		}
		s.Submit(t, 0, id)
	}
	v := s.signedIn(s.Annotators[1])
	secrets := append([]string{s.Annotators[0].Login, "whispered", "no_variance", "below_threshold", "the reference"}, s.Systems...)
	check := func(path string, a answer) {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s tells the annotator %q", path, secret)
			}
		}
	}
	check("/work", v.get("/work"))
	orders, secondLooks := map[string]bool{}, 0
	path := ""
	for range 12 { // six segments, and each once more where the scores disagree
		next := v.post("/campaigns/"+s.Campaign.Slug+"/next", nil).location()
		if !strings.Contains(next, "/assignments/") {
			break
		}
		path = next
		a := v.get(path)
		check(path, a)
		doc := a.page(t)
		if strings.Contains(doc.Find(".band").Text(), "Second look") {
			secondLooks++
		}
		order := ""
		var revisions []int
		for i, text := range doc.Find(".card-text").Map(textOf) {
			order += strings.Fields(text)[1] + " "
			saved := v.json("PUT", path+"/cards/"+strconv.Itoa(i), map[string]any{"scores": map[string]int{"sqm": i % 5}, "save_id": "x"})
			check(path+" save", saved)
			revisions = append(revisions, 1)
		}
		orders[order] = true
		stale := v.json("POST", path+"/submit", map[string]any{"revisions": make([]int, len(revisions))})
		check(path+" stale submit", stale)
		check(path+" submit", v.json("POST", path+"/submit", map[string]any{"revisions": revisions}))
		check(path+" submitted", v.get(path))
	}
	if len(orders) < 4 {
		t.Errorf("six segments showed only %d orders of the systems: %v", len(orders), orders)
	}
	if secondLooks == 0 {
		t.Error("no segment came back for a second look")
	}
	check("finished", v.get("/campaigns/"+s.Campaign.Slug+"/finished"))
	check("error page", v.get("/campaigns/"+s.Campaign.Slug+"/segments"))
	check("account", v.get("/account"))
	// The test would find what it looks for: with the setting on, the reference.
	s.Change(t, "show_reference=yes")
	if a := v.get(path); !strings.Contains(a.body, "the reference") {
		t.Error("show_reference shows no reference")
	}
}
