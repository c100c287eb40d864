package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"

	"annotate/internal/report"
	"annotate/internal/report/gather"
	"annotate/internal/report/page"
	"annotate/internal/transfer"
)

// reportArchive is everything that is published of a campaign, as a zip file. It is
// written to the disk first, so that the store reads at the speed of the disk and not
// of the visitor's connection.
func (s *Server) reportArchive(c echo.Context, w wantedReport, r report.Report) error {
	ctx := c.Request().Context()
	var html bytes.Buffer
	if err := page.Write(ctx, &html, r); err != nil {
		return err
	}
	f, err := os.CreateTemp("", "annotate-archive-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	z := transfer.NewZipTree(b, r.Stamp.ComputedAt)
	a := transfer.Archive{Campaign: w.campaign, Report: r, Page: html.Bytes(), State: func(ctx context.Context) (string, error) {
		return gather.State(ctx, s.store, w.campaign, w.beside)
	}}
	if err := a.Write(ctx, s.store, z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
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
