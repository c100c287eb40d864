package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"gorm.io/gorm"

	"annotate/internal/evaluation"
	"annotate/internal/parallel"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// TestReport reads a report as a researcher does: the page, its files, and what it
// says when the settings have changed.
func TestReport(t *testing.T) {
	s := newSite(t, storetest.Segments(1))
	s.RateNext(t, 0, 0, 2, 4)
	s.RateNext(t, 1, 0, 4, 2)
	v := s.signedIn(s.Researcher)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	got := v.get(at)
	doc := got.page(t)
	if got.status != http.StatusOK || doc.Find("article.report").Length() != 1 {
		t.Fatalf("%d, %s", got.status, doc.Find("main").Text())
	}
	doc.Find(".report-contents a").Each(func(_ int, a *goquery.Selection) {
		if href, _ := a.Attr("href"); doc.Find(href).Length() != 1 {
			t.Errorf("the contents lead to %s, which is there %d times", href, doc.Find(href).Length())
		}
	})
	settings := doc.Find("#table-settings")
	if got := settings.Text(); !strings.Contains(got, "redundancy") || strings.Contains(got, "max_errors") {
		t.Errorf("the settings of a campaign under SQM are %s", got)
	}
	if settings.Find("details:not([open]) table").Length() != 1 || doc.Find("#table-annotators details").Length() != 0 {
		t.Error("the table of settings is not folded, or the short one of annotators is")
	}
	for link, want := range map[string]string{
		"/tables/annotators.tex": `\begin{tabular}`, "/tables/annotators.md": "| --- |", "/tables/annotators.csv": "Annotator,",
		"/figures/iaa-system.svg": "<svg", "/figures/iaa-system.pdf": "%PDF-", "/figures/iaa-system.png": "PNG", "/figures/iaa-system.csv": "A,B,r,Shared", ".html": "<!DOCTYPE html>",
	} {
		got := v.get(at + link)
		if got.status != http.StatusOK || !strings.Contains(strings.ToLower(got.body), strings.ToLower(want)) || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %d %q: %.200s", link, got.status, got.header.Get("Content-Disposition"), got.body)
		}
	}
	doc.Find("a[download]").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		wantStatus(t, href, v.get(href), http.StatusOK)
	})
	for _, link := range []string{"/tables/nosuch.tex", "/tables/annotators.exe", "/tables/data", "/figures/nosuch.svg", "/figures/iaa-system.gif"} {
		wantStatus(t, link, v.get(at+link), http.StatusNotFound)
	}

	s.Change(t, "licence=CC0")
	says(t, "after other settings it says", v.get(at).page(t).Find(".notice").Text(), "the campaign has changed since")
}

// reportJob is the latest job that computes a report; nil if none is known.
func (s *sampleSite) reportJob(choices evaluation.Choices) *parallel.Job[struct{}] {
	s.t.Helper()
	return storetest.Must(s.srv.results.Reports.Job(s.t.Context(), s.Campaign, nil, choices))(s.t)
}

// reportDone waits until a report is computed.
func (s *sampleSite) reportDone(choices evaluation.Choices) {
	s.t.Helper()
	j := s.reportJob(choices)
	if j == nil {
		return
	}
	select {
	case <-j.Done():
	case <-s.t.Context().Done():
	case <-time.After(time.Minute):
		s.t.Fatal("the report is not done after a minute")
	}
}

// TestReportInTheBackground: a page does not wait for a long report, one is computed
// at a time, and it is there when it is done, whoever asked for it.
func TestReportInTheBackground(t *testing.T) {
	s := newSite(t)
	s.srv.results.Reports.Patience = 0
	lead, researcher := s.signedIn(s.Lead), s.signedIn(s.Researcher)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	release := s.otherReport() // is under way
	for range 2 {
		says(t, "the page says", lead.get(at).page(t).Find("[data-report-status]").Text(), "waiting for other work to end")
	}
	says(t, "the status is", researcher.get(at+"/status").body, `"busy":true`)
	wantRedirect(t, "a table that is not there yet", researcher.get(at+"/tables/annotators.tex"), at)
	j := s.reportJob(evaluation.Choices{})
	release()
	<-j.Done()
	if doc := researcher.get(at).page(t); doc.Find("article.report").Length() != 1 || doc.Find("[data-report-status]").Length() != 0 {
		t.Errorf("when it is done: %s", doc.Find("main").Text())
	}
	says(t, "the status is", researcher.get(at+"/status").body, `"busy":false`)

	// A server that is stopped stops it, and does not keep half of it.
	s.otherReport()
	lead.post(at+"?gold=yes", nil)
	j = s.reportJob(evaluation.Choices{Gold: true})
	s.srv.results.Reports.Runner.Stop()
	<-j.Done()
	doc := lead.get(at + "?gold=yes").page(t)
	if got := doc.Find(".notice-error").Text(); !strings.Contains(got, "the server was stopped") || doc.Find("article.report").Length() != 0 {
		t.Errorf("after the server was stopped: %q", got)
	}
}

// TestReportEndsMeanwhile: a report that ends while its page is made is shown. Here it ends just after the page has looked for it, so the page
// follows the report and loads itself again.
func TestReportEndsMeanwhile(t *testing.T) {
	s := newSite(t)
	s.srv.results.Reports.Patience = 0
	lead := s.signedIn(s.Lead)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	release := s.otherReport()
	lead.get(at)
	j := s.reportJob(evaluation.Choices{})
	end := storetest.BeforeStatement(s.db.Store, "FROM reports WHERE campaign_id = ? AND choices = ?", 1, func(db *gorm.DB) {
		release()
		<-j.Done()
		db.Statement.SQL.WriteString(" AND 1 = 0") // the page looked before
	})
	doc := lead.get(at).page(t)
	end()
	if doc.Find("[data-report-status]").Length() != 1 {
		t.Errorf("the page follows no report: %s", doc.Find("main").Text())
	}
	if doc := lead.get(at).page(t); doc.Find("article.report").Length() != 1 || doc.Find("[data-report-status]").Length() != 0 {
		t.Errorf("when it is loaded again: %s", doc.Find("main").Text())
	}
}

