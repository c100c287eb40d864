package site

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/parallel"
	"annotate/internal/wire"
)

// ProgressOf is how far a job is.
func ProgressOf[T any](j *parallel.Job[T]) *wire.Job {
	words, share := j.Progress()
	return &wire.Job{Busy: true, Words: words, Share: share}
}

// AnswerStatus tells a page how far a job is, which is nil if there is none.
func AnswerStatus[T any](c *echo.Context, j *parallel.Job[T]) error {
	if j == nil || j.Over() {
		return c.JSON(http.StatusOK, wire.Job{})
	}
	return c.JSON(http.StatusOK, ProgressOf(j))
}

// Settle completes what is under way in a campaign, in the background.
func (s *Site) Settle(of campaign.Campaign) *parallel.Job[struct{}] {
	return s.Settling.Start(of.ID, func(ctx context.Context, _ parallel.Say) (struct{}, error) {
		return struct{}{}, s.store.Intake.Settle(ctx, of.ID)
	}, LogFailure(s.Config.Logger, "complete an import or a change of settings", of))
}

// LogFailure logs the error of a job about a campaign. A job that was stopped with
// the server is no failure, and a wrong choice is its reader's to mend.
func LogFailure(logger *slog.Logger, what string, c campaign.Campaign) func(error) {
	return func(err error) {
		if _, invalid := errors.AsType[*campaign.InvalidError](err); invalid || errors.Is(err, context.Canceled) {
			return
		}
		logger.Error(what, "campaign", c.Slug, "error", err)
	}
}

// Failure says in words why a job about something ("the report") failed; empty if
// err is nil.
func Failure(what string, err error) string {
	if err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return what + " was not computed: " + invalid.Error() + "."
	}
	if errors.Is(err, context.Canceled) {
		return what + " was not computed, since the server was stopped."
	}
	return what + " was not computed: something went wrong on the server, and is in its log."
}
