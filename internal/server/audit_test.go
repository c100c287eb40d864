package server

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/records"
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

// TestAuditPages: a page of the audit log has 25 lines, and the next one the rest.
func TestAuditPages(t *testing.T) {
	s := newSite(t)
	lead, at := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/audit"
	for i := range 30 {
		if err := s.db.Rounds.ChangeCampaign(t.Context(), s.Campaign.ID, s.Lead.ID, records.CampaignChange{Settings: []string{fmt.Sprint("quota=", 200+i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := lead.get(at).page(t).Find(".log tbody tr").Length(); n != 25 {
		t.Errorf("the first page has %d lines", n)
	}
	if got := lead.get(at + "?page=2").page(t).Find(".log tbody").Text(); !strings.Contains(got, "200") {
		t.Errorf("the second page has no line about the first change: %s", got)
	}
}
