package site

import (
	"errors"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/transfer"
	"annotate/web/templates"
)

// ReadJSON reads a body of at most limit bytes into v. The error is an http.MaxBytesError for
// a longer body, and an echo.HTTPError with status 400 for one that is not the JSON of v.
func ReadJSON(c *echo.Context, v any, limit int64) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(Answer(c).ResponseWriter, r.Body, limit)
	if err := c.Echo().JSONSerializer.Deserialize(c, v); err != nil {
		if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return long
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

// Wrong is what a form says of an InvalidError beside its field. It is nil for another error, and without one.
func Wrong(err error) map[string]string {
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return map[string]string{invalid.Field: invalid.Msg}
	}
	return nil
}

// Trimmed returns the value of a field without the spaces around it.
func Trimmed(c *echo.Context, name string) string { return strings.TrimSpace(c.FormValue(name)) }

// An Upload is a file that a visitor sent.
type Upload struct {
	Name string
	Size int64
	Open func() (multipart.File, error)
}

// Uploads lists the files of a form. A field without a file has none.
func Uploads(form *multipart.Form) (uploads []Upload) {
	for _, h := range form.File["file"] {
		if h.Filename != "" {
			uploads = append(uploads, Upload{h.Filename, h.Size, h.Open})
		}
	}
	return uploads
}

// OpenUploads opens uploads; done closes them again.
func OpenUploads(uploads []Upload) (files []transfer.File, done func(), err error) {
	var opened []multipart.File
	done = func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for _, u := range uploads {
		f, err := u.Open()
		if err != nil {
			done()
			return nil, nil, err
		}
		opened = append(opened, f)
		files = append(files, transfer.File{Name: u.Name, Reader: f})
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

// Paging is the page of a list that an address asks for, where pages have so many rows of a total.
func Paging(c *echo.Context, size, total int) templates.Paging {
	return templates.Paging{Number: max(1, Atoi(c.QueryParam("page"))), Size: size, Total: total}
}
