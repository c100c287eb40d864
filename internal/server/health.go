package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/store"
)

const (
	// healthLasts is how long the outcome of a check is given again, so that
	// frequent requests add no load.
	healthLasts = 5 * time.Second
	// healthPatience is how long a request waits for a save. Behind one that takes
	// longer nobody can work.
	healthPatience = 3 * time.Second
	// reserve is the room that should be left on the disk, beside that for a backup
	// of the database.
	reserve = 500 << 20
	// least is the room without which the disk counts as full. The save of the check changes one row, which
	// fits into a page that is there already, while other saves need new pages.
	least = 16 << 20
)

// A healthState is what GET /healthz answers.
type healthState struct {
	Status        string `json:"status"` // ok, warning or failing
	CanSave       bool   `json:"can_save"`
	Message       string `json:"message,omitempty"`
	CheckedAt     string `json:"checked_at"` // RFC 3339, UTC
	DiskFreeBytes *int64 `json:"disk_free_bytes,omitempty"`
	DatabaseBytes *int64 `json:"database_bytes,omitempty"`
}

// A readyState is what GET /readyz answers.
type readyState struct {
	Ready   bool   `json:"ready"`
	Message string `json:"message,omitempty"` // why it is not ready
}

// health finds out whether anything can be saved, by saving something.
type health struct {
	save     func(context.Context) error
	schema   func(context.Context) error // an error if the schema is not that of this program
	space    func(context.Context) (database.Space, bool, error)
	now      func() time.Time
	log      *slog.Logger
	patience time.Duration

	mu      sync.Mutex
	last    healthState
	schemas error // of the last check
	at      time.Time
	running chan struct{} // of the check under way, closed at its end; nil: none
	began   time.Time     // of the check under way
}

func newHealth(st *store.Store, now func() time.Time, log *slog.Logger) *health {
	return &health{save: st.DB.CheckSave, schema: st.DB.CheckSchema, space: st.DB.Space, now: now, log: log, patience: healthPatience}
}

// state is the outcome of the last check or, if that is too old, of a new one. Only
// one check goes on at a time; a request that waits longer than patience for it is
// told so.
func (h *health) state(ctx context.Context) healthState {
	h.mu.Lock()
	if h.running == nil {
		if age := h.now().Sub(h.at); h.last.Status != "" && age >= 0 && age < healthLasts {
			defer h.mu.Unlock()
			return h.last
		}
		h.running, h.began = make(chan struct{}), h.now()
		go h.check(h.running)
	}
	running, began := h.running, h.began
	h.mu.Unlock()

	patience := time.NewTimer(h.patience)
	defer patience.Stop()
	select {
	case <-running:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.last
	case <-patience.C:
	case <-ctx.Done():
	}
	return healthState{Status: "failing", CheckedAt: rfc3339(began),
		Message: "A save takes longer than " + h.patience.String() + ". Another change, such as an import, may be holding the database."}
}

func (h *health) check(done chan struct{}) {
	ctx := context.Background()
	at := h.now()
	s := healthState{Status: "ok", CanSave: true, CheckedAt: rfc3339(at)}
	space, known, err := h.space(ctx)
	if err == nil && known {
		s.DiskFreeBytes, s.DatabaseBytes = &space.Free, &space.Database
		if space.Free < space.Database+reserve {
			s.Status = "warning"
			s.Message = fmt.Sprintf("The disk of the database has %s left. A backup needs %s, and some room must stay free: make room soon.",
				database.Megabytes(space.Free), database.Megabytes(space.Database))
		}
	}
	err = h.save(ctx)
	if err == nil && s.DiskFreeBytes != nil && space.Free < least {
		err = fmt.Errorf("%w: %s are left", database.ErrDiskFull, database.Megabytes(space.Free))
	}
	if err != nil {
		s.Status, s.CanSave, s.Message = "failing", false, whyNotSaved(err)
		h.log.Error("nothing can be saved", "error", err)
	} else if s.Status == "warning" {
		h.log.Warn(s.Message)
	}
	var schema error
	if err == nil {
		if schema = h.schema(ctx); schema != nil {
			h.log.Error("the schema of the database is not that of this program", "error", schema)
		}
	}
	h.mu.Lock()
	h.last, h.schemas, h.at, h.running = s, schema, at, nil
	h.mu.Unlock()
	close(done)
}

// ready is what the last check says of requests: the server can answer them if the database saves and has the
// schema of this program.
func (h *health) ready(ctx context.Context) readyState {
	if state := h.state(ctx); state.Status == "failing" {
		return readyState{Message: state.Message}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.schemas != nil {
		return readyState{Message: "The database has the schema of another version of annotate."}
	}
	return readyState{Ready: true}
}

// wait waits for the check under way, so that the database is not closed during it.
func (h *health) wait() {
	h.mu.Lock()
	running := h.running
	h.mu.Unlock()
	if running != nil {
		<-running
	}
}

// whyNotSaved says it without what a stranger need not know; the log has the rest.
func whyNotSaved(err error) string {
	switch {
	case errors.Is(err, database.ErrDiskFull):
		return "The disk of the database is full."
	case errors.Is(err, database.ErrReadOnly):
		return "The file of the database is read-only."
	case errors.Is(err, campaign.ErrBusy):
		return "Another program or a long change holds the database."
	}
	return "The database does not save. The log of the server says why."
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// answerReady tells a proxy whether to send requests to this server: 200, or 503 with the reason.
func (s *Server) answerReady(c *echo.Context) error {
	state := s.health.ready(c.Request().Context())
	if !state.Ready {
		refuse(c.Response(), state)
		return nil
	}
	return c.JSON(http.StatusOK, state)
}

// answerHealth tells a monitor whether anything can be saved: 200, or 503 with the
// reason.
func (s *Server) answerHealth(c *echo.Context) error {
	state := s.health.state(c.Request().Context())
	if state.Status == "failing" {
		refuse(c.Response(), state)
		return nil
	}
	return c.JSON(http.StatusOK, state)
}
