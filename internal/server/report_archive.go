package server

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"

	"annotate/internal/report"
)

// reportArchive is everything that is published of a campaign, as a zip file. That of a
// large campaign is prepared in the background, see sendOrPrepare.
func (s *Server) reportArchive(c echo.Context, w wantedReport, r report.Report) error {
	if counts := r.Stamp.Campaign.Counts; s.files.isLarge(counts.Ratings, counts.Translations) {
		return s.sendOrPrepare(c, archiveFile)
	}
	return s.sendWritten(c, "application/zip", w.campaign.Slug+".zip", func(to io.Writer) error {
		return s.writeArchive(c.Request().Context(), to, w, r)
	})
}

// sendWritten writes a file to the disk and sends it from there, so that the store reads
// at the speed of the disk and not of the visitor's connection.
func (s *Server) sendWritten(c echo.Context, contentType, name string, content func(io.Writer) error) error {
	path, _, err := s.files.write(content)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.sendFile(c, f, contentType, name)
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
