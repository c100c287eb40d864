package server

import (
	"errors"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/internal/transfer"
	"annotate/web/templates"
)

func (s *Server) showImport(c echo.Context) error {
	return s.renderImport(c, http.StatusOK, templates.ImportView{})
}

func (s *Server) renderImport(c echo.Context, status int, v templates.ImportView) error {
	v.Page = s.pageAt(c, "Import", "import")
	v.MaxBytes = s.cfg.MaxUpload
	v.Formats, v.Protocol = transfer.ImportFormats(), here(c).campaign.Rules
	return s.render(c, status, templates.Import(v))
}

// uploadMemory is how much of an upload is kept in memory; the rest is spooled
// to temporary files, so that the store reads at the speed of the disk and not
// of the visitor's connection.
const uploadMemory = 1 << 20

// importFile takes uploaded files into the campaign, all or nothing, or lists
// everything that is wrong with them.
func (s *Server) importFile(c echo.Context) error {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, s.cfg.MaxUpload)
	if err := r.ParseMultipartForm(uploadMemory); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return err
		}
		return echo.NewHTTPError(http.StatusBadRequest, "The upload could not be read. Choose the file again and send it once more.")
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	v := templates.ImportView{Form: templates.ImportForm{
		Format: c.FormValue("format"), LanguagePair: trimmed(c, "language_pair"), LeaveOut: r.MultipartForm.Value["leave_out"], LowerIsBetter: c.FormValue("lower_is_better") != "", Group: trimmed(c, "group"), Check: c.FormValue("check") != "",
	}}
	files, done, err := open(r.MultipartForm.File["file"])
	if err != nil {
		return err
	}
	defer done()
	report, err := transfer.Import(r.Context(), s.store, here(c).campaign, transfer.Request{
		Format: v.Form.Format, LanguagePair: v.Form.LanguagePair, LeaveOut: v.Form.LeaveOut, LowerIsBetter: v.Form.LowerIsBetter, Group: v.Form.Group, Files: files, ByID: me(c).ID, Check: v.Form.Check,
	})
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		v.Problems = problems
		return s.renderImport(c, http.StatusUnprocessableEntity, v)
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		field := invalid.Field
		field = strings.ReplaceAll(field, " ", "_")
		v.Errors = map[string]string{field: invalid.Msg}
		return s.renderImport(c, http.StatusUnprocessableEntity, v)
	}
	if errors.Is(err, campaign.ErrConflict) {
		v.Errors = map[string]string{"": inWords(err)}
		return s.renderImport(c, http.StatusConflict, v)
	}
	if err != nil {
		return err
	}
	if !v.Form.Check {
		if err := s.reload(c); err != nil { // the first import may have named the languages
			return err
		}
	}
	v.Report = reportView(report, v.Form.Check)
	return s.renderImport(c, http.StatusOK, v)
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

// reload reads the campaign of the address again.
func (s *Server) reload(c echo.Context) error {
	m := here(c)
	fresh, err := s.store.Campaign(c.Request().Context(), m.campaign.Slug)
	if err != nil {
		return err
	}
	c.Set(membershipKey, membership{fresh, m.role, m.adjudicates})
	return nil
}

func reportView(r store.ImportReport, checked bool) *templates.ImportReport {
	return &templates.ImportReport{
		Checked: checked, Segments: r.Segments, Translations: r.Translations, References: r.References, HumanScores: r.HumanScores,
		Ratings: r.Ratings, Systems: r.Systems, NewAnnotators: r.NewAnnotators, Decided: templates.Counts(r.Decided),
		Known: r.Known, MetricScores: r.MetricScores, Suggestions: r.Suggestions, SuggestedTo: r.SuggestedTo, Replaced: r.Replaced, Metrics: r.Metrics, OwnSeverities: r.OwnSeverities, OwnCategories: r.OwnCategories, Notes: r.Notes,
	}
}

// exports offers the campaign's data as files.
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
	return s.render(c, http.StatusOK, templates.Export(templates.ExportView{
		Page: s.pageAt(c, "Export", "export"), Segments: p.Segments.Total(), InGold: p.Segments.InGold(), Systems: len(p.Systems),
		Large:   s.files.isLarge(p.Ratings, p.Segments.Total()*len(p.Systems)),
		Ratings: p.Ratings, HumanScores: scored, Metrics: len(metrics), Suggested: suggested, Licence: m.campaign.Settings.Licence, Formats: transfer.ExportFormats(m.campaign),
		Pseudonyms: m.campaign.Settings.Pseudonyms, ByDefault: here(c).campaign.Settings.Pseudonyms,
		NoLanguages: m.campaign.LanguagePair() == "",
	}))
}
