package segments

import (
	"net/http"
	"slices"
	"sync"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/desk"
	"annotate/internal/server/site"
	"annotate/web/templates/segments"
)

// segment shows everything about one segment.
func (h *Handlers) segment(c *echo.Context) error {
	return h.showSegment(c, http.StatusOK, "", nil)
}

// showSegment renders a segment; act is the one whose form is shown again, filled in
// as it was sent, with what is wrong by field.
func (h *Handlers) showSegment(c *echo.Context, status int, act string, wrong map[string]string) error {
	m, ctx := site.Here(c), c.Request().Context()
	d, err := h.desk.Segment(ctx, m.Campaign, c.Param("segment"))
	if err != nil {
		return err
	}
	d = campaign.Hidden(m.People, d)
	v := segments.SegmentView{
		Page: h.PageAt(c, "Segment "+d.SegmentID, "segments"),
		ID:   d.ID, Segment: d.Segment, Held: d.Held, Overtaken: d.Overtaken, Decisions: d.Decisions, Turns: d.Turns, Acts: d.Acts,
		DecidingAct: d.DecidingAct, Undo: d.Undo,
		Protocol: m.Campaign.Rules, Settings: m.Campaign.Settings, Source: site.Lang(m.Campaign.SourceLang),
		Target: site.Lang(m.Campaign.TargetLang),
		Shown:  segments.ParseMarksShown(c.QueryParam("marks"), c.QueryParam("round")), Place: segments.ParsePlace(c.QueryParams()),
		Act: act, Errors: wrong, Typed: map[string]string{},
	}
	if v.Judges, err = h.records.JudgesAbout(ctx, m.Campaign.ID); err != nil {
		return err
	}
	if act != "" {
		for field := range c.Request().PostForm {
			v.Typed[field] = site.Trimmed(c, field)
		}
	}
	if v.Before, v.After, err = h.neighbours(c, d, v.Place); err != nil {
		return err
	}
	if m.ShownRole() == campaign.Lead {
		if v.Active, err = h.activeAnnotators(c); err != nil {
			return err
		}
		v.Candidates = candidates(v.Active, d)
		v.Chosen = c.Request().PostForm["annotator"]
		if v.Lineage, err = h.desk.Lineage(ctx, m.Campaign, d.ID, h.leadsCampaign(c)); err != nil {
			return err
		}
		if len(v.Lineage.Descendants) > 0 {
			if v.Rejected, err = h.desk.Rejected(ctx, m.Campaign, d.ID, segments.RowsPerPage); err != nil {
				return err
			}
		}
		if v.Threads, err = h.desk.SegmentThreads(ctx, d.ID); err != nil {
			return err
		}
	}
	return h.Render(c, status, segments.Segment(v))
}

// neighbours are the addresses of the segments before and after one in the list that
// it was opened from. A segment that has left the list since, as it does once a lead
// has decided it, lies between those that are now around its place.
func (h *Handlers) neighbours(c *echo.Context, d desk.SegmentDetail, place segments.Place) (before, after string, err error) {
	path := func(id string) string { return "/campaigns/" + site.Here(c).Campaign.Slug + "/segments/" + id }
	if place.List == "" {
		if d.Before != "" {
			before = path(d.Before)
		}
		if d.After != "" {
			after = path(d.After)
		}
		return before, after, nil
	}
	from := max(place.At-1, 0)
	ids, err := h.around(c, place, from, 3)
	if err != nil {
		return "", "", err
	}
	at := slices.Index(ids, d.ID)
	last, next := at-1, at+1
	if at < 0 {
		last, next = place.At-from-1, place.At-from
	}
	if last >= 0 && last < len(ids) {
		before = place.Step(path(ids[last]), from+last)
	}
	if next < len(ids) {
		after = place.Step(path(ids[next]), from+next)
	}
	return before, after, nil
}

// around lists the row ids of some segments of the list that a place is in.
func (h *Handlers) around(c *echo.Context, place segments.Place, offset, limit int) ([]string, error) {
	m, ctx := site.Here(c), c.Request().Context()
	var ids []string
	if place.List == segments.InQueue {
		f := queueFilter(place.Query)
		f.Offset, f.Limit = offset, limit
		return h.desk.QueueIDs(ctx, m.Campaign, f)
	}
	f, err := h.filterOf(c, place.Query)
	if err != nil {
		return nil, err
	}
	f.Offset, f.Limit = offset, limit
	found, _, err := h.desk.Segments(ctx, m.Campaign.ID, f)
	for _, e := range found {
		ids = append(ids, e.ID)
	}
	return ids, err
}

// leadsCampaign returns the function that reports whether the user leads a campaign, by its id. It reads the campaigns of the
// user at its first call. An error counts as no.
func (h *Handlers) leadsCampaign(c *echo.Context) func(id string) bool {
	led := sync.OnceValue(func() map[string]bool {
		ids := map[string]bool{}
		list, err := h.LedCampaigns(c, "")
		if err != nil {
			h.Logger.Error("read which campaigns somebody leads", "error", err)
		}
		for _, x := range list {
			ids[x.ID] = true
		}
		return ids
	})
	return func(id string) bool { return led()[id] }
}
