package monitoring

import (
	"encoding/csv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// inGold reports whether a page of agreement is limited to segments in gold.
func inGold(c *echo.Context) bool { return c.QueryParam("gold") == "yes" }

// agreement shows both heatmaps, with separate rows and columns for judges, and why segments failed.
func (h *Handlers) agreement(c *echo.Context) error {
	m, ctx, gold := site.Here(c), c.Request().Context(), inGold(c)
	p, err := h.desk.Standing(ctx, m.Campaign)
	if err != nil {
		return err
	}
	matrices, err := h.desk.Matrices(ctx, m.Campaign, gold)
	if err != nil {
		return err
	}
	matrices = campaign.Hidden(m.People, matrices)
	v := monitoring.AgreementView{
		Page: h.PageAt(c, "Agreement", "agreement"), Gold: gold, Gate: gateSummary(m.Campaign, p),
	}
	v.Matrices = matricesView(*v.Campaign, matrices, v.Gate.Settings.Nominal, gold)
	judges, earlier, err := h.Judged.soon(ctx, m.Campaign, gold)
	if err != nil {
		return err
	}
	if earlier {
		v.JudgesAsOf = judges.at
		v.Gate.Version = 0 // so that the open page sees a new version in a moment and updates itself
	}
	if v.Judges, err = h.records.JudgesAbout(ctx, m.Campaign.ID); err != nil {
		return err
	}
	addJudges(&v.Matrices, *v.Campaign, matrices, judges.JudgeAgreement, m.People)
	if v.Matrices.Wide() {
		v.Matrices.System = v.Matrices.System.WithoutLinks() // those of the other heatmap lead to the same pages
		v.Matrices.System.What += " The cells of the table above lead to the segments of a pair."
	}
	return h.Render(c, http.StatusOK, monitoring.Agreement(v))
}

// comparable leaves out annotators who share a segment with nobody.
func comparable(m desk.Matrices) desk.Matrices {
	shares := map[string]bool{}
	for _, c := range m.SegmentLevel {
		if c.Shared > 0 {
			shares[c.A], shares[c.B] = true, true
		}
	}
	m.Annotators = slices.DeleteFunc(slices.Clone(m.Annotators), func(u accounts.User) bool { return !shares[u.Login] })
	return m
}

func matricesView(at templates.Campaign, m desk.Matrices, nominal, gold bool) monitoring.MatricesView {
	return monitoring.MatricesView{
		Nominal: nominal,
		Segment: heatmap(at, m.Annotators, m.SegmentLevel, gold, templates.Heatmap{
			ID: "segment-level", Title: "Segment level", What: "Mean r over the translations of a segment; below it the shared segments.",
		}),
		System: heatmap(at, m.Annotators, m.SystemLevel, gold, templates.Heatmap{
			ID: "system-level", Title: "System level", What: "r of the systems’ sums over the shared segments; below it their number.",
		}),
	}
}

// heatmap lays out the cells of a matrix, which lists each pair once, as a square.
func heatmap(at templates.Campaign, annotators []accounts.User, cells []desk.Cell, gold bool, h templates.Heatmap) templates.Heatmap {
	place := make(map[string]int, len(annotators))
	for i, u := range annotators {
		place[u.Login] = i
		h.Names = append(h.Names, templates.HeatName{Name: called(u), Href: at.AnnotatorPath(u.Login)})
		h.Cells = append(h.Cells, make([]templates.HeatCell, len(annotators)))
	}
	for _, c := range cells {
		i, known := place[c.A]
		j, too := place[c.B]
		if !known || !too {
			continue
		}
		cell := templates.HeatCell{R: c.R, Shared: c.Shared, Href: at.PairPath(c.A, c.B, gold)}
		h.Cells[i][j], h.Cells[j][i] = cell, cell
	}
	return h
}

// agreementCSV returns both matrices with a line for each pair, first of annotators and then of judges.
func (h *Handlers) agreementCSV(c *echo.Context) error {
	m, err := site.Leaving(c)
	if err != nil {
		return err
	}
	matrices, err := h.desk.Matrices(c.Request().Context(), m.Campaign, inGold(c))
	if err != nil {
		return err
	}
	people, err := h.accounts.PseudonymsOf(c.Request().Context(), m.Campaign)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"level", "a", "b", "r", "shared"}) // a strings.Builder takes everything
	for _, level := range []struct {
		name  string
		cells []desk.Cell
	}{{"system", matrices.SystemLevel}, {"segment", matrices.SegmentLevel}} {
		for _, cell := range level.cells {
			_ = w.Write(
				[]string{
					level.name,
					spreadsheet.Escape(people.Login(cell.A)),
					spreadsheet.Escape(people.Login(cell.B)),
					coefficient(cell.R),
					strconv.Itoa(cell.Shared),
				},
			)
		}
	}
	judges, err := h.Judged.present(c.Request().Context(), m.Campaign, inGold(c))
	if err != nil {
		return err
	}
	_ = w.WriteAll(judgeRows(judges, people))
	w.Flush()
	name := m.Campaign.Slug + ".agreement.csv"
	if inGold(c) {
		name = m.Campaign.Slug + ".agreement.gold.csv"
	}
	site.Attach(c, site.CSVType, name)
	return c.String(http.StatusOK, b.String())
}

