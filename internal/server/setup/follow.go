package setup

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/parallel"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates/setup"
)

// addFollowing adds to the page of imports what the campaign follows, and what it could follow.
func (h *Handlers) addFollowing(c *echo.Context, v *setup.ImportView) (err error) {
	of := site.Here(c).Campaign
	if v.Following, err = h.store.Intake.Following(c.Request().Context(), of); err != nil {
		return err
	}
	if v.Chain.NewTexts, v.Chain.Compared, err = h.store.Intake.NewTexts(c.Request().Context(), of); err != nil {
		return err
	}
	if v.Chain.Reason == "" && v.Errors["reason"] == "" {
		v.Chain.Reason = newTextReason
	}
	v.Chain.Source, v.Chain.Target = site.Lang(of.SourceLang), site.Lang(of.TargetLang)
	led, err := h.LedCampaigns(c, of.ID)
	if err != nil {
		return err
	}
	v.Chain.Led = campaignOptions(led)
	if f := v.Following; f != nil && v.Chain.From == "" {
		v.Chain.From, v.Chain.Where, v.Chain.Carry = f.Slug, strings.Join(f.Where, "\n"), f.Carry
	}
	return nil
}

// follow makes the campaign follow another one that the user leads.
func (h *Handlers) follow(c *echo.Context) error {
	r := c.Request()
	if err := r.ParseForm(); err != nil {
		return err
	}
	of := site.Here(c).Campaign
	form := setup.ChainForm{From: site.Trimmed(c, "from"), Where: site.Trimmed(c, "where"), Carry: r.PostForm["carry"]}
	again := func(status int, field, msg string) error {
		return h.renderImport(c, status, setup.ImportView{Chain: form, Errors: map[string]string{field: msg}})
	}
	var where []string
	for line := range strings.Lines(form.Where) {
		if line = strings.TrimSpace(line); line != "" {
			where = append(where, line)
		}
	}
	from, err := h.followBy(c, form.From, where, form.Carry)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return again(http.StatusUnprocessableEntity, invalid.Field, wording.Capital(invalid.Msg)+".")
	}
	if errors.Is(err, campaign.ErrConflict) {
		return again(http.StatusConflict, "", site.InWords(err))
	}
	if err != nil {
		return err
	}
	return h.Done(c, "This campaign follows "+from.Title+".", "/campaigns/"+of.Slug+"/import#chain-title")
}

// followBy makes the campaign follow the one with the slug from. The error is an InvalidError if the user does not lead
// that campaign, or if the token of a program is not good for it.
func (h *Handlers) followBy(c *echo.Context, slug string, where, carry []string) (from campaign.Campaign, err error) {
	ctx, of := c.Request().Context(), site.Here(c).Campaign
	from, err = h.ledCampaign(c, slug, of.ID)
	if grant, ok := site.Granted(c); errors.Is(err, campaign.ErrNotFound) || err == nil && ok && !grant.Sees(from.ID) {
		return from, campaign.Invalid("from", "choose a campaign that you lead")
	}
	if err != nil {
		return from, err
	}
	rule, err := campaign.NewFollow(from.Rules, where, carry)
	if err != nil {
		return from, err
	}
	return from, h.store.Intake.Follow(ctx, of.ID, from.ID, rule, site.Me(c).ID)
}

// unfollow makes the campaign follow no campaign.
func (h *Handlers) unfollow(c *echo.Context) error {
	of := site.Here(c).Campaign
	if err := h.store.Intake.StopFollowing(c.Request().Context(), of.ID, site.Me(c).ID); err != nil && !errors.Is(err, campaign.ErrNotFound) {
		return err
	}
	return h.Done(c, "This campaign follows no other campaign.", "/campaigns/"+of.Slug+"/import")
}

// takeOver takes over what is ready, as an import that goes on in the background if it takes long.
func (h *Handlers) takeOver(c *echo.Context) error {
	of := site.Here(c).Campaign
	j, err := h.Imports.takeOver(c.Request().Context(), of, site.Me(c).ID)
	if errors.Is(err, errImporting) {
		return h.renderImport(c, http.StatusConflict, setup.ImportView{Errors: map[string]string{"": site.InWords(err)}})
	}
	if err != nil {
		return err
	}
	return h.awaitImport(c, j)
}

// newTextReason is the usual reason that annotators read who look at a segment again because its text has changed.
const newTextReason = "The text was changed after it came here."

// takeNewTexts takes over all texts that have changed in the followed campaign.
func (h *Handlers) takeNewTexts(c *echo.Context) error {
	of, reason := site.Here(c).Campaign, site.Trimmed(c, "reason")
	n, err := h.store.Intake.TakeNewTexts(c.Request().Context(), of.ID, nil, reason, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return h.renderImport(c, http.StatusUnprocessableEntity, setup.ImportView{Chain: setup.ChainForm{Reason: reason}, Errors: map[string]string{invalid.Field: wording.Capital(invalid.Msg) + "."}})
	}
	if errors.Is(err, campaign.ErrConflict) {
		return h.renderImport(c, http.StatusConflict, setup.ImportView{Errors: map[string]string{"": site.InWords(err)}})
	}
	if err != nil {
		return err
	}
	return h.Done(c, "New texts taken over: "+wording.Counted(n, "segment")+".", "/campaigns/"+of.Slug+"/import")
}

// takeOver begins to take segments over. The error is errImporting if another import into the campaign is under way.
func (i *Imports) takeOver(ctx context.Context, of campaign.Campaign, byID string) (*importJob, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	elsewhere, err := i.st.Jobs.Elsewhere(ctx, importKind, of.ID)
	if err != nil {
		return nil, err
	}
	if j := i.Runner.Find(of.ID); elsewhere != nil || j != nil && !j.Over() {
		return nil, errImporting
	}
	actor := context.WithoutCancel(ctx) // who takes over, for the logs
	return i.Runner.Start(of.ID, func(ctx context.Context, say parallel.Say) (importOutcome, error) {
		acting, stop := context.WithCancel(actor)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		say("segments are being taken over", 0)
		out := importOutcome{At: i.now()}
		var err error
		out.Report, err = i.st.Intake.TakeOver(acting, of.ID, byID)
		if err := out.refuse(err); err != nil {
			return out, err
		}
		return out, i.ended(actor, of.ID, out)
	}, site.LogFailure(i.logger, "take over", of), func(err error) { i.failed(actor, of.ID, importOutcome{}, err) }), nil
}
