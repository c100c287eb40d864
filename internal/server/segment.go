package server

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/web/templates"
)

const segmentsPerPage = 50

// segments lists the campaign's segments in the order of import.
func (s *Server) segments(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	number := max(1, atoi(c.QueryParam("page")))
	filter := store.SegmentFilter{
		Status: campaign.Status(c.QueryParam("status")), Domain: c.QueryParam("domain"), Text: strings.TrimSpace(c.QueryParam("text")),
		Offset: (number - 1) * segmentsPerPage, Limit: segmentsPerPage,
	}
	if filter.Status != "" && !slices.Contains(campaign.Statuses, filter.Status) {
		filter.Status = ""
	}
	found, total, err := s.store.Segments(ctx, m.campaign.ID, filter)
	if err != nil {
		return err
	}
	domains, err := s.store.Domains(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	all := total
	if filter.Status != "" || filter.Domain != "" || filter.Text != "" {
		if _, all, err = s.store.Segments(ctx, m.campaign.ID, store.SegmentFilter{Limit: 1}); err != nil {
			return err
		}
	}
	v := templates.SegmentsView{
		Page: s.pageAt(c, "Segments", "segments"), Paging: templates.Paging{Number: number, Size: segmentsPerPage, Total: total},
		All: all, Status: filter.Status, Domain: filter.Domain, Text: filter.Text, Domains: domains,
		Source: lang(m.campaign.SourceLang), Redundancy: m.campaign.Settings.Redundancy,
	}
	for _, e := range found {
		v.Segments = append(v.Segments, templates.SegmentRow{
			ID: e.ID, DocID: e.DocID, SegmentID: e.SegmentID, Domain: e.Domain, Source: e.Source,
			Status: e.Status, Round: e.Round, Taken: e.Taken, Submitted: e.Submitted, Held: e.Held,
		})
	}
	return s.render(c, http.StatusOK, templates.Segments(v))
}

// segment shows everything about one segment.
func (s *Server) segment(c echo.Context) error {
	return s.showSegment(c, http.StatusOK, "", nil)
}

func (s *Server) showSegment(c echo.Context, status int, reason string, wrong map[string]string) error {
	m, ctx := here(c), c.Request().Context()
	d, err := s.store.Segment(ctx, m.campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	v := templates.SegmentView{
		Page: s.pageAt(c, "Segment "+d.SegmentID, "segments"), Clock: s.clock(m.campaign.Settings.Location()),
		ID: d.ID, Segment: d.Segment, Held: d.Held, Decisions: d.Decisions, Protocol: m.campaign.Rules, Settings: m.campaign.Settings,
		Source: lang(m.campaign.SourceLang), Target: lang(m.campaign.TargetLang), Reason: reason, Errors: wrong,
		Shown: templates.ParseMarksShown(c.QueryParam("marks"), c.QueryParam("round")),
	}
	for _, t := range d.Turns {
		v.Turns = append(v.Turns, templates.Turn{Login: t.Login, Round: t.Round, State: t.State})
	}
	path := "/campaigns/" + m.campaign.Slug + "/segments/"
	if d.Before != "" {
		v.Before = path + d.Before
	}
	if d.After != "" {
		v.After = path + d.After
	}
	if m.role == campaign.Lead {
		problems, err := s.store.Problems(ctx, m.campaign.ID)
		if err != nil {
			return err
		}
		for _, row := range problemRows(problems) {
			if row.SegmentRowID == d.ID {
				v.Problems = append(v.Problems, row)
			}
		}
	}
	return s.render(c, status, templates.Segment(v))
}

// withdrawSegment takes a segment out of the campaign.
func (s *Server) withdrawSegment(c echo.Context) error {
	m, reason := here(c), trimmed(c, "reason")
	err := s.store.Withdraw(c.Request().Context(), m.campaign.ID, c.Param("segment"), reason, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showSegment(c, http.StatusUnprocessableEntity, reason, map[string]string{invalid.Field: invalid.Msg})
	}
	if err != nil {
		return err
	}
	return s.done(c, "The segment was withdrawn.", "/campaigns/"+m.campaign.Slug+"/segments/"+c.Param("segment"))
}

func problemRows(problems []store.ReportedProblem) []templates.ProblemRow {
	rows := make([]templates.ProblemRow, len(problems))
	for i, p := range problems {
		rows[i] = templates.ProblemRow{
			ID: p.ID, SegmentRowID: p.SegmentID, DocID: p.DocID, SegmentID: p.Segment, Source: p.Source, Login: p.Login,
			Text: p.Text, Answer: p.Answer, ReportedAt: p.ReportedAt, ResolvedAt: p.ResolvedAt,
		}
	}
	return rows
}

// problems lists what annotators could not judge.
func (s *Server) problems(c echo.Context) error {
	return s.showProblems(c, http.StatusOK, "", "", nil)
}

func (s *Server) showProblems(c echo.Context, status int, refused, answer string, wrong map[string]string) error {
	m := here(c)
	problems, err := s.store.Problems(c.Request().Context(), m.campaign.ID)
	if err != nil {
		return err
	}
	return s.render(c, status, templates.Problems(templates.ProblemsView{
		Page: s.pageAt(c, "Problems", "problems"), Clock: s.clock(m.campaign.Settings.Location()), Problems: problemRows(problems),
		Source: lang(m.campaign.SourceLang), Refused: refused, Answer: answer, Errors: wrong,
	}))
}

// resolveProblem puts a segment back to work or withdraws it.
func (s *Server) resolveProblem(c echo.Context) error {
	m, answer, act := here(c), trimmed(c, "answer"), c.FormValue("do")
	refuse := func(field, msg string) error {
		return s.showProblems(c, http.StatusUnprocessableEntity, c.Param("problem"), answer, map[string]string{field: msg})
	}
	if act != "return" && act != "withdraw" {
		return refuse("do", "choose what becomes of the segment")
	}
	err := s.store.ResolveProblem(c.Request().Context(), m.campaign.ID, c.Param("problem"), answer, act == "withdraw", me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(invalid.Field, invalid.Msg)
	}
	if err != nil {
		return err
	}
	said := "The segment is back in work, with the annotator who reported it first."
	if act == "withdraw" {
		said = "The segment was withdrawn."
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/problems")
}
