package server

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/internal/work"
	"annotate/web/templates/annotating"
)

// thread returns the messages of the annotator and the leads about the segment of an assignment.
func (s *Server) thread(c echo.Context) error {
	m := here(c)
	messages, err := s.store.Thread(c.Request().Context(), m.work, me(c).ID, c.Param("assignment"))
	if err != nil {
		return apiFailure(c, err)
	}
	clock := s.clock(m.campaign.Settings.Location())
	out := wire.Thread{Messages: make([]wire.Message, len(messages))}
	for i, said := range messages {
		out.Messages[i] = annotating.OwnMessage(clock, said)
	}
	return c.JSON(http.StatusOK, out)
}

// ask sends a message of the annotator to the leads and returns all messages.
func (s *Server) ask(c echo.Context) error {
	var body wire.Ask
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	if err := s.store.Ask(c.Request().Context(), here(c).work, me(c).ID, c.Param("assignment"), body.Token, body.Text); err != nil {
		return apiFailure(c, err)
	}
	return s.thread(c)
}

// readThread stores which messages the annotator has read.
func (s *Server) readThread(c echo.Context) error {
	var body wire.ThreadRead
	if err := readJSON(c, &body, maxCardBody); err != nil {
		return err
	}
	if here(c).campaign.Archived {
		return c.NoContent(http.StatusNoContent)
	}
	if err := s.store.ReadThread(c.Request().Context(), here(c).work, me(c).ID, c.Param("assignment"), body.Until); err != nil {
		return apiFailure(c, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// sawThread stores that the annotator has read the messages that a page shows.
func (s *Server) sawThread(c echo.Context, w work.Work) error {
	isNew := func(m readmodel.Message) bool { return m.New }
	if w.Campaign.Archived || !slices.ContainsFunc(w.Thread, isNew) {
		return nil
	}
	var until time.Time
	for _, m := range w.Thread {
		if m.New && m.At.After(until) {
			until = m.At
		}
	}
	return s.store.ReadThread(c.Request().Context(), w.Campaign, me(c).ID, w.Assignment.ID, until)
}
