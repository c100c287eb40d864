package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/server"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
	"annotate/internal/wire"
	"annotate/web"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

// leadPage returns the part of a lead's page around its content.
func leadPage(title, here string) templates.Page {
	return templates.Page{Title: title, Static: web.Prefix(), User: &templates.User{Login: "lead", Name: "Lea Duarte", Leads: true}, Here: here,
		Campaign: &templates.Campaign{Slug: "news", Title: "News 2026, Chinese to English", Protocol: "MQM", SourceLang: "zh", TargetLang: "en", State: "open", Role: "lead", Timezone: "Europe/Lisbon"}}
}

// jobPages are the pages of imports and of large files in every state, with little and
// with much to say. They are made of views, since most states last a moment.
func jobPages() map[string]templ.Component {
	page := leadPage
	now := time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC)
	clock := templates.Clock{Now: now}
	longName := strings.Repeat("generalMT2023-zh-en-system-outputs-", 6) + "final.mqm.tsv"
	long := strings.Repeat("segment \"news-17-of-the-second-collection\" of document \"xinhua\" by \"ONLINE-W\", ", 12)
	imports := func(v setup.ImportView) templ.Component {
		v.Page, v.MaxBytes = page("Import", "import"), 1<<30
		return setup.Import(v)
	}
	file := func(v setup.FileView) templ.Component {
		v.Page, v.Title, v.Name, v.Format, v.Clock = page("Gold, MENT", "export"), "Gold, MENT", "news.ment.jsonl", "ment", clock
		return setup.File(v)
	}
	problems := &campaign.Problems{More: 11_862}
	for i := range 25 {
		problems.List = append(problems.List, &campaign.Problem{File: longName, Line: 1_000_000 + i, Column: 12, Field: "translations.ONLINE-W", Msg: "must be a text in double quotes, not " + long})
	}
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("system-of-the-shared-task-%02d", i)
	}
	return map[string]templ.Component{
		"import, nothing yet":    imports(setup.ImportView{}),
		"import, under way":      imports(setup.ImportView{Busy: &wire.Job{Words: "412.7 of 981.2 MB are read", Share: .42}}),
		"import, a second one":   imports(setup.ImportView{Busy: &wire.Job{Words: "0.1 of 0.2 MB are read", Share: .5}, Errors: map[string]string{"": "Another import into this campaign is under way."}}),
		"import, failed":         imports(setup.ImportView{Ended: longName, Errors: map[string]string{"": "The import failed: something went wrong on the server, and is in its log. Nothing of it was stored."}}),
		"import, interrupted":    imports(setup.ImportView{Interrupted: "The server was stopped while " + longName + " was imported. Nothing of it was stored. Import it again."}),
		"import, done, much":     imports(setup.ImportView{Ended: longName, Report: &readmodel.ImportReport{Segments: 1_000_000, Translations: 12_000_000, References: 2_000_000, Ratings: 3_000_000, Systems: many, NewAnnotators: many, Metrics: many, OwnSeverities: []string{"trivial"}, OwnCategories: many, Notes: []string{long, "4 translations that contradict themselves were left out"}}}),
		"import, refused":        imports(setup.ImportView{Ended: "r.jsonl", Problems: &campaign.Problems{List: []*campaign.Problem{{File: "r.jsonl", Line: 3, Field: "segment_id", Msg: `the campaign has no segment "99"; correct the line, leave it out, or import the segment first`}}}}),
		"import, refused, much":  imports(setup.ImportView{Ended: longName, Problems: problems}),
		"file, under way":        file(setup.FileView{Busy: &wire.Job{Words: "1204.3 MB are written", Share: .7}}),
		"file, failed":           file(setup.FileView{Failed: "The file was not computed: something went wrong on the server, and is in its log."}),
		"file, ready, much":      file(setup.FileView{Ready: true, Size: 4_300_000_000, At: now, Notes: []string{long, long}}),
		"file, old, anew":        file(setup.FileView{Ready: true, Size: 43_000_000, At: now, Stale: true, Busy: &wire.Job{Words: "12.5 MB are written", Share: .29}}),
		"file, old, failed":      file(setup.FileView{Ready: true, Size: 43_000_000, At: now, Stale: true, Failed: "The file was not computed, since the server was stopped."}),
		"left out, much":         setup.LeftOut(setup.LeftOutView{Page: page("What mqm-tsv leaves out", "export"), Format: "mqm-tsv", Notes: []string{long, long}}),
		"exports, prepared":      setup.Export(setup.ExportView{Page: page("Export", "export"), Large: true, Segments: 50_000, InGold: 49_000, Systems: 12, Ratings: 1_000_000, Metrics: 60, Suggested: true}),
		"exports, nothing there": setup.Export(setup.ExportView{Page: page("Export", "export"), NoLanguages: true}),
	}
}

// serveViews serves each page at "/" followed by its name, and the files that the pages load.
func serveViews(t *testing.T, pages map[string]templ.Component) string {
	t.Helper()
	st, err := store.Open(t.Context(), storetest.Open(t).Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	srv, err := server.New(server.Config{}, st)
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case ok:
			_ = page.Render(r.Context(), w)
		case strings.HasSuffix(r.URL.Path, "/status"):
			_, _ = w.Write([]byte(`{"busy":true,"words":"412.7 of 981.2 MB are read","share":0.42}`))
		default:
			srv.Handler().ServeHTTP(w, r)
		}
	}))
	t.Cleanup(ts.Close)
	return ts.URL
}

// TestAxeJobs: the pages of imports and of large files have no violation of the rules of
// axe-core in any state, and none is wider than the window.
func TestAxeJobs(t *testing.T) { axeViews(t, jobPages()) }

// axeViews checks pages that are rendered from views with axe-core.
func axeViews(t *testing.T, pages map[string]templ.Component) {
	b := browser(t)
	address := serveViews(t, pages)
	i := newInspector(&house{t: t, url: address, browser: b, windows: map[string]context.Context{}}, pagesJudge(t))
	w := i.h.window("")
	for name := range pages {
		run(t, w, name, Look(1440, 900, false), chromedp.Navigate(address+"/"+strings.ReplaceAll(name, " ", "%20")))
		i.look(w, name, name)
		run(t, w, name, Look(390, 844, false))
		if wide := ask[float64](t, w, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("%s is %v px wider than a phone", name, wide)
		}
	}
}
