package setup

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/labstack/echo/v5"
	"golang.org/x/text/unicode/norm"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/server/site"
	"annotate/web/templates/setup"
)

// newCampaign shows the form of a new campaign. If the address names a campaign in from, it shows the
// form that copies this campaign.
func (h *Handlers) newCampaign(c *echo.Context) error {
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
func (h *Handlers) showNewCampaign(c *echo.Context, status int, v setup.NewCampaignView) error {
	v.Page = h.PageAt(c, "New campaign", "campaigns")
	for _, id := range protocol.IDs() {
		p, _ := protocol.Lookup(id)
		v.Protocols = append(v.Protocols, p)
	}
	led, err := h.LedCampaigns(c, "")
	if err != nil {
		return err
	}
	v.From = campaignOptions(led)
	if site.Me(c).Role == accounts.Admin && len(led) == 0 {
		all, err := h.store.Records.Campaigns(c.Request().Context())
		if err != nil {
			return err
		}
		v.First = len(all) == 0
	}
	return h.Render(c, status, setup.NewCampaign(v))
}

func (h *Handlers) createCampaign(c *echo.Context) error {
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
		if fresh.Slug, err = h.newSlug(c, fresh); err != nil {
			return err
		}
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
	created, err := h.store.Accounts.CreateCampaign(c.Request().Context(), fresh, site.Me(c).ID)
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

// newSlug makes a slug for a campaign from its title. A title without a Latin letter or a digit gives the
// protocol and the languages, with a number if there is such a campaign.
func (h *Handlers) newSlug(c *echo.Context, of campaign.Campaign) (string, error) {
	if slug := slugOf(of.Title); slug != "" {
		return slug, nil
	}
	return h.freeSlug(c, slugOf(of.Protocol+" "+of.SourceLang+" "+of.TargetLang))
}

// freeSlug is base, with a number if there is such a campaign.
func (h *Handlers) freeSlug(c *echo.Context, base string) (string, error) {
	for n, slug := 2, base; ; n++ {
		if _, err := h.store.Records.Campaign(c.Request().Context(), slug); errors.Is(err, campaign.ErrNotFound) {
			return slug, nil
		} else if err != nil {
			return "", err
		}
		slug = base + "-" + strconv.Itoa(n)
	}
}

// latin are letters that have no mark to leave out.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h")

// slugOf makes a slug of a title: its Latin letters without their marks and its digits, joined by
// hyphens. An ü becomes a u, as it does in many of the languages that have it. The slug is empty if there is none.
func slugOf(title string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(latin.Replace(strings.ToLower(title)))))
	words := strings.FieldsFunc(plain, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), 63)], "-")
}
