package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

func (s *Server) settings(c echo.Context) error {
	if m := here(c); m.campaign.Archived { // its settings cannot change; the overview has the button that brings it back
		return redirect(c, "/campaigns/"+m.campaign.Slug)
	}
	return s.showSettings(c, http.StatusOK, settingsForm{})
}

// A settingsForm is what was sent from the settings page.
type settingsForm struct {
	typed      map[string]string // values by key that differ from what the form was made from
	wrong      map[string]string // what is wrong with a value, by key; "" is the whole form
	kept       []string          // keys that only others have changed since, and the form does not change
	collisions []campaign.Collision
}

// change is what is to be changed of the campaign.
func (f settingsForm) change() records.CampaignChange {
	var change records.CampaignChange
	for field, target := range map[string]**string{"title": &change.Title, "source_lang": &change.SourceLang, "target_lang": &change.TargetLang} {
		if value, ok := f.typed[field]; ok {
			*target = &value
		}
	}
	change.Settings = f.settings()
	return change
}

// settings lists the typed settings as "key=value".
func (f settingsForm) settings() []string {
	var pairs []string
	for _, k := range campaign.SettingList {
		if value, ok := f.typed[k.Key]; ok {
			pairs = append(pairs, k.Key+"="+value)
		}
	}
	return pairs
}

