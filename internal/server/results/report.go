package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/evaluation"
	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web"
	"annotate/web/templates/monitoring"
)

// A wantedReport is the report that an address names.
type wantedReport struct {
	campaign campaign.Campaign
	choices  evaluation.Choices
	beside   []campaign.Campaign
	others   []accounts.CampaignRole // that may stand beside
}

// wanted reads the choices of an address. To somebody who may not read a campaign, it can't
// stand beside another.
func (h *Handlers) wanted(c *echo.Context) (w wantedReport, err error) {
	return h.wantedBy(c, c.QueryParams())
}

// wantedBy reads from a query which report of the campaign of the request is meant.
func (h *Handlers) wantedBy(c *echo.Context, query url.Values) (w wantedReport, err error) {
	w.campaign = site.Here(c).Campaign
	if w.choices, err = evaluation.ParseChoices(query); err != nil {
		return w, err
	}
	if _, err = site.Leaving(c); err != nil {
		return w, err
	}
	w.choices = w.choices.For(w.campaign)
	if w.others, err = h.readable(c); err != nil {
		return w, err
	}
	w.others = slices.DeleteFunc(w.others, func(o accounts.CampaignRole) bool { return o.Campaign.ID == w.campaign.ID })
	for _, slug := range w.choices.Beside {
		i := slices.IndexFunc(w.others, func(o accounts.CampaignRole) bool { return o.Campaign.Slug == slug })
		if i < 0 {
			return w, campaign.Invalid("beside", fmt.Sprintf("there is no other campaign %q that you can read", slug))
		}
		w.beside = append(w.beside, w.others[i].Campaign)
	}
	return w, nil
}

// readable lists the campaigns whose numbers the user may see.
func (h *Handlers) readable(c *echo.Context) ([]accounts.CampaignRole, error) {
	mine, err := h.store.Accounts.CampaignsOf(c.Request().Context(), site.Me(c).ID)
	if err == nil && site.Me(c).Role == accounts.Admin {
		mine, err = h.WithAll(c, mine)
	}
	return slices.DeleteFunc(mine, func(m accounts.CampaignRole) bool { return m.Role.Blind() }), err
}

