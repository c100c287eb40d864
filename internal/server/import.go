package server

import (
	"context"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/format"
	"annotate/internal/records"
	"annotate/internal/transfer"
	"annotate/internal/wire"
	"annotate/web/templates/setup"
)

// showImport shows how far an import is, what came of the latest one, and the form for
// the next.
func (s *Server) showImport(c echo.Context) error {
	of := here(c).campaign
	busy, err := s.importUnderWay(c)
	if err != nil {
		return err
	}
	if busy != nil {
		return s.renderImport(c, http.StatusOK, setup.ImportView{Busy: busy})
	}
	if j := s.imports.runner.Find(undoKey(of.ID)); j != nil {
		s.imports.runner.Forget(j) // the page shows its result once
		return s.undoEnded(c, j)
	}
	j := s.imports.runner.Find(of.ID)
	if j == nil {
		interrupted, err := s.interrupted(c, of)
		if err != nil {
			return err
		}
		return s.renderImport(c, http.StatusOK, setup.ImportView{Interrupted: interrupted, Form: s.keptForm(c)})
	}
	return s.importEnded(c, j, true)
}

// undoEnded shows the result of an undo that went on in the background.
func (s *Server) undoEnded(c echo.Context, j *importJob) error {
	outcome, err := j.Result()
	v := setup.ImportView{Ended: outcome.files}
	switch {
	case err != nil:
		v.Errors = map[string]string{"": "The import could not be undone: " + importFailure(err)}
	case outcome.refused != nil:
		v.Errors = map[string]string{"": inWords(outcome.refused)}
	default:
		v.Undone = outcome.files
		v.Ended = ""
	}
	return s.renderImport(c, http.StatusOK, v)
}

// importUnderWay says how far an import into the campaign is, be it one of this server or
// one of another program whose ratings are being placed; nil if there is none. Where that
// program was killed this server goes on with it.
func (s *Server) importUnderWay(c echo.Context) (*wire.Job, error) {
	of := here(c).campaign
	for _, key := range []string{of.ID, undoKey(of.ID)} {
		if j := s.imports.runner.Find(key); j != nil && !j.Over() {
			return progressOf(j), nil
		}
	}
	err := s.store.Completing(c.Request().Context(), of.ID)
	completing, ok := errors.AsType[*records.CompletingError](err)
	if !ok {
		return nil, err
	}
	if completing.Settings {
		return nil, nil
	}
	s.settle(of)
	if completing.Undoing {
		return &wire.Job{Busy: true, Words: fmt.Sprintf("%.0f %% of the ratings of an import are taken back", 100*completing.Share), Share: completing.Share}, nil
	}
	return &wire.Job{Busy: true, Words: fmt.Sprintf("everything is read, and %.0f %% of the ratings count", 100*completing.Share), Share: completing.Share}, nil
}

// interrupted tells of an import that a server did not end; empty if there is none.
func (s *Server) interrupted(c echo.Context, of campaign.Campaign) (string, error) {
	mark, err := s.store.MarkedImport(c.Request().Context(), of.ID)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return "", nil
	case err != nil:
		return "", err
	case s.cfg.Now().Sub(mark.BeganAt) > interruptedKept:
		return "", nil
	case mark.Stored:
		return "The server was stopped just after an import was finished, that of " + mark.Files + " perhaps. The audit log says which.", nil
	}
	return "The server was stopped while " + mark.Files + " was imported. Nothing of it was stored. Import it again.", nil
}

