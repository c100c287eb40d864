package server

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/web/templates"
	"annotate/web/templates/monitoring"
)

// checks shows what the checks of a campaign say of its annotators.
func (s *Server) checks(c echo.Context) error {
	return s.showChecks(c, http.StatusOK, "", monitoring.ChecksView{})
}

// checksPerPage is the number of checks on a page.
const checksPerPage = 30

// showChecks renders the page. v has what is shown again of a change that was refused, and only is the id of
// the check whose change was refused, which is listed alone.
func (s *Server) showChecks(c echo.Context, status int, only string, v monitoring.ChecksView) error {
	m, ctx := here(c), c.Request().Context()
	v.Page, v.Clock = s.pageAt(c, "Checks", "annotators"), s.clock(m.campaign.Settings.Location())
	v.Rate, v.Level = m.campaign.Settings.CheckRate, m.campaign.Settings.CheckFlag
	v.Target = lang(m.campaign.TargetLang)
	v.Login, v.Kind = c.QueryParam("annotator"), c.QueryParam("kind")
	var err error
	if v.Annotators, err = s.store.JudgedChecks(ctx, m.campaign); err != nil {
		return err
	}
	if v.Rate > 0 && len(v.Annotators) == 0 {
		v.RepeatAfter = m.campaign.Settings.RepeatAfter
		if v.HandedOut, err = s.store.HandedOut(ctx, m.campaign.ID); err != nil {
			return err
		}
	}
	if v.Known, err = s.store.KnownAnswers(ctx, m.campaign.ID); err != nil {
		return err
	}
	if v.Messages, err = s.store.ChecksToAnswer(ctx, m.campaign); err != nil {
		return err
	}
	list, err := s.store.Checks(ctx, m.campaign)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(k readmodel.Check) bool {
		return v.Login != "" && k.Login != v.Login || v.Kind != "" && string(k.Kind) != v.Kind || only != "" && k.ID != only
	})
	slices.SortStableFunc(list, func(a, b readmodel.Check) int {
		return cmp.Or(b.SubmittedAt.Compare(a.SubmittedAt), strings.Compare(a.ID, b.ID))
	})
	v.Paging = templates.Paging{Number: max(1, atoi(c.QueryParam("page"))), Size: checksPerPage, Total: len(list)}
	from := min((v.Number-1)*checksPerPage, len(list))
	v.Checks = list[from:min(from+checksPerPage, len(list))]
	return s.render(c, status, monitoring.Checks(v))
}

// changeChecks does what a lead chose: changes the text of a degraded translation, or gives a known answer
// or takes one back.
func (s *Server) changeChecks(c echo.Context) error {
	m, ctx := here(c), c.Request().Context()
	translation, by := c.FormValue("translation"), me(c).ID
	var err error
	var said string
	switch c.FormValue("do") {
	case "replace":
		err, said = s.store.ReplaceDegraded(ctx, m.campaign.ID, translation, c.FormValue("text"), by), "The text is replaced for everybody who gets the check from now on."
	case "remove":
		err, said = s.store.RemoveDegraded(ctx, m.campaign.ID, translation, true, by), "The text is used no more, and checks with it do not count."
	case "restore":
		err, said = s.store.RemoveDegraded(ctx, m.campaign.ID, translation, false, by), "The text is used again, and checks with it count."
	case "know":
		score, wrong := strconv.ParseFloat(strings.TrimSpace(c.FormValue("score")), 64)
		if wrong != nil {
			score = math.NaN()
		}
		err, said = s.store.GiveKnown(ctx, m.campaign.ID, readmodel.KnownAnswer{DocID: trimmed(c, "document"), SegmentID: trimmed(c, "segment"), System: trimmed(c, "system"), Score: score}, by), "The answer is known. Checks of the kind known use it."
	case "forget":
		err, said = s.store.TakeKnown(ctx, m.campaign.ID, translation, by), "The known answer is taken back."
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
		return s.showChecks(c, http.StatusUnprocessableEntity, only, v)
	}
	if err != nil {
		return err
	}
	return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/checks")
}
