package setup

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/web/templates/setup"
)

type importCall struct {
	InCampaign
	Format        string   `query:"format" doc:"as for annotate import --format; without it the files show which"`
	Name          string   `query:"name" doc:"name of the file, if the body is one"`
	LanguagePair  string   `query:"language-pair"`
	LeaveOut      []string `query:"leave-out,explode" doc:"contradictions or systems; may be repeated"`
	LowerIsBetter bool     `query:"lower-is-better"`
	Group         string   `query:"group"`
	Check         bool     `query:"check" doc:"find all problems, and store nothing"`
	Sheet         string   `query:"sheet" doc:"of a workbook; for table"`
	HeaderRow     int      `query:"header-row" doc:"for table"`
	Columns       []string `query:"column,explode" doc:"what a column is, as ROLE=NAME; for table; may be repeated"`
}

type undoCall struct {
	Slug   string `path:"slug"`
	Number int    `path:"number" doc:"of the import, or 0 for the latest that was not undone"`
}

// importOperations lists the operations of imports.
func (h *Handlers) importOperations() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "list-imports", Method: http.MethodGet, Path: "/campaigns/{slug}/imports", Tag: "imports", Who: site.Managers,
			Summary: "Imports into a campaign", About: "As annotate import list --json.",
		}, func(c *echo.Context, _ *InCampaign) (api.Imports, error) {
			imports, err := h.store.Intake.Imports(c.Request().Context(), site.Here(c).Campaign.ID)
			return api.ImportsOf(imports), err
		}),
		site.Operation(h.Site, site.Op{
			ID: "import", Method: http.MethodPost, Path: "/campaigns/{slug}/imports", Tag: "imports",
			Who: site.Managers, Status: http.StatusAccepted,
			Summary: "Import a file", About: "The body is a file, or a form with files named file. The result of the job says what the import brought, or would bring; if it is refused, the problem of the job lists what is wrong with file, line and column.",
			Upload: importBody(),
		}, h.importForProgram),
		site.Operation(h.Site, site.Op{
			ID: "undo-import", Method: http.MethodPost, Path: "/campaigns/{slug}/imports/{number}/undo", Tag: "imports",
			Who: site.Managers, Status: http.StatusAccepted,
			Summary: "Undo an import", About: "As annotate import undo.",
		}, h.undoForProgram),
	}
}

// importBody describes the files of an import: one as the body, or several in a form.
func importBody() *huma.RequestBody {
	binary := &huma.Schema{Type: "string", Format: "binary"}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/octet-stream": {Schema: binary},
		"multipart/form-data": {
			Schema: &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"file": {Type: "array", Items: binary}}, Required: []string{"file"}},
		},
	}}
}

// asForm makes a body that is a file a form with this file, so that both are read alike.
func asForm(r *http.Request, name string) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); kind == echo.MIMEMultipartForm {
		return
	}
	if name == "" {
		name = "upload"
	}
	boundary := uuid.NewString()
	disposition := mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name})
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader("--"+boundary+"\r\nContent-Disposition: "+disposition+"\r\n\r\n"), r.Body, strings.NewReader("\r\n--"+boundary+"--\r\n")), r.Body}
	r.ContentLength = -1
	r.Header.Set(echo.HeaderContentType, mime.FormatMediaType(echo.MIMEMultipartForm, map[string]string{"boundary": boundary}))
}

func (h *Handlers) importForProgram(c *echo.Context, in *importCall) (site.Job, error) {
	r := c.Request()
	asForm(r, in.Name)
	err := site.ReadUpload(c, h.Config.MaxUpload)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		err = echo.NewHTTPError(http.StatusRequestEntityTooLarge, invalid.Msg)
	}
	if err != nil {
		return site.Job{}, err
	}
	u := uploadedImport{uploadFiles: sentFiles(r.MultipartForm), campaign: site.Here(c).Campaign, byID: site.Me(c).ID,
		program: true, form: setup.ImportForm{
			Format: in.Format, LanguagePair: in.LanguagePair, LeaveOut: in.LeaveOut, LowerIsBetter: in.LowerIsBetter,
			Group: in.Group, Check: in.Check,
		}}
	r.MultipartForm = nil // or the files would be deleted with the end of the request
	roles, err := ingest.RolesOf(in.Columns)
	if err == nil {
		var fits bool
		u.table = ingest.TableOptions{Sheet: in.Sheet, Header: in.HeaderRow, Roles: roles}
		if u.form.Format, fits = transfer.ForTable(in.Format, u.table); !fits {
			err = errors.New("sheet, header-row and column are for the format table")
		}
	}
	if err != nil {
		u.forget()
		return site.Job{}, campaign.Invalid("column", err.Error())
	}
	j, err := h.Imports.start(r.Context(), &u)
	if err != nil {
		u.forget()
		return site.Job{}, err
	}
	return site.Track(h.Site, c, "import", j, func(o importOutcome) (site.Result, error) {
		return site.Result{JSON: api.ImportReportOf(o.Report, o.Form.Check)}, o.refused
	})
}

func (h *Handlers) undoForProgram(c *echo.Context, in *undoCall) (site.Job, error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	i, err := api.FindImport(ctx, h.store.Intake, of, in.Number)
	if err == nil {
		_, err = h.store.Intake.CheckUndo(ctx, of, i.ID)
	}
	if err != nil {
		return site.Job{}, err
	}
	j, err := h.Imports.undo(ctx, of, i, site.Me(c).ID)
	if err != nil {
		return site.Job{}, err
	}
	login := site.Me(c).Login
	return site.Track(h.Site, c, "undo import", j, func(o importOutcome) (site.Result, error) {
		i.Undone, i.UndoneBy = o.At, login
		return site.Result{JSON: api.ImportsOf([]readmodel.Import{i}).Imports[0]}, o.refused
	})
}
