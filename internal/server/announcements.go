package server

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/web/templates/annotating"
)

// announcements lists the announcements of a campaign, with a form that makes one.
func (s *Server) announcements(c echo.Context) error {
	return s.showAnnouncements(c, http.StatusOK, annotating.AnnouncementsView{})
}

// showAnnouncements renders the page. v has the values of the form if it was refused.
func (s *Server) showAnnouncements(c echo.Context, status int, v annotating.AnnouncementsView) error {
	m := here(c)
	var err error
	if v.Announcements, err = s.store.Announcements(c.Request().Context(), m.campaign.ID); err != nil {
		return err
	}
	v.Page, v.Clock = s.pageAt(c, "Announcements", "messages"), s.clock(m.campaign.Settings.Location())
	return s.render(c, status, annotating.Announcements(v))
}

// announce stores an announcement of a lead. The last day is included.
func (s *Server) announce(c echo.Context) error {
	m, text, day := here(c), c.FormValue("text"), trimmed(c, "until")
	refuse := func(field, msg string) error {
		return s.showAnnouncements(c, http.StatusUnprocessableEntity, annotating.AnnouncementsView{Text: text, Until: day, Errors: map[string]string{field: msg}})
	}
	var until time.Time
	if day != "" {
		start, err := time.ParseInLocation(time.DateOnly, day, m.campaign.Settings.Location())
		if err != nil {
			return refuse("until", "write a day such as 2026-12-24, or leave it empty")
		}
		until = start.AddDate(0, 0, 1)
	}
	err := s.store.Announce(c.Request().Context(), m.campaign.ID, text, until, me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(invalid.Field, invalid.Msg)
	}
	if err != nil {
		return err
	}
	return s.done(c, "Annotators see the announcement on My work and, until they confirm it, while they annotate.", "/campaigns/"+m.campaign.Slug+"/announcements")
}

func (s *Server) endAnnouncement(c echo.Context) error {
	m := here(c)
	if err := s.store.EndAnnouncement(c.Request().Context(), m.campaign.ID, c.Param("announcement"), me(c).ID); err != nil {
		return err
	}
	return s.done(c, "The announcement has ended.", "/campaigns/"+m.campaign.Slug+"/announcements")
}

// readAnnouncement stores that the annotator has read an announcement on the page of work or on My
// work.
func (s *Server) readAnnouncement(c echo.Context) error {
	err := s.store.ReadAnnouncement(c.Request().Context(), here(c).campaign.ID, c.Param("announcement"), me(c).ID)
	switch {
	case err != nil:
		return err
	case wantsJSON(c):
		return c.NoContent(http.StatusNoContent)
	}
	return redirect(c, "/work")
}
