package segments

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/web/templates"
	"annotate/web/templates/segments"
)

// segmentFilter reads what a list of segments is asked for; what it does not know is
// left out. people are the pseudonyms under which the user sees the annotators.
func segmentFilter(q url.Values, people *campaign.Pseudonyms) desk.SegmentFilter {
	f := desk.SegmentFilter{
		Status: campaign.Status(q.Get("status")), Domain: q.Get("domain"), Annotator: people.Person(q.Get("annotator")),
		Text: strings.TrimSpace(q.Get("text")), Sort: q.Get("sort"), Reverse: q.Get("order") == "back",
	}
	if !slices.Contains(campaign.Statuses, f.Status) {
		f.Status = ""
	}
	if !slices.ContainsFunc(segments.SegmentOrders, func(o segments.SegmentOrder) bool { return o.ID == f.Sort }) {
		f.Sort = ""
	}
	return f
}

// segments lists the campaign's segments, filtered and sorted.
func (h *Handlers) segments(c *echo.Context) error { return h.showSegments(c, http.StatusOK, nil) }

// decideSegments does one act on the segments chosen, all or none.
func (h *Handlers) decideSegments(c *echo.Context) error {
	back := "/campaigns/" + site.Here(c).Campaign.Slug + "/segments"
	if query := c.QueryString(); query != "" {
		back += "?" + query
	}
	return h.actOnSeveral(c, back, func(status int, wrong map[string]string) error { return h.showSegments(c, status, wrong) })
}

// showSegments renders the list; where something is wrong, with the form as it was sent.
func (h *Handlers) showSegments(c *echo.Context, status int, wrong map[string]string) error {
	m, ctx := site.Here(c), c.Request().Context()
	number := max(1, site.Atoi(c.QueryParam("page")))
	filter := segmentFilter(c.QueryParams(), m.People)
	filter.Offset, filter.Limit = (number-1)*segments.RowsPerPage, segments.RowsPerPage
	found, total, err := h.desk.Segments(ctx, m.Campaign.ID, filter)
	if err != nil {
		return err
	}
	domains, err := h.desk.Domains(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	members, err := h.accounts.Members(ctx, m.Campaign.ID)
	if err != nil {
		return err
	}
	v := segments.SegmentsView{
		Protocol: m.Campaign.Rules,
		Page:     h.PageAt(c, "Segments", "segments"), Clock: h.Clock(m.Campaign.Settings.Location()),
		Paging: templates.Paging{Number: number, Size: segments.RowsPerPage, Total: total}, All: total,
		Status: filter.Status, Domain: filter.Domain, Annotator: m.People.Login(filter.Annotator), Text: filter.Text, Sort: filter.Sort, Reverse: filter.Reverse,
		Segments: found, Domains: domains, Source: site.Lang(m.Campaign.SourceLang), Redundancy: m.Campaign.Settings.Redundancy,
	}
	if filter.Status != "" || filter.Domain != "" || filter.Text != "" || filter.Annotator != "" {
		if _, v.All, err = h.desk.Segments(ctx, m.Campaign.ID, desk.SegmentFilter{Limit: 1}); err != nil {
			return err
		}
	}
	for _, x := range members {
		if x.Role == campaign.Annotator {
			v.Annotators = append(v.Annotators, m.People.Login(x.User.Login))
		}
	}
	if v.Several, err = h.several(c, wrong); err != nil {
		return err
	}
	return h.Render(c, status, segments.Segments(v))
}
