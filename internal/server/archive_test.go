package server

import (
	"annotate/internal/store/storetest"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestArchive checks that a lead can archive a campaign and bring it back, that an archived campaign is
// in a list of its own and can be read and exported but not changed, says why, and that annotators do not see it
// in their work.
func TestArchive(t *testing.T) {
	s := newSite(t)
	s.RateNext(t, 0, 0, 2, 4)
	storetest.ReportProblem(t, s.Sample, 0, s.Next(t, 0), "is this a name?")
	lead, annotator, path := s.signedIn(s.Lead), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	archive := func(v *visitor, yes string, want int) {
		t.Helper()
		if got := v.post(path+"/archive", url.Values{"archived": {yes}}); got.status != want {
			t.Fatalf("archived=%s is answered %d, want %d", yes, got.status, want)
		}
	}
	archive(s.signedIn(s.Researcher), "yes", http.StatusForbidden)
	archive(lead, "yes", http.StatusSeeOther)
	links := func(v *visitor, at string) bool { return strings.Contains(v.get(at).body, `href="`+path) }
	if links(lead, "/campaigns") || !links(lead, "/campaigns?archived=yes") || links(lead, "/work") || strings.Contains(annotator.get("/work").body, s.Campaign.Title) {
		t.Error("the archived campaign is in a list, or not in that of archived campaigns")
	}
	for _, page := range []string{"", "/segments", "/export", "/queue", "/annotators", "/guide", "/audit", "/members", "/messages", "/report"} {
		got := lead.get(path + page)
		if n := got.page(t).Find(`main form[method="post"], main form[action$="/copy"], main a[href="#invite-title"]`).Not(`[action$="/archive"]`).Length(); got.status != http.StatusOK || n > 0 && page != "/report" {
			t.Errorf("%s is answered %d and offers %d changes", page, got.status, n)
		}
		if text := got.page(t).Find("main .notice").Text(); (page == "/members" || page == "/messages") && !strings.Contains(text, "The campaign is archived, so ") {
			t.Errorf("%s says %q", page, text)
		}
	}
	wantStatus(t, "the export", lead.get(path+"/export/jsonl"), http.StatusOK)
	wantStatus(t, "an annotator's finished work", annotator.get(path+"/finished"), http.StatusOK)
	for page, form := range map[string]url.Values{"/state": {"state": {"open"}}, "/settings": {"quota": {"7"}}, "/members": {"login": {"new"}, "role": {"annotator"}}} {
		if got := lead.post(path+page, form); got.status == http.StatusSeeOther || got.status >= 500 {
			t.Errorf("a change of %s is answered %d", page, got.status)
		}
	}
	archive(lead, "no", http.StatusSeeOther)
	if !links(lead, "/campaigns") || links(lead, "/campaigns?archived=yes") {
		t.Error("the campaign is not back in the list")
	}
	wantStatus(t, "opening", lead.post(path+"/state", url.Values{"state": {"open"}}), http.StatusSeeOther)
}
