package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"annotate/internal/store/storetest"
)

// TestUndoImport checks that nobody but leads undoes an import, that an import is undone once, and that the page refuses
// to undo an import on which somebody has worked, and says why.
func TestUndoImport(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	lead.upload(s.Campaign.Slug, "jsonl", "wrong.jsonl", jsonLine(s.Systems))
	latest := func() string {
		return lead.get(page).page(t).Find("section[aria-labelledby=imports-title] a.btn").First().AttrOr("href", "")
	}
	undo := latest()
	for who, v := range map[string]*visitor{"a researcher": s.signedIn(s.Researcher), "an annotator": s.signedIn(s.Annotators[0])} {
		if got := v.post(undo, nil); got.status != http.StatusForbidden && got.status != http.StatusNotFound {
			t.Errorf("%s undoes an import: %d", who, got.status)
		}
	}
	if got := lead.post(undo, nil); got.status != http.StatusSeeOther || got.location() != page {
		t.Fatalf("undoing: %d %s", got.status, got.location())
	}
	if got := lead.post(undo, nil); got.status != http.StatusConflict || !strings.Contains(got.body, "undone already") {
		t.Errorf("undoing it again: %d", got.status)
	}
	if got := lead.get(strings.Replace(undo, "/import/", "/import/x", 1)); got.status != http.StatusNotFound {
		t.Errorf("an import that does not exist: %d", got.status)
	}
	s.RateNext(t, 0, 1, 2, 3)
	undo = latest()
	for _, got := range []answer{lead.get(undo), lead.post(undo, nil)} {
		main := got.page(t).Find("main")
		if !strings.Contains(main.Text(), "1 segment that it is about has been worked on since, such as \"s1\" by ann1.") || main.Find("form .btn-danger").Length() != 0 {
			t.Errorf("%d: %s", got.status, main.Text())
		}
	}
}

// TestDoneIsNoError checks that an act that is done is told of, however long the names in it are.
func TestDoneIsNoError(t *testing.T) {
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("%s-%d.jsonl", strings.Repeat("lange-", 30), i)
	}
	for _, c := range []struct{ name, files, says string }{
		{"many files", strings.Join(many, ", "), many[2] + " and 57 more was undone."},
		{"a huge name", strings.Repeat("字", 5000) + ".jsonl", "The import of 字字"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, storetest.Segments(2))
			lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
			lead.upload(s.Campaign.Slug, "jsonl", "wrong.jsonl", jsonLine(s.Systems))
			storetest.Exec(t, s.db, "UPDATE imports SET files = ? WHERE files = 'wrong.jsonl'", c.files)
			undo, _ := lead.get(page).page(t).Find("section[aria-labelledby=imports-title] a.btn").First().Attr("href")
			if got := lead.post(undo, url.Values{}); got.status != http.StatusSeeOther {
				t.Fatalf("undoing: %d", got.status)
			}
			if said := lead.get(page).page(t).Find("[role=status]").Text(); !strings.Contains(said, c.says) {
				t.Errorf("the next page says %q", said)
			}
			if n := storetest.Count(t, s.db, "segments"); n != 2 {
				t.Errorf("%d segments are left, want 2", n)
			}
		})
	}
}

// TestUndoOneImportAtATime: while the job that undoes an import has not ended, the import before it is not undone, and the
// answer says so and not that it was undone.
func TestUndoOneImportAtATime(t *testing.T) {
	s := newSite(t, storetest.Segments(2))
	lead, page := s.signedIn(s.Lead), "/campaigns/"+s.Campaign.Slug+"/import"
	lead.upload(s.Campaign.Slug, "jsonl", "wrong.jsonl", jsonLine(s.Systems))
	ids := storetest.Query[string](t, s.db, "SELECT id FROM imports ORDER BY seq")
	before, last := ids[0], ids[1]
	storetest.Exec(t, s.db, "INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, 'of another program', 1000)", s.Campaign.ID)
	s.srv.setup.Imports.Patience = time.Millisecond
	if got := lead.post(page+"/"+last+"/undo", nil); got.status != http.StatusSeeOther {
		t.Fatalf("the first: %d", got.status)
	}
	s.srv.setup.Imports.Patience = time.Minute
	storetest.Exec(t, s.db, "UPDATE imports SET undone_at = 1 WHERE id = ?", last) // as before the last step of the undo
	if got := lead.post(page+"/"+before+"/undo", nil); got.status != http.StatusConflict || !strings.Contains(got.body, "Another import into this campaign is being undone") {
		t.Fatalf("the second: %d", got.status)
	}
	storetest.Exec(t, s.db, "DELETE FROM staged_imports")
	<-s.srv.setup.Imports.Runner.Find("undo " + s.Campaign.ID).Done()
}
