package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v5"

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

// TestHandlerPanics: a handler that panics is logged with its stack, and the visitor gets the page of an error. One that
// breaks off its answer on purpose does so.
func TestHandlerPanics(t *testing.T) {
	s := newSite(t)
	var log strings.Builder
	srv, err := New(Config{Now: s.db.Clock.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))}, s.db.Store)
	if err != nil {
		t.Fatal(err)
	}
	srv.echo.GET("/broken", func(*echo.Context) error { panic("index out of range") })
	srv.echo.GET("/aborted", func(*echo.Context) error { panic(http.ErrAbortHandler) })
	r := httptest.NewRecorder()
	srv.Handler().ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/broken", nil))
	says(t, "the page says", r.Body.String(), "It has been noted")
	says(t, "the log says", log.String(), "index out of range", "TestHandlerPanics")
	if r.Code != http.StatusInternalServerError {
		t.Errorf("the status is %d", r.Code)
	}
	defer func() {
		if why := recover(); why != http.ErrAbortHandler {
			t.Errorf("the handler ended with %v", why)
		}
	}()
	srv.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/aborted", nil))
}
