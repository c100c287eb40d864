package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestMembersAndMessagesArchived: the pages of members and messages of an archived campaign have no
// form that changes something, and say why.
func TestMembersAndMessagesArchived(t *testing.T) {
	s := newSite(t)
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	got := s.signedIn(s.Annotators[0]).json("POST", path+"/assignments/"+s.Next(t, 0)+"/problem", map[string]string{"text": "is this a name?"})
	if got.status != http.StatusOK {
		t.Fatalf("the problem is answered %d", got.status)
	}
	changes := func(page string) int {
		return lead.get(path + page).page(t).Find("main form[method='post'], main form[action$='/copy'], main a[href='#invite-title']").Length()
	}
	for _, page := range []string{"/members", "/messages"} {
		if changes(page) == 0 {
			t.Fatalf("before: %s has no form", page)
		}
	}
	if got := lead.post(path+"/archive", url.Values{"archived": {"yes"}}); got.status != http.StatusSeeOther {
		t.Fatalf("archiving is answered %d", got.status)
	}
	for _, page := range []string{"/members", "/messages"} {
		if n := changes(page); n != 0 {
			t.Errorf("%s has %d forms", page, n)
		}
		if text := lead.get(path + page).page(t).Find("main .notice").Text(); !strings.Contains(text, "The campaign is archived, so ") {
			t.Errorf("%s says %q", page, text)
		}
	}
	if text := lead.get(path + "/members").page(t).Find("main table").Text(); !strings.Contains(text, s.Annotators[0].Login) || !strings.Contains(text, "annotator") {
		t.Errorf("the members are %s", text)
	}
}
