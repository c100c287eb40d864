package server

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
)

// upload sends a file to the import page; leaveOut are the boxes that are ticked.
func (v *visitor) upload(slug, format, name, text string, leaveOut ...string) answer {
	v.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, what := range leaveOut {
		if err := w.WriteField("leave_out", what); err != nil {
			v.s.t.Fatal(err)
		}
	}
	if err := w.WriteField("format", format); err != nil {
		v.s.t.Fatal(err)
	}
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		v.s.t.Fatal(err)
	}
	fmt.Fprint(part, text)
	if err := w.Close(); err != nil {
		v.s.t.Fatal(err)
	}
	return v.do("POST", "/campaigns/"+slug+"/import", w.FormDataContentType(), b.String())
}

// result is what an import's page says in numbers and names, and where it leads.
func result(doc *goquery.Document) (text string, links []string) {
	in := doc.Find("section.result")
	in.Find("a").Each(func(_ int, a *goquery.Selection) { links = append(links, strings.TrimSpace(a.Text())) })
	return strings.Join(strings.Fields(in.Text()), " "), links
}

// TestImportScores: a lead brings scores of a metric in the browser, sees whose and
// how many, sees a second run replace them, and is not sent to invite annotators.
func TestImportScores(t *testing.T) {
	s := newSite(t, storetest.Segments(2), storetest.Systems(2))
	lead, slug := s.signedIn(s.Lead), s.Campaign.Slug
	var table strings.Builder
	for i, system := range s.Systems {
		fmt.Fprintf(&table, "%s\t%d.5\n%s\t2\n", system, i, system)
	}
	for _, tt := range []struct{ name, want, not string }{
		{"the first time", "Metric scores 4", "in the place of earlier"},
		{"again", "Metric scores 4 4 in the place of earlier ones", ""},
	} {
		got := lead.upload(slug, "scores", "COMET-refA.seg.score", table.String())
		if got.status != http.StatusOK {
			t.Fatalf("%s: %d\n%s", tt.name, got.status, got.body)
		}
		text, links := result(got.page(t))
		if !strings.Contains(text, tt.want) || tt.not != "" && strings.Contains(text, tt.not) || !strings.Contains(text, "Metrics (1)COMET-refA") {
			t.Errorf("%s: the page says %q", tt.name, text)
		}
		if len(links) != 1 || links[0] != "Report" || !strings.Contains(text, "Imported COMET-refA.seg.score.") {
			t.Errorf("%s: the page leads on to %q", tt.name, links)
		}
	}
	got := lead.upload(slug, "scores", "COMET-refA.seg.score", s.Systems[0]+"\t1\n"+s.Systems[0]+"\tNone\n")
	if text, _ := result(got.page(t)); got.status != http.StatusUnprocessableEntity || !strings.Contains(text, "COMET-refA.seg.score") || !strings.Contains(text, "a metric needs a score for every segment") {
		t.Errorf("None: %d, %q", got.status, text)
	}
}

// TestImportLeavesOut: a page that refuses systems the campaign lacks offers a box, and
// names them once it is ticked.
func TestImportLeavesOut(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Systems(1))
	lead := s.signedIn(s.Lead)
	text := s.Systems[0] + "\t1\n" + "ref\t2\n"
	got := lead.upload(s.Campaign.Slug, "scores", "m.seg.score", text)
	if said, _ := result(got.page(t)); got.status != http.StatusUnprocessableEntity || !strings.Contains(said, "1 problem.") || !strings.Contains(said, `the campaign has no system "ref"`) {
		t.Errorf("%d, %q", got.status, said)
	}
	if n := got.page(t).Find("input[type=checkbox][name=leave_out]").Length(); n != 2 {
		t.Errorf("%d boxes", n)
	}
	got = lead.upload(s.Campaign.Slug, "scores", "m.seg.score", text, "systems")
	if said, _ := result(got.page(t)); got.status != http.StatusOK || !strings.Contains(said, `whose scores were left out, first at m.seg.score:2: "ref" (1)`) {
		t.Errorf("%d, %q", got.status, said)
	}
}

func jsonLine(systems []string) string {
	var texts []string
	for _, system := range systems {
		texts = append(texts, fmt.Sprintf("%q: \"t\"", system))
	}
	return `{"segment_id": "new", "source": "s", "translations": {` + strings.Join(texts, ", ") + "}}\n"
}

