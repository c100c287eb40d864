package segments

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
)

// several is the form of acts on several segments as it was sent, with what is wrong
// with it; empty but for the annotators where none was sent.
func (h *Handlers) several(c echo.Context, wrong map[string]string) (v segments.Several, err error) {
	if site.Here(c).Role != campaign.Lead {
		return v, nil
	}
	if wrong != nil {
		v = segments.Several{Chosen: c.Request().PostForm["segment"], Do: c.FormValue("do"), Login: site.Trimmed(c, "login"), Own: c.FormValue("own") == "yes", Reason: site.Trimmed(c, "reason"), Errors: wrong}
	}
	v.Active, err = h.activeAnnotators(c)
	return v, err
}

// actOnSeveral does one act on the segments chosen in a list, all or none, and goes
// back to the list; show renders the list again with what is wrong.
func (h *Handlers) actOnSeveral(c echo.Context, back string, show func(status int, wrong map[string]string) error) error {
	m, reason, login := site.Here(c), site.Trimmed(c, "reason"), site.Trimmed(c, "login")
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	acts := map[string]struct {
		said string
		do   func(ctx context.Context, campaignID string, ids []string, reason, byID string) error
	}{
		segments.DoAccept:  {"adjudicated by the mean", h.rounds.AcceptMeans},
		segments.DoDiscard: {"discarded", h.rounds.Discard},
		segments.DoRestore: {"taken back", h.rounds.RestoreSegments},
		segments.DoSeen:    {"noted as looked at", h.rounds.LookAtRatings},
		segments.DoAsk:     {"given to the adjudicators", h.asking(c)},
		segments.DoLook: {"sent back for another look", func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
			return h.rounds.AnotherLook(ctx, campaignID, ids, nil, reason, byID)
		}},
		segments.DoFurther: {"given to " + login, func(ctx context.Context, campaignID string, ids []string, reason, byID string) error {
			if login == "" {
				return campaign.Invalid("login", "choose who is to rate them")
			}
			return h.rounds.FurtherAnnotator(ctx, campaignID, ids, login, reason, byID)
		}},
	}
	a, ok := acts[form.Get("do")]
	if !ok {
		return show(http.StatusUnprocessableEntity, map[string]string{"do": "choose what becomes of the segments"})
	}
	ids := form["segment"]
	err = a.do(c.Request().Context(), m.Campaign.ID, ids, reason, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		field := invalid.Field
		if field != "reason" && field != "do" && field != "login" {
			field = ""
		}
		return show(http.StatusUnprocessableEntity, map[string]string{field: invalid.Msg})
	}
	if errors.Is(err, campaign.ErrConflict) {
		return show(http.StatusConflict, map[string]string{"": "nothing was done: " + site.InWords(err)})
	}
	if err != nil {
		return err
	}
	n := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	return h.Done(c, wording.Counted(n, "segment was", "segments were")+" "+a.said+".", back)
}
