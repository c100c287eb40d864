package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/format"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

// showImport shows how far an import is, what came of the latest one, and the form for
// the next.
func (h *Handlers) showImport(c *echo.Context) error {
	of := site.Here(c).Campaign
	busy, err := h.importUnderWay(c)
	if err != nil {
		return err
	}
	if busy != nil {
		return h.renderImport(c, http.StatusOK, setup.ImportView{Busy: busy})
	}
	mark, err := h.store.Intake.MarkedImport(c.Request().Context(), of.ID)
	if err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	age := h.Config.Now().Sub(mark.BeganAt)
	if mark.Outcome == "" || age > outcomeKept {
		v := setup.ImportView{Form: h.keptForm(c)}
		if err == nil && mark.Outcome == "" && age <= interruptedKept {
			v.Interrupted = interrupted(mark.Files, mark.Stored)
		}
		return h.renderImport(c, http.StatusOK, v)
	}
	var outcome importOutcome
	if err := json.Unmarshal([]byte(mark.Outcome), &outcome); err != nil {
		return err
	}
	if outcome.Failed != "" || outcome.Undoing { // the page says so once
		if err := h.store.Intake.UnmarkImport(c.Request().Context(), of.ID); err != nil {
			return err
		}
	}
	return h.importEnded(c, outcome, true)
}

// importUnderWay says how far an import into the campaign is, be it one of this server, of another server, or
// one of another program whose ratings are being placed; nil if there is none. Where that
// program was killed this server goes on with it.
func (h *Handlers) importUnderWay(c *echo.Context) (*wire.Job, error) {
	of := site.Here(c).Campaign
	for _, key := range []string{of.ID, undoKey(of.ID)} {
		if j := h.Imports.Runner.Find(key); j != nil && !j.Over() {
			return site.ProgressOf(j), nil
		}
		lease, err := h.store.Jobs.Elsewhere(c.Request().Context(), importKind, key)
		if err != nil {
			return nil, err
		}
		if lease != nil {
			return &wire.Job{Busy: true, Words: lease.Words, Share: lease.Share}, nil
		}
	}
	err := h.store.Intake.Completing(c.Request().Context(), of.ID)
	completing, ok := errors.AsType[*records.CompletingError](err)
	if !ok {
		return nil, err
	}
	if completing.Settings {
		return nil, nil
	}
	h.Settle(of)
	if completing.Undoing {
		return &wire.Job{
			Busy:  true,
			Words: fmt.Sprintf("%.0f %% of the ratings of an import are taken back", 100*completing.Share),
			Share: completing.Share,
		}, nil
	}
	return &wire.Job{Busy: true, Words: fmt.Sprintf("everything is read, and %.0f %% of the ratings count", 100*completing.Share), Share: completing.Share}, nil
}

// interrupted tells of an import of files that a server did not end. stored says that an import was finished since it began.
func interrupted(files string, stored bool) string {
	if stored {
		return "The server was stopped just after an import was finished, that of " + wording.Files(files) + " perhaps. The audit log says which."
	}
	return "The server was stopped while " + wording.Files(files) + " was imported. Nothing of it was stored. Import it again."
}

// importEnded answers with what came of an import that is over. later says that nobody waited for it.
func (h *Handlers) importEnded(c *echo.Context, o importOutcome, later bool) error {
	v := setup.ImportView{Form: o.Form, Files: o.Files}
	if later {
		v.Ended = o.Files
	}
	status, no := http.StatusOK, o.Refusal
	switch {
	case o.Failed != "":
		v.Errors = map[string]string{"": o.Failed}
	case no != nil && no.Problems != nil:
		v.Problems, status = no.Problems, http.StatusUnprocessableEntity
	case no != nil && no.Invalid != nil:
		v.Errors, status = map[string]string{strings.ReplaceAll(no.Invalid.Field, " ", "_"): no.Invalid.Msg}, http.StatusUnprocessableEntity
	case no != nil:
		v.Errors, status = map[string]string{"": no.Conflict}, http.StatusConflict
	case o.Undoing:
		v.Undone, v.Ended = o.Files, ""
	default:
		v.Report = &o.Report
		if err := h.Reload(c); err != nil { // the first import may have named the languages
			return err
		}
	}
	if later {
		status = http.StatusOK // it is the upload that was refused, not this request
	}
	return h.renderImport(c, status, v)
}

// importFailure says in words why an import failed that nobody waited for.
func importFailure(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "The import was stopped with the server. Nothing of it was stored."
	case errors.Is(err, campaign.ErrBusy), errors.Is(err, database.ErrDiskFull):
		return site.Words(err, http.StatusServiceUnavailable)
	}
	return "The import failed: something went wrong on the server, and is in its log. Nothing of it was stored."
}

func (h *Handlers) importStatus(c *echo.Context) error {
	busy, err := h.importUnderWay(c)
	if err != nil {
		return err
	}
	if busy == nil {
		busy = &wire.Job{}
	}
	return c.JSON(http.StatusOK, busy)
}

// keptForm is the form of an import with the files of the upload that the address names. Without such
// an upload it is empty.
func (h *Handlers) keptForm(c *echo.Context) setup.ImportForm {
	id := c.QueryParam("upload")
	u, ok := h.uploads.find(id, site.Here(c).Campaign, site.Me(c).ID)
	if !ok {
		return setup.ImportForm{}
	}
	u.form.Upload = id
	return u.form
}

