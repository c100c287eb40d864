package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// token makes a token of a user; a name and days are filled in.
func (s *sampleSite) token(u accounts.User, n accounts.NewToken) string {
	s.t.Helper()
	n.Name, n.Days = "test", max(n.Days, 1)
	return storetest.Must(s.db.Accounts.AddToken(s.t.Context(), u.ID, n))(s.t)
}

// call asks as a program with a token, which may be empty.
func (s *sampleSite) call(token, method, path, body string) answer {
	s.t.Helper()
	req := storetest.Must(http.NewRequestWithContext(s.t.Context(), method, s.url+site.APIPath+path, strings.NewReader(body)))(s.t)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res := storetest.Must(http.DefaultClient.Do(req))(s.t)
	defer res.Body.Close()
	text := storetest.Must(io.ReadAll(res.Body))(s.t)
	return answer{status: res.StatusCode, header: res.Header, body: string(text)}
}

// wantProblem checks that an answer is a problem with a status, and says what to do.
func wantProblem(t *testing.T, what string, got answer, status int) {
	t.Helper()
	var p struct{ Title, Detail string }
	err := json.Unmarshal([]byte(got.body), &p)
	if got.status != status || got.header.Get("Content-Type") != "application/problem+json" || err != nil || p.Title != http.StatusText(status) || p.Detail == "" {
		t.Errorf("%s: got %d, %s: %s; want the problem %d", what, got.status, got.header.Get("Content-Type"), got.body, status)
	}
}

// openAPIFile is the description of the interface for programs in the tree.
const openAPIFile = "../../docs/openapi.json"

// TestOpenAPIFile: the file in the tree is what the server sends. UPDATE=1 writes it, and the form of OpenAPI 3.0 from which
// scripts/client makes the client of the tests.
func TestOpenAPIFile(t *testing.T) {
	s := newSite(t)
	got := s.call("", "GET", "/openapi.json", "")
	wantStatus(t, "the description", got, http.StatusOK)
	if os.Getenv("UPDATE") != "" {
		storetest.Check(t, os.WriteFile(openAPIFile, []byte(got.body), 0o644))
		older := storetest.Must(s.srv.API.OpenAPI().Downgrade())(t)
		storetest.Check(t, os.WriteFile("programtest/openapi-3.0.json", older, 0o644))
	}
	if want := storetest.Must(os.ReadFile(openAPIFile))(t); !bytes.Equal([]byte(got.body), want) {
		t.Error("docs/openapi.json is not what the server sends; write it with UPDATE=1 go test ./internal/server -run TestOpenAPIFile; scripts/client also makes the client of the tests")
	}
	if !strings.Contains(got.body, `"openapi": "3.1.0"`) {
		t.Error("the description is not OpenAPI 3.1")
	}
}

// TestTokensOfPrograms: what a token is not good for is refused, whoever's it is.
func TestTokensOfPrograms(t *testing.T) {
	s := newSite(t)
	other := storetest.Campaign(t, s.db.Store, storetest.Slug("other"))
	here, there := "/campaigns/"+s.Campaign.Slug, "/campaigns/"+other.Campaign.Slug
	reads := s.token(s.Lead, accounts.NewToken{Everywhere: true})
	some := s.token(s.Lead, accounts.NewToken{Writes: true, Campaigns: []string{s.Campaign.Slug}})
	pause := `{"state": "paused"}`

	wantStatus(t, "read", s.call(reads, "GET", here, ""), http.StatusOK)
	wantStatus(t, "compute", s.call(reads, "POST", here+"/agreement", ""), http.StatusAccepted)
	wantProblem(t, "change with a token that reads", s.call(reads, "PATCH", here+"/settings", pause), http.StatusForbidden)
	wantStatus(t, "change", s.call(some, "PATCH", here+"/settings", pause), http.StatusOK)
	for _, path := range []string{there, there + "/settings", there + "/members"} {
		wantProblem(t, "another campaign", s.call(some, "GET", path, ""), http.StatusNotFound)
	}
	wantProblem(t, "create with a token of one campaign", s.call(some, "POST", "/campaigns", `{"slug": "third"}`), http.StatusForbidden)
	if got := s.call(some, "GET", "/campaigns", ""); strings.Contains(got.body, `"other"`) || !strings.Contains(got.body, `"`+s.Campaign.Slug+`"`) {
		t.Errorf("a token of one campaign lists %s", got.body)
	}
	wantProblem(t, "without a token", s.call("", "GET", here, ""), http.StatusUnauthorized)
	wantProblem(t, "with a wrong token", s.call(some+"x", "GET", here, ""), http.StatusUnauthorized)
	wantProblem(t, "an address that is none", s.call(some, "GET", "/nothing", ""), http.StatusNotFound)

	// A cookie is no token, and a token no cookie.
	lead := s.signedIn(s.Lead)
	wantProblem(t, "with a cookie", lead.get(site.APIPath+here), http.StatusUnauthorized)
	visitor := s.stranger()
	visitor.header = http.Header{"Authorization": {"Bearer " + some}}
	if got := visitor.get("/campaigns/" + s.Campaign.Slug); strings.Contains(got.body, s.Campaign.Title) {
		t.Error("a page takes a token")
	}

	// The token ends with what its owner may do, and with its time.
	storetest.Check(t, s.db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, s.Researcher.Login, ""))
	gone := s.token(s.Researcher, accounts.NewToken{Everywhere: true})
	wantProblem(t, "a removed member", s.call(gone, "GET", here, ""), http.StatusNotFound)
	s.db.Clock.Advance(25 * time.Hour)
	wantProblem(t, "an expired token", s.call(some, "GET", here, ""), http.StatusUnauthorized)
	fresh := s.token(s.Lead, accounts.NewToken{Everywhere: true})
	storetest.Check(t, s.db.Accounts.SetDisabled(t.Context(), s.Lead.ID, true))
	wantProblem(t, "a disabled account", s.call(fresh, "GET", here, ""), http.StatusUnauthorized)
}

