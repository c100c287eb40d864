package server

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"

	"annotate/internal/report"
)

// reportArchive is everything that is published of a campaign, as a zip file. It is
// written to the disk first, so that the store reads at the speed of the disk and not
// of the visitor's connection. That of a large campaign is prepared in the background,
// see sendOrPrepare.
func (s *Server) reportArchive(c echo.Context, w wantedReport, r report.Report) error {
	if counts := r.Stamp.Campaign.Counts; s.files.isLarge(counts.Ratings, counts.Translations) {
		return s.sendOrPrepare(c, archiveFile)
	}
	path, _, err := s.files.write(func(to io.Writer) error { return s.writeArchive(c.Request().Context(), to, w, r) })
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.sendFile(c, f, "application/zip", w.campaign.Slug+".zip")
}

// sendFile sends a file of the disk as a download, with its length, by which a
// browser notices one that is incomplete.
func (s *Server) sendFile(c echo.Context, f *os.File, contentType, name string) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	attach(c, contentType, name)
	c.Response().Header().Set(echo.HeaderContentLength, fmt.Sprint(size))
	c.Response().WriteHeader(http.StatusOK)
	if _, err := io.Copy(c.Response(), f); err != nil {
		s.cfg.Logger.Debug("download broken off", "name", name, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
