package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestSideCampaignPages: leads and researchers read the segments of a side campaign, and no
// other page of it. Blind members get none, and nobody changes anything there.
func TestSideCampaignPages(t *testing.T) {
	s := newSite(t)
	s.MakeSide(t, campaign.Checks, 2)
	path := "/campaigns/" + s.Campaign.Slug + "~checks"
	lead := s.signedIn(s.Lead)
	for who, v := range map[string]*visitor{"a lead": lead, "a researcher": s.signedIn(s.Researcher), "an admin": s.signedIn(s.admin())} {
		wantStatus(t, who, v.get(path+"/segments"), http.StatusOK, "s2")
	}
	for _, page := range []string{"", "/export", "/settings", "/members", "/report", "/agreement"} {
		wantStatus(t, "the page "+page+" of the side campaign", lead.get(path+page), http.StatusNotFound)
	}
	wantStatus(t, "closing the side campaign", lead.post(path+"/state", url.Values{"state": {"closed"}}), http.StatusNotFound)
	annotator := s.signedIn(s.Annotators[0])
	for _, page := range []string{"", "/segments", "/finished"} {
		wantStatus(t, "an annotator who asks for "+page, annotator.get(path+page), http.StatusNotFound)
	}
	if strings.Contains(lead.get("/campaigns").body, "~checks") {
		t.Error("the list of campaigns names the side campaign")
	}
}

// TestSideAssignment: an annotator opens, saves and submits an assignment of a side campaign at
// the address of the campaign, and nothing tells it from work. A paused campaign takes no save.
func TestSideAssignment(t *testing.T) {
	s := newSite(t)
	side := s.MakeSide(t, campaign.Checks, 2)
	id := side.GiveSide(t, 0, side.RowID(t, "d1", "s1"))
	annotator := s.signedIn(s.Annotators[0])
	path := "/campaigns/" + s.Campaign.Slug + "/assignments/" + id
	if got := annotator.get(path); got.status != http.StatusOK || strings.Contains(got.body, "~checks") || strings.Contains(got.body, side.Campaign.ID) {
		t.Fatalf("the page is answered %d, or names the side campaign", got.status)
	}
	wantStatus(t, "another annotator", s.signedIn(s.Annotators[1]).get(path), http.StatusNotFound)
	wantStatus(t, "the address of the side campaign", annotator.get("/campaigns/"+s.Campaign.Slug+"~checks/assignments/"+id), http.StatusNotFound)
	save := func() answer {
		return annotator.json("PUT", path+"/cards/"+side.CardID(t, 0, id, 0), map[string]any{"scores": map[string]int{"sqm": 1}, "save_id": "1"})
	}
	s.SetState(t, campaign.Paused)
	wantStatus(t, "a save while the campaign is paused", save(), http.StatusConflict)
	s.SetState(t, campaign.Open)
	wantStatus(t, "a save", save(), http.StatusOK)
	side.Fill(t, 0, id, 1, 2, 3)
	got := annotator.json("POST", path+"/submit", map[string]any{"cards": storetest.Revisions(side.Work(t, 0, id))})
	if got.status != http.StatusOK || strings.Contains(got.body, id) {
		t.Errorf("submitting is answered %d: %s", got.status, got.body)
	}
}
