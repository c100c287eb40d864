package annotating

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/internal/wire"
	"annotate/internal/work"
	"annotate/web/templates/annotating"
)

// thread returns the messages of the annotator and the leads about the segment of an assignment.
func (h *Handlers) thread(c *echo.Context) error {
	m := site.Here(c)
	messages, err := h.work.Thread(c.Request().Context(), m.Work, site.Me(c).ID, c.Param("assignment"))
	if err != nil {
		return apiFailure(c, err)
	}
	clock := h.Clock(m.Campaign)
	out := wire.Thread{Messages: make([]wire.Message, len(messages))}
	for i, said := range messages {
		out.Messages[i] = annotating.OwnMessage(clock, said)
	}
	return c.JSON(http.StatusOK, out)
}

// ask sends a message of the annotator to the leads and returns all messages.
func (h *Handlers) ask(c *echo.Context) error {
	var body wire.Ask
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	if err := h.work.Ask(c.Request().Context(), site.Here(c).Work, site.Me(c).ID, c.Param("assignment"), body.Token, body.Text); err != nil {
		return apiFailure(c, err)
	}
	return h.thread(c)
}

// readThread stores which messages the annotator has read.
func (h *Handlers) readThread(c *echo.Context) error {
	var body wire.ThreadRead
	if err := site.ReadJSON(c, &body, site.MaxCardBody); err != nil {
		return err
	}
	if site.Here(c).Campaign.Archived {
		return c.NoContent(http.StatusNoContent)
	}
	if err := h.work.ReadThread(c.Request().Context(), site.Here(c).Work, site.Me(c).ID, c.Param("assignment"), body.Until); err != nil {
		return apiFailure(c, err)
	}
	return c.NoContent(http.StatusNoContent)
}

// sawThread stores that the annotator has read the messages that a page shows.
func (h *Handlers) sawThread(c *echo.Context, w work.Work) error {
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
	return h.work.ReadThread(c.Request().Context(), w.Campaign, site.Me(c).ID, w.Assignment.ID, until)
}
