package setup

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

func importTablePath(of campaign.Campaign, upload string) string {
	return "/campaigns/" + of.Slug + "/import/tables/" + upload
}

// lookAtTable finds the columns of the first file of an upload. problems is nil if the table can
// be imported as the options say.
func (h *Handlers) lookAtTable(c *echo.Context, u uploadedImport) (look *ingest.TableLook, problems *campaign.Problems, err error) {
	files, done, err := site.OpenUploads(u.files)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	header := u.files[0]
	file, ok := files[0].Reader.(interface {
		ReadAt(p []byte, off int64) (int, error)
	})
	if !ok {
		return nil, nil, errors.New("an upload cannot be read from the middle")
	}
	u.table.AnySheet, u.table.Ask = true, true
	if u.table.Systems, err = h.store.Records.Systems(c.Request().Context(), u.campaign.ID); err != nil {
		return nil, nil, err
	}
	problems = &campaign.Problems{Summary: "choose below what the columns hold, or correct the file"}
	look, err = ingest.LookAtTable(file, header.Size, header.Name, u.table)
	if wrong, ok := errors.AsType[*campaign.Problem](err); ok {
		problems.Add(wrong)
		return look, problems, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, p := range look.Problems(u.table.Systems) {
		problems.Add(p)
	}
	if problems.Count() == 0 {
		problems = nil
	}
	return look, problems, nil
}

// showTable asks what the columns of an uploaded table are. ?sheet and ?header choose the sheet
// and the row with the names. A column that is still to be chosen is no error. An error is a file without a
// table, or a sheet or a row that is not in it.
func (h *Handlers) showTable(c *echo.Context) error {
	u, ok := h.uploads.find(c.Param("upload"), site.Here(c).Campaign, site.Me(c).ID)
	if !ok {
		return h.tableGone(c)
	}
	if c.QueryParam("sheet") != "" || c.QueryParam("header") != "" {
		u.table = ingest.TableOptions{Sheet: c.QueryParam("sheet")}
		u.table.Header, _ = strconv.Atoi(c.QueryParam("header"))
	}
	look, problems, err := h.lookAtTable(c, u)
	if err != nil {
		return err
	}
	v := h.tableView(c, u, look)
	if look == nil || look.Sheet < 0 || look.Header == 0 && u.table.Header > 0 {
		v.Problems = problems
	} else if problems != nil {
		v.Open = toChoose(problems)
	}
	return h.Render(c, http.StatusOK, setup.ImportTable(v))
}

// toChoose says in sentences what is still to be chosen of the columns of a table.
func toChoose(problems *campaign.Problems) []string {
	var out []string
	for _, p := range problems.List {
		cell := p.Field[strings.LastIndexByte(p.Field, '!')+1:]
		what := wording.Capital(p.Message()) + "."
		if column := strings.TrimRight(cell, "0123456789"); column != "" && column == strings.ToUpper(column) {
			what = "Column " + column + ": " + p.Message() + "."
		}
		out = append(out, what)
	}
	return out
}

// uploadGone is what a page says of an upload that is no longer kept.
const uploadGone = "These files were imported already, or have waited for too long. Choose them again."

// tableGone says that an uploaded table is no longer kept.
func (h *Handlers) tableGone(c *echo.Context) error {
	return h.renderImport(c, http.StatusNotFound, setup.ImportView{Errors: map[string]string{"": uploadGone}})
}

// tableView is the page that asks what the columns of an uploaded table are. look may be nil.
func (h *Handlers) tableView(c *echo.Context, u uploadedImport, look *ingest.TableLook) setup.ImportTableView {
	v := setup.ImportTableView{
		Page:    h.PageAt(c, "Columns of a table", "import"),
		Files:   u.names(),
		Several: len(u.files) > 1,
		Action:  importTablePath(u.campaign, c.Param("upload")),
		Upload:  c.Param("upload"),
		Check:   u.form.Check,
	}
	if look != nil {
		v.Header, v.Chosen, v.Filled, v.Hidden = look.Header, u.table.Sheet, len(look.Filled), look.HiddenRows
		for i, sh := range look.Sheets {
			if sh.Name != "" {
				v.Sheets = append(v.Sheets, setup.TableSheet{Name: sh.Name, Hidden: sh.Hidden})
			}
			if i == look.Sheet {
				v.Chosen = sh.Name
			}
		}
		for _, col := range look.Columns {
			v.Columns = append(
				v.Columns,
				setup.TableColumn{
					Index:   col.Index,
					Letter:  spreadsheet.Letters(col.Index),
					Name:    col.Name,
					Role:    string(col.Role),
					Hidden:  col.Hidden,
					Samples: col.Samples,
				},
			)
		}
	}
	for _, role := range ingest.ColumnRoles {
		v.Roles = append(v.Roles, string(role))
	}
	return v
}

// importTable imports an uploaded table with the roles that its columns were given.
func (h *Handlers) importTable(c *echo.Context) error {
	u, ok := h.uploads.find(c.Param("upload"), site.Here(c).Campaign, site.Me(c).ID)
	if !ok {
		return h.tableGone(c)
	}
	u.table = ingest.TableOptions{Sheet: c.FormValue("sheet"), Columns: map[int]ingest.ColumnRole{}}
	u.table.Header, _ = strconv.Atoi(c.FormValue("header"))
	u.form.Check = c.FormValue("check") != ""
	look, problems, err := h.lookAtTable(c, u)
	if err != nil {
		return err
	}
	if look != nil {
		for _, col := range look.Columns {
			role := ingest.ColumnRole(c.FormValue("role." + strconv.Itoa(col.Index)))
			if role == "" && col.Role == "" && col.Name != "" && c.FormValue("rest") != "" {
				role = ingest.SystemColumn
			}
			if role != "" {
				u.table.Columns[col.Index] = role
			}
		}
		if look, problems, err = h.lookAtTable(c, u); err != nil {
			return err
		}
	}
	if problems != nil {
		v := h.tableView(c, u, look)
		v.Problems = problems
		return h.Render(c, http.StatusUnprocessableEntity, setup.ImportTable(v))
	}
	taken, ok := h.uploads.take(c.Param("upload"), site.Here(c).Campaign, site.Me(c).ID)
	if !ok { // another request has just imported it
		return h.tableGone(c)
	}
	taken.table, taken.form = u.table, u.form
	return h.startImport(c, taken)
}