// coefficient returns r with all its digits. It is empty if r is undefined.
func coefficient(r float64) string {
	if math.IsNaN(r) {
		return ""
	}
	return strconv.FormatFloat(r, 'g', -1, 64)
}

const pairSegmentsPerPage = 50

// agreementPair lists the segments behind a cell of the heatmaps.
func (h *Handlers) agreementPair(c *echo.Context) error {
	m, ctx, gold := site.Here(c), c.Request().Context(), inGold(c)
	a, b := m.People.Person(c.Param("a")), m.People.Person(c.Param("b"))
	if a == b {
		return campaign.ErrNotFound
	}
	number := max(1, site.Atoi(c.QueryParam("page")))
	version, err := h.desk.Version(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	matrices, err := h.desk.Matrices(ctx, m.Campaign, gold)
	if err != nil {
		return err
	}
	found, total, err := h.desk.PairSegments(ctx, m.Campaign, a, b, gold, (number-1)*pairSegmentsPerPage, pairSegmentsPerPage)
	if err != nil {
		return err
	}
	matrices, a, b = campaign.Hidden(m.People, matrices), m.People.Login(a), m.People.Login(b)
	v := monitoring.PairView{
		Page: h.PageAt(c, "", "agreement"), Paging: templates.Paging{Number: number, Size: pairSegmentsPerPage, Total: total},
		Version: version, Gold: gold, LoginA: a, LoginB: b, System: cellOf(matrices.SystemLevel, a, b),
		SegmentR: cellOf(matrices.SegmentLevel, a, b),
		Gate:     monitoring.GateSummary{Settings: m.Campaign.Settings}, Source: site.Lang(m.Campaign.SourceLang), Segments: found,
	}
	v.A, v.B = heatName(*v.Campaign, matrices, a), heatName(*v.Campaign, matrices, b)
	v.Title = v.A.Name + " and " + v.B.Name
	return h.Render(c, http.StatusOK, monitoring.AgreementPair(v))
}

func heatName(at templates.Campaign, m desk.Matrices, login string) templates.HeatName {
	i := slices.IndexFunc(m.Annotators, func(u accounts.User) bool { return u.Login == login })
	if i < 0 {
		return templates.HeatName{Name: login, Href: at.AnnotatorPath(login)}
	}
	return templates.HeatName{Name: called(m.Annotators[i]), Href: at.AnnotatorPath(login)}
}

// cellOf is r of two annotators in either order; NaN where there is none.
func cellOf(cells []desk.Cell, a, b string) float64 {
	for _, c := range cells {
		if c.A == a && c.B == b || c.A == b && c.B == a {
			return c.R
		}
	}
	return math.NaN()
}
