package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/evaluation"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// newServers starts two servers on one PostgreSQL database, as two processes have it: each with its own connections.
func newServers(t *testing.T) (a, b *sampleSite) {
	t.Helper()
	db, folder := storetest.Postgres(t), t.TempDir()
	sample := storetest.Campaign(t, db.Store)
	serve := func(st *store.Store) *sampleSite {
		srv := storetest.Must(New(Config{Now: db.Clock.Now, SessionKey: storetest.Must(st.Accounts.SessionKey(t.Context()))(t), WorkDir: folder, WorkDirShared: true}, st))(t)
		front := httptest.NewServer(srv.Handler())
		t.Cleanup(func() {
			front.Close()
			srv.results.Stop()
			srv.setup.Stop()
			srv.monitoring.Stop()
			srv.Computing.Stop()
			srv.Works.Wait()
		})
		return &sampleSite{Sample: sample, t: t, db: &storetest.DB{Store: st, Clock: db.Clock, Config: db.Config}, srv: srv, url: front.URL}
	}
	second := storetest.Must(store.Open(t.Context(), db.Config))(t)
	t.Cleanup(func() { storetest.Check(t, second.Close()) })
	return serve(db.Store), serve(second)
}

// at is the visitor, who goes on at another server.
func (v *visitor) at(s *sampleSite) *visitor {
	jar := v.client.Jar
	from, to := storetest.Must(url.Parse(v.s.url))(v.s.t), storetest.Must(url.Parse(s.url))(v.s.t)
	jar.SetCookies(to, jar.Cookies(from))
	return &visitor{s, v.client, v.header}
}

// TestSessionsOfTwoServers: a session that begins at one server holds at the other one, and ends at both.
func TestSessionsOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	lead := a.signedIn(a.Lead)
	wantStatus(t, "the other server", lead.at(b).get("/work"), http.StatusOK)
	lead.at(b).post("/sign-out", nil)
	lead = a.signedIn(a.Lead)
	thief := &visitor{a, lead.client, http.Header{}}
	wantStatus(t, "signed in", thief.get("/work"), http.StatusOK)
	storetest.Check(t, b.db.Accounts.EndSessions(t.Context(), a.Lead.ID, ""))
	wantRedirect(t, "after the other server ended the session", thief.get("/work"), "/sign-in?next=%2Fwork")
}

// TestLimitOfTwoServers: attempts to sign in count together, whichever server they reach.
func TestLimitOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	status := 0
	for i := range 11 {
		s := a
		if i%2 == 1 {
			s = b
		}
		status = s.stranger().post("/sign-in", url.Values{"login": {"lead"}, "password": {"wrong"}}).status
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the eleventh attempt is answered %d", status)
	}
}

// TestLivePagesOfTwoServers: an open page at one server notices what was submitted at the other one.
func TestLivePagesOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	lead := b.signedIn(b.Lead)
	path := "/campaigns/" + a.Campaign.Slug
	live := lead.get(path).page(t).Find("[data-live]").AttrOr("data-live", "")
	version := func() string {
		lead.header.Set("Accept", "application/json")
		return lead.get(live).body
	}
	before := version()
	if live == "" || version() != before {
		t.Fatalf("%q answers %q", live, before)
	}
	a.RateNext(t, 0, 1, 2, 3)
	if version() == before {
		t.Errorf("after a submission %q still answers %q", live, before)
	}
}

// TestReportOfTwoServers: one server computes a report, and the other one shows how far it is and then the report.
func TestReportOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	path, computed := "/campaigns/"+a.Campaign.Slug+"/report", 0
	begun, end := make(chan struct{}), make(chan struct{})
	for _, s := range []*sampleSite{a, b} {
		compute := s.srv.results.Reports.Compute
		s.srv.results.Reports.Patience = 0
		s.srv.results.Reports.Compute = func(ctx context.Context, st *store.Store, task *evaluation.ReportTask) error {
			computed++
			close(begun)
			<-end
			return compute(ctx, st, task)
		}
	}
	lead := a.signedIn(a.Lead)
	lead.get(path)
	<-begun
	if doc := lead.at(b).get(path).page(t); doc.Find("[data-report-status]").Length() != 1 {
		t.Errorf("the other server shows %q", doc.Find("main").Text())
	}
	says(t, "the status at the other server is", lead.at(b).get(path+"/status").body, `"busy":true`)
	waiting := b.reportJob(evaluation.Choices{})
	close(end)
	<-a.reportJob(evaluation.Choices{}).Done()
	<-waiting.Done()
	if doc := lead.at(b).get(path).page(t); doc.Find("article.report").Length() != 1 || computed != 1 {
		t.Errorf("after %d computations the other server shows %q", computed, doc.Find("main").Text())
	}
}

