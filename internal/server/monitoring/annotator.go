package monitoring

import (
	"cmp"
	"encoding/csv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

const annotatorsPerPage = 50

// annotators shows what each annotator has done, sorted and filtered.
func (h *Handlers) annotators(c *echo.Context) error {
	m := site.Here(c)
	p, err := h.desk.Progress(c.Request().Context(), m.Campaign)
	if err != nil {
		return err
	}
	p = campaign.Hidden(m.People, p)
	settings := m.Campaign.Settings
	v := monitoring.AnnotatorsView{
		Page: h.PageAt(c, "Annotators", "annotators"), Version: p.Version, All: len(p.Annotators),
		Text: strings.TrimSpace(c.QueryParam("text")), Sort: c.QueryParam("sort"), Down: c.QueryParam("order") == "down",
		Quota: settings.Quota, IdleSeconds: settings.IdleSeconds, IdleDays: idleDays,
	}
	if _, ok := monitoring.Column(v.Sort); !ok {
		v.Sort, v.Down = "login", false
	}
	if show := c.QueryParam("show"); slices.ContainsFunc(monitoring.ShowOptions(idleDays),
		func(o templates.Option) bool { return o.Value == show }) {
		v.Show = show
	}
	if v.Behind, err = h.behind(c.Request().Context(), m.Campaign, m.People); err != nil {
		return err
	}
	rows := slices.DeleteFunc(annotatorRows(p.Annotators), func(a monitoring.AnnotatorRow) bool {
		return !a.Shows(v.Show, v.Clock, v.Quota, v.IdleDays) || !mentions(a, v.Text)
	})
	for _, a := range rows {
		v.Sum.Add(a)
	}
	sortAnnotators(rows, v.Sort, v.Down)
	v.Paging = site.Paging(c, annotatorsPerPage, len(rows))
	from := min((v.Paging.Number-1)*annotatorsPerPage, len(rows))
	v.Annotators = rows[from:min(from+annotatorsPerPage, len(rows))]
	if v.Checks, err = h.desk.JudgedChecks(c.Request().Context(), m.Campaign); err != nil {
		return err
	}
	v.Checks = campaign.Hidden(m.People, v.Checks)
	return h.Render(c, http.StatusOK, monitoring.Annotators(v))
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
		switch last := strings.Compare(a.Login, b.Login); {
		case math.IsNaN(x) && math.IsNaN(y):
			return last
		case math.IsNaN(x):
			return 1
		case math.IsNaN(y):
			return -1
		case down:
			return cmp.Or(cmp.Compare(y, x), last)
		default:
			return cmp.Or(cmp.Compare(x, y), last)
		}
	})
}

// annotator shows all that is known of one annotator's work.
func (h *Handlers) annotator(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	p, err := h.desk.Standing(ctx, m.Campaign)
	if err != nil {
		return err
	}
	d, err := h.desk.AnnotatorDetail(ctx, m.Campaign, m.People.Person(c.Param("login")))
	if err != nil {
		return err
	}
	d = campaign.Hidden(m.People, d)
	v := monitoring.AnnotatorView{
		Page: h.PageAt(c, called(d.User), "annotators"), Version: p.Version,
		Annotator: monitoring.AnnotatorRow(d.Annotator), Quota: m.Campaign.Settings.Quota, Border: m.Campaign.Settings.FlagBias * p.Deviation,
		Nominal: m.Campaign.Settings.Nominal,
	}
	if a := d.Aside; a != nil {
		v.Aside, v.Kept = &a.SetAside, a.Known
		if a.Known {
			kept := a.Figures
			kept.Login, kept.Name, kept.Removed, kept.Disabled, kept.SetAside, kept.LastSeen = d.User.Login, d.User.Name, d.Removed, d.Disabled, true, d.LastSeen
			v.Annotator = monitoring.AnnotatorRow(kept)
		}
	}
	v.Days, v.Fates, v.Last = d.Days, d.Fates, d.Last
	for _, w := range d.With {
		v.With = append(v.With, monitoring.AgreementWithRow{
			Login: w.User.Login, Name: w.User.Name, Shared: w.Shared, System: w.SystemLevel, Segment: w.SegmentLevel,
		})
	}
	if d.Scores.Ratings > 0 {
		d.Scores.User = d.User
		v.Scores = scoreHistograms(*v.Campaign, desk.Distributions{Buckets: d.Buckets, Annotators: []desk.AnnotatorScores{d.Scores}, All: d.All})
	}
	return h.Render(c, http.StatusOK, monitoring.Annotator(v))
}

func (h *Handlers) askSetAside(c *echo.Context) error {
	return h.showAside(c, http.StatusOK, false, "", nil)
}

func (h *Handlers) askRestore(c *echo.Context) error {
	return h.showAside(c, http.StatusOK, true, "", nil)
}

func (h *Handlers) showAside(c *echo.Context, status int, restore bool, reason string, wrong map[string]string) error {
	m := site.Here(c)
	p, err := h.desk.Progress(c.Request().Context(), m.Campaign)
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
	return h.Render(c, status, monitoring.Aside(monitoring.AsideView{
		Page: h.PageAt(c, title, "annotators"), Annotator: monitoring.AnnotatorRow(p.Annotators[i].Annotator),
		Redundancy: m.Campaign.Settings.Redundancy,
		Restore:    restore, Reason: reason, Errors: wrong,
	}))
}

func (h *Handlers) setAside(c *echo.Context) error {
	m, reason := site.Here(c), site.Trimmed(c, "reason")
	err := h.desk.SetAside(c.Request().Context(), m.Campaign.ID, c.Param("login"), reason, site.Me(c).ID)
	return h.asideDone(c, err, false, reason, "The work is set aside; it counts nowhere until it is restored.")
}

// restore takes setAside back.
func (h *Handlers) restore(c *echo.Context) error {
	m, reason := site.Here(c), site.Trimmed(c, "reason")
	err := h.desk.RestoreAnnotator(c.Request().Context(), m.Campaign.ID, c.Param("login"), reason, site.Me(c).ID)
	return h.asideDone(c, err, true, reason, "The work is restored and counts again.")
}

// asideDone answers an act: with the form again where the reason is wrong.
func (h *Handlers) asideDone(c *echo.Context, err error, restore bool, reason, said string) error {
	if wrong := site.Wrong(err); wrong != nil {
		return h.showAside(c, http.StatusUnprocessableEntity, restore, reason, wrong)
	}
	if err != nil {
		return err
	}
	return h.Done(c, said, templates.Campaign{Slug: site.Here(c).Campaign.Slug}.AnnotatorPath(c.Param("login")))
}

// hours gives each annotator's active time by day, for pay and planning.
func (h *Handlers) hours(c *echo.Context) error {
	m := site.Here(c)
	days, err := h.desk.WorkDays(c.Request().Context(), m.Campaign)
	if err != nil {
		return err
	}
	days = campaign.Hidden(m.People, days) // leads pay, and see the names
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"annotator", "name", "day", "submissions", "ratings", "hours"}) // a strings.Builder takes everything
	for _, d := range days {
		_ = w.Write(
			[]string{
				d.Login,
				spreadsheet.Escape(d.Name),
				d.Day,
				strconv.Itoa(d.Segments),
				strconv.Itoa(d.Ratings),
				strconv.FormatFloat(d.Seconds/3600, 'f', 4, 64),
			},
		)
	}
	w.Flush()
	site.Attach(c, site.CSVType, m.Campaign.Slug+".hours.csv")
	return c.String(http.StatusOK, b.String())
}
