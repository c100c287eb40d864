package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/store"
	"annotate/web/templates"
)

func (s *Server) settings(c echo.Context) error {
	return s.showSettings(c, http.StatusOK, nil, nil, "")
}

// showSettings renders the settings; typed holds what was entered, by field,
// where the form is shown again, and settles the redundancy that is to be sent
// once more.
func (s *Server) showSettings(c echo.Context, status int, typed, wrong map[string]string, settles string) error {
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
		LanguagesLocked: systems != nil, Settings: templates.SettingFields(found.Rules, found.Settings, typed), Errors: wrong, Settles: settles,
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
	settles := ""
	if len(wrong) == 0 && check.Redundancy < m.campaign.Settings.Redundancy && c.FormValue("settle") != typed["redundancy"] {
		n, err := s.store.CompleteAt(c.Request().Context(), m.campaign.ID, check.Redundancy)
		if err != nil {
			return err
		}
		if n > 0 {
			settles = typed["redundancy"]
			wrong["redundancy"] = fmt.Sprintf("with so few, %d pending segments are complete and are decided for good; save once more if you want that", n)
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
			wrong["source_lang"] = err.Error()
		default:
			return err
		}
	}
	return s.showSettings(c, http.StatusUnprocessableEntity, typed, wrong, settles)
}
