package site

import (
	"errors"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/transfer"
)

// maxCardBody is the longest body of a save; comments are at most 10,000 bytes.
// Where errors are marked, each may have a comment, and covers words.
const (
	MaxCardBody   = 64 << 10
	MaxMarkedBody = 2 << 20
)

// ReadJSON reads a body of at most limit bytes into v. The error is an echo.HTTPError: 413 for
// a longer body, 400 for one that is not the JSON of v.
func ReadJSON(c echo.Context, v any, limit int64) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
	if err := c.Echo().JSONSerializer.Deserialize(c, v); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return echo.NewHTTPError(http.StatusRequestEntityTooLarge, "the request is too large")
		}
		return echo.NewHTTPError(http.StatusBadRequest, "the request is not the JSON it should be")
	}
	return nil
}

// InvalidText is the text of an InvalidError without its field.
func InvalidText(err error) string {
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return invalid.Msg
	}
	return err.Error()
}

// Trimmed returns the value of a field without the spaces around it.
func Trimmed(c echo.Context, name string) string { return strings.TrimSpace(c.FormValue(name)) }

// UploadMemory is how much of an upload is kept in memory; the rest is spooled
// to temporary files, so that the store reads at the speed of the disk and not
// of the visitor's connection.
const UploadMemory = 1 << 20

// OpenUploads opens uploads; done closes them again.
func OpenUploads(headers []*multipart.FileHeader) (files []transfer.File, done func(), err error) {
	var opened []multipart.File
	done = func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for _, h := range headers {
		if h.Filename == "" {
			continue
		}
		f, err := h.Open()
		if err != nil {
			done()
			return nil, nil, err
		}
		opened = append(opened, f)
		files = append(files, transfer.File{Name: h.Filename, Reader: f})
	}
	return files, done, nil
}

// Atoi reads a number from an address; anything else is 0.
func Atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
