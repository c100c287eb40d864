package setup

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/labstack/echo/v5"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/server/site"
	"annotate/internal/transfer"
	"annotate/internal/wording"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

// ledCampaign returns the campaign with a slug among those of LedCampaigns. The error is an ErrNotFound
// if there is none.
func (h *Handlers) ledCampaign(c *echo.Context, slug, without string) (campaign.Campaign, error) {
	led, err := h.LedCampaigns(c, without)
	i := slices.IndexFunc(led, func(x campaign.Campaign) bool { return x.Slug == slug })
	if err != nil || i < 0 {
		return campaign.Campaign{}, errors.Join(err, campaign.ErrNotFound)
	}
	return led[i], nil
}

// campaignOptions returns campaigns as options of a field.
func campaignOptions(list []campaign.Campaign) []templates.Option {
	out := make([]templates.Option, len(list))
	for i, x := range list {
		out[i] = templates.Option{Value: x.Slug, Label: x.Title + " (" + x.Slug + ")"}
	}
	return out
}

// membersToCopy lists the members of a campaign who can be copied into another one. The logins in
// chosen are selected. If chosen is nil, all members who can sign in and are not set aside are.
func (h *Handlers) membersToCopy(c *echo.Context, from campaign.Campaign, chosen []string) ([]setup.MemberChoice, error) {
	members, err := h.store.Accounts.Members(c.Request().Context(), from.ID)
	var out []setup.MemberChoice
	for _, m := range members {
		if m.Removed {
			continue
		}
		is := slices.Contains(chosen, m.Login)
		if chosen == nil {
			is = m.CanSignIn && !m.SetAside
		}
		out = append(out, setup.MemberChoice{MemberRow: setup.MemberRow(m.Member), Chosen: is})
	}
	return out, err
}

// askCopy shows the form that copies this campaign.
func (h *Handlers) askCopy(c *echo.Context) error {
	of := site.Here(c).Campaign
	form := setup.CampaignForm{Title: of.Title, SourceLang: of.SourceLang, TargetLang: of.TargetLang}
	return h.showCopy(c, http.StatusOK, form, nil, nil)
}

func (h *Handlers) showCopy(c *echo.Context, status int, form setup.CampaignForm, chosen []string, wrong map[string]string) error {
	of := site.Here(c).Campaign
	members, err := h.membersToCopy(c, of, chosen)
	if err != nil {
		return err
	}
	in, err := h.store.Training.Instructions(c.Request().Context(), of.ID)
	if err != nil {
		return err
	}
	trained, err := h.store.Training.TrainingSet(c.Request().Context(), of)
	if err != nil {
		return err
	}
	outline, err := h.store.Plan.PlanOutline(c.Request().Context(), of)
	if err != nil {
		return err
	}
	v := setup.CopyView{
		Page:         h.PageAt(c, "Copy the campaign", "overview"),
		Form:         form,
		Members:      members,
		Errors:       wrong,
		OwnGuide:     of.Guide != "",
		Instructions: in.Text != "",
		Trained:      len(trained),
		Planned:      outline.HasOutline(),
		TakesPlan:    c.FormValue("plan") != "",
	}
	return h.Render(c, status, setup.Copy(v))
}

