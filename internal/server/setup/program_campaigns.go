package setup

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v5"

	"annotate/internal/api"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/server/site"
)

// Settings are the settings of a campaign, and what a change of them did.
type Settings struct {
	Slug       string            `json:"slug"`
	Title      string            `json:"title"`
	SourceLang string            `json:"source_lang"`
	TargetLang string            `json:"target_lang"`
	State      string            `json:"state"`
	Version    int               `json:"settings_version"`
	Settings   map[string]string `json:"settings"`
	Following  bool              `json:"following,omitempty" doc:"many segments follow the change, and some have not yet"`
}

func settingsOf(c campaign.Campaign) Settings {
	return Settings{
		Slug:       c.Slug,
		Title:      c.Title,
		SourceLang: c.SourceLang,
		TargetLang: c.TargetLang,
		State:      api.ShownState(c),
		Version:    c.SettingsVersion,
		Settings:   api.SettingsOf(c.Settings),
	}
}

type newCampaignCall struct {
	Body struct {
		Slug       string            `json:"slug"`
		Title      string            `json:"title,omitempty"`
		Protocol   string            `json:"protocol,omitempty" doc:"id of a protocol of the program; without it sqm"`
		Definition string            `json:"definition,omitempty" doc:"a protocol of your own, as a JSON text, in place of protocol"`
		SourceLang string            `json:"source_lang,omitempty"`
		TargetLang string            `json:"target_lang,omitempty"`
		Settings   map[string]string `json:"settings,omitempty"`
	}
}

type changeCall struct {
	InCampaign
	Body changeBody
}

type changeBody struct {
	Title       *string           `json:"title,omitempty"`
	SourceLang  *string           `json:"source_lang,omitempty"`
	TargetLang  *string           `json:"target_lang,omitempty"`
	State       *string           `json:"state,omitempty" enum:"open,paused,closed"`
	Settings    map[string]string `json:"settings,omitempty"`
	FromVersion int               `json:"from_version,omitempty" minimum:"0" doc:"change nothing if others have changed the same settings since this version"`
}

// campaignOperations lists the operations of campaigns and their settings.
func (h *Handlers) campaignOperations() []site.Route {
	return []site.Route{
		site.Operation(h.Site, site.Op{
			ID: "create-campaign", Method: http.MethodPost, Path: "/campaigns", Tag: "campaigns", Who: site.Managers, Status: http.StatusCreated,
			Summary: "Create a campaign", About: "You become its lead. Only a token for all campaigns is good for it.",
		}, h.createForProgram),
		site.Operation(h.Site, site.Op{
			ID: "get-settings", Method: http.MethodGet, Path: "/campaigns/{slug}/settings", Tag: "campaigns", Who: site.Managers,
			Summary: "Settings of a campaign",
		}, func(c *echo.Context, _ *InCampaign) (Settings, error) {
			return settingsOf(site.Here(c).Campaign), nil
		}),
		site.Operation(h.Site, site.Op{
			ID: "change-settings", Method: http.MethodPatch, Path: "/campaigns/{slug}/settings", Tag: "campaigns", Who: site.Managers,
			Summary: "Change settings, title, languages or state", About: "As annotate campaign set.",
		}, h.changeForProgram),
		site.Operation(h.Site, site.Op{
			ID: "preview-settings", Method: http.MethodPost, Path: "/campaigns/{slug}/settings/preview", Tag: "campaigns",
			Who: site.Managers, Reads: true,
			Summary: "What a change of settings would do to segments", About: "As annotate campaign set --check.",
		}, h.previewForProgram),
	}
}

// pairsOf lists settings as key=value, by key.
func pairsOf(settings map[string]string) (pairs []string) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		pairs = append(pairs, key+"="+settings[key])
	}
	return pairs
}

func (h *Handlers) createForProgram(c *echo.Context, in *newCampaignCall) (Settings, error) {
	if grant, _ := site.Granted(c); !grant.Everywhere {
		return Settings{}, echo.NewHTTPError(http.StatusForbidden,
			"this token is for chosen campaigns; make one for all of your campaigns to create another")
	}
	b := in.Body
	fresh := campaign.Campaign{Slug: b.Slug, Title: b.Title, SourceLang: b.SourceLang, TargetLang: b.TargetLang}
	id := b.Protocol
	if id == "" {
		id = protocol.IDs()[0]
	}
	p, ok := protocol.Lookup(id)
	switch {
	case b.Definition != "" && b.Protocol != "":
		return Settings{}, campaign.Invalid("definition", "give either protocol or definition")
	case b.Definition != "":
		var err error
		if p, err = protocol.ReadOwn(strings.NewReader(b.Definition)); err != nil {
			return Settings{}, campaign.Invalid("definition", err.Error())
		}
		fresh.Definition = b.Definition
	case !ok:
		return Settings{}, campaign.Invalid("protocol", fmt.Sprintf("there is no protocol %q; use %s", id, strings.Join(protocol.IDs(), ", ")))
	}
	fresh, err := api.NewCampaign(fresh, p, pairsOf(b.Settings))
	if err != nil {
		return Settings{}, err
	}
	created, err := h.store.Accounts.CreateCampaign(c.Request().Context(), fresh, site.Me(c).ID)
	return settingsOf(created), err
}

func (h *Handlers) changeForProgram(c *echo.Context, in *changeCall) (Settings, error) {
	b := in.Body
	change := records.CampaignChange{
		Title:       b.Title,
		SourceLang:  b.SourceLang,
		TargetLang:  b.TargetLang,
		Settings:    pairsOf(b.Settings),
		FromVersion: b.FromVersion,
	}
	if b.State != nil {
		state := campaign.State(*b.State)
		change.State = &state
	}
	if err := h.applyChange(c, change); err != nil {
		return Settings{}, err
	}
	if err := h.Reload(c); err != nil {
		return Settings{}, err
	}
	out := settingsOf(site.Here(c).Campaign)
	err := h.store.Intake.Completing(c.Request().Context(), site.Here(c).Campaign.ID)
	if _, ok := errors.AsType[*records.CompletingError](err); ok {
		out.Following, err = true, nil
	}
	return out, err
}

func (h *Handlers) previewForProgram(c *echo.Context, in *struct {
	InCampaign
	Body struct {
		Settings map[string]string `json:"settings"`
	}
}) (api.SettingsEffect, error) {
	effect, err := h.store.Rounds.PreviewChange(c.Request().Context(), site.Here(c).Campaign, pairsOf(in.Body.Settings))
	return api.SettingsEffectOf(effect), err
}
