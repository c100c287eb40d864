package server

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// disagree has two annotators rate the next segments of theirs the other way round.
func disagree(t *testing.T, s *sampleSite, looks int) {
	t.Helper()
	for range looks {
		s.RateNext(t, 0, 0, 2, 4)
		s.RateNext(t, 1, 4, 2, 0)
	}
}

func statuses(t *testing.T, s *sampleSite) string {
	t.Helper()
	var out []string
	for _, seg := range s.All(t) {
		out = append(out, string(seg.Status))
	}
	return strings.Join(out, " ")
}

func path(s *sampleSite, sub string) string { return "/campaigns/" + s.Campaign.Slug + "/" + sub }

// TestQueue: each part of the queue holds what belongs there, a researcher reads it
// and a lead decides on several segments at once, all or none.
func TestQueue(t *testing.T) {
	s := newSite(t, storetest.Segments(4), storetest.PerDocument(4))
	lead := s.signedIn(s.Lead)
	says(t, "the empty queue says", lead.get(path(s, "queue")).page(t).Find(".empty").Text(), "No segment is waiting")
	s.Change(t, "gate=report") // so that second looks come after the first ones
	disagree(t, s, 4)
	s.Change(t, "gate=on")
	disagree(t, s, 1) // the first fails again
	page := lead.get(path(s, "queue")).page(t)
	if got := strings.Join(page.Find(".tab-count").Map(textOf), " "); got != "3 3 0 0 0 0 1 0 0 0" {
		t.Errorf("the parts hold %s", got)
	}
	says(t, "the first row says neither why nor who", page.Find("tbody tr").First().Text(), "r −1.00", "waiting")
	reader := s.signedIn(s.Researcher)
	if got := reader.get(path(s, "queue")); got.status != http.StatusOK || got.page(t).Find("main form").Length() != 0 {
		t.Errorf("a researcher got %d, with forms", got.status)
	}

	second, third, fourth := s.RowID(t, "d1", "s2"), s.RowID(t, "d1", "s3"), s.RowID(t, "d1", "s4")
	refused := lead.post(path(s, "queue"), url.Values{"do": {"accept"}, "segment": {second, third}, "reason": {" "}})
	doc := refused.page(t)
	if refused.status != http.StatusUnprocessableEntity || doc.Find("#reason-error").Length() != 1 || doc.Find("input[name=segment][checked]").Length() != 2 {
		t.Errorf("without a reason: %d, %d still chosen", refused.status, doc.Find("input[name=segment][checked]").Length())
	}
	for name, form := range map[string]url.Values{
		"nothing chosen": {"do": {"accept"}, "reason": {"x"}},
		"no act":         {"segment": {second}, "reason": {"x"}},
		"nobody named":   {"do": {"further"}, "segment": {second}, "reason": {"x"}},
	} {
		if got := lead.post(path(s, "queue"), form); got.status != http.StatusUnprocessableEntity || got.page(t).Find(".notice-error, .field-error").Length() == 0 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	wantStatus(t, "an unknown segment", lead.post(path(s, "queue"), url.Values{"do": {"discard"}, "segment": {second, "nosuch"}, "reason": {"x"}}), http.StatusNotFound)
	if got := statuses(t, s); got != "discarded reannotate reannotate reannotate" {
		t.Fatalf("refused, but the segments are %s", got)
	}
	got := lead.post(path(s, "queue?show=waiting"), url.Values{"do": {"discard"}, "segment": {second, fourth}, "reason": {"=1+1, said the lead"}})
	if got.status != http.StatusSeeOther || !strings.HasSuffix(got.location(), "/queue?show=waiting") || statuses(t, s) != "discarded discarded reannotate discarded" {
		t.Fatalf("%d to %s, the segments are %s", got.status, got.location(), statuses(t, s))
	}
	if got := lead.get(path(s, "queue?show=left")).page(t).Find("tbody tr").Length(); got != 2 {
		t.Errorf("%d segments left out, want 2", got)
	}
	// All or none: nothing is to be taken back of one that the gate decided.
	both := lead.post(path(s, "queue?show=left"), url.Values{"do": {"restore"}, "segment": {s.RowID(t, "d1", "s1"), second}, "reason": {"x"}})
	if both.status != http.StatusConflict || !strings.Contains(both.page(t).Find(".notice-error").Text(), "nothing was done") || statuses(t, s) != "discarded discarded reannotate discarded" {
		t.Errorf("restoring what no lead decided: %d, the segments are %s", both.status, statuses(t, s))
	}

	// The log has a line for each, and gives them as CSV.
	if got := lead.get(path(s, "audit?person=-&act=discard+segment")).page(t).Find("tbody tr").Length(); got != 0 {
		t.Errorf("the command line discarded %d segments", got)
	}
	file := lead.get(path(s, "audit.csv?act=discard+segment&text=LEAD&person="+s.Lead.Login))
	lines, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	if err != nil || len(lines) != 3 || strings.Join(lines[1][1:], "|") != s.Lead.Login+"|discard segment|s4|'=1+1, said the lead|second look in round 2|discarded in round 1|" {
		t.Errorf("the file holds %q (%v)", lines, err)
	}
	if got := reader.get(path(s, "audit.csv")).status; got != http.StatusForbidden {
		t.Errorf("a researcher got %d from the log's file", got)
	}
}

// TestSegmentActs: a lead acts on one segment; what can't be done is not offered, and
// what is refused keeps what was typed.
func TestSegmentActs(t *testing.T) {
	s := newSite(t, storetest.Segments(1), storetest.Annotators(2))
	disagree(t, s, 1)
	third := s.AddAnnotator(t, "third")
	lead := s.signedIn(s.Lead)
	at := path(s, "segments/"+s.RowID(t, "d1", "s1"))
	offered := func() string {
		t.Helper()
		return strings.Join(lead.get(at).page(t).Find(".act-title").Map(textOf), ", ")
	}
	act := func(name string, form url.Values) {
		t.Helper()
		form.Set("reason", "because")
		if got := lead.post(at+"/"+name, form); got.status != http.StatusSeeOther || got.location() != at {
			t.Fatalf("%s: %d to %s\n%s", name, got.status, got.location(), got.page(t).Find(".act[open]").Text())
		}
	}
	status := func() campaign.Status { return s.All(t)[0].Status }

	if got := offered(); got != "Accept the mean or enter scores, Ask for adjudication, Ask a further annotator, Replace an annotator, Ask for another look, Discard, Withdraw" {
		t.Errorf("under way: %s", got)
	}
	wantStatus(t, "restoring what no lead decided", lead.post(at+"/restore", url.Values{"reason": {"x"}}), http.StatusConflict, "is not decided by a lead")

	act("replace", url.Values{"login": {s.Annotators[1].Login}, "by": {third.Login}})
	says(t, "round 2 says", lead.get(at).page(t).Find(".turns").Last().Text(), "replaced", "asked by a lead")
	act("adjudicate", url.Values{"score-1": {"3.5"}, "score-2": {""}})
	if g := s.All(t)[0].Translations; status() != campaign.Adjudicated || g[0].Gold.Score != 3.5 || !g[0].Gold.Entered || g[1].Gold.Score != 2 || g[1].Gold.Entered {
		t.Errorf("adjudicated: %s, gold %+v %+v", status(), g[0].Gold, g[1].Gold)
	}
	if got := offered(); got != "Decide again, Ask for another look, Take the decision back, Discard" {
		t.Errorf("adjudicated: %s", got)
	}
	if got := lead.get(at).page(t).Find("#adjudicate-score-1").AttrOr("value", ""); got != "3.5" {
		t.Errorf("deciding again begins with %q", got)
	}
	act("restore", url.Values{})
	act("withdraw", url.Values{})
	if got := offered(); status() != campaign.Withdrawn || got != "Accept the mean or enter scores, Ask for another look, Take the decision back" {
		t.Errorf("%s: %s", status(), got)
	}
	if got := lead.undo(t, at, true); got.status != http.StatusSeeOther || status() != campaign.Reannotate {
		t.Errorf("undone: %d, it is %s", got.status, status())
	}
	act("look", url.Values{"annotator": {s.Annotators[0].Login, third.Login}})
	if text := lead.get(at).page(t).Find("main").Text(); !strings.Contains(text, "another look that a lead asked for") || strings.Contains(text, "did not agree, sent back: round 3") {
		t.Error("the page does not say that a lead asked for another look")
	}
	if text := s.signedIn(third).get("/campaigns/" + s.Campaign.Slug + "/assignments/" + s.Next(t, 2)).page(t).Find("body").Text(); !strings.Contains(text, "because") || strings.Contains(text, "did not agree") {
		t.Errorf("the annotator is told %s", text)
	}
	if got := s.signedIn(s.Researcher).get(at); got.status != http.StatusOK || got.page(t).Find("main form").Length() != 0 {
		t.Errorf("a researcher got %d, with forms", got.status)
	}
}

// TestSegmentsInOrder: the list sorts and filters on the server, and a segment opened
// from it leads on in that order, also once it has left the list.
func TestSegmentsInOrder(t *testing.T) {
	s := newSite(t, storetest.Segments(4), storetest.PerDocument(4))
	s.Change(t, "gate=report")
	for range 4 {
		s.RateNext(t, 0, 0, 2, 4)
	}
	for _, scores := range [][]float64{{0, 4, 2}, {4, 2, 0}, {0, 2, 4}} {
		s.RateNext(t, 1, scores...)
	}
	s.Change(t, "gate=on")
	lead := s.signedIn(s.Lead)
	ids := func(query string) string {
		t.Helper()
		page := lead.get(path(s, "segments"+query)).page(t)
		return strings.Join(page.Find("tbody th a").Map(textOf), " ")
	}
	for query, want := range map[string]string{
		"":                                    "s1 s2 s3 s4",
		"?order=back":                         "s4 s3 s2 s1",
		"?sort=lowest":                        "s2 s1 s3 s4",
		"?sort=lowest&order=back":             "s4 s3 s1 s2",
		"?sort=nosuch":                        "s1 s2 s3 s4",
		"?annotator=" + s.Annotators[1].Login: "s1 s2 s3",
		"?annotator=" + s.Annotators[1].Login + "&status=reannotate&sort=lowest": "s2 s1",
		"?annotator=nosuch": "",
		"?page=9":           "",
	} {
		if got := ids(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	page := lead.get(path(s, "segments?sort=lowest")).page(t)
	if got := page.Find("th[aria-sort=ascending]").Text(); got != "Lowest r" {
		t.Errorf("sorted by %q", got)
	}
	// From the queue, the lowest r first: s2, s1.
	first := lead.get(path(s, "queue?sort=lowest")).page(t).Find("tbody th a").First().AttrOr("href", "")
	at := func(href string) string {
		t.Helper()
		return lead.get(href).page(t).Find("h1").Text()
	}
	doc := lead.get(first).page(t)
	next, _ := doc.Find("a[rel=next]").Attr("href")
	if doc.Find("h1").Text() != "s2" || doc.Find("a[rel=prev]").Length() != 0 || at(next) != "s1" {
		t.Fatalf("%s leads on to %s", doc.Find("h1").Text(), next)
	}
	if back := doc.Find(".crumbs a").First().AttrOr("href", ""); !strings.HasSuffix(back, "/queue?sort=lowest") {
		t.Errorf("back leads to %s", back)
	}
	action := doc.Find("#act-discard form").AttrOr("action", "")
	done := lead.post(action, url.Values{"reason": {"x"}})
	if done.status != http.StatusSeeOther {
		t.Fatalf("discarding: %d", done.status)
	}
	doc = lead.get(done.location()).page(t)
	if next, _ := doc.Find("a[rel=next]").Attr("href"); at(next) != "s1" {
		t.Errorf("after the act %s leads on to %q", done.location(), next)
	}
}