// TestFilesOfTwoServers: a file that one server has prepared is fetched from the other one.
func TestFilesOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	a.srv.results.Files.Large, b.srv.results.Files.Large = 1, 1
	a.RateNext(t, 0, 1, 2, 3)
	path := "/campaigns/" + a.Campaign.Slug + "/files/ratings"
	lead := a.signedIn(a.Lead)
	lead.get(path)
	<-a.srv.results.Files.Runner.Find(keyOf(a, "ratings")).Done()
	if got := lead.at(b).get(path + "/download"); got.status != http.StatusOK || !strings.HasPrefix(got.body, `{"doc_id"`) {
		t.Errorf("the other server answers %d %.100s", got.status, got.body)
	}
	a.srv.results.Stop()
	wantStatus(t, "after the first server has stopped", lead.at(b).get(path+"/download"), http.StatusOK)
}

// TestImportOfTwoServers: while one server imports into a campaign, the other one shows it and refuses another import.
func TestImportOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	page := "/campaigns/" + a.Campaign.Slug + "/import"
	reading, goOn := make(chan struct{}), make(chan struct{})
	a.srv.setup.Imports.Patience = 0
	a.srv.setup.Imports.Read = once(func(context.Context) { close(reading); <-goOn })
	lead := a.signedIn(a.Lead)
	if got := lead.upload(a.Campaign.Slug, "jsonl", "more.jsonl", jsonLine(a.Systems)); got.status != http.StatusSeeOther {
		t.Fatal(got.status)
	}
	<-reading
	if doc := lead.at(b).get(page).page(t); doc.Find("[data-report-status]").Length() != 1 || strings.Contains(doc.Text(), "stopped while") {
		t.Errorf("the other server shows %q", doc.Find("main").Text())
	}
	wantStatus(t, "a second import", lead.at(b).upload(a.Campaign.Slug, "references", "refB.txt", "one\ntwo\n"), http.StatusConflict, "another import into this campaign is under way")
	close(goOn)
	<-a.srv.setup.Imports.Runner.Find(a.Campaign.ID).Done()
	wantStatus(t, "the status at the other server afterwards", lead.at(b).get(page+"/status"), http.StatusOK, `"busy":false`)
}

// TestUploadsOfTwoServers: an upload that waits for the lead's choice at one server is imported by the other one, also if the first has been
// killed meanwhile. What came of an import is shown by every server.
func TestUploadsOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	lead, slug, page := a.signedIn(a.Lead), a.Campaign.Slug, "/campaigns/"+a.Campaign.Slug+"/import"
	wrong := lead.upload(slug, "ratings", "more.jsonl", jsonLine(a.Systems)).page(t)
	says(t, "after another format the other server says", lead.at(b).get(page+"?upload="+wrong.Find("input[name=upload]").AttrOr("value", "")).page(t).Find("#file-help").Text(), "more.jsonl is kept")
	says(t, "the import at the other server says", lead.at(b).again(slug, wrong, "jsonl").page(t).Find("main").Text(), "Imported more.jsonl.")
	wantStatus(t, "a second time at the first one", lead.again(slug, wrong, "jsonl"), http.StatusNotFound, "imported already")

	// An import of which nobody waits for the end, at either server.
	a.srv.setup.Imports.Patience = 0
	for text, want := range map[string]string{
		"{}\n": "Nothing was stored",
		strings.Replace(jsonLine(a.Systems), "new", "newer", 1): "Segments 1",
	} {
		lead.upload(slug, "jsonl", "more.jsonl", text)
		<-a.srv.setup.Imports.Runner.Find(a.Campaign.ID).Done()
		here, there := lead.get(page).page(t).Find("main").Text(), lead.at(b).get(page).page(t).Find("main").Text()
		if said := strings.Join(strings.Fields(there), " "); here != there || !strings.Contains(said, want) {
			t.Errorf("one server shows %s\nand the other %s", here, there)
		}
	}

	table := lead.upload(slug, "", "more.csv", "source;"+strings.Join(a.Systems, ";")+"\nx"+strings.Repeat(";y", len(a.Systems))+"\n")
	wantStatus(t, "a table", table, http.StatusSeeOther)
	a.url = "http://127.0.0.1:1" // it answers no more
	other := lead.at(b)
	form := url.Values{"header": {"1"}, "role.0": {"source"}}
	for i := range a.Systems {
		form.Set(fmt.Sprintf("role.%d", i+1), "system")
	}
	wantStatus(t, "the columns at the other server", other.get(table.location()), http.StatusOK, "more.csv")
	says(t, "the import after the first server was killed says", other.post(table.location(), form).page(t).Find("main").Text(), "Imported more.csv.")
}

