package site

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// StatusOf is the only place that joins our errors to HTTP.
func StatusOf(err error) int {
	if status := echo.StatusCode(err); status > 0 {
		return status
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
		errors.Is(err, campaign.ErrQuota), errors.Is(err, campaign.ErrNoWork), errors.Is(err,
			campaign.ErrNotAccepted), errors.Is(err, campaign.ErrNotQualified):
		return http.StatusConflict
	case errors.Is(err, campaign.ErrBusy), errors.Is(err, database.ErrDiskFull):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Words are what a person is told about an error; details of failures that are
// ours stay in the log.
func Words(err error, status int) string {
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return "This request has more than " + Size(long.Limit) + ", the most that this page takes."
	}
	if he, ok := errors.AsType[*echo.HTTPError](err); ok {
		if !strings.EqualFold(he.Message, http.StatusText(status)) {
			return he.Message
		}
	} else if echo.StatusCode(err) == 0 && status < http.StatusInternalServerError && status != http.StatusNotFound && err != campaign.ErrForbidden {
		return InWords(err)
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
		return fmt.Sprintf(
			"The settings of this campaign were changed, and %.0f %% of its segments are decided by them so far. The page comes back by itself when all are. Annotators can go on meanwhile.",
			100*completing.Share,
		)
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

// InWords is an error that a person caused, without the kind that closes it.
func InWords(err error) string {
	text := err.Error()
	for _, kind := range []error{campaign.ErrConflict, campaign.ErrForbidden, campaign.ErrNotFound} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return text
}

// Sentence is the words of an error as a sentence of a page.
func Sentence(text string) string {
	return wording.Capital(text) + "."
}

// Answer is the response of a request, with its status and whether it has begun.
func Answer(c *echo.Context) *echo.Response {
	r, err := echo.UnwrapResponse(c.Response())
	if err != nil {
		panic(err) // no middleware hides it
	}
	return r
}

// WantsJSON tells a script's request from a person's.
func WantsJSON(c *echo.Context) bool {
	return strings.HasPrefix(c.Request().Header.Get(echo.HeaderContentType), echo.MIMEApplicationJSON) ||
		strings.HasPrefix(c.Request().Header.Get(echo.HeaderAccept), echo.MIMEApplicationJSON)
}
