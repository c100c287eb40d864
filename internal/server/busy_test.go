package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
)

// While an import holds every write, all pages can be read, also by people whose last
// visit is so long ago that it has to be stored.
func TestPagesDoNotWaitForAnImport(t *testing.T) {
	s := newSite(t)
	lead, annotator := s.signedIn(s.Lead), s.signedIn(s.Annotators[0])
	for _, v := range []*visitor{lead, annotator} {
		if got := v.get("/work"); got.status != http.StatusOK { // spends the link
			t.Fatalf("/work: %d", got.status)
		}
	}
	assignment := s.Next(t, 0)
	s.db.Clock.Advance(time.Hour)
	started, end, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := s.db.Intake.ImportSegments(t.Context(), s.Campaign.ID, func(yield func(campaign.SegmentLine, error) bool) {
			close(started)
			<-end
		}, intake.ImportOptions{})
		done <- err
	}()
	<-started
	for path, v := range map[string]*visitor{
		"/work": annotator, "/account": annotator, "/campaigns/sample/finished": annotator, "/campaigns/sample/assignments/" + assignment: annotator,
		"/campaigns": lead, "/campaigns/sample": lead, "/campaigns/sample/segments": lead, "/campaigns/sample/queue": lead,
		"/campaigns/sample/agreement": lead, "/campaigns/sample/annotators": lead, "/campaigns/sample/annotators/ann1": lead,
		"/campaigns/sample/messages": lead, "/campaigns/sample/members": lead, "/campaigns/sample/guide": lead,
		"/campaigns/sample/settings": lead, "/campaigns/sample/audit": lead, "/campaigns/sample/export": lead,
		"/campaigns/sample/export/jsonl": lead, "/campaigns/sample/report": lead, "/campaigns/sample/import": lead,
	} {
		wantStatus(t, path, v.get(path), http.StatusOK)
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What another program holds up is to be tried again, and the answer says when.
func TestBusyIsTriedAgain(t *testing.T) {
	s := newSite(t)
	for _, err := range []error{campaign.ErrBusy, database.ErrDiskFull} {
		r := httptest.NewRecorder()
		s.srv.handleError(s.srv.echo.NewContext(httptest.NewRequest(http.MethodGet, "/work", nil), r), fmt.Errorf("save: %w", err))
		if r.Code != http.StatusServiceUnavailable || r.Header().Get("Retry-After") == "" {
			t.Errorf("%v: %d, Retry-After %q", err, r.Code, r.Header().Get("Retry-After"))
		}
	}
}
