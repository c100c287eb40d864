package server

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"annotate/internal/parallel"
	"annotate/internal/server/results"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// TestFiles: exports and archives of a large campaign are prepared in the background,
// kept with the state they were computed from, and can be fetched again.
func TestFiles(t *testing.T) {
	s := newSite(t)
	s.srv.results.Files.Large = 1
	s.srv.Folder.Dir = t.TempDir()
	s.RateNext(t, 0, 0, 2, 4)
	lead := s.signedIn(s.Lead)
	at := "/campaigns/" + s.Campaign.Slug
	lead.get(at + "/report")

	for format, want := range map[string]string{"ratings": `{"doc_id"`, "archive": "PK"} {
		page := "/export"
		if format == "archive" {
			page = "/report"
		}
		path := at + "/files/" + format
		if link := lead.get(at + page).page(t).Find(`a[href="` + path + `"]`); link.Length() != 1 || link.Is("[download]") {
			t.Errorf("%s does not lead to %s", page, path)
		}
		wantStatus(t, format+": a file that is not there", lead.get(path+"/download"), http.StatusNotFound)
		begun, end := make(chan struct{}), make(chan struct{})
		for _, name := range []string{"one", "two"} {
			s.srv.results.Files.Runner.Start(name+format, func(context.Context, parallel.Say) (results.PreparedFile, error) {
				begun <- struct{}{}
				<-end
				return results.PreparedFile{}, nil
			})
			<-begun
		}
		for range 2 {
			if doc := lead.get(path).page(t); doc.Find("[data-report-status]").Length() != 1 || doc.Find("a[download]").Length() != 0 {
				t.Errorf("%s: the page of a file under way: %s", format, doc.Find("main").Text())
			}
		}
		close(end)
		j := s.srv.results.Files.Runner.Find(keyOf(s, format))
		<-j.Done()
		if _, err := j.Result(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			doc := lead.get(path).page(t)
			if doc.Find("a[download]").AttrOr("href", "") != path+"/download" || doc.Find(".notice").Length() != 0 {
				t.Errorf("%s: the page of a file that is ready: %s", format, doc.Find("main").Text())
			}
			if got := lead.get(path + "/download"); got.status != http.StatusOK || !strings.HasPrefix(got.body, want) || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
				t.Errorf("%s: %d %.50q", format, got.status, got.body)
			}
		}
	}

	// The addresses of small campaigns' files send those that are ready, and compute none.
	for address, file := range map[string]string{"/export/ratings": "/files/ratings", "/report/archive.zip": "/files/archive"} {
		if got, want := lead.get(at+address), lead.get(at+file+"/download"); got.status != http.StatusOK || got.body != want.body {
			t.Errorf("%s: %d, %d bytes, want those of the file, %d", address, got.status, len(got.body), len(want.body))
		}
	}

	s.RateNext(t, 1, 4, 2, 0)
	path := at + "/files/ratings"
	for address, page := range map[string]string{"/export/ratings": path, "/report/archive.zip": at + "/files/archive"} {
		wantRedirect(t, address+" of a campaign that has changed", lead.get(at+address), page)
	}
	says(t, "the page of a file that is stale says", lead.get(path).page(t).Find(".notice").Text(), "has changed since")
	old := lead.get(path + "/download").body
	if got := lead.post(path, nil); got.status != http.StatusSeeOther || got.location() != path {
		t.Errorf("%d %s", got.status, got.location())
	}
	<-s.srv.results.Files.Runner.Find(keyOf(s, "ratings")).Done()
	if now := lead.get(path + "/download").body; len(now) <= len(old) || lead.get(path).page(t).Find(".notice").Length() != 0 {
		t.Errorf("prepared anew: %d bytes, %d before", len(now), len(old))
	}
	left := func() []string { names, _ := filepath.Glob(filepath.Join(s.srv.Folder.Dir, "*")); return names }
	if n := len(left()); n != 4 { // each file and its description
		t.Errorf("%d files are kept", n)
	}
	s.srv.results.Stop()
	s.srv.Folder.Stop()
	if names := left(); len(names) != 0 {
		t.Errorf("left behind: %q", names)
	}
}