// importEnded answers with what came of an import that is over.
func (s *Server) importEnded(c echo.Context, j *importJob, later bool) error {
	outcome, err := j.Result()
	v := setup.ImportView{Form: outcome.form, Files: outcome.files}
	if later {
		v.Ended = outcome.files
	}
	if err != nil {
		if !later {
			return err
		}
		s.imports.runner.Forget(j) // a failure is shown once
		v.Errors = map[string]string{"": importFailure(err)}
		return s.renderImport(c, http.StatusOK, v)
	}
	status := http.StatusOK
	if problems, ok := errors.AsType[*campaign.Problems](outcome.refused); ok {
		v.Problems, status = problems, http.StatusUnprocessableEntity
	} else if invalid, ok := errors.AsType[*campaign.InvalidError](outcome.refused); ok {
		v.Errors, status = map[string]string{strings.ReplaceAll(invalid.Field, " ", "_"): invalid.Msg}, http.StatusUnprocessableEntity
	} else if outcome.refused != nil {
		v.Errors, status = map[string]string{"": inWords(outcome.refused)}, http.StatusConflict
	} else {
		v.Report = &outcome.report
		if err := s.reload(c); err != nil { // the first import may have named the languages
			return err
		}
	}
	if later {
		status = http.StatusOK // it is the upload that was refused, not this request
	}
	return s.renderImport(c, status, v)
}

// importFailure says in words why an import failed that nobody waited for.
func importFailure(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "The import was stopped with the server. Nothing of it was stored."
	case errors.Is(err, campaign.ErrBusy), errors.Is(err, database.ErrDiskFull):
		return words(err, http.StatusServiceUnavailable)
	}
	return "The import failed: something went wrong on the server, and is in its log. Nothing of it was stored."
}

func (s *Server) importStatus(c echo.Context) error {
	busy, err := s.importUnderWay(c)
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
func (s *Server) keptForm(c echo.Context) setup.ImportForm {
	id := c.QueryParam("upload")
	u, ok := s.uploads.find(id, here(c).campaign.ID, me(c).ID)
	if !ok {
		return setup.ImportForm{}
	}
	u.form.Upload = id
	return u.form
}

// renderImport shows the page of imports. If the form names files that are kept, it offers the
// formats that these can have.
func (s *Server) renderImport(c echo.Context, status int, v setup.ImportView) error {
	if u, ok := s.uploads.find(v.Form.Upload, here(c).campaign.ID, me(c).ID); ok {
		v.Kept = u.names()
		var err error
		if v.Fits, err = u.fits(); err != nil {
			return err
		}
	} else {
		v.Form.Upload = ""
	}
	v.Page = s.pageAt(c, "Import", "import")
	v.MaxBytes = s.cfg.MaxUpload
	v.Protocol = here(c).campaign.Rules
	v.Clock = s.clock(here(c).campaign.Settings.Location())
	if v.Busy == nil {
		var err error
		if v.Imports, err = s.store.Imports(c.Request().Context(), here(c).campaign.ID); err != nil {
			return err
		}
	}
	return s.render(c, status, setup.Import(v))
}

// uploadMemory is how much of an upload is kept in memory; the rest is spooled
// to temporary files, so that the store reads at the speed of the disk and not
// of the visitor's connection.
const uploadMemory = 1 << 20

// importFile takes uploaded files into the campaign, all or nothing, or lists
// everything that is wrong with them. An import that takes long goes on in the
// background, and the answer leads to the page that follows it.
func (s *Server) importFile(c echo.Context) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, s.cfg.MaxUpload)
	if err := r.ParseMultipartForm(uploadMemory); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		return echo.NewHTTPError(http.StatusBadRequest, "The upload could not be read. Choose the file again and send it once more.")
	}
	u := uploadedImport{campaign: here(c).campaign, byID: me(c).ID, upload: r.MultipartForm, form: setup.ImportForm{
		Format: c.FormValue("format"), LanguagePair: trimmed(c, "language_pair"), LeaveOut: r.MultipartForm.Value["leave_out"], LowerIsBetter: c.FormValue("lower_is_better") != "", Group: trimmed(c, "group"), Check: c.FormValue("check") != "",
	}}
	r.MultipartForm = nil // or the files would be deleted with the end of the request
	if id := u.value("upload"); id != "" && u.names() == "" {
		kept, ok := s.uploads.take(id, u.campaign.ID, u.byID)
		if !ok {
			return s.renderImport(c, http.StatusNotFound, setup.ImportView{Form: u.form, Errors: map[string]string{"file": uploadGone}})
		}
		_ = u.upload.RemoveAll()
		u.upload, u.table = kept.upload, kept.table
	} else if id != "" {
		s.uploads.drop(id, u.campaign.ID, u.byID)
	}
	if u.names() == "" {
		return s.startImport(c, u)
	}
	fits, err := u.fits()
	if err != nil {
		_ = u.upload.RemoveAll()
		return err
	}
	if slices.Contains(format.Segments(), u.form.Format) && slices.Contains(fits, format.Table) && !slices.Contains(fits, u.form.Format) {
		u.form.Format = format.Table
	}
	if u.form.Format == format.Table {
		return s.askColumns(c, u)
	}
	return s.startImport(c, u)
}

