package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestArchive checks that a lead can archive a campaign and bring it back, that an archived campaign is
// in a list of its own and can be read and exported but not changed, and that annotators do not see it
// in their work.
func TestArchive(t *testing.T) {
	s := newSite(t)
	s.RateNext(t, 0, 0, 2, 4)
	lead, annotator, path := s.signedIn(s.Lead), s.signedIn(s.Annotators[0]), "/campaigns/"+s.Campaign.Slug
	if got := s.signedIn(s.Researcher).post(path+"/archive", url.Values{"archived": {"yes"}}); got.status != http.StatusForbidden {
		t.Errorf("a researcher who archives is answered %d", got.status)
	}
	if got := lead.post(path+"/archive", url.Values{"archived": {"yes"}}); got.status != http.StatusSeeOther {
		t.Fatalf("archiving is answered %d", got.status)
	}
	links := func(v *visitor, at string) bool { return strings.Contains(v.get(at).body, `href="`+path) }
	if links(lead, "/campaigns") || !links(lead, "/campaigns?archived=yes") || links(lead, "/work") || strings.Contains(annotator.get("/work").body, s.Campaign.Title) {
		t.Error("the archived campaign is in a list, or not in that of archived campaigns")
	}
	for _, page := range []string{"", "/segments", "/export", "/queue", "/annotators", "/guide", "/audit"} {
		got := lead.get(path + page)
		if got.status != http.StatusOK {
			t.Errorf("%s is answered %d", page, got.status)
		}
		if n := got.page(t).Find(`main form[method="post"]`).Not(`[action$="/archive"]`).Length(); n > 0 {
			t.Errorf("%s offers %d changes", page, n)
		}
	}
	for _, page := range []string{"/report", "/export/jsonl"} {
		if got := lead.get(path + page); got.status != http.StatusOK {
			t.Errorf("%s is answered %d", page, got.status)
		}
	}
	if got := annotator.get(path + "/finished"); got.status != http.StatusOK {
		t.Errorf("an annotator's finished work is answered %d", got.status)
	}
	for page, form := range map[string]url.Values{"/state": {"state": {"open"}}, "/settings": {"quota": {"7"}}, "/members": {"login": {"new"}, "role": {"annotator"}}} {
		if got := lead.post(path+page, form); got.status == http.StatusSeeOther || got.status >= 500 {
			t.Errorf("a change of %s is answered %d", page, got.status)
		}
	}
	if got := lead.post(path+"/archive", url.Values{"archived": {"no"}}); got.status != http.StatusSeeOther {
		t.Fatalf("bringing back is answered %d", got.status)
	}
	if !links(lead, "/campaigns") || links(lead, "/campaigns?archived=yes") {
		t.Error("the campaign is not back in the list")
	}
	if got := lead.post(path+"/state", url.Values{"state": {"open"}}); got.status != http.StatusSeeOther {
		t.Errorf("opening is answered %d", got.status)
	}
}