// TestWrongTokensAreLimited: wrong tokens count as failures to sign in, and good ones from the same address go on to work.
func TestWrongTokensAreLimited(t *testing.T) {
	s := newSite(t)
	good := s.token(s.Lead, accounts.NewToken{Everywhere: true})
	got := answer{}
	for range 301 {
		got = s.call("annotate_pat_wrong", "GET", "/campaigns", "")
	}
	wantProblem(t, "the last wrong token", got, http.StatusTooManyRequests)
	wantStatus(t, "a good token", s.call(good, "GET", "/campaigns", ""), http.StatusOK)
}

// TestProgramsChange: settings, members and campaigns change by the rules of the pages.
func TestProgramsChange(t *testing.T) {
	s := newSite(t)
	lead := s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true})
	here := "/campaigns/" + s.Campaign.Slug
	wantStatus(t, "create", s.call(lead, "POST", "/campaigns", `{"slug": "fresh", "protocol": "esa", "source_lang": "zh", "target_lang": "en", "settings": {"redundancy": "3"}}`), http.StatusCreated)
	wantProblem(t, "create twice", s.call(lead, "POST", "/campaigns", `{"slug": "fresh"}`), http.StatusConflict)
	wantProblem(t, "an unknown field", s.call(lead, "POST", "/campaigns", `{"slug": "x", "colour": "red"}`), http.StatusUnprocessableEntity)
	wantProblem(t, "an unknown option", s.call(lead, "GET", "/campaigns?archive=true", ""), http.StatusUnprocessableEntity)
	wantProblem(t, "a wrong setting", s.call(lead, "PATCH", "/campaigns/fresh/settings", `{"settings": {"redundancy": "many"}}`), http.StatusUnprocessableEntity)
	got := s.call(lead, "PATCH", "/campaigns/fresh/settings", `{"settings": {"quota": "7"}, "title": "Fresh"}`)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"quota":"7"`) || !strings.Contains(got.body, `"redundancy":"3"`) || !strings.Contains(got.body, `"title":"Fresh"`) {
		t.Errorf("change: %d %s", got.status, got.body)
	}
	wantProblem(t, "a change that collides", s.call(lead, "PATCH", "/campaigns/fresh/settings", `{"settings": {"quota": "8"}, "from_version": 1}`), http.StatusConflict)

	ann := s.Annotators[0].Login
	wantProblem(t, "add somebody unknown", s.call(lead, "POST", "/campaigns/fresh/members", `{"login": "nobody", "role": "annotator"}`), http.StatusUnprocessableEntity)
	got = s.call(lead, "POST", "/campaigns/fresh/members", `{"login": "`+ann+`", "role": "annotator"}`)
	if got.status != http.StatusOK || !strings.Contains(got.body, `"joined":true`) {
		t.Errorf("add: %d %s", got.status, got.body)
	}
	wantStatus(t, "change a role", s.call(lead, "PATCH", "/campaigns/fresh/members/"+ann, `{"role": "researcher"}`), http.StatusOK)
	wantStatus(t, "remove", s.call(lead, "DELETE", "/campaigns/fresh/members/"+ann, ""), http.StatusOK)
	wantProblem(t, "remove again", s.call(lead, "DELETE", "/campaigns/fresh/members/"+ann, ""), http.StatusNotFound)
	if got := s.call(lead, "GET", "/campaigns/fresh/members", ""); !strings.Contains(got.body, `"removed":true`) {
		t.Errorf("members: %s", got.body)
	}
	wantStatus(t, "preview", s.call(lead, "POST", here+"/settings/preview", `{"settings": {"threshold": "0.9"}}`), http.StatusOK)

	researcher := s.token(s.Researcher, accounts.NewToken{Writes: true, Everywhere: true})
	wantProblem(t, "settings for a researcher", s.call(researcher, "GET", here+"/settings", ""), http.StatusForbidden)
	if got := s.call(researcher, "GET", here, ""); strings.Contains(got.body, `"members"`) {
		t.Errorf("a researcher sees %s", got.body)
	}
}

// done waits for the end of a job that an answer tells of, and returns it with what it made.
func (s *sampleSite) done(token string, started answer) (job map[string]any, result answer) {
	s.t.Helper()
	wantStatus(s.t, "start a job: "+started.body, started, http.StatusAccepted)
	storetest.Check(s.t, json.Unmarshal([]byte(started.body), &job))
	at := "/campaigns/" + job["campaign"].(string) + "/jobs/" + job["id"].(string)
	for job["state"] == "running" {
		got := s.call(token, "GET", at+"?wait=60", "")
		wantStatus(s.t, "ask for a job", got, http.StatusOK)
		storetest.Check(s.t, json.Unmarshal([]byte(got.body), &job))
	}
	return job, s.call(token, "GET", at+"/result", "")
}

// TestProgramsImport: a program imports a file as the body or in a form, checks one, reads what is wrong with another, and
// undoes an import.
func TestProgramsImport(t *testing.T) {
	s := newSite(t)
	lead := s.token(s.Lead, accounts.NewToken{Writes: true, Everywhere: true})
	wantStatus(t, "create", s.call(lead, "POST", "/campaigns", `{"slug": "fresh"}`), http.StatusCreated)
	line := `{"segment_id": "1", "source": "你好", "source_lang": "zh", "target_lang": "en", "translations": {"a": "hello", "b": "hi"}}` + "\n"
	at := "/campaigns/fresh/imports"

	_, checked := s.done(lead, s.call(lead, "POST", at+"?check=true&name=x.jsonl", line))
	if !strings.Contains(checked.body, `"checked":true,"segments":1`) {
		t.Errorf("check: %d %s", checked.status, checked.body)
	}
	_, brought := s.done(lead, s.call(lead, "POST", at+"?format=jsonl&name=x.jsonl", line))
	if !strings.Contains(brought.body, `"segments":1,"known":0,"translations":2,"systems":["a","b"]`) {
		t.Errorf("import: %d %s", brought.status, brought.body)
	}
	job, refused := s.done(lead, s.call(lead, "POST", at+"?name=y.jsonl", line+"{\n"))
	wantProblem(t, "an import with a broken line", refused, http.StatusUnprocessableEntity)
	if job["state"] != "failed" || !strings.Contains(refused.body, "y.jsonl:2") {
		t.Errorf("the job says %v: %s", job["state"], refused.body)
	}
	s.srv.Config.MaxUpload = 100
	wantProblem(t, "a file that is too long", s.call(lead, "POST", at, strings.Repeat(line, 2)), http.StatusRequestEntityTooLarge)
	s.srv.Config.MaxUpload = 1 << 20
	wantProblem(t, "a column of a format that has none", s.call(lead, "POST", at+"?format=jsonl&column=source=A", line), http.StatusUnprocessableEntity)
	if got := s.call(lead, "GET", at, ""); !strings.Contains(got.body, `"number":1`) || !strings.Contains(got.body, `"files":"x.jsonl"`) || !strings.Contains(got.body, `"by":"lead"`) {
		t.Errorf("imports: %s", got.body)
	}
	s.done(lead, s.call(lead, "POST", at+"/0/undo", ""))
	wantProblem(t, "undo again", s.call(lead, "POST", at+"/0/undo", ""), http.StatusNotFound)
}

// TestProgramsExport: a program fetches exports at once or by a job, the report, its archive, agreement and the evaluation of metrics.
func TestProgramsExport(t *testing.T) {
	s := newSite(t)
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 2, 4)
	token := s.token(s.Researcher, accounts.NewToken{Everywhere: true})
	here := "/campaigns/" + s.Campaign.Slug
	at := s.call(token, "GET", here+"/exports/csv?ratings=all", "")
	_, prepared := s.done(token, s.call(token, "POST", here+"/exports/csv", ""))
	if at.status != http.StatusOK || at.body == "" || at.body != prepared.body || at.header.Get("Content-Disposition") != prepared.header.Get("Content-Disposition") {
		t.Errorf("at once %d %q, prepared %d %q", at.status, at.body, prepared.status, prepared.body)
	}
	wantProblem(t, "a format that is none", s.call(token, "GET", here+"/exports/word", ""), http.StatusNotFound)
	wantProblem(t, "the same as a job", s.call(token, "POST", here+"/exports/word", ""), http.StatusUnprocessableEntity)
	wantProblem(t, "a wrong choice", s.call(token, "GET", here+"/exports/csv?ratings=some", ""), http.StatusUnprocessableEntity)
	if _, got := s.done(token, s.call(token, "POST", here+"/agreement?gold=true", "")); !strings.HasPrefix(got.body, `{"campaign":"sample","protocol":"sqm","threshold":0.7,`) {
		t.Errorf("agreement: %d %s", got.status, got.body)
	}
	if job, _ := s.done(token, s.call(token, "POST", here+"/metaeval", `{"preset": "wmt23"}`)); job["state"] == "running" {
		t.Errorf("metaeval: %v", job)
	}
	wantProblem(t, "no such campaign beside", s.call(token, "POST", here+"/metaeval", `{"beside": ["nowhere"]}`), http.StatusUnprocessableEntity)
	wantProblem(t, "too many resamples", s.call(token, "POST", here+"/metaeval", `{"intervals": 100000000}`), http.StatusUnprocessableEntity)
	if _, got := s.done(token, s.call(token, "POST", here+"/report?significance=yes", "")); got.header.Get("Content-Disposition") != `attachment; filename="sample.report.html"` {
		t.Errorf("report: %d %s", got.status, got.header)
	}
	if _, got := s.done(token, s.call(token, "POST", here+"/report/archive?significance=yes", "")); got.header.Get("Content-Type") != "application/zip" {
		t.Errorf("archive: %d %s", got.status, got.body)
	}
	if got := s.call(token, "GET", here+"/progress", ""); !strings.Contains(got.body, `"ratings":6`) {
		t.Errorf("progress: %s", got.body)
	}

	// A job is its starter's, and in its campaign.
	var job map[string]any
	storetest.Check(t, json.Unmarshal([]byte(s.call(token, "POST", here+"/exports/csv", "").body), &job))
	lead := s.token(s.Lead, accounts.NewToken{Everywhere: true})
	wantProblem(t, "the job of somebody else", s.call(lead, "GET", here+"/jobs/"+job["id"].(string), ""), http.StatusNotFound)
}

// TestProgramsJudge: without a model's server there is a forecast, and no run.
func TestProgramsJudge(t *testing.T) {
	s := newSite(t)
	token := s.token(s.Researcher, accounts.NewToken{Writes: true, Everywhere: true})
	here := "/campaigns/" + s.Campaign.Slug + "/judges"
	wantStatus(t, "list", s.call(token, "GET", here, ""), http.StatusOK)
	if got := s.call(token, "POST", here+"/forecast", `{"method": "gemba-da", "model": "m"}`); got.status != http.StatusOK || !strings.Contains(got.body, `"judge":"gemba-da-m"`) {
		t.Errorf("forecast: %d %s", got.status, got.body)
	}
	wantProblem(t, "an unknown method", s.call(token, "POST", here+"/forecast", `{"method": "guess"}`), http.StatusUnprocessableEntity)
	wantProblem(t, "run without a server", s.call(token, "POST", here, `{"method": "gemba-da", "model": "m"}`), http.StatusUnprocessableEntity)
	wantProblem(t, "stop what is not running", s.call(token, "POST", here+"/gemba-da-m/stop", ""), http.StatusConflict)
}
