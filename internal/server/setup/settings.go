package setup

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/wording"
	"annotate/web/templates"
	"annotate/web/templates/setup"
)

func (h *Handlers) settings(c *echo.Context) error {
	if m := site.Here(c); m.Campaign.Archived { // its settings cannot change; the overview has the button that brings it back
		return site.Redirect(c, "/campaigns/"+m.Campaign.Slug)
	}
	return h.showSettings(c, http.StatusOK, settingsForm{})
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
func (h *Handlers) readSettings(c *echo.Context) (settingsForm, error) {
	f := settingsForm{typed: map[string]string{}, wrong: map[string]string{}}
	m := site.Here(c)
	form, err := c.FormValues()
	if err != nil {
		return f, echo.NewHTTPError(http.StatusBadRequest, "The form could not be read.")
	}
	var since []campaign.SettingChange
	if form.Has("version") {
		version, err := strconv.Atoi(c.FormValue("version"))
		if err != nil {
			version = 0 // no version that there is
		}
		since, err = h.store.Records.SettingsSince(c.Request().Context(), m.Campaign, version)
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
		now := m.Campaign.Value(key)
		base, changed := was[key]
		if !changed {
			base = now
		}
		if key == "state" || !form.Has(key) || c.FormValue("do") == "theirs" && slices.Contains(form["collided"], key) {
			continue
		}
		value := site.Trimmed(c, key)
		if campaign.IsSetting(key) {
			if after, err := m.Campaign.Settings.With(key, value); err != nil {
				f.wrong[key] = site.InvalidText(err)
			} else {
				value = campaign.Campaign{Settings: after}.Value(key)
			}
		}
		switch {
		case value != base:
			f.typed[key] = site.Trimmed(c, key)
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
func (h *Handlers) showSettings(c *echo.Context, status int, f settingsForm) error {
	return h.showPreview(c, status, f, nil)
}

// showPreview is showSettings with what the typed settings would do, which may be nil.
func (h *Handlers) showPreview(c *echo.Context, status int, f settingsForm, preview *setup.SettingsPreview) error {
	found := site.Here(c).Campaign
	systems, err := h.store.Records.Systems(c.Request().Context(), found.ID)
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
		Page: h.PageAt(c, "Settings", "settings"), Version: found.SettingsVersion, Name: or("title", found.Title),
		SourceLang: or("source_lang", found.SourceLang), TargetLang: or("target_lang", found.TargetLang),
		SourceLocked: systems != nil && found.SourceLang != "", TargetLocked: systems != nil && found.TargetLang != "",
		Settings: setup.SettingFields(found.Rules, found.Settings, f.typed), Errors: f.wrong, Preview: preview,
		Kept: settingLabels(f.kept),
	}
	for _, x := range f.collisions {
		x.At = x.At.In(found.Settings.Location())
		v.Collisions = append(v.Collisions, setup.SettingsCollision{Collision: x, Label: setup.ChangeLabel(x.Key)})
	}
	return h.Render(c, status, setup.Settings(v))
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
func (h *Handlers) changeSettings(c *echo.Context) error {
	m := site.Here(c)
	f, err := h.readSettings(c)
	if err != nil {
		return err
	}
	if len(f.collisions) > 0 {
		return h.showSettings(c, http.StatusConflict, f)
	}
	var preview setup.SettingsPreview
	if len(f.wrong) == 0 {
		preview, err = h.preview(c, f)
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		switch {
		case isInvalid:
			f.wrong[formField(invalid.Field)] = invalid.Msg
		case err != nil:
			return err
		case c.FormValue("do") == "preview":
			return h.showPreview(c, http.StatusOK, f, &preview)
		case preview.Confirm != "" && c.FormValue("confirm") != preview.Confirm:
			return h.showPreview(c, http.StatusUnprocessableEntity, f, &preview)
		}
	}
	if len(f.wrong) == 0 {
		change := f.change()
		change.FromVersion = m.Campaign.SettingsVersion
		err = h.applyChange(c, change)
		invalid, isInvalid := errors.AsType[*campaign.InvalidError](err)
		collision, isCollision := errors.AsType[*campaign.CollisionError](err)
		switch {
		case err == nil:
			said := "The settings were saved."
			if preview.Filter != "" {
				said += " " + preview.Filter
			}
			if len(f.kept) > 0 {
				said += " What others changed meanwhile stays: " + strings.Join(settingLabels(f.kept), ", ") + "."
			}
			return h.Done(c, said, "/campaigns/"+m.Campaign.Slug+"/settings")
		case isInvalid:
			f.wrong[formField(invalid.Field)] = invalid.Msg
		case isCollision:
			f.collisions = collision.Collisions
			return h.showSettings(c, http.StatusConflict, f)
		case errors.Is(err, campaign.ErrConflict):
			f.wrong[""] = site.InWords(err)
		default:
			return err
		}
	}
	return h.showSettings(c, http.StatusUnprocessableEntity, f)
}

// settlingWait is how long a page waits for segments to follow changed settings, before it
// says that they are under way.
const settlingWait = 2 * time.Second

// applyChange changes the campaign. Where many segments follow, they go on to do so after
// settlingWait.
func (h *Handlers) applyChange(c *echo.Context, change records.CampaignChange) error {
	m := site.Here(c)
	underWay, err := h.store.Rounds.BeginChange(c.Request().Context(), m.Campaign.ID, site.Me(c).ID, change)
	if err != nil || !underWay {
		return err
	}
	select {
	case <-h.Settle(m.Campaign).Done():
	case <-time.After(settlingWait):
	}
	return nil
}

// preview computes what a change of settings would do to segments. It is confirmed by
// what was shown: if anything is different by then, it is shown once more.
func (h *Handlers) preview(c *echo.Context, f settingsForm) (setup.SettingsPreview, error) {
	m := site.Here(c)
	var p setup.SettingsPreview
	pairs := f.settings()
	after, err := m.Campaign.Settings.WithPairs(pairs)
	if err != nil {
		return p, err
	}
	for _, key := range []string{"title", "source_lang", "target_lang"} {
		if value, ok := f.typed[key]; ok {
			p.Changes = append(p.Changes, templates.Pair{Term: setup.ChangeLabel(key), Text: m.Campaign.Value(key) + " → " + value})
		}
	}
	for _, k := range campaign.SettingList {
		if was, is := k.Get(m.Campaign.Settings), k.Get(after); m.Campaign.Rules.Heeds(k.Key) && was != is {
			p.Changes = append(p.Changes, templates.Pair{Term: k.Label, Text: was + " → " + is})
		}
	}
	if after.Filter != "" && after.Filter != m.Campaign.Settings.Filter {
		of := m.Campaign
		of.Settings = after
		n, err := h.store.Desk.FilteredOut(c.Request().Context(), of)
		if err != nil {
			return p, err
		}
		p.Filter = "The filter " + after.Filter + " leaves " + wording.Counted(n, "segment") + " out."
	}
	p.SettingsPreview, err = h.store.Rounds.PreviewChange(c.Request().Context(), m.Campaign, pairs)
	if err != nil {
		return p, err
	}
	if p.Changed() > 0 {
		p.Confirm = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %+v", p.Changes, p.SettingsPreview)))[:16]
	}
	return p, nil
}
