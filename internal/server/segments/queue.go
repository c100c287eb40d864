package segments

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/segments"
)

// queueFilter reads what the queue is asked for; what it does not know is left out.
func queueFilter(q url.Values) desk.QueueFilter {
	f := desk.QueueFilter{Only: q.Get("show"), Sort: q.Get("sort")}
	if !slices.ContainsFunc(segments.QueueTabs, func(t segments.QueueTab) bool { return t.ID == f.Only }) {
		f.Only = ""
	}
	if !slices.ContainsFunc(segments.QueueOrders, func(o templates.Option) bool { return o.Value == f.Sort }) {
		f.Sort = ""
	}
	return f
}

// queue lists what was sent back or discarded.
func (h *Handlers) queue(c *echo.Context) error {
	return h.showQueue(c, http.StatusOK, nil)
}

// showQueue renders the queue; where something is wrong, with the form as it was sent.
func (h *Handlers) showQueue(c *echo.Context, status int, wrong map[string]string) error {
	m, ctx := site.Here(c), c.Request().Context()
	number := max(1, site.Atoi(c.QueryParam("page")))
	f := queueFilter(c.QueryParams())
	f.Offset, f.Limit = (number-1)*segments.RowsPerPage, segments.RowsPerPage
	version, err := h.desk.Version(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	q, err := h.desk.Queue(ctx, m.Campaign, f)
	if err != nil {
		return err
	}
	q = campaign.Hidden(m.People, q)
	v := segments.QueueView{Protocol: m.Campaign.Rules,
		Page:   h.PageAt(c, "Queue", "queue"),
		Paging: templates.Paging{Number: number, Size: segments.RowsPerPage, Total: q.Counts[f.Only]}, Show: f.Only,
		Sort: f.Sort, Version: version,
		Counts: q.Counts,
		Rows:   q.Entries, Settings: m.Campaign.Settings, Source: site.Lang(m.Campaign.SourceLang),
	}
	if m.ShownRole() == campaign.Lead {
		v.AllRejected = q.Rejected
		if v.Rejected, err = h.desk.Rejected(ctx, m.Campaign, "", segments.RowsPerPage); err != nil {
			return err
		}
	}
	if v.Several, err = h.several(c, wrong); err != nil {
		return err
	}
	return h.Render(c, status, segments.Queue(v))
}

// decideQueue does one act on the segments chosen, all or none.
func (h *Handlers) decideQueue(c *echo.Context) error {
	f := queueFilter(c.QueryParams())
	back := templates.Campaign{Slug: site.Here(c).Campaign.Slug}.QueuePath(f.Only, f.Sort)
	return h.actOnSeveral(c, back, func(status int, wrong map[string]string) error { return h.showQueue(c, status, wrong) })
}
