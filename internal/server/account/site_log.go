package account

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/account"
)

// siteLog shows what was done to accounts and by admins, the latest first.
func (h *Handlers) siteLog(c echo.Context) error {
	number, text := max(1, site.Atoi(c.QueryParam("page"))), strings.TrimSpace(c.QueryParam("text"))
	entries, total, err := h.accounts.SiteLog(c.Request().Context(), accounts.SiteFilter{Text: text, Offset: (number - 1) * auditPerPage, Limit: auditPerPage})
	if err != nil {
		return err
	}
	v := account.SiteLogView{
		Page: h.PageAt(c, "Audit log of the site", "site-log"), Clock: h.Clock(nil), Text: text,
		Paging: templates.Paging{Number: number, Size: auditPerPage, Total: total}, Entries: entries,
	}
	return h.Render(c, http.StatusOK, account.SiteLog(v))
}

// siteLogCSV gives the lines that match, all of them, the latest first. Times are UTC.
// Each part begins after the last line of the one before, so that a line that is
// written meanwhile shifts nothing.
func (h *Handlers) siteLogCSV(c echo.Context) error {
	f := accounts.SiteFilter{Text: strings.TrimSpace(c.QueryParam("text")), Limit: auditBatch}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"at", "login", "act", "subject", "detail", "address", "request"}) // a strings.Builder takes everything
	for {
		entries, _, err := h.accounts.SiteLog(c.Request().Context(), f)
		if err != nil {
			return err
		}
		for _, e := range entries {
			_ = w.Write([]string{e.At.UTC().Format(time.RFC3339Nano), spreadsheet.Escape(e.Login), spreadsheet.Escape(e.Act), spreadsheet.Escape(e.Subject), spreadsheet.Escape(e.Detail), spreadsheet.Escape(e.Address), spreadsheet.Escape(e.Request)})
		}
		if len(entries) < f.Limit {
			break
		}
		f.Before = entries[len(entries)-1].ID
	}
	w.Flush()
	site.Attach(c, site.CSVType, "site.audit.csv")
	return c.String(http.StatusOK, b.String())
}