// copyCampaign copies this campaign.
func (h *Handlers) copyCampaign(c *echo.Context) error {
	form := setup.CampaignForm{
		Title:      site.Trimmed(c, "title"),
		Slug:       site.Trimmed(c, "slug"),
		SourceLang: site.Trimmed(c, "source_lang"),
		TargetLang: site.Trimmed(c, "target_lang"),
	}
	chosen := append([]string{}, c.Request().Form["member"]...)
	to := accounts.CampaignCopy{Title: form.Title, Slug: form.Slug, SourceLang: form.SourceLang, TargetLang: form.TargetLang, Members: chosen}
	if to.Slug == "" {
		var err error
		from := site.Here(c).Campaign
		if form.Title == from.Title { // the campaign itself has the slug of its title
			to.Slug, err = h.freeSlug(c, from.Slug)
		} else {
			to.Slug, err = h.newSlug(c, campaign.Campaign{Title: form.Title, Protocol: from.Protocol, SourceLang: form.SourceLang, TargetLang: form.TargetLang})
		}
		if err != nil {
			return err
		}
	}
	refuse := func(status int, field, msg string) error {
		return h.showCopy(c, status, form, chosen, map[string]string{field: msg})
	}
	if _, err := h.store.Records.Campaign(c.Request().Context(), to.Slug); err == nil {
		return refuse(http.StatusUnprocessableEntity, "slug", "there is a campaign with this slug already")
	}
	created, err := h.store.Accounts.CopyCampaign(c.Request().Context(), site.Here(c).Campaign, to, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(http.StatusUnprocessableEntity, formField(invalid.Field), invalid.Msg)
	}
	if status := site.StatusOf(err); err != nil && status != http.StatusInternalServerError {
		return refuse(status, "", site.Sentence(site.InWords(err)))
	}
	if err != nil {
		return err
	}
	trained, err := transfer.CopyTraining(c.Request().Context(), h.store, site.Here(c).Campaign, created, site.Me(c).ID)
	if err != nil {
		return fmt.Errorf("campaign %s was created, but its training set was not copied: %w", created.Slug, err)
	}
	said := "The campaign was created from " + site.Here(c).Campaign.Title + "."
	if trained > 0 {
		said += " Its training set came with it; switch it on under Training."
	}
	if c.FormValue("plan") != "" {
		if _, err := h.store.Plan.CopyPlan(c.Request().Context(), site.Here(c).Campaign, created, site.Me(c).ID); err != nil {
			return fmt.Errorf("campaign %s was created, but its plan was not copied: %w", created.Slug, err)
		}
	}
	waiting, err := h.store.Accounts.Waiting(c.Request().Context(), created.ID)
	if err != nil {
		return err
	}
	if n := len(waiting); n > 0 {
		said += " " + wording.Counted(n, "person", "people") + " must accept first: make join links under Members."
	}
	return h.Done(c, said+" Next: import its segments.", "/campaigns/"+created.Slug)
}

// askCopyMembers shows the form that chooses members of another campaign that the user leads.
func (h *Handlers) askCopyMembers(c *echo.Context) error {
	return h.showCopyMembers(c, http.StatusOK, c.QueryParam("from"), nil, "")
}

func (h *Handlers) showCopyMembers(c *echo.Context, status int, slug string, chosen []string, wrong string) error {
	of := site.Here(c).Campaign
	from, err := h.ledCampaign(c, slug, of.ID)
	if err != nil {
		return err
	}
	members, err := h.membersToCopy(c, from, chosen)
	if err != nil {
		return err
	}
	there, err := h.store.Accounts.Members(c.Request().Context(), of.ID)
	if err != nil {
		return err
	}
	v := setup.CopyMembersView{Page: h.PageAt(c, "Copy members", "members"), From: site.CampaignView(from, campaign.Lead, false)}
	if wrong != "" {
		v.Errors = map[string]string{"": wrong}
	}
	for _, m := range members {
		if slices.ContainsFunc(there, func(x accounts.Membership) bool { return x.Login == m.Login && !x.Removed }) {
			v.There++
		} else {
			v.Members = append(v.Members, m)
		}
	}
	return h.Render(c, status, setup.CopyMembers(v))
}

// copyMembers adds members of another campaign to this one.
func (h *Handlers) copyMembers(c *echo.Context) error {
	of := site.Here(c).Campaign
	from, err := h.ledCampaign(c, c.FormValue("from"), of.ID)
	if err != nil {
		return err
	}
	chosen := append([]string{}, c.Request().Form["member"]...)
	if len(chosen) == 0 {
		return h.showCopyMembers(c, http.StatusUnprocessableEntity, from.Slug, chosen, "Choose at least one person.")
	}
	copied, err := h.store.Accounts.CopyMembers(c.Request().Context(), of, from, chosen, site.Me(c).ID)
	if status := site.StatusOf(err); err != nil && status != http.StatusInternalServerError {
		return h.showCopyMembers(c, status, from.Slug, chosen, fmt.Sprintf("Nobody was added. %s", site.Sentence(site.InWords(err))))
	}
	if err != nil {
		return err
	}
	said := wording.Counted(len(copied.Added), "member") + " came from " + from.Title + "."
	if n := len(copied.Invited); n > 0 {
		said += " " + wording.Counted(n, "person", "people") + " must accept first: make join links below."
	}
	return h.Done(c, said, "/campaigns/"+of.Slug+"/members")
}
