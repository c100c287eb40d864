package monitoring

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/server/site"
	"annotate/web/templates/monitoring"
)

// checks shows what the checks of a campaign say of its annotators.
func (h *Handlers) checks(c *echo.Context) error {
	return h.showChecks(c, http.StatusOK, "", monitoring.ChecksView{})
}

// checksPerPage is the number of checks on a page.
const checksPerPage = 30

// showChecks renders the page. v has what is shown again of a change that was refused, and only is the id of
// the check whose change was refused, which is listed alone.
func (h *Handlers) showChecks(c *echo.Context, status int, only string, v monitoring.ChecksView) error {
	m, ctx := site.Here(c), c.Request().Context()
	v.Page = h.PageAt(c, "Checks", "checks")
	v.Rate, v.Level = m.Campaign.Settings.CheckRate, m.Campaign.Settings.CheckFlag
	v.Lang, v.Protocol = site.Lang(m.Campaign.TargetLang), m.Campaign.Rules
	if v.Protocol.OfSegments() {
		v.Lang = site.Lang(m.Campaign.SourceLang)
	}
	v.Login, v.Kind = c.QueryParam("annotator"), c.QueryParam("kind")
	var err error
	if v.Annotators, err = h.desk.JudgedChecks(ctx, m.Campaign); err != nil {
		return err
	}
	v.Annotators = campaign.Hidden(m.People, v.Annotators)
	if v.Rate > 0 && len(v.Annotators) == 0 {
		v.RepeatAfter = m.Campaign.Settings.RepeatAfter
		if v.HandedOut, err = h.desk.HandedOut(ctx, m.Campaign.ID); err != nil {
			return err
		}
	}
	if v.Known, err = h.work.KnownAnswers(ctx, m.Campaign); err != nil {
		return err
	}
	if v.Messages, err = h.desk.ChecksToAnswer(ctx, m.Campaign); err != nil {
		return err
	}
	list, err := h.desk.Checks(ctx, m.Campaign)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(campaign.Hidden(m.People, list), func(k readmodel.Check) bool {
		return v.Login != "" && k.Login != v.Login || v.Kind != "" && string(k.Kind) != v.Kind || only != "" && k.ID != only
	})
	slices.SortStableFunc(list, func(a, b readmodel.Check) int {
		return cmp.Or(b.SubmittedAt.Compare(a.SubmittedAt), strings.Compare(a.ID, b.ID))
	})
	v.Paging = site.Paging(c, checksPerPage, len(list))
	from := min((v.Number-1)*checksPerPage, len(list))
	v.Checks = list[from:min(from+checksPerPage, len(list))]
	return h.Render(c, status, monitoring.Checks(v))
}

// changeChecks does what a lead chose: changes the text of a degraded translation, or gives a known answer
// or takes one back.
func (h *Handlers) changeChecks(c *echo.Context) error {
	m, ctx := site.Here(c), c.Request().Context()
	translation, by := c.FormValue("translation"), site.Me(c).ID
	var err error
	var said string
	switch c.FormValue("do") {
	case "replace":
		err, said = h.work.ReplaceDegraded(
			ctx, m.Campaign.ID, translation, c.FormValue("text"), by,
		), "The text is replaced for everybody who gets the check from now on."
	case "remove":
		err, said = h.work.RemoveDegraded(ctx, m.Campaign.ID, translation, true, by), "The text is used no more, and checks with it do not count."
	case "restore":
		err, said = h.work.RemoveDegraded(ctx, m.Campaign.ID, translation, false, by), "The text is used again, and checks with it count."
	case "know":
		score, wrong := strconv.ParseFloat(strings.TrimSpace(c.FormValue("score")), 64)
		if wrong != nil {
			score = math.NaN()
		}
		err, said = h.work.GiveKnown(
			ctx,
			m.Campaign.ID,
			readmodel.KnownAnswer{
				DocID:     site.Trimmed(c, "document"),
				SegmentID: site.Trimmed(c, "segment"),
				System:    site.Trimmed(c, "system"),
				Score:     score,
				Answer:    site.Trimmed(c, "score"),
			},
			by,
		), "The answer is known. Checks of the kind known use it."
	case "forget":
		err, said = h.work.TakeKnown(ctx, m.Campaign.ID, translation, by), "The known answer is taken back."
	default:
		err = campaign.Invalid("do", "choose what to do")
	}
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		v := monitoring.ChecksView{Typed: map[string]string{}, Errors: map[string]string{}}
		for _, field := range []string{"document", "segment", "system", "score"} {
			v.Typed[field] = c.FormValue(field)
		}
		field, only := invalid.Field, ""
		if field == "text" {
			only = c.FormValue("check")
			field = "text-" + only
			v.Typed[field] = c.FormValue("text")
		}
		v.Errors[field] = invalid.Msg
		return h.showChecks(c, http.StatusUnprocessableEntity, only, v)
	}
	if err != nil {
		return err
	}
	return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/checks")
}
