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
	Settings                   []SettingField
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
	}
	return SettingField{Key: key}.Label()
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
	Key   string
	Help  string
	Value string
	OneOf []string // the values it may have, if they are few
}

// SettingFields lists the settings of a campaign that mean something under its
// protocol; typed holds values, by key, that take the place of those stored, when a
// form is shown again.
func SettingFields(p *protocol.Protocol, s campaign.Settings, typed map[string]string) []SettingField {
	var fields []SettingField
	for _, k := range campaign.SettingList {
		if !p.Heeds(k.Key) {
			continue
		}
		field := SettingField{k.Key, k.Help, k.Get(s), k.OneOf}
		if value, ok := typed[k.Key]; ok {
			field.Value = value
		}
		fields = append(fields, field)
	}
	return fields
}

// A settingGroup is a heading with the settings below it.
type settingGroup struct {
	ID, Name string
	Keys     []string
}

// settingGroups orders the settings by what they are about. A setting that is
// in no group is shown in the last one.
var settingGroups = []settingGroup{
	{"work", "Annotators' work", []string{"redundancy", "filter", "assign", "quota", "timezone", "release_hours", "context", "undo_seconds", "idle_seconds", "show_reference", "adjudicate_own"}},
	{"agreement", "Agreement", []string{"gate", "threshold", "tolerance", "rounds", "reannotate"}},
	{"protocol", "Protocol", []string{"max_errors", "critical", "source_error"}},
	{"training", "Training", []string{"training_share", "training_attempts"}},
	{"flags", "Flags of annotators", []string{"flag_low_agreement", "flag_constant", "flag_fast", "flag_bias", "flag_drift"}},
	{"checks", "Checks of annotators", []string{"check_rate", "check_kinds", "check_margin", "repeat_after", "check_flag"}},
	{"chain", "Chain of campaigns", []string{"follow", "apart"}},
	{"data", "Data", []string{"licence", "pseudonyms"}},
}

func (v SettingsView) group(g settingGroup) []SettingField {
	var out []SettingField
	for _, key := range g.Keys {
		for _, f := range v.Settings {
			if f.Key == key {
				out = append(out, f)
			}
		}
	}
	if g.ID != settingGroups[len(settingGroups)-1].ID {
		return out
	}
	for _, f := range v.Settings {
		if !slices.ContainsFunc(settingGroups, func(g settingGroup) bool { return slices.Contains(g.Keys, f.Key) }) {
			out = append(out, f)
		}
	}
	return out
}

var settingLabels = map[string]string{
	"redundancy": "Annotators per segment", "assign": "Hand out", "context": "Context", "quota": "Ratings a day", "timezone": "Time zone",
	"release_hours": "Release after hours", "idle_seconds": "Idle after seconds", "undo_seconds": "Seconds to take a submission back", "show_reference": "Show the reference", "adjudicate_own": "Adjudicators decide their own segments",
	"gate": "Gate", "threshold": "Threshold", "tolerance": "Tolerance", "rounds": "Rounds", "reannotate": "Second look",
	"max_errors": "Errors per translation", "critical": "Critical errors", "source_error": "Source errors", "licence": "Licence",
	"training_share": "Share to reach", "training_attempts": "Attempts",
	"flag_low_agreement": "Low agreement", "flag_constant": "Constant scores", "flag_fast": "Fast", "flag_bias": "Bias", "flag_drift": "Drift",
	"check_rate": "Share of checks", "check_kinds": "Kinds of checks", "check_margin": "Margin of degraded texts", "repeat_after": "Repeat after segments", "check_flag": "Level of the test",
	"follow": "Take over", "apart": "Kept apart from", "filter": "Filter by the score of the source",
}

// Label is the setting as people read it.
func (f SettingField) Label() string {
	if l := settingLabels[f.Key]; l != "" {
		return l
	}
	l := strings.ReplaceAll(f.Key, "_", " ")
	return strings.ToUpper(l[:1]) + l[1:]
}

// help is the setting's help as a sentence, where it says more than the label. It
// need not say which protocol it is about: a campaign has one.
func (f SettingField) help() string {
	help := strings.TrimPrefix(f.Help, "MQM: ")
	if help == "" || strings.EqualFold(help, f.Label()) {
		return ""
	}
	return strings.ToUpper(help[:1]) + help[1:] + "."
}

// words says whether a setting takes text; the others are numbers.
func (f SettingField) words() bool {
	return f.Key == "timezone" || f.Key == "licence" || f.Key == "check_kinds" || f.Key == "apart" || f.Key == "filter"
}
