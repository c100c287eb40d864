package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// statusOf is the only place that joins our errors to HTTP.
func statusOf(err error) int {
	if he, ok := errors.AsType[*echo.HTTPError](err); ok {
		return he.Code
	}
	if _, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return http.StatusUnprocessableEntity
	}
	if _, ok := errors.AsType[*campaign.IncompleteError](err); ok {
		return http.StatusUnprocessableEntity
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, campaign.ErrForbidden):
		return http.StatusForbidden
	case errors.Is(err, campaign.ErrConflict), errors.Is(err, campaign.ErrDecided), errors.Is(err, campaign.ErrNotOpen),
		errors.Is(err, campaign.ErrQuota), errors.Is(err, campaign.ErrNoWork), errors.Is(err, campaign.ErrNotAccepted), errors.Is(err, campaign.ErrNotQualified):
		return http.StatusConflict
	case errors.Is(err, campaign.ErrBusy), errors.Is(err, database.ErrDiskFull):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// words are what a person is told about an error; details of failures that are
// ours stay in the log.
func words(err error, status int) string {
	if status == http.StatusRequestEntityTooLarge {
		return "What was sent is too large."
	}
	if he, ok := errors.AsType[*echo.HTTPError](err); ok {
		if msg, ok := he.Message.(string); ok && !strings.EqualFold(msg, http.StatusText(status)) {
			return msg
		}
	} else if status < http.StatusInternalServerError && status != http.StatusNotFound && err != campaign.ErrForbidden {
		return inWords(err)
	}
	switch status {
	case http.StatusNotFound:
		return "There is nothing at this address, or it is not yours to see."
	case http.StatusForbidden:
		return "Your role does not allow this."
	case http.StatusMethodNotAllowed:
		return "This address does not answer this kind of request."
	}
	if completing, ok := errors.AsType[*records.CompletingError](err); ok && completing.Settings {
		return fmt.Sprintf("The settings of this campaign were changed, and %.0f %% of its segments are decided by them so far. The page comes back by itself when all are. Annotators can go on meanwhile.", 100*completing.Share)
	} else if ok {
		return fmt.Sprintf("An import of ratings into this campaign is being completed, and %.0f %% of it is done. The page comes back by itself when it is over.", 100*completing.Share)
	}
	if errors.Is(err, campaign.ErrBusy) {
		return "This campaign is busy, with an import perhaps. Try again in a moment; what you saved is safe."
	}
	if errors.Is(err, database.ErrDiskFull) {
		return "The disk of the server is full, and nothing can be saved until there is room. Tell whoever runs the server; what you saved is safe."
	}
	return "It has been noted, and what you saved is safe."
}

// inWords is an error that a person caused, without the kind that closes it.
func inWords(err error) string {
	text := err.Error()
	for _, kind := range []error{campaign.ErrConflict, campaign.ErrForbidden, campaign.ErrNotFound} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return text
}

// sentence is the words of an error as a sentence of a page.
func sentence(text string) string {
	return wording.Capital(text) + "."
}

// handleError turns an error into a page, or into JSON where a script asked.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	status := statusOf(err)
	if status == http.StatusUnauthorized && !wantsJSON(c) {
		_ = c.Redirect(http.StatusSeeOther, "/sign-in?next="+queryEscape(c.Request()))
		return
	}
	if status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "5")
	}
	if _, ok := errors.AsType[*records.CompletingError](err); ok && c.Request().Method == http.MethodGet {
		c.Response().Header().Set("Refresh", "2")
	}
	text := words(err, status)
	if wantsJSON(c) {
		_ = c.JSON(status, wire.Refusal{Error: text})
		return
	}
	if c.Request().Method == http.MethodHead {
		_ = c.NoContent(status)
		return
	}
	_ = s.render(c, status, templates.Error(templates.ErrorView{
		Page: s.page(c, http.StatusText(status)), Code: status, Text: text,
		RequestID: c.Response().Header().Get(echo.HeaderXRequestID),
	}))
}

// wantsJSON tells a script's request from a person's.
func wantsJSON(c echo.Context) bool {
	return strings.HasPrefix(c.Request().Header.Get(echo.HeaderContentType), echo.MIMEApplicationJSON) ||
		strings.HasPrefix(c.Request().Header.Get(echo.HeaderAccept), echo.MIMEApplicationJSON)
}
