package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/web/templates/segments"
)

// candidates are the annotators who could be given a segment in its current round:
// who has had nothing of it first.
func (s *Server) candidates(c echo.Context, d desk.SegmentDetail) ([]segments.Candidate, error) {
	members, err := s.store.Members(c.Request().Context(), here(c).campaign.ID)
	if err != nil {
		return nil, err
	}
	var fresh, others []segments.Candidate
	for _, m := range members {
		if !m.Active {
			continue
		}
		x := segments.Candidate{Login: m.User.Login, Name: m.User.Name}
		has := false
		for _, t := range d.Turns {
			switch {
			case t.Login != x.Login:
			case t.Round < d.Round:
				x.Had = "rated it before"
			case t.Round == d.Round && t.State == campaign.Released:
				x.Had = "had it in this round"
			case t.Round == d.Round:
				has = true
			}
		}
		switch {
		case has:
		case x.Had == "":
			fresh = append(fresh, x)
		default:
			others = append(others, x)
		}
	}
	return append(fresh, others...), nil
}

// activeAnnotators are the annotators of the campaign who can be asked for ratings.
func (s *Server) activeAnnotators(c echo.Context) ([]segments.Candidate, error) {
	members, err := s.store.Members(c.Request().Context(), here(c).campaign.ID)
	if err != nil {
		return nil, err
	}
	var out []segments.Candidate
	for _, m := range members {
		if m.Active {
			out = append(out, segments.Candidate{Login: m.User.Login, Name: m.User.Name})
		}
	}
	return out, nil
}

// act does what a lead asked for on a segment: back to it with the words said, or
// with the form again where something is wrong.
func (s *Server) act(c echo.Context, act, said string, do func(ctx context.Context, campaignID, segment, reason, byID string) error) error {
	m, segment := here(c), c.Param("segment")
	err := do(c.Request().Context(), m.campaign.ID, segment, trimmed(c, "reason"), me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return s.showSegment(c, http.StatusUnprocessableEntity, act, map[string]string{invalid.Field: invalid.Msg})
	}
	if errors.Is(err, campaign.ErrConflict) {
		return s.showSegment(c, http.StatusConflict, act, map[string]string{"": inWords(err)})
	}
	if err != nil {
		return err
	}
	return s.done(c, said, segments.ParsePlace(c.QueryParams()).Path("/campaigns/"+m.campaign.Slug+"/segments/"+segment))
}

// actOne is act for what can be done to several segments.
func (s *Server) actOne(c echo.Context, act, said string, do func(ctx context.Context, campaignID string, segments []string, reason, byID string) error) error {
	return s.act(c, act, said, func(ctx context.Context, campaignID, segment, reason, byID string) error {
		return do(ctx, campaignID, []string{segment}, reason, byID)
	})
}

func (s *Server) withdrawSegment(c echo.Context) error {
	return s.actOne(c, segments.ActWithdraw, "The segment is withdrawn.", s.store.Withdraw)
}

func (s *Server) discardSegment(c echo.Context) error {
	return s.actOne(c, segments.ActDiscard, "The segment is discarded.", s.store.Discard)
}

func (s *Server) restoreSegment(c echo.Context) error {
	return s.actOne(c, segments.ActRestore, "The decision is taken back.", s.store.RestoreSegments)
}

func (s *Server) lookAtRatings(c echo.Context) error {
	return s.actOne(c, segments.ActSeen, "The later ratings are noted as looked at.", s.store.LookAtRatings)
}

func (s *Server) askAdjudication(c echo.Context) error {
	return s.actOne(c, segments.ActAsk, "Adjudicators are asked to decide the segment.", s.asking(c))
}

// asking is the act of asking for adjudication, as the form's check box says who may
// adjudicate.
func (s *Server) asking(c echo.Context) func(ctx context.Context, campaignID string, segments []string, reason, byID string) error {
	if c.FormValue("own") == "yes" {
		return s.store.AskForAdjudicationByAny
	}
	return s.store.AskForAdjudication
}

func (s *Server) lookAgain(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	chosen := form["annotator"]
	return s.act(c, segments.ActLook, "The annotators are asked for another look.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			if len(chosen) < 2 {
				return campaign.Invalid("annotator", "choose at least two annotators")
			}
			return s.store.AnotherLook(ctx, campaignID, []string{segment}, chosen, reason, byID)
		})
}

func (s *Server) undoAct(c echo.Context) error {
	return s.act(c, segments.ActUndo, "The last act is undone.",
		func(ctx context.Context, campaignID, segment, _, byID string) error {
			return s.store.Undo(ctx, campaignID, segment, byID)
		})
}

func (s *Server) addToSegment(c echo.Context) error {
	login := trimmed(c, "login")
	return s.act(c, segments.ActAdd, "Segment given to "+login+".",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who is to have the segment")
			}
			return s.store.FurtherAnnotator(ctx, campaignID, []string{segment}, login, reason, byID)
		})
}

// replaceInSegment lets somebody, or nobody, take an annotator's place.
func (s *Server) replaceInSegment(c echo.Context) error {
	login, by := trimmed(c, "login"), trimmed(c, "by")
	said := "The segment does not wait for " + login + " any more."
	if by != "" {
		said = by + " has the segment now in the place of " + login + "."
	}
	return s.act(c, segments.ActReplace, said, func(ctx context.Context, campaignID, segment, reason, byID string) error {
		if login == "" {
			return campaign.Invalid("login", "choose who can't go on")
		}
		return s.store.ReplaceAnnotator(ctx, campaignID, segment, login, by, reason, byID)
	})
}

// adjudicateSegment decides a segment by its mean, or by the scores entered.
func (s *Server) adjudicateSegment(c echo.Context) error {
	m := here(c)
	d, err := s.store.Segment(c.Request().Context(), m.campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	scores, wrong := map[string]float64{}, map[string]string{}
	scale := segments.RangeOf(m.campaign.Rules)
	for i, t := range d.Translations {
		field := segments.ScoreField(i)
		text := trimmed(c, field)
		if text == "" {
			continue
		}
		x, ok := scale.ParseScore(text)
		if !ok {
			wrong[field] = "a number " + scale.Text()
		}
		scores[t.System] = x
	}
	if len(wrong) > 0 {
		return s.showSegment(c, http.StatusUnprocessableEntity, segments.ActAdjudicate, wrong)
	}
	return s.act(c, segments.ActAdjudicate, "The segment is adjudicated.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			return s.store.Adjudicate(ctx, campaignID, segment, scores, reason, byID)
		})
}
