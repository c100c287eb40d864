package results

import (
	"io"

	"github.com/labstack/echo/v5"

	"annotate/internal/report"
)

// reportArchive is everything that is published of a campaign, as a zip file. That of a
// large campaign is prepared in the background, see sendOrPrepare.
func (h *Handlers) reportArchive(c *echo.Context, w wantedReport, r report.Report) error {
	if counts := r.Stamp.Campaign.Counts; h.Files.isLarge(counts.Ratings, counts.Translations) {
		return h.sendOrPrepare(c, archiveFile)
	}
	return h.sendWritten(c, "application/zip", w.campaign.Slug+".zip", func(to io.Writer) error {
		return h.writeArchive(c.Request().Context(), to, w, r)
	})
}

// sendWritten writes a file to the disk and sends it from there, so that the store reads
// at the speed of the disk and not of the visitor's connection.
func (h *Handlers) sendWritten(c *echo.Context, contentType, name string, content func(io.Writer) error) error {
	made, err := h.Folder.Write(name, content)
	if err != nil {
		return err
	}
	defer h.Folder.Delete(made)
	f, err := h.Folder.Open(made)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return h.SendFile(c, f, contentType, name)
}
