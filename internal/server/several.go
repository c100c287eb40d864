package server

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
)

// several is the form of acts on several segments as it was sent, with what is wrong
// with it; empty but for the annotators where none was sent.
func (s *Server) several(c echo.Context, wrong map[string]string) (v segments.Several, err error) {
	if here(c).role != campaign.Lead {
		return v, nil
	}
	if wrong != nil {
		v = segments.Several{Chosen: c.Request().PostForm["segment"], Do: c.FormValue("do"), Login: trimmed(c, "login"), Own: c.FormValue("own") == "yes", Reason: trimmed(c, "reason"), Errors: wrong}
	}
	v.Active, err = s.activeAnnotators(c)
	return v, err
}

// actOnSeveral does one act on the segments chosen in a list, all or none, and goes
// back to the list; show renders the list again with what is wrong.
func (s *Server) actOnSeveral(c echo.Context, back string, show func(status int, wrong map[string]string) error) error {
	m, reason, login := here(c), trimmed(c, "reason"), trimmed(c, "login")
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	acts := map[string]struct {
		said string
		do   func(ctx context.Context, campaignID string, ids []string, reason, byID string) error
	}{
		segments.DoAccept:  {"adjudicated by the mean", s.store.AcceptMeans},
		segments.DoDiscard: {"discarded", s.store.Discard},
		segments.DoRestore: {"taken back", s.store.RestoreSegments},
		segments.DoSeen:    {"noted as looked at", s.store.LookAtRatings},
		segments.DoAsk:     {"given to the adjudicators", s.asking(c)},
		segments.DoLook: {"sent back for another look", func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
			return s.store.AnotherLook(ctx, campaignID, ids, nil, reason, byID)
		}},
		segments.DoFurther: {"given to " + login, func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who is to rate them")
			}
			return s.store.FurtherAnnotator(ctx, campaignID, ids, login, reason, byID)
		}},
	}
	a, ok := acts[form.Get("do")]
	if !ok {
		return show(http.StatusUnprocessableEntity, map[string]string{"do": "choose what becomes of the segments"})
	}
	ids := form["segment"]
	err = a.do(c.Request().Context(), m.campaign.ID, ids, reason, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		field := invalid.Field
		if field != "reason" && field != "do" && field != "login" {
			field = ""
		}
		return show(http.StatusUnprocessableEntity, map[string]string{field: invalid.Msg})
	}
	if errors.Is(err, campaign.ErrConflict) {
		return show(http.StatusConflict, map[string]string{"": "nothing was done: " + inWords(err)})
	}
	if err != nil {
		return err
	}
	n := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	return s.done(c, wording.Counted(n, "segment was", "segments were")+" "+a.said+".", back)
}
