package annotating

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/web/templates/annotating"
)

// announcements lists the announcements of a campaign, with a form that makes one.
func (h *Handlers) announcements(c *echo.Context) error {
	return h.showAnnouncements(c, http.StatusOK, annotating.AnnouncementsView{})
}

// showAnnouncements renders the page. v has the values of the form if it was refused.
func (h *Handlers) showAnnouncements(c *echo.Context, status int, v annotating.AnnouncementsView) error {
	m := site.Here(c)
	var err error
	if v.Announcements, err = h.work.Announcements(c.Request().Context(), m.Campaign.ID); err != nil {
		return err
	}
	v.Page = h.PageAt(c, "Announcements", "announcements")
	return h.Render(c, status, annotating.Announcements(v))
}

// announce stores an announcement of a lead. The last day is included.
func (h *Handlers) announce(c *echo.Context) error {
	m, text, day := site.Here(c), c.FormValue("text"), site.Trimmed(c, "until")
	refuse := func(field, msg string) error {
		return h.showAnnouncements(c, http.StatusUnprocessableEntity,
			annotating.AnnouncementsView{Text: text, Until: day, Errors: map[string]string{field: msg}})
	}
	var until time.Time
	if day != "" {
		start, err := time.ParseInLocation(time.DateOnly, day, m.Campaign.Settings.Location())
		if err != nil {
			return refuse("until", "write a day such as 2026-12-24, or leave it empty")
		}
		until = start.AddDate(0, 0, 1)
	}
	err := h.work.Announce(c.Request().Context(), m.Campaign.ID, text, until, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(invalid.Field, invalid.Msg)
	}
	if err != nil {
		return err
	}
	return h.Done(c, "Annotators see the announcement on My work and, until they confirm it, while they annotate.",
		"/campaigns/"+m.Campaign.Slug+"/announcements")
}

func (h *Handlers) endAnnouncement(c *echo.Context) error {
	m := site.Here(c)
	if err := h.work.EndAnnouncement(c.Request().Context(), m.Campaign.ID, c.Param("announcement"), site.Me(c).ID); err != nil {
		return err
	}
	return h.Done(c, "The announcement has ended.", "/campaigns/"+m.Campaign.Slug+"/announcements")
}

// readAnnouncement stores that the annotator has read an announcement on the page of work or on My
// work.
func (h *Handlers) readAnnouncement(c *echo.Context) error {
	err := h.work.ReadAnnouncement(c.Request().Context(), site.Here(c).Campaign.ID, c.Param("announcement"), site.Me(c).ID)
	switch {
	case err != nil:
		return err
	case site.WantsJSON(c):
		return c.NoContent(http.StatusNoContent)
	}
	return site.Redirect(c, "/work")
}
