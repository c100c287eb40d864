package setup

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// newCampaign shows the form of a new campaign. If the address names a campaign in from, it shows the
// form that copies this campaign.
func (h *Handlers) newCampaign(c echo.Context) error {
	if slug := c.QueryParam("from"); slug != "" {
		from, err := h.ledCampaign(c, slug, "")
		if err != nil {
			return err
		}
		return site.Redirect(c, "/campaigns/"+from.Slug+"/copy")
	}
	p, _ := protocol.Lookup(protocol.IDs()[0])
	return h.showNewCampaign(c, http.StatusOK, setup.NewCampaignView{Form: setup.EmptyCampaignForm(p)})
}

// showNewCampaign shows the form of a new campaign. v has what was typed and what is wrong with it.
func (h *Handlers) showNewCampaign(c echo.Context, status int, v setup.NewCampaignView) error {
	v.Page = h.PageAt(c, "New campaign", "campaigns")
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		v.Protocols = append(v.Protocols, p)
	}
	led, err := h.ledCampaigns(c, "")
	if err != nil {
		return err
	}
	v.From = campaignOptions(led)
	if site.Me(c).Role == accounts.Admin && len(led) == 0 {
		all, err := h.Store.Campaigns(c.Request().Context())
		if err != nil {
			return err
		}
		v.First = len(all) == 0
	}
	return h.Render(c, status, setup.NewCampaign(v))
}

func (h *Handlers) createCampaign(c echo.Context) error {
	v := setup.NewCampaignView{Form: typedCampaign(c)}
	form := &v.Form
	refuse := func(field, msg string) error {
		v.Errors = map[string]string{field: msg}
		return h.showNewCampaign(c, http.StatusUnprocessableEntity, v)
	}
	p, err := chooseProtocol(c, form)
	if err != nil {
		return h.refuseProtocol(c, v, err)
	}
	fresh := campaign.Campaign{Slug: form.Slug, Title: form.Title, Protocol: p.ID, SourceLang: form.SourceLang, TargetLang: form.TargetLang}
	if form.Protocol == setup.OwnProtocol {
		fresh.Definition = form.Definition
	}
	if fresh.Slug == "" {
		fresh.Slug = slugOf(form.Title)
	}
	fresh.Settings = campaign.DefaultSettings(p)
	for key, value := range map[string]string{"redundancy": form.Redundancy, "quota": form.Quota, "gate": form.Gate, "threshold": form.Threshold} {
		if value == "" {
			continue
		}
		var err error
		if fresh.Settings, err = fresh.Settings.With(key, value); err != nil {
			return refuse(key, site.InvalidText(err))
		}
	}
	created, err := h.Store.CreateCampaign(c.Request().Context(), fresh, site.Me(c).ID)
	if invalid, ok := errors.AsType[*campaign.InvalidError](err); ok {
		return refuse(formField(invalid.Field), invalid.Msg)
	}
	if errors.Is(err, campaign.ErrForbidden) {
		v.Errors = map[string]string{"": site.InWords(err)}
		return h.showNewCampaign(c, http.StatusForbidden, v)
	}
	if errors.Is(err, campaign.ErrConflict) {
		return refuse("slug", "there is a campaign with this slug already")
	}
	if err != nil {
		return err
	}
	return h.Done(c, "The campaign was created. Next: import its segments, then invite people.", "/campaigns/"+created.Slug)
}

// formField is the name of the form's field for a field of the campaign.
func formField(field string) string {
	switch field {
	case "source language":
		return "source_lang"
	case "target language":
		return "target_lang"
	}
	return field
}

// slugOf makes a slug of a title: its ASCII letters and digits, joined by
// hyphens; empty if it has none.
func slugOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), 63)], "-")
}