// TestImportLowerIsBetter: the page declares what a file of scores can't say itself.
func TestImportLowerIsBetter(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Systems(1))
	lead := s.signedIn(s.Lead)
	send := func(format string) answer {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for field, value := range map[string]string{"format": format, "lower_is_better": "1", "group": "surface"} {
			if err := w.WriteField(field, value); err != nil {
				t.Fatal(err)
			}
		}
		part, err := w.CreateFormFile("file", "TER.seg.score")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(part, s.Systems[0]+"\t0.5")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return lead.do("POST", "/campaigns/"+s.Campaign.Slug+"/import", w.FormDataContentType(), b.String())
	}
	wantStatus(t, "ratings", send("ratings"), http.StatusUnprocessableEntity, "only files of metric scores have a direction and a group")
	if said, _ := result(send("scores").page(t)); !strings.Contains(said, "lower scores of TER are better") {
		t.Errorf("the page says %q", said)
	}
	metrics, err := s.Store.Records.DeclaredMetrics(t.Context(), s.Campaign.ID)
	if want := []campaign.Metric{{Name: "TER", LowerIsBetter: true, Group: "surface"}}; err != nil || !slices.Equal(metrics, want) {
		t.Errorf("declared %+v, %v", metrics, err)
	}
}

// TestImportInTheBackground: an import that takes long goes on while its page is left,
// another one into the campaign is refused meanwhile, and the page shows what came of
// it, with and without problems.
func TestImportInTheBackground(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	for _, tt := range []struct{ text, want, not string }{
		{jsonLine(s.Systems), "Segments 1", "problem"},
		{"{}\n", "Nothing was stored", "Systems"},
	} {
		reading, goOn := make(chan struct{}), make(chan struct{})
		s.srv.setup.Imports.Patience = 0
		s.srv.setup.Imports.Read = once(func(context.Context) { reading <- struct{}{}; <-goOn })
		if got := lead.upload(s.Campaign.Slug, "jsonl", "more.jsonl", tt.text); got.status != http.StatusSeeOther || got.location() != page {
			t.Fatalf("%d %s", got.status, got.location())
		}
		<-reading
		doc := lead.get(page).page(t)
		if doc.Find("[data-report-status]").AttrOr("data-report-status", "") != page+"/status" || doc.Find("form[enctype]").Length() != 0 || doc.Find(`a[href="`+page+`"]:contains("Look again")`).Length() != 1 {
			t.Errorf("the page of an import under way: %s", doc.Find("main").Text())
		}
		says(t, "the status is", lead.get(page+"/status").body, `"busy":true`)
		wantStatus(t, "a second import", lead.upload(s.Campaign.Slug, "references", "refB.txt", "one\ntwo\n"), http.StatusConflict, "another import into this campaign is under way; wait until it is over")
		s.RateNext(t, 0, 0, 2, 4)
		close(goOn)
		<-s.srv.setup.Imports.Runner.Find(s.Campaign.ID).Done()
		for range 2 {
			got := lead.get(page)
			text := strings.Join(strings.Fields(got.page(t).Find("main").Text()), " ")
			said, _ := result(got.page(t))
			if got.status != http.StatusOK || !strings.Contains(said, tt.want) || strings.Contains(said, tt.not) || !strings.Contains(text, "more.jsonl") || got.page(t).Find("form[enctype]").Length() != 1 {
				t.Errorf("afterwards %d, %q", got.status, text)
			}
		}
		says(t, "the status is", lead.get(page+"/status").body, `"busy":false`)
	}
	// The next import that is over at once is answered alone.
	s.srv.setup.Imports.Patience = time.Minute
	if text, _ := result(lead.upload(s.Campaign.Slug, "references", "refB.txt", "one\ntwo\nthree\n").page(t)); !strings.Contains(text, "References 3") {
		t.Errorf("the answer is %q", text)
	}
	if doc := lead.get(page).page(t); doc.Find(".result, .notice").Length() != 0 {
		t.Errorf("later the page says %q", doc.Find(".result, .notice").Text())
	}
}

// While the ratings of a large import are placed, its page says how many of them count. So
// it does for an import of another program, and goes on with it where that was killed.
func TestImportSaysWhatIsPlaced(t *testing.T) {
	const segments = 90
	s := newSite(t, storetest.Segments(segments), storetest.Systems(2))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	storetest.SetPlaceAtOnce(s.db.Store, 10)
	var lines strings.Builder
	for i := range segments {
		for _, system := range s.Systems {
			fmt.Fprintf(&lines, `{"segment_id":"s%d","system":%q,"annotator":"x","scores":{"sqm":3}}`+"\n", i+1, system)
		}
	}
	var said []string
	share := 0.5 // after reading
	storetest.OnPlaced(s.db.Store, func() {
		var status wire.Job
		if err := json.Unmarshal([]byte(lead.get(page+"/status").body), &status); err != nil || !status.Busy || status.Share <= share {
			t.Errorf("after %v: %+v, %v", share, status, err)
		}
		share = status.Share
		said = append(said, status.Words, lead.get(page).page(t).Find("[data-report-words]").Text())
	})
	s.srv.setup.Imports.Patience = time.Minute
	wantStatus(t, "the upload", lead.upload(s.Campaign.Slug, "ratings", "r.jsonl", lines.String()), http.StatusOK)
	storetest.OnPlaced(s.db.Store, nil)
	for i := 0; i < len(said); i += 2 {
		if !strings.HasSuffix(said[i], "of 180 ratings count") || said[i+1] != said[i] {
			t.Errorf("said %q and %q", said[i], said[i+1])
		}
	}
	if len(said) < 4 || said[0] != "everything is read, and 40 of 180 ratings count" || share != 1 {
		t.Errorf("said %q up to %v", said, share)
	}
}

