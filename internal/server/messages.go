package server

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/work"
	"annotate/web/templates"
	"annotate/web/templates/segments"
)

// messages lists the messages, problems and comments about segments.
func (s *Server) messages(c echo.Context) error {
	return s.showMessages(c, http.StatusOK, segments.MessagesView{Kind: c.QueryParam("show")})
}

// showMessages renders the list. v has the answer to show again if it was refused.
func (s *Server) showMessages(c echo.Context, status int, v segments.MessagesView) error {
	m, ctx := here(c), c.Request().Context()
	if !slices.ContainsFunc(segments.MessageTabs, func(t segments.MessageTab) bool { return t.ID == v.Kind }) {
		v.Kind = ""
	}
	v.Login, v.SegmentID = cmp.Or(v.Login, c.QueryParam("annotator")), cmp.Or(v.SegmentID, c.QueryParam("segment"))
	v.Paging = templates.Paging{Number: max(1, atoi(c.QueryParam("page"))), Size: segments.RowsPerPage}
	f := desk.MessageFilter{Kind: v.Kind, Login: v.Login, SegmentID: v.SegmentID, Offset: (v.Number - 1) * v.Size, Limit: v.Size}
	list, err := s.store.Messages(ctx, m.campaign, f)
	if err != nil {
		return err
	}
	v.Threads, v.Counts, v.Total = list.Threads, list.Counts, list.Total
	members, err := s.store.Members(ctx, m.campaign.ID)
	if err != nil {
		return err
	}
	for _, member := range members {
		if member.Role == campaign.Annotator {
			v.Annotators = append(v.Annotators, member.User.Login)
		}
	}
	v.Page, v.Clock, v.Source = s.pageAt(c, "Messages", "messages"), s.clock(m.campaign.Settings.Location()), lang(m.campaign.SourceLang)
	return s.render(c, status, segments.Messages(v))
}

// answerMessage does what a lead chose for a thread. It sends a reply, settles the thread, or decides
// the reported problem.
func (s *Server) answerMessage(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	seen, _ := strconv.ParseInt(c.FormValue("seen"), 10, 64) // without the field, the lead has seen nothing
	r := work.Reply{SegmentID: c.FormValue("segment"), Login: c.FormValue("annotator"), Text: trimmed(c, "answer"), Seen: time.UnixMicro(seen)}
	var err error
	var said string
	switch do := c.FormValue("do"); do {
	case "reply":
		err, said = s.store.Reply(ctx, m.campaign.ID, r, me(c).ID), r.Login+" sees your message on My work and beside the segment."
	case "settle":
		err, said = s.store.SettleThread(ctx, m.campaign.ID, r, me(c).ID), "The message no longer waits for an answer."
	case "return":
		err, said = s.store.ResolveProblem(ctx, m.campaign.ID, c.FormValue("problem"), r.Text, false, me(c).ID), "The segment is back in work. The annotator who reported the problem gets it first."
	case "withdraw":
		err, said = s.store.ResolveProblem(ctx, m.campaign.ID, c.FormValue("problem"), r.Text, true, me(c).ID), "The segment was withdrawn."
	default:
		err = campaign.Invalid("do", "choose what to do")
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		v := segments.MessagesView{Kind: c.QueryParam("show"), Answer: c.FormValue("answer"), Error: invalid.Msg, Refused: r.SegmentID + " " + r.Login}
		if c.FormValue("from") == "segment" {
			v.SegmentID, v.Login = r.SegmentID, r.Login
		}
		return s.showMessages(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	if c.FormValue("from") == "segment" {
		return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/segments/"+r.SegmentID+"#messages-title")
	}
	return s.done(c, said, c.Request().URL.RequestURI())
}