func keyOf(s *sampleSite, format string) string { return s.Campaign.ID + "/" + format + "?&false" }

// TestLeftOutLarge: what a format leaves out of a large campaign is found in the background,
// and stands on the page of the file. The names of the systems take no preparing.
func TestLeftOutLarge(t *testing.T) {
	s := newSite(t, storetest.Set("redundancy=1"))
	s.RateNext(t, 0, 0, 2, 4)
	lead, at := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	small := lead.get(at + "/export/ment/left-out").page(t).Find("ul.notes").Text()
	systems := lead.get(at + "/export/ment.systems.json").body
	if small == "" || !strings.Contains(systems, "trans_0") {
		t.Fatalf("of a small campaign: notes %q, systems %q", small, systems)
	}

	s.srv.results.Files.Large = 1
	got := lead.get(at + "/export/ment/left-out?pseudonyms=yes")
	if page := at + "/files/ment?pseudonyms=yes"; got.status != http.StatusSeeOther || got.location() != page {
		t.Fatalf("what the file leaves out: %d, to %q, want to %q", got.status, got.location(), page)
	}
	if j := s.srv.results.Files.Runner.Find(keyOf(s, "ment")); j != nil {
		t.Error("the request began to prepare the file with logins")
	}
	lead.get(at + "/files/ment")
	<-s.srv.results.Files.Runner.Find(keyOf(s, "ment")).Done()
	if notes := lead.get(at + "/files/ment").page(t).Find("ul.notes").Text(); notes != small {
		t.Errorf("the page of the file says %q, want %q", notes, small)
	}
	if got := lead.get(at + "/export/ment.systems.json"); got.status != http.StatusOK || got.body != systems {
		t.Errorf("the systems of a large campaign: %d %q, want %q", got.status, got.body, systems)
	}
	lead.get(at + "/files/jsonl")
	<-s.srv.results.Files.Runner.Find(keyOf(s, "jsonl")).Done()
	if text := lead.get(at + "/files/jsonl").page(t).Find("main").Text(); strings.Contains(text, "leaves out") {
		t.Errorf("the page of a file that leaves nothing out says %q", text)
	}
}

// TestFileAfterSettings: a file whose job waited while the settings were changed is made
// with the settings as they are when it is made.
func TestFileAfterSettings(t *testing.T) {
	s := newSite(t, storetest.Protocol("mqm"), storetest.Set("redundancy=1"))
	s.srv.results.Files.Large = 1
	lead, at := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug
	if got := lead.upload(s.Campaign.Slug, "ratings", "r.jsonl", `{"segment_id":"s1","system":"sys-001","annotator":"ann1","spans":[{"side":"source","start":0,"end":1,"severity":"major","category":"Source error"}]}`); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	begun, end := make(chan struct{}), make(chan struct{})
	for _, name := range []string{"one", "two"} {
		s.srv.results.Files.Runner.Start(name, func(context.Context, parallel.Say) (results.PreparedFile, error) {
			begun <- struct{}{}
			<-end
			return results.PreparedFile{}, nil
		})
		<-begun
	}
	lead.get(at + "/files/csv")
	s.Change(t, "source_error=severity")
	close(end)
	<-s.srv.results.Files.Runner.Find(keyOf(s, "csv")).Done()
	var want bytes.Buffer
	if _, err := transfer.Export(t.Context(), s.Store, s.Campaign, "csv", &want); err != nil {
		t.Fatal(err)
	}
	if got := lead.get(at + "/files/csv/download").body; got != want.String() || !strings.Contains(got, ",5,") {
		t.Errorf("the file is\n%s\nwant\n%s", got, &want)
	}
}

// A server deletes at its start what one that was killed has left, and nothing else.
func TestWorkDirIsCleaned(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"annotate-file-123", "annotate-described-123", "thesis.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := New(Config{WorkDir: dir}, newSite(t).db.Store); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "thesis.txt" {
		t.Errorf("left: %v, %v", left, err)
	}
}
