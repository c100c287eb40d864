package setup

import (
	"cmp"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A SettingsView is everything a lead can choose for a campaign. Its form posts
// title, source_lang, target_lang, every key of Settings, and version to …/settings, with
// do "preview" where nothing is to be saved yet. From Collisions it posts their keys as
// collided, with do "theirs" where the values of the others stay.
type SettingsView struct {
	templates.Page
	Version    int    // of the settings that are shown
	Name       string // the campaign's title, as typed or as it is
	SourceLang string
	TargetLang string
	// SourceLocked and TargetLocked: the language is known and segments are imported,
	// so that it stays and is not posted.
	SourceLocked, TargetLocked bool
	Settings                   []SettingGroup
	Errors                     map[string]string // by name of the field
	Preview                    *SettingsPreview  // of what was typed, which is not saved; may be nil
	// Collisions are values that somebody else has changed since the form was made. The
	// form shows those that were typed.
	Collisions []SettingsCollision
	Kept       []string // labels of what only others have changed since
}

// asks reports whether the form ends with buttons to save it; a preview and collisions
// have their own.
func (v SettingsView) asks() bool { return v.Preview == nil && len(v.Collisions) == 0 }

func (v SettingsView) collisionsTitle() string {
	if len(v.Collisions) == 1 {
		return "Somebody else changed " + v.Collisions[0].Label + " meanwhile"
	}
	return "Somebody else changed " + wording.Counted(len(v.Collisions), "setting") + " of yours meanwhile"
}

// A SettingsCollision is a value that was typed and that somebody else changed meanwhile.
type SettingsCollision struct {
	campaign.Collision
	Label string
}

// ChangeLabel is what people read for one of the [campaign.ChangeKeys].
func ChangeLabel(key string) string {
	switch key {
	case "source_lang":
		return "Source language"
	case "target_lang":
		return "Target language"
	case "title":
		return "Title"
	case "state":
		return "State"
	}
	i := slices.IndexFunc(campaign.SettingList, func(k campaign.Setting) bool { return k.Key == key })
	return campaign.SettingList[i].Label
}

// shownValue is a value in a table; an empty one is told from a missing one.
func shownValue(value string) string { return cmp.Or(value, "(empty)") }

func (x SettingsCollision) who() string { return cmp.Or(x.By, "the command line") }

// languageHelp says what to type for a language, and what happens otherwise.
const languageHelp = "A language tag: en, zh, pt-BR. Left empty, the first import whose file names it fills it in: source_lang and target_lang in jsonl, src_lang and trans_lang in MENT, :en-de behind the document in mqm-tsv. The mt-metrics-eval directory and some metrics need it."

// A SettingsPreview says what a change of settings would do to segments.
type SettingsPreview struct {
	// Confirm is to be sent, as "confirm", for the change to be saved; empty: nothing
	// has to be confirmed.
	Confirm string
	Changes []templates.Pair // what was typed: the setting, and from what to what
	Filter  string           // how many segments a changed filter leaves out, as a sentence
	readmodel.SettingsPreview
}

// title is the preview in one line.
func (p SettingsPreview) title() string {
	switch {
	case len(p.Changes) == 0:
		return "The settings are like this already, so nothing changes"
	case p.Changed() == 0:
		return "No segment changes: each keeps its status under the new settings"
	case p.Segments == p.Changed():
		return wording.Counted(p.Changed(), "segment") + " would change"
	}
	return wording.Count(p.Changed()) + " of " + wording.Counted(p.Segments, "segment") + " would change"
}

// effects says what would follow, in sentences.
func (p SettingsPreview) effects() []string {
	var out []string
	add := func(n int, word, text string) {
		if n > 0 {
			out = append(out, wording.Counted(n, word)+" "+text)
		}
	}
	add(p.reopened(), "segment", "would wait for further annotators.")
	add(p.SentBack, "segment", "would be sent back for a second look.")
	add(p.Withdrawn, "second look", "would be withdrawn; what annotators have begun is kept as drafts.")
	add(p.Discarded, "segment", "would be discarded.")
	add(p.ToGold, "segment", "would get into gold.")
	add(p.OutOfGold, "segment", "would leave gold.")
	return out
}

// reopened is the number of segments that would be pending again.
func (p SettingsPreview) reopened() int {
	n := 0
	for _, m := range p.Moves {
		if m.To == campaign.Pending && m.From != campaign.Pending {
			n += m.N
		}
	}
	return n
}

// moveWords says what a move means for gold. It is empty where it means nothing.
func moveWords(m readmodel.StatusMove) string {
	switch {
	case m.From == m.To:
		return "in another round"
	case m.To.InGold() && !m.From.InGold():
		return "in gold"
	case !m.To.InGold() && m.From.InGold():
		return "out of gold"
	}
	return ""
}

// A SettingField is one setting with its value.
type SettingField struct {
	campaign.Setting
	Value string
}

// A SettingGroup is a heading of the form with the fields below it.
type SettingGroup struct {
	ID, Name string
	Fields   []SettingField
}

// SettingFields lists the settings of a campaign that mean something under its
// protocol; typed holds values, by key, that take the place of those stored, when a
// form is shown again.
func SettingFields(p *protocol.Protocol, s campaign.Settings, typed map[string]string) (groups []SettingGroup) {
	for _, g := range campaign.SettingGroups {
		group := SettingGroup{ID: g.ID, Name: g.Name}
		for _, k := range g.Settings {
			if !p.Heeds(k.Key) {
				continue
			}
			field := SettingField{k, k.Get(s)}
			if value, ok := typed[k.Key]; ok {
				field.Value = value
			}
			group.Fields = append(group.Fields, field)
		}
		if len(group.Fields) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// help is the setting's help as a sentence, where it says more than the label. It
// need not say which protocol it is about: a campaign has one.
func (f SettingField) help() string {
	help := strings.TrimPrefix(f.Help, "MQM: ")
	if strings.EqualFold(help, f.Label) {
		return ""
	}
	return strings.ToUpper(help[:1]) + help[1:] + "."
}
