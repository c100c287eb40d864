package server

import (
	"archive/zip"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/server/site"
	"annotate/internal/store/storetest"
	"annotate/internal/transfer"
)

// A download says how long it is, and leaves no temporary file behind.
func TestDownload(t *testing.T) {
	s := newSite(t)
	t.Setenv("TMPDIR", t.TempDir())
	s.srv.Folder.Dir = os.TempDir()
	s.RateNext(t, 0, 0, 2, 4)
	lead := s.signedIn(s.Lead)
	for _, format := range transfer.Formats(s.Campaign) {
		got := lead.get("/campaigns/" + s.Campaign.Slug + "/export/" + format)
		if got.status != http.StatusOK || got.header.Get("Content-Length") != strconv.Itoa(len(got.body)) ||
			!strings.Contains(got.header.Get("Content-Disposition"), s.Campaign.Slug) {
			t.Errorf("%s: %d, %d bytes, %v", format, got.status, len(got.body), got.header)
		}
		if format == "jsonl" && !strings.HasPrefix(got.body, "{") {
			t.Errorf("jsonl: %q", got.body)
		}
		if format == "mtme" {
			checkArchive(t, got.body)
		}
	}
	// Formats that are there, but not for this protocol, are refused in words; others are not found.
	for format, status := range map[string]int{"mqm-tsv": http.StatusUnprocessableEntity, "rate": http.StatusUnprocessableEntity, "xml": http.StatusNotFound} {
		got := lead.get("/campaigns/" + s.Campaign.Slug + "/export/" + format)
		if got.status != status || got.header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d, %v", format, got.status, got.header)
		}
		if status == http.StatusUnprocessableEntity && !strings.Contains(got.body, "the protocol of this campaign is SQM") {
			t.Errorf("%s: %s", format, got.body)
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestLeftOut: the export page leads to what a format can't carry, with counts and
// the first places.
func TestLeftOut(t *testing.T) {
	s := newSite(t, storetest.Protocol("esa"), storetest.Set("redundancy=1"))
	lead, path := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/export"
	if got := lead.upload(s.Campaign.Slug, "ratings", "r.jsonl", `{"segment_id":"s1","system":"sys-001","annotator":"ann1","scores":{"score":70}}`); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if links := lead.get(path).page(t).Find(`a[href="` + path + `/mqm-tsv/left-out"]`); links.Length() != 1 {
		t.Errorf("the page has %d links to what mqm-tsv leaves out", links.Length())
	}
	got := lead.get(path + "/mqm-tsv/left-out")
	if text := got.page(t).Find("ul.notes").Text(); got.status != http.StatusOK || !strings.Contains(text, "1 rating has scores, which have no place in the table: segment ") {
		t.Errorf("%d, the page says %q", got.status, text)
	}
	if got := lead.get(path + "/jsonl/left-out"); !strings.Contains(got.page(t).Find("main").Text(), "Nothing is left out or changed.") {
		t.Errorf("jsonl: %d %s", got.status, got.body)
	}
	wantStatus(t, "an unknown format", lead.get(path+"/xml/left-out"), http.StatusNotFound)
}

// checkArchive holds a download to be the tree of format mtme.
func checkArchive(t *testing.T, body string) {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open("sources/zh-en.txt"); err != nil {
		t.Error(err)
	}
}

// What people read of an error are our own words.
func TestErrorsInWords(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		text   string
	}{
		{fmt.Errorf("the login %q is taken: %w", "mia", campaign.ErrConflict), 409, `the login "mia" is taken`},
		{fmt.Errorf("%w (canceling statement)", campaign.ErrBusy), 503, "This campaign is busy, with an import perhaps. Try again in a moment; what you saved is safe."},
		{fmt.Errorf("%w (13)", database.ErrDiskFull), 503, "The disk of the server is full, and nothing can be saved until there is room. Tell whoever runs the server; what you saved is safe."},
		{&http.MaxBytesError{Limit: site.MaxBody}, 413, "This request has more than 1 MB, the most that this page takes."},
		{fmt.Errorf("pq: secret"), 500, "It has been noted, and what you saved is safe."},
		{echo.NewHTTPError(http.StatusTooManyRequests, "wait"), 429, "wait"},
		{campaign.ErrForbidden, 403, "Your role does not allow this."},
	} {
		status := site.StatusOf(tt.err)
		if got := site.Words(tt.err, status); status != tt.status || got != tt.text {
			t.Errorf("%v: %d %q, want %d %q", tt.err, status, got, tt.status, tt.text)
		}
	}
}
