package server

import (
	"net/url"
	"strings"
	"testing"
)

// TestAuditValues: the page of the audit log has the values before and after an act.
func TestAuditValues(t *testing.T) {
	s := newSite(t)
	lead := s.signedIn(s.Lead)
	path := "/campaigns/" + s.Campaign.Slug
	if got := lead.post(path+"/segments/"+s.RowID(t, "d1", "s1")+"/discard", url.Values{"reason": {"not a sentence"}}); got.status >= 400 {
		t.Fatalf("discarding answered %d", got.status)
	}
	log := lead.get(path + "/audit").page(t).Find("tbody").Text()
	for _, want := range []string{"not a sentence", "before: ", "after: discarded"} {
		if !strings.Contains(log, want) {
			t.Errorf("the audit log lacks %q: %s", want, log)
		}
	}
}