// once calls f at the first call only.
func once(f func(context.Context)) func(context.Context) {
	var o sync.Once
	return func(ctx context.Context) { o.Do(func() { f(ctx) }) }
}

// TestImportInterrupted: after a restart the page says that the import under way was
// interrupted, and that nothing of it was stored, until the next import is over.
func TestImportInterrupted(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	reading := make(chan struct{})
	s.srv.setup.Imports.Patience = 0
	s.srv.setup.Imports.Read = once(func(ctx context.Context) { close(reading); <-ctx.Done() })
	if got := lead.upload(s.Campaign.Slug, "jsonl", "more.jsonl", jsonLine(s.Systems)); got.status != http.StatusSeeOther {
		t.Fatal(got.status)
	}
	<-reading
	s.srv.setup.Imports.Runner.Stop()
	if n := len(s.All(t)); n != 2 {
		t.Errorf("%d segments are stored", n)
	}

	srv, err := New(Config{Now: s.db.Clock.Now, SessionKey: s.srv.Config.SessionKey}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	next := httptest.NewServer(srv.Handler())
	defer next.Close()
	again := &sampleSite{Sample: s.Sample, t: t, db: s.db, srv: srv, url: next.URL}
	lead = again.signedIn(s.Lead)
	notice := func() string { return lead.get(page).page(t).Find(".notice-warning").Text() }
	says(t, "the page says", notice(), "stopped while more.jsonl was imported. Nothing of it was stored.")
	wantStatus(t, "importing again", lead.upload(s.Campaign.Slug, "jsonl", "more.jsonl", jsonLine(s.Systems)), http.StatusOK)
	if got := notice(); got != "" {
		t.Errorf("later the page says %q", got)
	}
}

// TestImportBeingCompleted: while ratings of a large import become visible, leads and
// researchers are told to wait, and annotators go on.
func TestImportBeingCompleted(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead, researcher, annotator, page := s.signedIn(s.Lead), s.signedIn(s.Researcher), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	pool, err := sql.Open("sqlite", "file:"+s.db.Config.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	change := func(sql string) {
		t.Helper()
		if _, err := pool.ExecContext(t.Context(), sql, s.Campaign.ID); err != nil {
			t.Fatal(err)
		}
	}
	change("INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, 'i', 1000000)")
	change("INSERT INTO completing_imports (campaign_id, id, annotators, ratings, placed) VALUES (?, 'i', '', 1000, 430)")
	for _, at := range []string{"", "/segments", "/report", "/export/ratings", "/agreement"} {
		for _, v := range []*visitor{lead, researcher} {
			if got := v.get(page + at); got.status != http.StatusServiceUnavailable || got.header.Get("Refresh") == "" || !strings.Contains(got.body, "is being completed, and 43 % of it is done") {
				t.Errorf("%s: %d, %q", at, got.status, got.header.Get("Refresh"))
			}
		}
	}
	wantStatus(t, "pausing", lead.post(page+"/state", url.Values{"state": {"paused"}}), http.StatusServiceUnavailable)
	if got := lead.get(page + "/import"); got.status != http.StatusOK || got.page(t).Find("[data-report-words]").Text() != "everything is read, and 43 % of the ratings count" {
		t.Errorf("the page of imports: %d, %s", got.status, got.page(t).Find("main").Text())
	}
	says(t, "the state of imports", lead.get(page+"/import/status").body, `"share":0.43`)
	if got := annotator.post(page+"/next", nil); got.status != http.StatusSeeOther {
		t.Errorf("an annotator asks for work: %d", got.status)
	} else if got := annotator.get(got.location()); got.status != http.StatusOK {
		t.Errorf("an annotator works: %d", got.status)
	}
	if s.srv.Settling.Find(s.Campaign.ID) == nil {
		t.Error("nobody completes the import if its program was killed")
	}
	s.srv.Settling.Stop()
	change("DELETE FROM completing_imports WHERE campaign_id = ?")
	wantStatus(t, "afterwards", lead.get(page), http.StatusOK)
}