// readSettings reads what was sent. Values that are equal to those that the form was
// made from are not typed: where somebody else has changed them since, they stay so.
// The values of the keys in "collided" are given up where do is "theirs".
func (s *Server) readSettings(c echo.Context) (settingsForm, error) {
	f := settingsForm{typed: map[string]string{}, wrong: map[string]string{}}
	m := here(c)
	form, err := c.FormParams()
	if err != nil {
		return f, echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	var since []campaign.SettingChange
	if form.Has("version") {
		version, err := strconv.Atoi(c.FormValue("version"))
		if err != nil {
			version = 0 // no version that there is
		}
		since, err = s.store.SettingsSince(c.Request().Context(), m.campaign, version)
		if _, unknown := errors.AsType[*campaign.InvalidError](err); unknown {
			f.wrong[""] = "This form was made from settings that are not known any more. Look through what it shows, and save again."
		} else if err != nil {
			return f, err
		}
	}
	was := map[string]string{} // the values that the form was made from, where others have changed them
	for _, x := range slices.Backward(since) {
		was[x.Key] = x.From
	}
	var yours []campaign.SettingChange
	for _, key := range campaign.ChangeKeys {
		now := m.campaign.Value(key)
		base, changed := was[key]
		if !changed {
			base = now
		}
		if key == "state" || !form.Has(key) || c.FormValue("do") == "theirs" && slices.Contains(form["collided"], key) {
			continue
		}
		value := trimmed(c, key)
		if campaign.IsSetting(key) {
			if after, err := m.campaign.Settings.With(key, value); err != nil {
				f.wrong[key] = invalidText(err)
			} else {
				value = campaign.Campaign{Settings: after}.Value(key)
			}
		}
		switch {
		case value != base:
			f.typed[key] = trimmed(c, key)
			if value != now {
				yours = append(yours, campaign.SettingChange{Key: key, From: now, To: value})
			}
		case base != now:
			f.kept = append(f.kept, key)
		}
	}
	f.collisions = campaign.Collide(since, yours)
	return f, nil
}

// showSettings renders the settings, with what was typed where the form is shown again.
func (s *Server) showSettings(c echo.Context, status int, f settingsForm) error {
	return s.showPreview(c, status, f, nil)
}

// showPreview is showSettings with what the typed settings would do, which may be nil.
func (s *Server) showPreview(c echo.Context, status int, f settingsForm, preview *setup.SettingsPreview) error {
	found := here(c).campaign
	systems, err := s.store.Systems(c.Request().Context(), found.ID)
	if err != nil {
		return err
	}
	or := func(field, stored string) string {
		if value, ok := f.typed[field]; ok {
			return value
		}
		return stored
	}
	v := setup.SettingsView{
		Page: s.pageAt(c, "Settings", "settings"), Version: found.SettingsVersion, Name: or("title", found.Title),
		SourceLang: or("source_lang", found.SourceLang), TargetLang: or("target_lang", found.TargetLang),
		SourceLocked: systems != nil && found.SourceLang != "", TargetLocked: systems != nil && found.TargetLang != "",
		Settings: setup.SettingFields(found.Rules, found.Settings, f.typed), Errors: f.wrong, Preview: preview,
		Kept: settingLabels(f.kept),
	}
	for _, x := range f.collisions {
		v.Collisions = append(v.Collisions, setup.SettingsCollision{Collision: x, Label: setup.ChangeLabel(x.Key)})
	}
	return s.render(c, status, setup.Settings(v))
}

func settingLabels(keys []string) []string {
	labels := make([]string, len(keys))
	for i, key := range keys {
		labels[i] = setup.ChangeLabel(key)
	}
	return labels
}

// changeSettings applies what the form changes, or nothing of it. Where somebody else
// has changed the same values since the form was made, it shows both.
func (s *Server) changeSettings(c echo.Context) error {
	m := here(c)
	f, err := s.readSettings(c)
	if err != nil {
		return err
	}
	if len(f.collisions) > 0 {
		return s.showSettings(c, http.StatusConflict, f)
	}
	if len(f.wrong) == 0 {
		preview, err := s.preview(c, f.settings())
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		switch {
		case isInvalid:
			f.wrong[formField(invalid.Field)] = invalid.Msg
		case err != nil:
			return err
		case c.FormValue("do") == "preview":
			return s.showPreview(c, http.StatusOK, f, &preview)
		case preview.Confirm != "" && c.FormValue("confirm") != preview.Confirm:
			return s.showPreview(c, http.StatusUnprocessableEntity, f, &preview)
		}
	}
	if len(f.wrong) == 0 {
		change := f.change()
		change.FromVersion = m.campaign.SettingsVersion
		err = s.applyChange(c, change)
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		collision, isCollision := errors.AsType[*campaign.CollisionError](err)
		switch {
		case err == nil:
			said := "The settings were saved."
			if len(f.kept) > 0 {
				said += " What others changed meanwhile stays: " + strings.Join(settingLabels(f.kept), ", ") + "."
			}
			return s.done(c, said, "/campaigns/"+m.campaign.Slug+"/settings")
		case isInvalid:
			f.wrong[formField(invalid.Field)] = invalid.Msg
		case isCollision:
			f.collisions = collision.Collisions
			return s.showSettings(c, http.StatusConflict, f)
		case errors.Is(err, campaign.ErrConflict):
			f.wrong[""] = inWords(err)
		default:
			return err
		}
	}
	return s.showSettings(c, http.StatusUnprocessableEntity, f)
}

// settlingWait is how long a page waits for segments to follow changed settings, before it
// says that they are under way.
const settlingWait = 2 * time.Second

// applyChange changes the campaign. Where many segments follow, they go on to do so after
// settlingWait.
func (s *Server) applyChange(c echo.Context, change records.CampaignChange) error {
	m := here(c)
	underWay, err := s.store.BeginChange(c.Request().Context(), m.campaign.ID, me(c).ID, change)
	if err != nil || !underWay {
		return err
	}
	select {
	case <-s.settle(m.campaign).Done():
	case <-time.After(settlingWait):
	}
	return nil
}

// preview computes what a change of settings would do to segments. It is confirmed by
// what was shown: if anything is different by then, it is shown once more.
func (s *Server) preview(c echo.Context, pairs []string) (setup.SettingsPreview, error) {
	m := here(c)
	var p setup.SettingsPreview
	after, err := m.campaign.Settings.WithPairs(pairs)
	if err != nil {
		return p, err
	}
	for _, f := range setup.SettingFields(m.campaign.Rules, m.campaign.Settings, nil) {
		for _, k := range campaign.SettingList {
			if was, is := k.Get(m.campaign.Settings), k.Get(after); k.Key == f.Key && was != is {
				p.Changes = append(p.Changes, templates.Pair{Term: f.Label(), Text: was + " → " + is})
			}
		}
	}
	p.SettingsPreview, err = s.store.PreviewChange(c.Request().Context(), m.campaign, pairs)
	if err != nil {
		return p, err
	}
	if p.Changed() > 0 {
		p.Confirm = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %+v", p.Changes, p.SettingsPreview)))[:16]
	}
	return p, nil
}
