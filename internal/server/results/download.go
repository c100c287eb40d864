package results

import (
	"bytes"
	"io"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/web/templates/setup"
)

// pseudonymKey says who each pseudonym is.
func (h *Handlers) pseudonymKey(c *echo.Context) error {
	m := site.Here(c)
	var b bytes.Buffer
	if err := transfer.WritePseudonymKey(c.Request().Context(), h.store, m.Campaign, &b); err != nil {
		return err
	}
	site.Attach(c, site.CSVType, m.Campaign.Slug+".pseudonym-key.csv")
	return c.Blob(http.StatusOK, site.CSVType, b.Bytes())
}

// download sends an export. That of a large campaign is prepared in the background, see
// sendOrPrepare.
func (h *Handlers) download(c *echo.Context) error {
	m, err := site.Leaving(c)
	if err != nil {
		return err
	}
	id := c.Param("format")
	switch id {
	case "ment.systems.json":
		return h.systemNames(c, m.Campaign)
	case "systems.json":
		return h.systemLetters(c, m.Campaign)
	}
	selection, err := transfer.ReadSelection(c.QueryParam)
	if err != nil {
		return err
	}
	if later, err := h.inBackground(c, m.Campaign, id); err != nil || later {
		if err != nil {
			return err
		}
		return h.sendOrPrepare(c, id)
	}
	output := format.Lookup(id).Output
	return h.sendWritten(c, output.Type, m.Campaign.Slug+output.Ending, func(to io.Writer) error {
		_, _, err := transfer.ExportWithNotes(c.Request().Context(), h.store, m.Campaign, id, selection, to)
		return err
	})
}

// inBackground reports whether the export of a campaign in a format is prepared in the
// background. A format that no campaign has is not found. One that this campaign does
// not have is not prepared, since the export refuses it at once.
func (h *Handlers) inBackground(c *echo.Context, of campaign.Campaign, id string) (bool, error) {
	output := format.Lookup(id).Output
	switch {
	case output == nil:
		return false, campaign.ErrNotFound
	case !output.Fit.OK(of.Rules):
		return false, nil
	}
	return h.isLarge(c, of)
}

// systemNames says which system each trans_i of a ment file is. It depends on the names
// of the systems alone, so that it takes no longer for a large campaign.
func (h *Handlers) systemNames(c *echo.Context, of campaign.Campaign) error {
	systems, err := transfer.MENTSystems(c.Request().Context(), h.store, of)
	if err != nil {
		return err
	}
	site.Attach(c, echo.MIMEApplicationJSON, of.Slug+".ment.jsonl.systems.json")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, systems)
}

// systemLetters says which system each letter is.
func (h *Handlers) systemLetters(c *echo.Context, of campaign.Campaign) error {
	key, err := transfer.SystemLetters(c.Request().Context(), h.store, of)
	if err != nil {
		return err
	}
	site.Attach(c, echo.MIMEApplicationJSON, of.Slug+".systems.json")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, key)
}

// leftOut says what of the campaign a format can't carry, by writing the file to
// nowhere. For a large campaign the page of the file says it, once the file is prepared.
func (h *Handlers) leftOut(c *echo.Context) error {
	m, err := site.Leaving(c)
	if err != nil {
		return err
	}
	id := c.Param("format")
	if later, err := h.inBackground(c, m.Campaign, id); err != nil || later {
		if err != nil {
			return err
		}
		w, err := h.wantedFormat(c, id)
		if err != nil {
			return err
		}
		return site.Redirect(c, w.path())
	}
	selection, err := transfer.ReadSelection(c.QueryParam)
	if err != nil {
		return err
	}
	_, notes, err := transfer.ExportWithNotes(c.Request().Context(), h.store, m.Campaign, id, selection, io.Discard)
	if err != nil {
		return err
	}
	return h.Render(
		c, http.StatusOK,
		setup.LeftOut(setup.LeftOutView{Page: h.PageAt(c, "What "+id+" leaves out", "export"), Format: id, Query: c.QueryString(), Notes: notes}),
	)
}
