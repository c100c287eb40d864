package server

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
)

// TestDeleteCampaign: a lead deletes a campaign by typing its slug. It is gone at once to
// everybody, with the files that were prepared of it, and its rows soon.
func TestDeleteCampaign(t *testing.T) {
	s := newSite(t)
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	if got := lead.get(path + "/settings"); !strings.Contains(got.body, path+"/delete") {
		t.Error("the settings do not lead to deleting the campaign")
	}
	asked := lead.get(path + "/delete")
	for _, want := range []string{path + "/report", path + "/export", "4 segments"} {
		if !strings.Contains(asked.body, want) {
			t.Errorf("the page that asks lacks %q", want)
		}
	}
	for _, who := range []struct {
		name string
		v    *visitor
	}{{"researcher", s.signedIn(s.Researcher)}, {"annotator", s.signedIn(s.Annotators[0])}} {
		wantStatus(t, "a "+who.name+" who deletes the campaign", who.v.post(path+"/delete", url.Values{"slug": {s.Campaign.Slug}}), http.StatusForbidden)
	}
	wantStatus(t, "another slug", lead.post(path+"/delete", url.Values{"slug": {"another"}}), http.StatusUnprocessableEntity, "Type sample to delete")
	s.srv.Folder.Dir = t.TempDir()
	file := s.srv.Folder.Dir + "/file"
	storetest.Check(t, os.WriteFile(file, nil, 0o600))
	storetest.Check(t, s.srv.Folder.Keep(site.Keeping{Kind: "file", Lasts: time.Hour, Most: 1}, s.Campaign.ID+"/jsonl?", nil, []site.KeptFile{{File: "file"}}))

	done := lead.post(path+"/delete", url.Values{"slug": {" " + s.Campaign.Slug + " "}})
	if done.status != http.StatusSeeOther || done.header.Get("Location") != "/campaigns" {
		t.Fatalf("deleting is answered %d to %q", done.status, done.header.Get("Location"))
	}
	for _, page := range []string{path, path + "/delete", path + "/export/jsonl"} {
		wantStatus(t, page, lead.get(page), http.StatusNotFound)
	}
	if got := s.signedIn(s.Annotators[0]).get("/work"); strings.Contains(got.body, s.Campaign.Title) {
		t.Error("an annotator still sees the campaign")
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the prepared file is still there: %v", err)
	}
	<-s.srv.Settling.Find("delete " + s.Campaign.ID).Done()
	for _, table := range []string{"campaigns", "all_segments", "assignments"} {
		if n := storetest.Count(t, s.db, table); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}
