package segments

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
)

// candidates are the annotators who could be given a segment in its current round, among those who are active:
// who has had nothing of it first.
func candidates(active []segments.Candidate, d desk.SegmentDetail) []segments.Candidate {
	var fresh, others []segments.Candidate
	for _, x := range active {
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
	return append(fresh, others...)
}

// activeAnnotators are the annotators of the campaign who can be asked for ratings.
func (h *Handlers) activeAnnotators(c *echo.Context) ([]segments.Candidate, error) {
	members, err := h.accounts.Members(c.Request().Context(), site.Here(c).Campaign.ID)
	var out []segments.Candidate
	for _, m := range members {
		if m.Active {
			out = append(out, segments.Candidate{Login: m.User.Login, Name: m.User.Name})
		}
	}
	return out, err
}

// A segmentAct is what a lead can do to segments. Of an act that is done to one segment only, it changes the first.
type segmentAct struct {
	said, saidOfSeveral string // what the next page says; empty: the act is not done to one, or to several
	do                  func(ctx context.Context, campaignID string, ids []string, reason, byID string) error
}

// acts are the acts by their ids, as the form that was sent has them.
func (h *Handlers) acts(c *echo.Context) map[string]segmentAct {
	login, by, undone := site.Trimmed(c, "login"), site.Trimmed(c, "by"), site.Atoi(c.FormValue("segments"))
	chosen := c.Request().PostForm["annotator"]
	ask := h.rounds.AskForAdjudication
	if c.FormValue("own") == "yes" {
		ask = h.rounds.AskForAdjudicationByAny
	}
	replaced := "The segment does not wait for " + login + " any more."
	if by != "" {
		replaced = by + " has the segment now in the place of " + login + "."
	}
	return map[string]segmentAct{
		segments.ActAccept:   {"", "adjudicated by the mean", h.rounds.AcceptMeans},
		segments.ActWithdraw: {"The segment is withdrawn.", "", h.rounds.Withdraw},
		segments.ActDiscard:  {"The segment is discarded.", "discarded", h.rounds.Discard},
		segments.ActRestore:  {"The decision is taken back.", "taken back", h.rounds.RestoreSegments},
		segments.ActSeen:     {"The later ratings are noted as looked at.", "noted as looked at", h.rounds.LookAtRatings},
		segments.ActAsk:      {"Adjudicators are asked to decide the segment.", "given to the adjudicators", ask},
		segments.ActLook: {
			"The annotators are asked for another look.",
			"sent back for another look",
			func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
				if need := site.Here(c).Campaign.Settings.LookersNeeded(); c.Param("act") != "" && len(chosen) < need {
					return campaign.Invalid("annotator", "choose at least "+wording.Choose(need, "one annotator", "two annotators"))
				}
				return h.rounds.AnotherLook(ctx, campaignID, ids, chosen, reason, byID)
			},
		},
		segments.ActNewText: {"The new text is taken over.", "",
			func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
				_, err := h.intake.TakeNewTexts(ctx, campaignID, ids, reason, byID)
				return err
			}},
		segments.ActFurther: {
			"Segment given to " + login + ".",
			"given to " + login,
			func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
				if login == "" {
					return campaign.Invalid("login", "choose who is asked for ratings")
				}
				return h.rounds.FurtherAnnotator(ctx, campaignID, ids, login, reason, byID)
			},
		},
		segments.ActReplace: {replaced, "", func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who can't go on")
			}
			return h.rounds.ReplaceAnnotator(ctx, campaignID, ids[0], login, by, reason, byID)
		}},
		segments.ActUndo: {
			"The act is undone on " + wording.Counted(undone, "segment") + ".",
			"",
			func(ctx context.Context, campaignID string, ids []string, _, byID string) error {
				if undone < 1 {
					return campaign.Invalid("", "choose on which segments to undo the act")
				}
				return h.rounds.Undo(ctx, campaignID, ids[0], c.FormValue("act"), undone, byID)
			},
		},
		segments.ActAdjudicate: {"The segment is adjudicated.", "",
			func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
				scores, err := h.enteredScores(c)
				if err != nil {
					return err
				}
				return h.rounds.Adjudicate(ctx, campaignID, ids[0], scores, reason, byID)
			}},
	}
}

// act does what a lead asked for on a segment: back to it with the words said, or
// with the form again where something is wrong.
func (h *Handlers) act(c *echo.Context) error {
	m, segment, id, reason := site.Here(c), c.Param("segment"), c.Param("act"), site.Trimmed(c, "reason")
	a := h.acts(c)[id]
	if a.said == "" {
		return campaign.ErrNotFound
	}
	err := a.do(c.Request().Context(), m.Campaign.ID, []string{segment}, reason, site.Me(c).ID)
	if wrong, ok := errors.AsType[wrongScores](err); ok {
		return h.showSegment(c, http.StatusUnprocessableEntity, id, wrong)
	}
	if wrong := site.Wrong(err); wrong != nil {
		return h.showSegment(c, http.StatusUnprocessableEntity, id, wrong)
	}
	if errors.Is(err, campaign.ErrConflict) {
		return h.showSegment(c, http.StatusConflict, id, map[string]string{"": site.InWords(err)})
	}
	if err != nil {
		return err
	}
	return h.Done(c, a.said, segments.ParsePlace(c.QueryParams()).Path("/campaigns/"+m.Campaign.Slug+"/segments/"+segment))
}

// wrongScores are the fields of a decision that are no scores, with what they should be.
type wrongScores map[string]string

func (w wrongScores) Error() string { return "the form has fields that are no scores" }

// enteredScores reads the scores that a lead enters for a segment, by system.
func (h *Handlers) enteredScores(c *echo.Context) (map[string]float64, error) {
	m := site.Here(c)
	d, err := h.desk.Segment(c.Request().Context(), m.Campaign, c.Param("segment"))
	if err != nil {
		return nil, err
	}
	scores, wrong := map[string]float64{}, wrongScores{}
	scale := m.Campaign.Rules.GateRange()
	for i, t := range d.Translations {
		text := site.Trimmed(c, segments.ScoreField(i))
		if text == "" {
			continue
		}
		x, ok := scale.Parse(text)
		if !ok {
			wrong[segments.ScoreField(i)] = "a number " + segments.RangeText(scale)
		}
		scores[t.System] = x
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return scores, nil
}
