package segments

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
)

// candidates are the annotators who could be given a segment in its current round:
// who has had nothing of it first.
func (h *Handlers) candidates(c echo.Context, d desk.SegmentDetail) ([]segments.Candidate, error) {
	members, err := h.accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
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
func (h *Handlers) activeAnnotators(c echo.Context) ([]segments.Candidate, error) {
	members, err := h.accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
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
func (h *Handlers) act(c echo.Context, act, said string, do func(ctx context.Context, campaignID, segment, reason, byID string) error) error {
	m, segment := site.Here(c), c.Param("segment")
	err := do(c.Request().Context(), m.Campaign.ID, segment, site.Trimmed(c, "reason"), site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.showSegment(c, http.StatusUnprocessableEntity, act, map[string]string{invalid.Field: invalid.Msg})
	}
	if errors.Is(err, campaign.ErrConflict) {
		return h.showSegment(c, http.StatusConflict, act, map[string]string{"": site.InWords(err)})
	}
	if err != nil {
		return err
	}
	return h.Done(c, said, segments.ParsePlace(c.QueryParams()).Path("/campaigns/"+m.Campaign.Slug+"/segments/"+segment))
}

// actOne is act for what can be done to several segments.
func (h *Handlers) actOne(c echo.Context, act, said string, do func(ctx context.Context, campaignID string, segments []string, reason, byID string) error) error {
	return h.act(c, act, said, func(ctx context.Context, campaignID, segment, reason, byID string) error {
		return do(ctx, campaignID, []string{segment}, reason, byID)
	})
}

func (h *Handlers) withdrawSegment(c echo.Context) error {
	return h.actOne(c, segments.ActWithdraw, "The segment is withdrawn.", h.rounds.Withdraw)
}

func (h *Handlers) discardSegment(c echo.Context) error {
	return h.actOne(c, segments.ActDiscard, "The segment is discarded.", h.rounds.Discard)
}

func (h *Handlers) restoreSegment(c echo.Context) error {
	return h.actOne(c, segments.ActRestore, "The decision is taken back.", h.rounds.RestoreSegments)
}

func (h *Handlers) lookAtRatings(c echo.Context) error {
	return h.actOne(c, segments.ActSeen, "The later ratings are noted as looked at.", h.rounds.LookAtRatings)
}

func (h *Handlers) askAdjudication(c echo.Context) error {
	return h.actOne(c, segments.ActAsk, "Adjudicators are asked to decide the segment.", h.asking(c))
}

// asking is the act of asking for adjudication, as the form's check box says who may
// adjudicate.
func (h *Handlers) asking(c echo.Context) func(ctx context.Context, campaignID string, segments []string, reason, byID string) error {
	if c.FormValue("own") == "yes" {
		return h.rounds.AskForAdjudicationByAny
	}
	return h.rounds.AskForAdjudication
}

func (h *Handlers) lookAgain(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	chosen := form["annotator"]
	return h.act(c, segments.ActLook, "The annotators are asked for another look.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			if len(chosen) < 2 {
				return campaign.Invalid("annotator", "choose at least two annotators")
			}
			return h.rounds.AnotherLook(ctx, campaignID, []string{segment}, chosen, reason, byID)
		})
}

func (h *Handlers) undoAct(c echo.Context) error {
	n := site.Atoi(c.FormValue("segments"))
	return h.act(c, segments.ActUndo, "The act is undone on "+wording.Counted(n, "segment")+".",
		func(ctx context.Context, campaignID, segment, _, byID string) error {
			if n < 1 {
				return campaign.Invalid("", "choose on which segments to undo the act")
			}
			return h.rounds.Undo(ctx, campaignID, segment, c.FormValue("act"), n, byID)
		})
}

func (h *Handlers) addToSegment(c echo.Context) error {
	login := site.Trimmed(c, "login")
	return h.act(c, segments.ActAdd, "Segment given to "+login+".",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who is to have the segment")
			}
			return h.rounds.FurtherAnnotator(ctx, campaignID, []string{segment}, login, reason, byID)
		})
}

// replaceInSegment lets somebody, or nobody, take an annotator's place.
func (h *Handlers) replaceInSegment(c echo.Context) error {
	login, by := site.Trimmed(c, "login"), site.Trimmed(c, "by")
	said := "The segment does not wait for " + login + " any more."
	if by != "" {
		said = by + " has the segment now in the place of " + login + "."
	}
	return h.act(c, segments.ActReplace, said, func(ctx context.Context, campaignID, segment, reason, byID string) error {
		if login == "" {
			return campaign.Invalid("login", "choose who can't go on")
		}
		return h.rounds.ReplaceAnnotator(ctx, campaignID, segment, login, by, reason, byID)
	})
}

// adjudicateSegment decides a segment by its mean, or by the scores entered.
func (h *Handlers) adjudicateSegment(c echo.Context) error {
	m := site.Here(c)
	d, err := h.desk.Segment(c.Request().Context(), m.Campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	scores, wrong := map[string]float64{}, map[string]string{}
	scale := segments.RangeOf(m.Campaign.Rules)
	for i, t := range d.Translations {
		field := segments.ScoreField(i)
		text := site.Trimmed(c, field)
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
		return h.showSegment(c, http.StatusUnprocessableEntity, segments.ActAdjudicate, wrong)
	}
	return h.act(c, segments.ActAdjudicate, "The segment is adjudicated.",
		func(ctx context.Context, campaignID, segment, reason, byID string) error {
			return h.rounds.Adjudicate(ctx, campaignID, segment, scores, reason, byID)
		})
}
