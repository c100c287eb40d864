package account

import (
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/account"
)

// auditPerPage is the number of lines on a page of an audit log. A line may have several paragraphs.
const auditPerPage = 25

// audit shows the audit log of the campaign in the address or, if there is none, that of the site.
func (h *Handlers) audit(c *echo.Context) error {
	of, ctx, number := site.Here(c).Campaign, c.Request().Context(), max(1, site.Atoi(c.QueryParam("page")))
	f := auditFilter(c)
	f.Offset, f.Limit = (number-1)*auditPerPage, auditPerPage
	entries, total, err := h.records.FindAudit(ctx, of.ID, f)
	if err != nil {
		return err
	}
	v := account.AuditView{
		Page: h.PageAt(c, "Audit log of the site", "site-log"), Site: of.ID == "",
		Paging: templates.Paging{Number: number, Size: auditPerPage, Total: total}, Act: f.Act, Person: f.Login, Text: f.Text, Entries: entries,
	}
	if !v.Site {
		v.Page = h.PageAt(c, "Audit log", "audit")
	}
	if v.Acts, v.People, err = h.records.AuditChoices(ctx, of.ID); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, account.Audit(v))
}

func auditFilter(c *echo.Context) records.AuditFilter {
	return records.AuditFilter{Act: c.QueryParam("act"), Login: c.QueryParam("person"), Text: strings.TrimSpace(c.QueryParam("text"))}
}

// auditBatch is how many lines of the log are read at once.
const auditBatch = 5000

// auditCSV gives the lines that match, all of them, the latest first. Times are UTC. The column side is
// training or checks for an act there, and empty for other acts.
func (h *Handlers) auditCSV(c *echo.Context) error {
	of, f := site.Here(c).Campaign, auditFilter(c)
	f.Limit = auditBatch
	head, rest, name := "at,login,act,subject,reason,before,after,side", func(e readmodel.AuditEntry) []string { return []string{e.Before, e.After, string(e.Side)} }, of.Slug
	if of.ID == "" {
		head, rest, name = "at,login,act,subject,detail,address,request", func(e readmodel.AuditEntry) []string { return []string{e.Address, e.Request} }, "site"
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(strings.Split(head, ",")) // a strings.Builder takes everything
	for {
		entries, _, err := h.records.FindAudit(c.Request().Context(), of.ID, f)
		if err != nil {
			return err
		}
		for _, e := range entries {
			row := append([]string{e.At.UTC().Format(time.RFC3339Nano), e.Login, e.Act, e.Subject, e.Reason}, rest(e)...)
			for i := range row {
				row[i] = spreadsheet.Escape(row[i])
			}
			_ = w.Write(row)
		}
		if len(entries) < f.Limit {
			break
		}
		f.After = entries[len(entries)-1].Place
	}
	w.Flush()
	site.Attach(c, site.CSVType, name+".audit.csv")
	return c.String(http.StatusOK, b.String())
}