// TestJobsOfTwoServers: what one server does for a program, the other one answers, too: how far it is, what it made, and why it failed. A job
// whose server has stopped is interrupted.
func TestJobsOfTwoServers(t *testing.T) {
	a, b := newServers(t)
	path := "/campaigns/" + a.Campaign.Slug
	token := a.token(a.Lead, accounts.NewToken{Writes: true, Everywhere: true})
	for _, ask := range []struct{ path, body, result string }{
		{"/agreement", "", `{"campaign":"sample",`},
		{"/exports/ratings", "", ""},
		{"/report", "", "<!doctype html>"},
		{"/imports?name=x.jsonl", "{", `"detail":`},
	} {
		job, got := b.done(token, a.call(token, "POST", path+ask.path, ask.body))
		if want := map[bool]string{true: "failed", false: "done"}[ask.path == "/imports?name=x.jsonl"]; job["state"] != want || job["ended_at"] == nil || !strings.Contains(strings.ToLower(got.body), strings.ToLower(ask.result)) {
			t.Errorf("%s: %v; the result is %.300s", ask.path, job, got.body)
		}
	}
	begun := make(chan struct{})
	a.srv.setup.Imports.Read = func(ctx context.Context) {
		select {
		case <-begun:
		default:
			close(begun)
			<-ctx.Done()
		}
	}
	started := a.call(token, "POST", path+"/imports?name=x.jsonl", `{"segment_id": "new"}`)
	var job struct{ ID, State string }
	storetest.Check(t, json.Unmarshal([]byte(started.body), &job))
	<-begun
	at := path + "/jobs/" + job.ID
	wantProblem(t, "the result of a job that is running", b.call(token, "GET", at+"/result", ""), http.StatusConflict)
	a.srv.setup.Stop()
	a.srv.Works.Wait()
	for _, s := range []*sampleSite{a, b} {
		storetest.Check(t, json.Unmarshal([]byte(s.call(token, "GET", at, "").body), &job))
		if job.State != "interrupted" {
			t.Errorf("a job whose server has stopped is %q", job.State)
		}
		wantProblem(t, "its result", s.call(token, "GET", at+"/result", ""), http.StatusConflict)
	}
	storetest.Exec(t, a.db, "UPDATE program_jobs SET ended_at = 0 WHERE id = ?", job.ID) // as a server leaves it that is killed
	storetest.Check(t, json.Unmarshal([]byte(b.call(token, "GET", at, "").body), &job))
	if job.State != "running" {
		t.Errorf("a job whose server may live is %q", job.State)
	}
	b.db.Clock.Advance(time.Minute)
	storetest.Check(t, json.Unmarshal([]byte(b.call(token, "GET", at, "").body), &job))
	if job.State != "interrupted" {
		t.Errorf("a job whose server was killed is %q", job.State)
	}
	b.db.Clock.Advance(2 * time.Hour)
	storetest.Check(t, b.db.Jobs.DeletePrograms(t.Context()))
	storetest.WantCount(t, b.db, 0, "program_jobs")
	storetest.WantCount(t, b.db, 0, "program_results")
}