// kept is the report that is there; nil if none is.
func (h *Handlers) kept(c *echo.Context, w wantedReport) (*report.Report, error) {
	r, err := evaluation.KeptReport(c.Request().Context(), h.store, w.campaign, w.choices)
	switch {
	case errors.Is(err, campaign.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &r, nil
}

// report shows the report that is kept, or computes one where there is none.
func (h *Handlers) report(c *echo.Context) error {
	w, err := h.wanted(c)
	if err != nil {
		return err
	}
	v := monitoring.ReportView{Page: h.PageAt(c, "Report", "report"), Query: w.choices.Query()}
	v.Readable = []string{w.campaign.Slug}
	for _, o := range w.others {
		v.Readable = append(v.Readable, o.Campaign.Slug)
	}
	if v.Choices, err = h.reportChoices(c, w); err != nil {
		return err
	}
	j, err := h.Reports.Job(c.Request().Context(), w.campaign, w.beside, w.choices)
	if err != nil {
		return err
	}
	// A job keeps its report before it is over. So the page first asks whether the job is over, and then reads the report.
	busy := j != nil && !j.Over()
	if v.Report, err = h.kept(c, w); err != nil {
		return err
	}
	if v.Report == nil && j == nil {
		j = h.Reports.Start(w.campaign, w.beside, w.choices)
		select {
		case <-j.Done():
			if v.Report, err = h.kept(c, w); err != nil {
				return err
			}
		case <-time.After(h.Reports.Patience):
			busy = true
		case <-c.Request().Context().Done():
			return c.Request().Context().Err()
		}
	}
	if busy {
		v.Busy = site.ProgressOf(j)
	} else if j != nil {
		_, err := j.Result()
		v.Failed = site.Failure("The report", err)
		h.Reports.Runner.Forget(j) // a failure is shown once
	}
	if v.Report != nil {
		for _, s := range v.Report.Sections {
			v.Choices.Sections = append(v.Choices.Sections,
				monitoring.ReportSection{ID: s.ID, Title: s.Title, Only: slices.Contains(w.choices.Only, s.ID)})
		}
		shown, err := onlyOf(w, *v.Report)
		if err != nil {
			return err
		}
		v.Report = &shown
		counts := v.Report.Stamp.Campaign.Counts
		v.Large = h.Files.isLarge(counts.Ratings, counts.Translations)
		if v.Stale, err = h.stale(c, w, *v.Report); err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusOK, monitoring.Report(v))
}

// stale says in words what has changed since a report was computed; empty if
// nothing has.
func (h *Handlers) stale(c *echo.Context, w wantedReport, r report.Report) (string, error) {
	if r.Stamp.Program != evaluation.Program() {
		return "this is another version of the program, " + evaluation.Program(), nil
	}
	state, err := evaluation.ReportState(c.Request().Context(), h.store, w.campaign, w.beside)
	if err != nil || state == r.Stamp.State {
		return "", err
	}
	p, err := h.store.Desk.Standing(c.Request().Context(), w.campaign)
	if err != nil {
		return "", err
	}
	switch n := p.Ratings - r.Stamp.Campaign.Counts.Ratings; {
	case n == 1:
		return "1 more rating counts now", nil
	case n > 1:
		return fmt.Sprintf("%d more ratings count now", n), nil
	}
	if len(w.beside) > 0 {
		return "something has changed since, in this campaign or beside it", nil
	}
	return "the campaign has changed since", nil
}

func (h *Handlers) reportChoices(c *echo.Context, w wantedReport) (monitoring.ReportChoices, error) {
	named, err := h.reportNames(c, w.campaign)
	if err != nil {
		return monitoring.ReportChoices{}, err
	}
	out := monitoring.ReportChoices{
		Humans: named.Humans, References: named.References, Reference: w.choices.Reference, AllReferences: w.choices.AllReferences,
		ByGroup: w.choices.ByGroup, Intervals: w.choices.Intervals, Sensitivity: w.choices.Sensitivity,
		Human: w.choices.Human, OwnHuman: named.Default, Preset: string(w.choices.Preset),
		Significance: w.choices.Significance, Gold: w.choices.Gold,
		Prices: w.choices.Prices, About: report.SystemsCSV(w.choices.Systems), Only: w.choices.Only,
		Pseudonyms: w.choices.Pseudonyms == "yes", ByDefault: w.campaign.Settings.Pseudonyms,
	}
	for _, p := range metaeval.Presets {
		out.Presets = append(out.Presets, string(p))
	}
	for _, system := range named.Systems {
		out.Systems = append(out.Systems, monitoring.ReportSystem{Name: system, Excluded: slices.Contains(w.choices.Exclude, system),
			Reference: slices.Contains(named.References, system), Included: slices.Contains(w.choices.Include, system)})
	}
	for _, o := range w.others {
		out.Beside = append(
			out.Beside,
			monitoring.ReportBeside{
				Slug:   o.Campaign.Slug,
				Title:  cmp.Or(o.Campaign.Title, o.Campaign.Slug),
				Chosen: slices.Contains(w.choices.Beside, o.Campaign.Slug),
			},
		)
	}
	return out, nil
}

// reportNames are the names of a campaign that a report can choose from. Finding them takes a
// look at every translation, so they are kept until an import, another annotator or the
// first gold changes them.
func (h *Handlers) reportNames(c *echo.Context, of campaign.Campaign) (names evaluation.Names, err error) {
	ctx := c.Request().Context()
	state, err := h.store.Desk.ReportState(ctx, of.ID)
	if err != nil {
		return names, err
	}
	_, imports, _ := strings.Cut(state, ".")
	facts, err := h.store.Records.ExportFacts(ctx, of.ID)
	if err != nil {
		return names, err
	}
	p, err := h.store.Desk.Standing(ctx, of)
	if err != nil {
		return names, err
	}
	gold := false
	for status, n := range p.Segments {
		gold = gold || campaign.Status(status).InGold() && n > 0
	}
	key := fmt.Sprint(imports, " ", facts.Ratings > 0, gold, facts.Logins)
	if names, ok := h.Reports.names(of.ID, key); ok {
		return names, nil
	}
	source, err := evaluation.Open(ctx, h.store, of)
	if err != nil {
		return names, err
	}
	h.Reports.keepNames(of.ID, key, source.Names)
	return source.Names, nil
}

func (h *Handlers) computeReport(c *echo.Context) error {
	w, err := h.wanted(c)
	if err != nil {
		return err
	}
	h.Reports.Start(w.campaign, w.beside, w.choices)
	return site.Redirect(c, reportPath(w))
}

func reportPath(w wantedReport) string {
	p := "/campaigns/" + w.campaign.Slug + "/report"
	if query := w.choices.Query(); query != "" {
		p += "?" + query
	}
	return p
}

func (h *Handlers) reportStatus(c *echo.Context) error {
	w, err := h.wanted(c)
	if err != nil {
		return err
	}
	j, err := h.Reports.Job(c.Request().Context(), w.campaign, w.beside, w.choices)
	if err != nil {
		return err
	}
	return site.AnswerStatus(c, j)
}

// withReport answers with a part of the report that is kept. Where none is, the
// page computes it.
func (h *Handlers) withReport(answer func(c *echo.Context, w wantedReport, r report.Report) error) echo.HandlerFunc {
	return func(c *echo.Context) error {
		w, err := h.wanted(c)
		if err != nil {
			return err
		}
		r, err := h.kept(c, w)
		if err != nil {
			return err
		}
		if r == nil {
			return site.Redirect(c, reportPath(w))
		}
		return answer(c, w, *r)
	}
}

// onlyOf returns the chosen part of a report.
func onlyOf(w wantedReport, r report.Report) (report.Report, error) {
	part, unknown := r.Only(w.choices.Only)
	if len(unknown) > 0 {
		return part, campaign.Invalid("only", fmt.Sprintf("the report has no section, table or figure %s", wording.List(unknown)))
	}
	return part, nil
}

// reportFile is the chosen part of the report as one HTML file.
func (h *Handlers) reportFile(c *echo.Context, w wantedReport, r report.Report) error {
	r, err := onlyOf(w, r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := web.WriteReport(c.Request().Context(), &b, r); err != nil {
		return err
	}
	site.Attach(c, echo.MIMETextHTMLCharsetUTF8, w.campaign.Slug+".report.html")
	return c.Blob(http.StatusOK, echo.MIMETextHTMLCharsetUTF8, b.Bytes())
}

// reportTable is a table of the report as LaTeX, Markdown or CSV.
func (h *Handlers) reportTable(c *echo.Context, w wantedReport, r report.Report) error {
	id, ext, _ := strings.Cut(c.Param("file"), ".")
	tables := r.Tables()
	i := slices.IndexFunc(tables, func(t report.Table) bool { return t.ID == id })
	if i < 0 {
		return campaign.ErrNotFound
	}
	return writeTable(c, w, tables[i], ext)
}

// reportFigure is a figure of the report as SVG, PDF or PNG, or the table behind it.
func (h *Handlers) reportFigure(c *echo.Context, w wantedReport, r report.Report) error {
	id, ext, _ := strings.Cut(c.Param("file"), ".")
	figures := r.Figures()
	i := slices.IndexFunc(figures, func(f report.Figure) bool { return f.ID == id })
	if i < 0 {
		return campaign.ErrNotFound
	}
	write, contentType := report.FigureWriter(ext)
	if write == nil {
		return writeTable(c, w, figures[i].Table, ext)
	}
	var b bytes.Buffer
	if err := write(&b, figures[i]); err != nil {
		return err
	}
	site.Attach(c, contentType, w.campaign.Slug+"."+id+"."+ext)
	return c.Blob(http.StatusOK, contentType, b.Bytes())
}

func writeTable(c *echo.Context, w wantedReport, t report.Table, ext string) error {
	write, contentType := report.Writer(ext)
	if write == nil {
		return campaign.ErrNotFound
	}
	var b bytes.Buffer
	if err := write(&b, t); err != nil {
		return err
	}
	site.Attach(c, contentType, w.campaign.Slug+"."+t.ID+"."+ext)
	return c.Blob(http.StatusOK, contentType, b.Bytes())
}
