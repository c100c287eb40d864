package segments

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/segments"
)

// several is the form of acts on several segments as it was sent, with what is wrong
// with it; empty but for the annotators where none was sent.
func (h *Handlers) several(c *echo.Context, wrong map[string]string) (v segments.Several, err error) {
	if site.Here(c).Role != campaign.Lead {
		return v, nil
	}
	if wrong != nil {
		v = segments.Several{
			Chosen: c.Request().PostForm["segment"],
			Do:     c.FormValue("do"),
			Login:  site.Trimmed(c, "login"),
			Own:    c.FormValue("own") == "yes",
			Reason: site.Trimmed(c, "reason"),
			Errors: wrong,
		}
	}
	v.Active, err = h.activeAnnotators(c)
	return v, err
}

// actOnSeveral does one act on the segments chosen in a list, all or none, and goes
// back to the list; show renders the list again with what is wrong.
func (h *Handlers) actOnSeveral(c *echo.Context, back string, show func(status int, wrong map[string]string) error) error {
	m, reason := site.Here(c), site.Trimmed(c, "reason")
	form, err := c.FormValues()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	a := h.acts(c)[form.Get("do")]
	if a.saidOfSeveral == "" {
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
	return h.Done(c, wording.Counted(n, "segment was", "segments were")+" "+a.saidOfSeveral+".", back)
}
