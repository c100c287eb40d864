package segments

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/internal/work"
	"annotate/web/templates/segments"
)

// messages lists the messages, problems and comments about segments.
func (h *Handlers) messages(c *echo.Context) error {
	return h.showMessages(c, http.StatusOK, segments.MessagesView{Kind: c.QueryParam("show")})
}

// showMessages renders the list. v has the answer to show again if it was refused.
func (h *Handlers) showMessages(c *echo.Context, status int, v segments.MessagesView) error {
	m, ctx := site.Here(c), c.Request().Context()
	if !slices.ContainsFunc(segments.MessageTabs, func(t segments.MessageTab) bool { return t.ID == v.Kind }) {
		v.Kind = ""
	}
	v.Login, v.SegmentID = cmp.Or(v.Login, c.QueryParam("annotator")), cmp.Or(v.SegmentID, c.QueryParam("segment"))
	v.Paging = site.Paging(c, segments.RowsPerPage, 0)
	f := desk.MessageFilter{Kind: v.Kind, Login: v.Login, SegmentID: v.SegmentID, Offset: (v.Number - 1) * v.Size, Limit: v.Size}
	list, err := h.desk.Messages(ctx, m.Campaign, f)
	if err != nil {
		return err
	}
	v.Threads, v.Counts, v.Total = list.Threads, list.Counts, list.Total
	members, err := h.accounts.Members(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	for _, member := range members {
		if member.Role == campaign.Annotator {
			v.Annotators = append(v.Annotators, member.User.Login)
		}
	}
	v.Page, v.Source = h.PageAt(c, "Messages", "messages"), site.Lang(m.Campaign.SourceLang)
	return h.Render(c, status, segments.Messages(v))
}

// answerMessage does what a lead chose for a thread. It sends a reply, settles the thread, or decides
// the reported problem.
func (h *Handlers) answerMessage(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	seen, _ := strconv.ParseInt(c.FormValue("seen"), 10, 64) // without the field, the lead has seen nothing
	r := work.Reply{SegmentID: c.FormValue("segment"), Login: c.FormValue("annotator"),
		Text: site.Trimmed(c, "answer"), Seen: time.UnixMicro(seen)}
	var err error
	var said string
	switch do := c.FormValue("do"); do {
	case "reply":
		err, said = h.work.Reply(ctx, m.Campaign.ID, r, site.Me(c).ID), r.Login+" sees your message on My work and beside the segment."
	case "settle":
		err, said = h.work.SettleThread(ctx, m.Campaign.ID, r, site.Me(c).ID), "The message no longer waits for an answer."
	case "return":
		err, said = h.work.ResolveProblem(
			ctx, m.Campaign.ID, c.FormValue("problem"), r.Text, false, site.Me(c).ID,
		), "The segment is back in work. The annotator who reported the problem gets it first."
	case "withdraw":
		err, said = h.work.ResolveProblem(ctx, m.Campaign.ID, c.FormValue("problem"), r.Text, true, site.Me(c).ID), "The segment was withdrawn."
	default:
		err = campaign.Invalid("do", "choose what to do")
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		v := segments.MessagesView{Kind: c.QueryParam("show"), Answer: c.FormValue("answer"), Error: invalid.Msg,
			Refused: r.SegmentID + " " + r.Login}
		if c.FormValue("from") == "segment" {
			v.SegmentID, v.Login = r.SegmentID, r.Login
		}
		return h.showMessages(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	if c.FormValue("from") == "segment" {
		return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/segments/"+r.SegmentID+"#messages-title")
	}
	return h.Done(c, said, c.Request().URL.RequestURI())
}
