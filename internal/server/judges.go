package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// judges lists the judges of a campaign and how far they are.
func (s *Server) judges(c echo.Context) error {
	return s.showJudges(c, http.StatusOK, "")
}

func (s *Server) showJudges(c echo.Context, status int, wrong string) error {
	m, ctx := here(c), c.Request().Context()
	judges, err := s.store.Judges(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	runs, err := s.store.JudgeRuns(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	v := templates.JudgesView{Page: s.pageAt(c, "Judges", "judges"), Wrong: wrong, Marks: m.campaign.Rules.Spans != nil}
	for _, j := range judges {
		row := templates.JudgeRow{Judge: j, State: "imported"}
		for _, r := range runs {
			if r.JudgeID != j.ID {
				continue
			}
			row.State, row.Reason, row.Running, row.Tokens, row.Calls = string(r.State), r.Reason, r.State == "running" && !r.Interrupted, r.Tokens(), r.Calls
			if _, row.Open, err = s.store.Unjudged(ctx, m.campaign.ID, j.Name); err != nil {
				return err
			}
			switch {
			case r.Interrupted:
				row.State = "interrupted"
			case row.Running && r.Stopping:
				row.State = "stopping"
			}
		}
		v.Judges = append(v.Judges, row)
	}
	return s.render(c, status, templates.Judges(v))
}

// stopJudge asks a judge that is running to stop.
func (s *Server) stopJudge(c echo.Context) error {
	m, judge := here(c), c.FormValue("judge")
	err := s.store.StopJudge(c.Request().Context(), m.campaign.ID, judge, me(c).ID)
	if errors.Is(err, campaign.ErrNotFound) {
		return s.showJudges(c, http.StatusUnprocessableEntity, "This judge is not running.")
	}
	if err != nil {
		return err
	}
	return s.done(c, "The judge stops after the judgement that it works on.", "/campaigns/"+m.campaign.Slug+"/judges")
}

// suggestFromJudge makes suggestions of what a judge marked.
func (s *Server) suggestFromJudge(c echo.Context) error {
	m := here(c)
	got, err := s.store.SuggestFromJudge(c.Request().Context(), m.campaign, c.FormValue("judge"), me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showJudges(c, http.StatusUnprocessableEntity, invalid.Msg)
	}
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s for %s.", wording.Counted(got.Report.Suggestions, "suggestion"), wording.Counted(got.Report.SuggestedTo, "translation"))
	if got.Begun > 0 {
		said += fmt.Sprintf(" Left out: %s of segments that somebody has begun.", wording.Counted(got.Begun, "translation"))
	}
	if got.Unfit > 0 {
		said += fmt.Sprintf(" Left out: %s that the protocol has no place for.", wording.Counted(got.Unfit, "error"))
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/judges")
}
