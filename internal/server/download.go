package server

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/spreadsheet"
	"annotate/internal/transfer"
	"annotate/web/templates/setup"
)

const csvType = "text/csv; charset=utf-8"

func attach(c echo.Context, contentType, name string) {
	c.Response().Header().Set(echo.HeaderContentType, contentType)
	c.Response().Header().Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name))
}

// leaving is the campaign of the address as it leaves: under pseudonyms or not, as the
// query "pseudonyms" says, else as the settings do. Only a lead may ask for logins
// where the settings say that people leave under pseudonyms.
func leaving(c echo.Context) (membership, error) {
	m := here(c)
	switch chosen := c.QueryParam("pseudonyms"); chosen {
	case "":
	case "yes":
		m.campaign.Settings.Pseudonyms = true
	case "no":
		if m.campaign.Settings.Pseudonyms && m.role != campaign.Lead {
			return m, campaign.ErrForbidden
		}
		m.campaign.Settings.Pseudonyms = false
	default:
		return m, campaign.Invalid("pseudonyms", "use yes or no")
	}
	return m, nil
}

// pseudonymKey says who each pseudonym is.
func (s *Server) pseudonymKey(c echo.Context) error {
	m := here(c)
	var b bytes.Buffer
	if err := transfer.WritePseudonymKey(c.Request().Context(), s.store, m.campaign, &b); err != nil {
		return err
	}
	attach(c, csvType, m.campaign.Slug+".pseudonym-key.csv")
	return c.Blob(http.StatusOK, csvType, b.Bytes())
}

// download sends an export. That of a large campaign is prepared in the background, see
// sendOrPrepare.
func (s *Server) download(c echo.Context) error {
	m, err := leaving(c)
	if err != nil {
		return err
	}
	id := c.Param("format")
	if id == "ment.systems.json" {
		return s.systemNames(c, m.campaign)
	}
	if later, err := s.inBackground(c, m.campaign, id); err != nil || later {
		if err != nil {
			return err
		}
		return s.sendOrPrepare(c, id)
	}
	output := format.Lookup(id).Output
	return s.sendWritten(c, output.Type, m.campaign.Slug+output.Ending, func(to io.Writer) error {
		_, err := transfer.Export(c.Request().Context(), s.store, m.campaign, id, to)
		return err
	})
}

// inBackground reports whether the export of a campaign in a format is prepared in the
// background. A format that no campaign has is not found. One that this campaign does
// not have is not prepared, since the export refuses it at once.
func (s *Server) inBackground(c echo.Context, of campaign.Campaign, id string) (bool, error) {
	output := format.Lookup(id).Output
	switch {
	case output == nil:
		return false, campaign.ErrNotFound
	case !output.Fit.OK(of.Rules):
		return false, nil
	}
	return s.isLarge(c, of)
}

// systemNames says which system each trans_i of a ment file is. It depends on the names
// of the systems alone, so that it takes no longer for a large campaign.
func (s *Server) systemNames(c echo.Context, of campaign.Campaign) error {
	systems, err := transfer.MENTSystems(c.Request().Context(), s.store, of)
	if err != nil {
		return err
	}
	attach(c, echo.MIMEApplicationJSON, of.Slug+".ment.jsonl.systems.json")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, systems)
}

// leftOut says what of the campaign a format can't carry, by writing the file to
// nowhere. For a large campaign the page of the file says it, once the file is prepared.
func (s *Server) leftOut(c echo.Context) error {
	m, err := leaving(c)
	if err != nil {
		return err
	}
	id := c.Param("format")
	if later, err := s.inBackground(c, m.campaign, id); err != nil || later {
		if err != nil {
			return err
		}
		w, err := s.wantedFormat(c, id)
		if err != nil {
			return err
		}
		return redirect(c, w.path())
	}
	_, notes, err := transfer.ExportWithNotes(c.Request().Context(), s.store, m.campaign, id, io.Discard)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, setup.LeftOut(setup.LeftOutView{Page: s.pageAt(c, "What "+id+" leaves out", "export"), Format: id, Query: c.QueryString(), Notes: notes}))
}

// hours gives each annotator's active time by day, for pay and planning.
func (s *Server) hours(c echo.Context) error {
	m := here(c)
	days, err := s.store.WorkDays(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	if m.role != campaign.Lead { // leads pay, and need the names
		people, err := s.store.PseudonymsOf(c.Request().Context(), m.campaign)
		if err != nil {
			return err
		}
		if people != nil {
			for i := range days {
				days[i].Login, days[i].Name = people.Login(days[i].Login), ""
			}
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"annotator", "name", "day", "submissions", "ratings", "hours"}) // a strings.Builder takes everything
	for _, d := range days {
		_ = w.Write([]string{d.Login, spreadsheet.Cell(d.Name), d.Day, strconv.Itoa(d.Segments), strconv.Itoa(d.Ratings), strconv.FormatFloat(d.Seconds/3600, 'f', 4, 64)})
	}
	w.Flush()
	attach(c, csvType, m.campaign.Slug+".hours.csv")
	return c.String(http.StatusOK, b.String())
}
