package server

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/transfer"
)

// downloadType is the content type of an export format.
func downloadType(format string) string {
	if format == "csv" {
		return "text/csv; charset=utf-8"
	}
	return "application/jsonl; charset=utf-8"
}

func attach(c echo.Context, contentType, name string) {
	c.Response().Header().Set(echo.HeaderContentType, contentType)
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
}

// download streams an export. The page can't turn into an error once the first
// bytes are out; a failure after that breaks the connection off, so that the
// browser reports the file as incomplete.
func (s *Server) download(c echo.Context) error {
	m, format := here(c), c.Param("format")
	if format == "ment.systems.json" {
		systems, err := transfer.Export(c.Request().Context(), s.store, m.campaign, "ment", io.Discard)
		if err != nil {
			return err
		}
		attach(c, "application/json", m.campaign.Slug+".ment.jsonl.systems.json")
		return c.Blob(http.StatusOK, "application/json", systems)
	}
	if !slices.Contains(transfer.ExportFormats(), format) {
		return campaign.ErrNotFound
	}
	attach(c, downloadType(format), downloadName(m.campaign, format))
	_, err := transfer.Export(c.Request().Context(), s.store, m.campaign, format, c.Response())
	if err != nil && c.Response().Committed {
		s.cfg.Logger.Error("download broken off", "format", format, "error", err)
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		c.Response().Header().Del(echo.HeaderContentDisposition)
	}
	return err
}

func downloadName(c campaign.Campaign, format string) string {
	if format == "csv" {
		return c.Slug + ".csv"
	}
	return c.Slug + "." + format + ".jsonl"
}

// hours gives each annotator's active time by day, for pay and planning.
func (s *Server) hours(c echo.Context) error {
	m := here(c)
	days, err := s.store.WorkDays(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"annotator", "name", "day", "segments", "ratings", "hours"}) // a strings.Builder takes everything
	for _, d := range days {
		_ = w.Write([]string{d.Login, plainCell(d.Name), d.Day, strconv.Itoa(d.Segments), strconv.Itoa(d.Ratings), strconv.FormatFloat(d.Seconds/3600, 'f', 4, 64)})
	}
	w.Flush()
	attach(c, downloadType("csv"), m.campaign.Slug+".hours.csv")
	return c.String(http.StatusOK, b.String())
}

// plainCell keeps a spreadsheet from taking a name for a formula.
func plainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
