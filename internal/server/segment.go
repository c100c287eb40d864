package server

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/work"
	"annotate/web/templates"
)

// segment shows everything about one segment.
func (s *Server) segment(c echo.Context) error {
	return s.showSegment(c, http.StatusOK, "", nil)
}

// showSegment renders a segment; act is the one whose form is shown again, filled in
// as it was sent, with what is wrong by field.
func (s *Server) showSegment(c echo.Context, status int, act string, wrong map[string]string) error {
	m, ctx := here(c), c.Request().Context()
	d, err := s.store.Segment(ctx, m.campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	v := templates.SegmentView{
		Page: s.pageAt(c, "Segment "+d.SegmentID, "segments"), Clock: s.clock(m.campaign.Settings.Location()),
		ID: d.ID, Segment: d.Segment, Held: d.Held, Overtaken: d.Overtaken, Decisions: d.Decisions, Turns: d.Turns, Acts: d.Acts, Holding: d.Holding,
		Protocol: m.campaign.Rules, Settings: m.campaign.Settings, Source: lang(m.campaign.SourceLang), Target: lang(m.campaign.TargetLang),
		Shown: templates.ParseMarksShown(c.QueryParam("marks"), c.QueryParam("round")), Place: templates.ParsePlace(c.QueryParams()),
		Act: act, Errors: wrong, Typed: map[string]string{},
	}
	if act != "" {
		for field := range c.Request().PostForm {
			v.Typed[field] = trimmed(c, field)
		}
	}
	if v.Before, v.After, err = s.neighbours(c, d, v.Place); err != nil {
		return err
	}
	if m.shownRole() == campaign.Lead {
		if v.Candidates, err = s.candidates(c, d); err != nil {
			return err
		}
		if v.Active, err = s.activeAnnotators(c); err != nil {
			return err
		}
		v.Chosen = c.Request().PostForm["annotator"]
		problems, err := s.store.Problems(ctx, m.campaign.ID, work.ProblemFilter{SegmentID: d.ID})
		if err != nil {
			return err
		}
		v.Problems = problems.Problems
	}
	return s.render(c, status, templates.Segment(v))
}

// neighbours are the addresses of the segments before and after one in the list that
// it was opened from. A segment that has left the list since, as it does once a lead
// has decided it, lies between those that are now around its place.
func (s *Server) neighbours(c echo.Context, d desk.SegmentDetail, place templates.Place) (before, after string, err error) {
	path := func(id string) string { return "/campaigns/" + here(c).campaign.Slug + "/segments/" + id }
	if place.List == "" {
		if d.Before != "" {
			before = path(d.Before)
		}
		if d.After != "" {
			after = path(d.After)
		}
		return before, after, nil
	}
	from := max(place.At-1, 0)
	ids, err := s.around(c, place, from, 3)
	if err != nil {
		return "", "", err
	}
	at := slices.Index(ids, d.ID)
	last, next := at-1, at+1
	if at < 0 {
		last, next = place.At-from-1, place.At-from
	}
	if last >= 0 && last < len(ids) {
		before = place.Step(path(ids[last]), from+last)
	}
	if next < len(ids) {
		after = place.Step(path(ids[next]), from+next)
	}
	return before, after, nil
}

// around lists the row ids of some segments of the list that a place is in.
func (s *Server) around(c echo.Context, place templates.Place, offset, limit int) ([]string, error) {
	m, ctx := here(c), c.Request().Context()
	var ids []string
	if place.List == templates.InQueue {
		f := queueFilter(place.Query)
		f.Offset, f.Limit = offset, limit
		return s.store.QueueIDs(ctx, m.campaign, f)
	}
	f := segmentFilter(place.Query)
	f.Offset, f.Limit = offset, limit
	found, _, err := s.store.Segments(ctx, m.campaign.ID, f)
	for _, e := range found {
		ids = append(ids, e.ID)
	}
	return ids, err
}

// problemsPerPage is how many problems a page lists.
const problemsPerPage = 50

// problems lists what annotators could not judge.
func (s *Server) problems(c echo.Context) error {
	return s.showProblems(c, http.StatusOK, "", "", nil)
}

func (s *Server) showProblems(c echo.Context, status int, refused, answer string, wrong map[string]string) error {
	m, number := here(c), max(1, atoi(c.QueryParam("page")))
	problems, err := s.store.Problems(c.Request().Context(), m.campaign.ID, work.ProblemFilter{Offset: (number - 1) * problemsPerPage, Limit: problemsPerPage})
	if err != nil {
		return err
	}
	return s.render(c, status, templates.Problems(templates.ProblemsView{
		Page: s.pageAt(c, "Problems", "problems"), Clock: s.clock(m.campaign.Settings.Location()), Problems: problems.Problems,
		Paging: templates.Paging{Number: number, Size: problemsPerPage, Total: problems.Total}, Open: problems.Open,
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
	said := "The segment is back in work. The annotator who reported the problem gets it first."
	if act == "withdraw" {
		said = "The segment was withdrawn."
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/problems")
}
