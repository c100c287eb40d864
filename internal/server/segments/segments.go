package segments

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/protocol"
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
		Step: q.Get("step"), Metric: q.Get("metric"),
	}
	if f.Metric != "" {
		f.Least, f.Most = limit(q.Get("least")), limit(q.Get("most"))
	} else if f.Sort == desk.SortScore {
		f.Sort = ""
	}
	if !slices.Contains(campaign.Statuses, f.Status) {
		f.Status = ""
	}
	if !slices.ContainsFunc(segments.SegmentOrders, func(o segments.SegmentOrder) bool { return o.ID == f.Sort }) {
		f.Sort = ""
	}
	return f
}

// filterOf reads what a list of segments is asked for, and finds the number of annotators that stands in place of a metric.
func (h *Handlers) filterOf(c *echo.Context, q url.Values) (desk.SegmentFilter, error) {
	f := segmentFilter(q, site.Here(c).People)
	if !strings.HasPrefix(f.Metric, numberPrefix) {
		return f, nil
	}
	numbers, err := h.numbers(c)
	for _, n := range numbers {
		if numberName(n) == f.Metric {
			f.Metric, f.Number = "", &n
		}
	}
	return f, err
}

// numberPrefix stands before the name of a number that annotators give, where other names are those of metrics.
const numberPrefix = "question/"

// numberName names a number in the address of a list.
func numberName(n desk.RatedNumber) string { return numberPrefix + n.Campaign.Slug + "/" + n.Question }

// numbers lists the numbers that annotators give to the segments of the campaign, and those that they gave to their
// forebears in earlier campaigns that the reader leads.
func (h *Handlers) numbers(c *echo.Context) (out []desk.RatedNumber, err error) {
	of, leads := site.Here(c).Campaign, h.leadsCampaign(c)
	chain, err := h.records.Chain(c.Request().Context(), of)
	for _, stage := range chain {
		if !stage.Rules.OfSegments() || stage.ID != of.ID && !leads(stage.ID) {
			continue
		}
		for _, q := range stage.Rules.Questions {
			if q.Kind == protocol.Number {
				out = append(out, desk.RatedNumber{Campaign: stage, Question: q.Name})
			}
		}
	}
	return out, err
}

// limit reads a limit of scores; nil if there is none.
func limit(text string) *float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// limitText is a limit as a field for numbers has it, and as [limit] reads it.
func limitText(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
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
	filter, err := h.filterOf(c, c.QueryParams())
	if err != nil {
		return err
	}
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
	metric, head := filter.Metric, filter.Metric
	if n := filter.Number; n != nil {
		q, _ := n.Campaign.Rules.Question(n.Question)
		metric, head = numberName(*n), q.Label
	}
	v := segments.SegmentsView{
		Protocol: m.Campaign.Rules,
		Page:     h.PageAt(c, "Segments", "segments"),
		Paging:   templates.Paging{Number: number, Size: segments.RowsPerPage, Total: total}, All: total,
		Step: filter.Step, Metric: metric, ScoreHead: head, Least: limitText(filter.Least), Most: limitText(filter.Most),
		Status: filter.Status, Domain: filter.Domain, Annotator: m.People.Login(filter.Annotator), Text: filter.Text,
		Sort: filter.Sort, Reverse: filter.Reverse,
		Segments: found, Domains: domains, Source: site.Lang(m.Campaign.SourceLang), Redundancy: m.Campaign.Settings.Redundancy,
	}
	if err := h.addChain(c, &v); err != nil {
		return err
	}
	if filter.Status != "" || filter.Domain != "" || filter.Text != "" || filter.Annotator != "" || filter.Step != "" ||
		filter.Least != nil || filter.Most != nil {
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

// addChain adds to a list of segments the steps of the chain by which it can be filtered, if the campaign is in a chain
// or its segments are rated, and the metrics and judges whose scores it can show.
func (h *Handlers) addChain(c *echo.Context, v *segments.SegmentsView) error {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	metrics, err := h.records.DeclaredMetrics(ctx, of.ID)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		v.Metrics = append(v.Metrics, templates.Option{Value: m.Name, Label: m.Name})
	}
	numbers, err := h.numbers(c)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		q, _ := n.Campaign.Rules.Question(n.Question)
		option := templates.Option{Value: numberName(n), Label: q.Label + " by annotators"}
		if n.Campaign.ID != of.ID {
			option.Label += " of " + n.Campaign.Title
		}
		v.Metrics = append(v.Metrics, option)
	}
	followers, err := h.desk.Followers(ctx, of.ID)
	if err != nil {
		return err
	}
	if chain, err := h.records.Chain(ctx, of); err != nil {
		return err
	} else if len(chain) > 1 || len(followers) > 0 || of.Rules.OfSegments() || v.Step != "" {
		_, filter := of.SourceFilter()
		v.Steps = segments.StepsOf(filter, followers)
	}
	return nil
}
