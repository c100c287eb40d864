package account

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

// auditPerPage is the number of lines on a page of an audit log. A line may have several paragraphs.
const auditPerPage = 25

func auditFilter(c echo.Context) records.AuditFilter {
	return records.AuditFilter{Act: c.QueryParam("act"), Login: c.QueryParam("person"), Text: strings.TrimSpace(c.QueryParam("text"))}
}

func (h *Handlers) audit(c echo.Context) error {
	m, ctx, number := site.Here(c), c.Request().Context(), max(1, site.Atoi(c.QueryParam("page")))
	f := auditFilter(c)
	f.Offset, f.Limit = (number-1)*auditPerPage, auditPerPage
	entries, total, err := h.records.FindAudit(ctx, m.Campaign.ID, f)
	if err != nil {
		return err
	}
	v := setup.AuditView{
		Page: h.PageAt(c, "Audit log", "audit"), Clock: h.Clock(m.Campaign.Settings.Location()),
		Paging: templates.Paging{Number: number, Size: auditPerPage, Total: total}, Act: f.Act, Person: f.Login, Text: f.Text, Entries: entries,
	}
	if v.Acts, v.People, err = h.records.AuditChoices(ctx, m.Campaign.ID); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, setup.Audit(v))
}

// auditBatch is how many lines of the log are read at once.
const auditBatch = 5000

// auditCSV gives the lines that match, all of them, the latest first. Times are UTC. The column side is
// training or checks for an act there, and empty for other acts.
func (h *Handlers) auditCSV(c echo.Context) error {
	m, f := site.Here(c), auditFilter(c)
	f.Limit = auditBatch
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"at", "login", "act", "subject", "reason", "before", "after", "side"}) // a strings.Builder takes everything
	for {
		entries, _, err := h.records.FindAudit(c.Request().Context(), m.Campaign.ID, f)
		if err != nil {
			return err
		}
		for _, e := range entries {
			_ = w.Write([]string{e.At.UTC().Format(time.RFC3339Nano), spreadsheet.Escape(e.Login), spreadsheet.Escape(e.Act), spreadsheet.Escape(e.Subject), spreadsheet.Escape(e.Reason),
				spreadsheet.Escape(e.Before), spreadsheet.Escape(e.After), string(e.Side)})
		}
		if len(entries) < f.Limit {
			break
		}
		f.After = entries[len(entries)-1].Place
	}
	w.Flush()
	site.Attach(c, site.CSVType, m.Campaign.Slug+".audit.csv")
	return c.String(http.StatusOK, b.String())
}
