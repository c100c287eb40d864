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
	wantRedirect(t, "undoing", lead.post(undo, nil), page)
	wantStatus(t, "undoing it again", lead.post(undo, nil), http.StatusConflict, "undone already")
	wantStatus(t, "an import that does not exist", lead.get(strings.Replace(undo, "/import/", "/import/x", 1)), http.StatusNotFound)
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
			wantStatus(t, "undoing", lead.post(undo, url.Values{}), http.StatusSeeOther)
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
	wantStatus(t, "the first", lead.post(page+"/"+last+"/undo", nil), http.StatusSeeOther)
	s.srv.setup.Imports.Patience = time.Minute
	storetest.Exec(t, s.db, "UPDATE imports SET undone_at = 1 WHERE id = ?", last) // as before the last step of the undo
	wantStatus(t, "the second", lead.post(page+"/"+before+"/undo", nil), http.StatusConflict, "Another import into this campaign is being undone")
	storetest.Exec(t, s.db, "DELETE FROM staged_imports")
	<-s.srv.setup.Imports.Runner.Find("undo " + s.Campaign.ID).Done()
}
