package site

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// The longest bodies of requests, in bytes. They are checked while a body is read.
const (
	maxUpload     = 1 << 30  // of the files of an import, unless [Config.MaxUpload] says otherwise
	MaxBody       = 1 << 20  // of a form, such as one with a protocol, a guide or a plan
	MaxCardBody   = 64 << 10 // of a save; comments are at most 10,000 bytes
	MaxMarkedBody = 2 << 20  // of a save where errors are marked: each may have a comment, and covers words
	MaxTraining   = 16 << 20 // of a file for the training set
	// MaxPlan is the longest file of a plan. The form that confirms it has it again, in an encoding that may
	// be three times as long.
	MaxPlan = 300 << 10
)

// UploadMemory is how much of an upload is kept in memory; the rest is spooled
// to temporary files, so that the store reads at the speed of the disk and not
// of the visitor's connection.
const UploadMemory = 1 << 20

// The paths of routes whose bodies may be longer than MaxBody.
const (
	ImportPath         = "/campaigns/:slug/import"
	ImportTrainingPath = "/campaigns/:slug/training/import"
	ImportAPIPath      = APIPath + "/campaigns/:slug/imports"
	CardPath           = "/campaigns/:slug/assignments/:assignment/cards/:card"
)

// BodyLimit returns the longest body of a request, before anybody knows if the sender may send it. upload
// says that the handler reads the body itself, with [ReadUpload].
func BodyLimit(method, path string) (limit int64, upload bool) {
	switch {
	case method == http.MethodPost && (path == ImportPath || path == ImportTrainingPath || path == ImportAPIPath):
		return 0, true
	case method == http.MethodPut && path == CardPath:
		return MaxMarkedBody, false
	}
	return MaxBody, false
}

// ReadUpload reads a form with files that have at most limit bytes together. If they have more, the error
// is a *[campaign.InvalidError] of the field file.
func ReadUpload(c *echo.Context, limit int64) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(Answer(c).ResponseWriter, r.Body, limit)
	err := r.ParseMultipartForm(UploadMemory)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return campaign.Invalid("file", "the upload has more than "+Size(limit)+", the most that can be sent at once; divide it, or leave out what is not needed")
	}
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The upload could not be read. Choose the file again and send it once more.")
	}
	return nil
}

// Size writes a number of bytes as pages do: "64 KB", "1,024 MB".
func Size(n int64) string {
	if n >= 1<<20 {
		return wording.Count(int(n>>20)) + " MB"
	}
	return wording.Count(int(n>>10)) + " KB"
}
