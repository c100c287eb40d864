package server

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"annotate/internal/intake"
	"annotate/internal/runs"
	"annotate/internal/store/storetest"
)

// A lead sees the judges, turns the errors of one into suggestions, and stops one that runs.
func TestJudgesPage(t *testing.T) {
	s := newSite(t, storetest.Segments(0), storetest.Protocol("esa"))
	s.Systems = []string{"Aquila", "Boreas", "Corvus", "Draco", "Eridanus"}
	storetest.Must(s.db.ImportSegments(t.Context(), s.Campaign.ID, storetest.Lines(6, 2, s.Systems), intake.ImportOptions{}))(t)
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/judges"
	if a := lead.get(path); a.status != http.StatusOK || !strings.Contains(a.body, "No judges yet") {
		t.Errorf("without judges: %d", a.status)
	}
	judged(t, s)
	if _, err := s.db.BeginJudge(t.Context(), s.Campaign, runs.JudgeSpec{Name: "runs", Method: "gemba-da", Model: "m"}, ""); err != nil {
		t.Fatal(err)
	}
	text := lead.get(path).row(t)
	for _, want := range []string{"Portia gemba-mqm with whale-70b imported Make suggestions : Portia 30 – 0", "runs gemba-da with m running since today"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page says %q, want %q", text, want)
		}
	}
	if a := s.signedIn(s.Researcher).get(path); a.status != http.StatusOK || strings.Contains(a.body, "Make suggestions") {
		t.Errorf("a researcher gets %d", a.status)
	}
	if a := lead.post(path+"/suggest", url.Values{"judge": {"nobody"}}); a.status != http.StatusUnprocessableEntity {
		t.Errorf("suggestions of nobody: %d", a.status)
	}
	if a := lead.post(path+"/suggest", url.Values{"judge": {"Portia"}}); a.status != http.StatusSeeOther {
		t.Errorf("suggestions: %d", a.status)
	}
	if a := lead.get(path); !strings.Contains(a.body, "0 suggestions for 30 translations") || !strings.Contains(a.body, "30 errors") {
		t.Error("the page does not say that no error of the judge fits the protocol")
	}
	if a := lead.post(path+"/stop", url.Values{"judge": {"Portia"}}); a.status != http.StatusUnprocessableEntity {
		t.Errorf("stopping one that does not run: %d", a.status)
	}
	if a := lead.post(path+"/stop", url.Values{"judge": {"runs"}}); a.status != http.StatusSeeOther {
		t.Errorf("stopping: %d", a.status)
	}
	if a := lead.get(path); !strings.Contains(a.body, "stopping") {
		t.Error("the page does not say that the judge stops")
	}
}
