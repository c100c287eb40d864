package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/web/templates"
)

// candidates are the annotators who could be given a segment in its current round:
// who has had nothing of it first.
func (s *Server) candidates(c echo.Context, d store.SegmentDetail) ([]templates.Candidate, error) {
	members, err := s.store.Members(c.Request().Context(), here(c).campaign.ID)
	if err != nil {
		return nil, err
	}
	var fresh, others []templates.Candidate
	for _, m := range members {
		if m.Role != campaign.Annotator || m.Removed || m.SetAside || m.User.Disabled {
			continue
		}
		x := templates.Candidate{Login: m.User.Login, Name: m.User.Name}
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
	return s.done(c, said, templates.ParsePlace(c.QueryParams()).Path("/campaigns/"+m.campaign.Slug+"/segments/"+segment))
}

// withdrawSegment takes a segment out of the campaign.
func (s *Server) withdrawSegment(c echo.Context) error {
	return s.act(c, templates.ActWithdraw, "The segment was withdrawn.", s.store.Withdraw)
}

// discardSegment takes a segment out of gold.
func (s *Server) discardSegment(c echo.Context) error {
	return s.act(c, templates.ActDiscard, "The segment was discarded.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			return s.store.Discard(ctx, campaignID, []string{segment}, reason, byID)
		})
}

// reopenSegment takes a decision back, or gives one more round.
func (s *Server) reopenSegment(c echo.Context) error {
	return s.act(c, templates.ActReopen, "The segment is reopened.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			return s.store.Reopen(ctx, campaignID, []string{segment}, reason, byID)
		})
}

// addToSegment gives a segment to one more annotator.
func (s *Server) addToSegment(c echo.Context) error {
	login := trimmed(c, "login")
	return s.act(c, templates.ActAdd, login+" has the segment now.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who is to have the segment")
			}
			return s.store.AddAnnotator(ctx, campaignID, segment, login, reason, byID)
		})
}

// replaceInSegment lets a second look wait for somebody no more.
func (s *Server) replaceInSegment(c echo.Context) error {
	login, by := trimmed(c, "login"), trimmed(c, "by")
	said := "The segment does not wait for " + login + " any more."
	if by != "" {
		said = by + " has the segment now in the place of " + login + "."
	}
	return s.act(c, templates.ActReplace, said, func(ctx context.Context, campaignID, segment, reason, byID string) error {
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
	scale := templates.RangeOf(m.campaign.Rules)
	for i, t := range d.Translations {
		field := templates.ScoreField(i)
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
		return s.showSegment(c, http.StatusUnprocessableEntity, templates.ActAdjudicate, wrong)
	}
	return s.act(c, templates.ActAdjudicate, "The segment is adjudicated.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			return s.store.Adjudicate(ctx, campaignID, segment, scores, reason, byID)
		})
}
