package server

import (
	"encoding/csv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/spreadsheet"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// inGold reports whether a page of agreement is limited to segments in gold.
func inGold(c echo.Context) bool { return c.QueryParam("gold") == "yes" }

// agreement shows both heatmaps, with separate rows and columns for judges, and why segments failed.
func (s *Server) agreement(c echo.Context) error {
	m, ctx, gold := here(c), c.Request().Context(), inGold(c)
	p, err := s.store.Standing(ctx, m.campaign)
	if err != nil {
		return err
	}
	matrices, err := s.store.Matrices(ctx, m.campaign, gold)
	if err != nil {
		return err
	}
	v := monitoring.AgreementView{
		Page: s.pageAt(c, "Agreement", "agreement"), Clock: s.clock(m.campaign.Settings.Location()), Gold: gold, Gate: gateSummary(m.campaign, p),
	}
	v.Matrices = matricesView(*v.Campaign, matrices, gold)
	judges, earlier, err := s.judged.soon(ctx, m.campaign, gold)
	if err != nil {
		return err
	}
	if earlier {
		v.JudgesAsOf = judges.at
		v.Gate.Version = 0 // so that the open page sees a new version in a moment and updates itself
	}
	addJudges(&v.Matrices, *v.Campaign, matrices, judges.JudgeAgreement)
	return s.render(c, http.StatusOK, monitoring.Agreement(v))
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

func matricesView(at templates.Campaign, m desk.Matrices, gold bool) monitoring.MatricesView {
	return monitoring.MatricesView{
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
func (s *Server) agreementCSV(c echo.Context) error {
	m, err := leaving(c)
	if err != nil {
		return err
	}
	matrices, err := s.store.Matrices(c.Request().Context(), m.campaign, inGold(c))
	if err != nil {
		return err
	}
	people, err := s.store.PseudonymsOf(c.Request().Context(), m.campaign)
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
			_ = w.Write([]string{level.name, spreadsheet.Cell(people.Login(cell.A)), spreadsheet.Cell(people.Login(cell.B)), coefficient(cell.R), strconv.Itoa(cell.Shared)})
		}
	}
	judges, err := s.judged.present(c.Request().Context(), m.campaign, inGold(c))
	if err != nil {
		return err
	}
	_ = w.WriteAll(judgeRows(judges, people))
	w.Flush()
	name := m.campaign.Slug + ".agreement.csv"
	if inGold(c) {
		name = m.campaign.Slug + ".agreement.gold.csv"
	}
	attach(c, csvType, name)
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
func (s *Server) agreementPair(c echo.Context) error {
	m, ctx, gold := here(c), c.Request().Context(), inGold(c)
	a, b := c.Param("a"), c.Param("b")
	if a == b {
		return campaign.ErrNotFound
	}
	number := max(1, atoi(c.QueryParam("page")))
	version, err := s.store.Version(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	matrices, err := s.store.Matrices(ctx, m.campaign, gold)
	if err != nil {
		return err
	}
	found, total, err := s.store.PairSegments(ctx, m.campaign, a, b, gold, (number-1)*pairSegmentsPerPage, pairSegmentsPerPage)
	if err != nil {
		return err
	}
	v := monitoring.PairView{
		Page: s.pageAt(c, "", "agreement"), Paging: templates.Paging{Number: number, Size: pairSegmentsPerPage, Total: total},
		Version: version, Gold: gold, LoginA: a, LoginB: b, System: cellOf(matrices.SystemLevel, a, b), SegmentR: cellOf(matrices.SegmentLevel, a, b),
		Gate: monitoring.GateSummary{Settings: m.campaign.Settings}, Source: lang(m.campaign.SourceLang), Segments: found,
	}
	v.A, v.B = heatName(*v.Campaign, matrices, a), heatName(*v.Campaign, matrices, b)
	v.Title = v.A.Name + " and " + v.B.Name
	return s.render(c, http.StatusOK, monitoring.AgreementPair(v))
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