// askColumns keeps a table, and leads to the page that asks what its columns hold. A file that is no
// table is refused.
func (s *Server) askColumns(c echo.Context, u uploadedImport) error {
	look, problems, err := s.lookAtTable(c, u)
	if err != nil {
		_ = u.upload.RemoveAll()
		return err
	}
	id := s.uploads.keep(u)
	if look == nil {
		problems.Summary = ""
		u.form.Upload = id
		return s.renderImport(c, http.StatusUnprocessableEntity, setup.ImportView{Form: u.form, Problems: problems})
	}
	return redirect(c, importTablePath(u.campaign, id))
}

// startImport begins an import, and answers with its end or, if that takes long, with the page
// that follows it.
func (s *Server) startImport(c echo.Context, u uploadedImport) error {
	r := c.Request()
	j, err := s.imports.start(r.Context(), &u)
	if errors.Is(err, errImporting) {
		return s.renderImport(c, http.StatusConflict, setup.ImportView{Form: u.form, Errors: map[string]string{"": inWords(err)}})
	}
	if err != nil {
		return err
	}
	select {
	case <-j.Done():
		err := s.importEnded(c, j, false)
		s.imports.runner.Forget(j)
		return err
	case <-time.After(s.imports.patience):
		return redirect(c, "/campaigns/"+u.campaign.Slug+"/import")
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// open opens uploads; done closes them again.
func open(headers []*multipart.FileHeader) (files []transfer.File, done func(), err error) {
	var opened []multipart.File
	done = func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for _, h := range headers {
		if h.Filename == "" {
			continue
		}
		f, err := h.Open()
		if err != nil {
			done()
			return nil, nil, err
		}
		opened = append(opened, f)
		files = append(files, transfer.File{Name: h.Filename, Reader: f})
	}
	return files, done, nil
}

func (s *Server) reload(c echo.Context) error {
	m := here(c)
	fresh, err := s.store.Campaign(c.Request().Context(), m.campaign.Slug)
	if err != nil {
		return err
	}
	m.campaign, m.work = fresh, fresh
	c.Set(membershipKey, m)
	return nil
}

func (s *Server) exports(c echo.Context) error {
	m, err := leaving(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	p, err := s.store.Standing(ctx, m.campaign)
	if err != nil {
		return err
	}
	scored, err := s.store.HumanScored(ctx, m.campaign.ID, campaign.HumanMENT)
	if err != nil {
		return err
	}
	metrics, err := s.store.Metrics(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	suggested, err := s.store.Suggested(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	judges, err := s.store.CountJudges(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	checks, err := s.store.CountChecks(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, setup.Export(setup.ExportView{
		Page: s.pageAt(c, "Export", "export"), Segments: p.Segments.Total(), InGold: p.Segments.InGold(), Systems: len(p.Systems),
		Large:   s.files.isLarge(p.Ratings, p.Segments.Total()*len(p.Systems)),
		Ratings: p.Ratings, HumanScores: scored, Metrics: len(metrics), Judges: judges, Checks: checks, Suggested: suggested, Licence: m.campaign.Settings.Licence, Protocol: m.campaign.Rules,
		Pseudonyms: m.campaign.Settings.Pseudonyms, ByDefault: here(c).campaign.Settings.Pseudonyms,
		NoLanguages: m.campaign.LanguagePair() == "",
	}))
}