// renderImport shows the page of imports. If the form names files that are kept, it offers the
// formats that these can have.
func (h *Handlers) renderImport(c *echo.Context, status int, v setup.ImportView) error {
	if u, ok := h.uploads.find(v.Form.Upload, site.Here(c).Campaign, site.Me(c).ID); ok {
		v.Kept = u.names()
		var err error
		if v.Fits, _, err = u.fits(); err != nil {
			return err
		}
		if u.table.Columns != nil && slices.Contains(v.Fits, format.Table) {
			v.Columns = importTablePath(u.campaign, v.Form.Upload)
		}
	} else {
		v.Form.Upload = ""
	}
	v.Page = h.PageAt(c, "Import", "import")
	v.MaxBytes = h.Config.MaxUpload
	v.Protocol = site.Here(c).Campaign.Rules
	if v.Busy == nil {
		if err := h.addFollowing(c, &v); err != nil {
			return err
		}
		var err error
		if v.Imports, err = h.store.Intake.Imports(c.Request().Context(), site.Here(c).Campaign.ID); err != nil {
			return err
		}
	}
	return h.Render(c, status, setup.Import(v))
}

// importFile takes uploaded files into the campaign, all or nothing, or lists
// everything that is wrong with them. An import that takes long goes on in the
// background, and the answer leads to the page that follows it.
func (h *Handlers) importFile(c *echo.Context) error {
	r := c.Request()
	err := site.ReadUpload(c, h.Config.MaxUpload)
	if wrong := site.Wrong(err); wrong != nil {
		return h.renderImport(c, http.StatusRequestEntityTooLarge, setup.ImportView{Errors: wrong})
	}
	if err != nil {
		return err
	}
	u := uploadedImport{uploadFiles: sentFiles(r.MultipartForm), campaign: site.Here(c).Campaign, byID: site.Me(c).ID, form: setup.ImportForm{
		Format: c.FormValue(
			"format",
		), LanguagePair: site.Trimmed(c, "language_pair"), LeaveOut: r.MultipartForm.Value["leave_out"], LowerIsBetter: c.FormValue("lower_is_better") != "", Group: site.Trimmed(c, "group"), Check: c.FormValue("check") != "",
	}}
	r.MultipartForm = nil // or the files would be deleted with the end of the request
	if id := c.FormValue("upload"); id != "" && u.names() == "" {
		kept, ok := h.uploads.take(id, u.campaign, u.byID)
		if !ok {
			return h.renderImport(c, http.StatusNotFound, setup.ImportView{Form: u.form, Errors: map[string]string{"file": uploadGone}})
		}
		u.forget()
		u.uploadFiles, u.table = kept.uploadFiles, kept.table
	} else if id != "" {
		h.uploads.drop(id, u.campaign, u.byID)
	}
	if u.names() == "" {
		return h.startImport(c, u)
	}
	fits, recognised, err := u.fits()
	if err != nil {
		u.forget()
		return err
	}
	if u.form.Format == "" {
		u.form.Format, u.recognised = recognised, true
	}
	if slices.Contains(format.Segments(), u.form.Format) && slices.Contains(fits, format.Table) && !slices.Contains(fits, u.form.Format) {
		u.form.Format = format.Table
	}
	if u.form.Format == format.Table && (c.FormValue("checked") == "" || u.table.Columns == nil) {
		return h.askColumns(c, u)
	}
	return h.startImport(c, u)
}

// askColumns keeps a table, and leads to the page that asks what its columns hold. A file that is no
// table is refused.
func (h *Handlers) askColumns(c *echo.Context, u uploadedImport) error {
	look, problems, err := h.lookAtTable(c, u)
	if err != nil {
		u.forget()
		return err
	}
	id, err := h.uploads.keep(u)
	if err != nil {
		return err
	}
	if look == nil {
		problems.Summary = ""
		u.form.Upload = id
		return h.renderImport(c, http.StatusUnprocessableEntity, setup.ImportView{Form: u.form, Problems: problems})
	}
	return site.Redirect(c, importTablePath(u.campaign, id))
}

// startImport begins an import, and answers with its end or, if that takes long, with the page
// that follows it.
func (h *Handlers) startImport(c *echo.Context, u uploadedImport) error {
	j, err := h.Imports.start(c.Request().Context(), &u)
	if errors.Is(err, errImporting) {
		return h.renderImport(c, http.StatusConflict, setup.ImportView{Form: u.form, Errors: map[string]string{"": site.InWords(err)}})
	}
	if err != nil {
		return err
	}
	return h.awaitImport(c, j)
}

// awaitImport answers with the end of an import or, if it takes long, with the page that follows it.
func (h *Handlers) awaitImport(c *echo.Context, j *importJob) error {
	ctx := c.Request().Context()
	select {
	case <-j.Done():
		h.Imports.Runner.Forget(j)
		outcome, err := j.Result()
		if err := errors.Join(err, h.store.Intake.UnmarkImport(ctx, site.Here(c).Campaign.ID)); err != nil {
			return err
		}
		return h.importEnded(c, outcome, false)
	case <-time.After(h.Imports.Patience):
		return site.Redirect(c, "/campaigns/"+site.Here(c).Campaign.Slug+"/import")
	case <-ctx.Done():
		return ctx.Err()
	}
}
