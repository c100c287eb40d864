package server

import (
	"fmt"
	"testing"

	"annotate/internal/records"
)

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
	says(t, "the second page of the log", lead.get(at+"?page=2").page(t).Find(".log tbody").Text(), "200")
}
