package server

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

const annotatorsPerPage = 50

// annotators shows what each annotator has done, sorted and filtered.
func (s *Server) annotators(c echo.Context) error {
	m := here(c)
	p, err := s.store.Progress(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	settings := m.campaign.Settings
	v := monitoring.AnnotatorsView{
		Page: s.pageAt(c, "Annotators", "annotators"), Clock: s.clock(settings.Location()), Version: p.Version, All: len(p.Annotators),
		Text: strings.TrimSpace(c.QueryParam("text")), Sort: c.QueryParam("sort"), Down: c.QueryParam("order") == "down",
		Quota: settings.Quota, IdleSeconds: settings.IdleSeconds, IdleDays: idleDays,
	}
	if !slices.ContainsFunc(monitoring.AnnotatorColumns, func(k monitoring.AnnotatorColumn) bool { return k.ID == v.Sort }) {
		v.Sort, v.Down = "login", false
	}
	if show := c.QueryParam("show"); slices.ContainsFunc(monitoring.ShowOptions(idleDays), func(o templates.Option) bool { return o.Value == show }) {
		v.Show = show
	}
	if v.Behind, err = s.behind(c.Request().Context(), m.campaign); err != nil {
		return err
	}
	rows := slices.DeleteFunc(annotatorRows(p.Annotators), func(a monitoring.AnnotatorRow) bool {
		return !a.Shows(v.Show, v.Clock, v.Quota, v.IdleDays) || !mentions(a, v.Text)
	})
	for _, a := range rows {
		v.Sum.Add(a)
	}
	sortAnnotators(rows, v.Sort, v.Down)
	v.Paging = templates.Paging{Number: max(1, atoi(c.QueryParam("page"))), Size: annotatorsPerPage, Total: len(rows)}
	from := min((v.Paging.Number-1)*annotatorsPerPage, len(rows))
	v.Annotators = rows[from:min(from+annotatorsPerPage, len(rows))]
	if v.Checks, err = s.store.JudgedChecks(c.Request().Context(), m.campaign); err != nil {
		return err
	}
	return s.render(c, http.StatusOK, monitoring.Annotators(v))
}

func mentions(a monitoring.AnnotatorRow, text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(strings.ToLower(a.Login), text) || strings.Contains(strings.ToLower(a.Name), text)
}

// sortAnnotators sorts by a column of the table; what is undefined comes last
// either way, and equals by login.
func sortAnnotators(rows []monitoring.AnnotatorRow, column string, down bool) {
	slices.SortStableFunc(rows, func(a, b monitoring.AnnotatorRow) int {
		if column == "login" {
			if down {
				a, b = b, a
			}
			return strings.Compare(a.Login, b.Login)
		}
		x, y := a.Figure(column), b.Figure(column)
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return cmp.Or(order(math.IsNaN(x))-order(math.IsNaN(y)), strings.Compare(a.Login, b.Login))
		case down:
			x, y = y, x
		}
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a.Login, b.Login))
	})
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// annotator shows all that is known of one annotator's work.
func (s *Server) annotator(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	p, err := s.store.Standing(ctx, m.campaign)
	if err != nil {
		return err
	}
	d, err := s.store.AnnotatorDetail(ctx, m.campaign, c.Param("login"))
	if err != nil {
		return err
	}
	v := monitoring.AnnotatorView{
		Page: s.pageAt(c, called(d.User), "annotators"), Clock: s.clock(m.campaign.Settings.Location()), Version: p.Version,
		Annotator: monitoring.AnnotatorRow(d.Annotator), Quota: m.campaign.Settings.Quota, Border: m.campaign.Settings.FlagBias * p.Deviation,
	}
	if a := d.Aside; a != nil {
		v.Aside, v.Kept = &a.SetAside, a.Known
		if a.Known {
			kept := a.Figures
			kept.Login, kept.Name, kept.Removed, kept.SetAside, kept.LastSeen = d.User.Login, d.User.Name, d.Removed, true, d.LastSeen
			v.Annotator = monitoring.AnnotatorRow(kept)
		}
	}
	v.Days, v.Last = d.Days, d.Last
	for _, w := range d.With {
		v.With = append(v.With, monitoring.AgreementWithRow{
			Login: w.User.Login, Name: w.User.Name, Shared: w.Shared, System: w.SystemLevel, Segment: w.SegmentLevel,
		})
	}
	if d.Scores.Ratings > 0 {
		d.Scores.User = d.User
		v.Scores = scoreHistograms(*v.Campaign, desk.Distributions{Buckets: d.Buckets, Annotators: []desk.AnnotatorScores{d.Scores}, All: d.All})
	}
	return s.render(c, http.StatusOK, monitoring.Annotator(v))
}

func (s *Server) askSetAside(c echo.Context) error {
	return s.showAside(c, http.StatusOK, false, "", nil)
}

func (s *Server) askRestore(c echo.Context) error {
	return s.showAside(c, http.StatusOK, true, "", nil)
}

func (s *Server) showAside(c echo.Context, status int, restore bool, reason string, wrong map[string]string) error {
	m := here(c)
	p, err := s.store.Progress(c.Request().Context(), m.campaign)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.Annotators, func(a desk.AnnotatorProgress) bool { return a.User.Login == c.Param("login") })
	if i < 0 {
		return campaign.ErrNotFound
	}
	title := "Set aside"
	if restore {
		title = "Restore"
	}
	return s.render(c, status, monitoring.Aside(monitoring.AsideView{
		Page: s.pageAt(c, title, "annotators"), Annotator: monitoring.AnnotatorRow(p.Annotators[i].Annotator), Redundancy: m.campaign.Settings.Redundancy,
		Restore: restore, Reason: reason, Errors: wrong,
	}))
}

func (s *Server) setAside(c echo.Context) error {
	m, reason := here(c), trimmed(c, "reason")
	err := s.store.SetAside(c.Request().Context(), m.campaign.ID, c.Param("login"), reason, me(c).ID)
	return s.asideDone(c, err, false, reason, "The work is set aside; it counts nowhere until it is restored.")
}

// restore takes setAside back.
func (s *Server) restore(c echo.Context) error {
	m, reason := here(c), trimmed(c, "reason")
	err := s.store.RestoreAnnotator(c.Request().Context(), m.campaign.ID, c.Param("login"), reason, me(c).ID)
	return s.asideDone(c, err, true, reason, "The work is restored and counts again.")
}

// asideDone answers an act: with the form again where the reason is wrong.
func (s *Server) asideDone(c echo.Context, err error, restore bool, reason, said string) error {
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showAside(c, http.StatusUnprocessableEntity, restore, reason, map[string]string{invalid.Field: invalid.Msg})
	}
	if err != nil {
		return err
	}
	return s.done(c, said, templates.Campaign{Slug: here(c).campaign.Slug}.AnnotatorPath(c.Param("login")))
}