// otherReport keeps the runner of reports busy until release is called.
func (s *sampleSite) otherReport() (release func()) {
	begun, end := make(chan struct{}), make(chan struct{})
	s.srv.results.Reports.Runner.Start("another report", func(ctx context.Context, _ parallel.Say) (struct{}, error) {
		close(begun)
		select {
		case <-end:
		case <-ctx.Done():
		}
		return struct{}{}, ctx.Err()
	})
	<-begun
	return func() { close(end) }
}

// TestReportPanics: a panic while a report is computed fails that report. The page
// says so once, and asks again when its reader does.
func TestReportPanics(t *testing.T) {
	s := newSite(t)
	s.srv.results.Reports.Patience = time.Minute
	compute, calls := s.srv.results.Reports.Compute, 0
	s.srv.results.Reports.Compute = func(ctx context.Context, st *store.Store, task *evaluation.ReportTask) error {
		if calls++; calls == 1 {
			panic("index out of range")
		}
		return compute(ctx, st, task)
	}
	lead := s.signedIn(s.Lead)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	doc := lead.get(at).page(t)
	says(t, "the page of a report that panicked says", doc.Find(".notice-error").Text(), "something went wrong on the server")
	if doc.Find(".notice-error form").Length() != 1 {
		t.Error("the page does not offer to try again")
	}
	if s.reportJob(evaluation.Choices{}) != nil {
		t.Error("the failure is remembered after it was shown")
	}
	lead.post(at, nil)
	s.reportDone(evaluation.Choices{})
	if doc := lead.get(at).page(t); doc.Find("article.report").Length() != 1 || doc.Find(".notice-error").Length() != 0 {
		t.Errorf("after trying again: %s", doc.Find("main").Text())
	}
}

// TestReportChoices: what is chosen is another report, and what there is not is said.
func TestReportChoices(t *testing.T) {
	s := newSite(t)
	other := storetest.Campaign(t, s.db.Store, storetest.Slug("other"))
	v := s.signedIn(s.Lead)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	for query, want := range map[string]int{
		"": 200, "gold=yes&significance=yes": 200, "preset=wmt23": 200, "beside=other": 200,
		"preset=wmt99": 400, "beside=nosuch": 400, "beside=" + s.Campaign.Slug: 400,
		"beside=" + strings.Join(strings.Split("abcdefghijklmn", ""), "&beside="): 400,
	} {
		if got := v.get(at + "?" + query); got.status != want && !(want == 400 && got.status == 422) {
			t.Errorf("?%s: %d, want %d", query, got.status, want)
		}
	}
	doc := v.get(at + "?human=nosuch").page(t)
	says(t, "an unknown score", doc.Find(".notice-error").Text(), `there is no human score "nosuch"`)
	if err := s.db.Accounts.RemoveMember(t.Context(), other.Campaign.ID, s.Researcher.Login, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.signedIn(s.Researcher).get(at + "?beside=other"); got.status < 400 || got.status >= 500 {
		t.Errorf("a campaign of strangers stands beside: %d", got.status)
	}
}

func TestChoicesKey(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "human=": "", "gold=no": "", "x=1": "", "gold=yes&human=sqm-z": "gold=yes&human=sqm-z",
		"beside=b&beside=a&beside=b&significance=yes": "beside=a&beside=b&significance=yes",
	} {
		q, _ := url.ParseQuery(query)
		c, err := evaluation.ParseChoices(q)
		if err != nil || c.Key() != want {
			t.Errorf("%s: %q, %v", query, c.Key(), err)
		}
		q, _ = url.ParseQuery(c.Key())
		if again, _ := evaluation.ParseChoices(q); again.Key() != c.Key() {
			t.Errorf("%s: %q, then %q", query, c.Key(), again.Key())
		}
	}
}

// TestReportFileStandsAlone: a saved report fetches nothing and runs nothing, and
// every id in it is there once.
func TestReportFileStandsAlone(t *testing.T) {
	s := newSite(t)
	s.RateNext(t, 0, 0, 2, 4)
	title := `<script>alert("x")</script> & "天"`
	if err := s.db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Title: &title}); err != nil {
		t.Fatal(err)
	}
	v := s.signedIn(s.Lead)
	at := "/campaigns/" + s.Campaign.Slug + "/report"
	v.get(at)
	got := v.get(at + ".html")
	doc := got.page(t)
	if text := doc.Find("h1").Text(); text != title {
		t.Errorf("the title is %q", text)
	}
	if n := doc.Find("script, link, img, iframe, form, button, [src], [onclick], [style]").Length(); n != 0 {
		t.Errorf("%d elements that fetch, run or ask for something", n)
	}
	ids := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, e *goquery.Selection) {
		id, _ := e.Attr("id")
		if ids[id] {
			t.Errorf("two elements have the id %q", id)
		}
		ids[id] = true
	})
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		if href, _ := a.Attr("href"); !strings.HasPrefix(href, "#") || !ids[href[1:]] {
			t.Errorf("a link leads to %q", href)
		}
	})
	checkBalanced(t, got.body)
}

// checkBalanced holds HTML to its end tags, which a parser would make good.
func checkBalanced(t *testing.T, text string) {
	t.Helper()
	void := map[string]bool{"meta": true, "link": true, "input": true, "br": true, "hr": true, "img": true}
	var open []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("left open: %q", open)
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> closes %q", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}
