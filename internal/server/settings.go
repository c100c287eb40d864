package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/web/templates"
)

func (s *Server) settings(c echo.Context) error {
	return s.showSettings(c, http.StatusOK, nil, nil, nil)
}

// showSettings renders the settings; typed holds what was entered, by field,
// where the form is shown again, and preview what it would do.
func (s *Server) showSettings(c echo.Context, status int, typed, wrong map[string]string, preview *templates.SettingsPreview) error {
	found := here(c).campaign
	systems, err := s.store.Systems(c.Request().Context(), found.ID)
	if err != nil {
		return err
	}
	or := func(field, stored string) string {
		if value, ok := typed[field]; ok {
			return value
		}
		return stored
	}
	return s.render(c, status, templates.Settings(templates.SettingsView{
		Page: s.pageAt(c, "Settings", "settings"), Name: or("title", found.Title),
		SourceLang: or("source_lang", found.SourceLang), TargetLang: or("target_lang", found.TargetLang),
		SourceLocked: systems != nil && found.SourceLang != "", TargetLocked: systems != nil && found.TargetLang != "", Settings: templates.SettingFields(found.Rules, found.Settings, typed), Errors: wrong, Preview: preview,
	}))
}

// changeSettings applies the whole form, or nothing of it.
func (s *Server) changeSettings(c echo.Context) error {
	m := here(c)
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	typed, change, wrong := map[string]string{}, store.CampaignChange{}, map[string]string{}
	for field, target := range map[string]**string{"title": &change.Title, "source_lang": &change.SourceLang, "target_lang": &change.TargetLang} {
		if form.Has(field) {
			value := trimmed(c, field)
			typed[field], *target = value, &value
		}
	}
	check := m.campaign.Settings
	for _, k := range campaign.SettingList {
		if !form.Has(k.Key) {
			continue
		}
		value := trimmed(c, k.Key)
		typed[k.Key] = value
		if check, err = check.With(k.Key, value); err != nil {
			wrong[k.Key] = invalidText(err)
		}
		change.Settings = append(change.Settings, k.Key+"="+value)
	}
	if len(wrong) == 0 {
		preview, err := s.preview(c, change.Settings)
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		switch {
		case isInvalid:
			wrong[formField(invalid.Field)] = invalid.Msg
		case err != nil:
			return err
		case c.FormValue("do") == "preview":
			return s.showSettings(c, http.StatusOK, typed, nil, &preview)
		case preview.Confirm != "" && c.FormValue("confirm") != preview.Confirm:
			return s.showSettings(c, http.StatusUnprocessableEntity, typed, nil, &preview)
		}
	}
	if len(wrong) == 0 {
		err = s.store.ChangeCampaign(c.Request().Context(), m.campaign.ID, me(c).ID, change)
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		switch {
		case err == nil:
			return s.done(c, "The settings were saved.", "/campaigns/"+m.campaign.Slug+"/settings")
		case isInvalid:
			wrong[formField(invalid.Field)] = invalid.Msg
		case errors.Is(err, campaign.ErrConflict):
			wrong[""] = inWords(err)
		default:
			return err
		}
	}
	return s.showSettings(c, http.StatusUnprocessableEntity, typed, wrong, nil)
}

// preview computes what a change of settings would do to segments. It is confirmed by
// what was shown: if anything is different by then, it is shown once more.
func (s *Server) preview(c echo.Context, pairs []string) (templates.SettingsPreview, error) {
	m := here(c)
	var p templates.SettingsPreview
	after, err := m.campaign.Settings.WithPairs(pairs)
	if err != nil {
		return p, err
	}
	for _, f := range templates.SettingFields(m.campaign.Rules, m.campaign.Settings, nil) {
		for _, k := range campaign.SettingList {
			if was, is := k.Get(m.campaign.Settings), k.Get(after); k.Key == f.Key && was != is {
				p.Changes = append(p.Changes, templates.Pair{Term: f.Label(), Text: was + " → " + is})
			}
		}
	}
	effect, err := s.store.PreviewChange(c.Request().Context(), m.campaign, pairs)
	if err != nil {
		return p, err
	}
	p.Segments, p.SentBack, p.Withdrawn, p.Discarded = effect.Segments, effect.SentBack, effect.Withdrawn, effect.Discarded
	p.ToGold, p.OutOfGold = effect.ToGold, effect.OutOfGold
	for _, move := range effect.Moves {
		p.Moves = append(p.Moves, templates.StatusMove(move))
	}
	if effect.Changed() > 0 {
		p.Confirm = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %+v", p.Changes, effect)))[:16]
	}
	return p, nil
}
