package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"annotate/internal/protocol"
)

// Settings are what a lead can choose for a campaign. The zero value is not
// useful; start from [DefaultSettings].
type Settings struct {
	Redundancy    int     // annotators per segment in the first round, at least 1
	Quota         int     // ratings that an annotator may submit a day before no new segment is handed out; 0: no limit
	Gate          string  // "on", "report" or "off"
	Nominal       bool    // the gate compares answers that are not numbers; it follows from the protocol, and is no setting
	NoGate        bool    // the protocol has no gate, so no pair of annotators is judged; like Nominal, this is not a setting
	Threshold     float64 // least Pearson r of every pair, in [-1, 1]
	Tolerance     float64 // largest mean absolute difference that passes the gate if r is undefined
	Rounds        int     // the first annotation and its re-annotations, at least 1
	Reannotate    string  // "own": a second look starts from the annotator's own ratings; "blank": it starts empty
	ReleaseHours  float64 // an assignment that is idle for so many hours frees its place; 0: never
	MaxErrors     int     // most error spans per translation; 0: no limit
	Critical      bool    // annotators can choose the severity critical
	SourceError   string  // weight of the category Source error: "zero", or "severity": as the error's severity weighs
	AdjudicateOwn bool    // adjudicators may adjudicate segments that they annotated
	ShowReference bool    // annotators see the reference
	IdleSeconds   int     // active time stops after this number of seconds without input
	UndoSeconds   int     // annotators can take a submission back for so many seconds; 0: never
	Timezone      string  // IANA name; the day of the quota begins at midnight in this zone
	Licence       string  // of the data, for exports
	Pseudonyms    bool    // exports, reports and archives name people by pseudonyms
	Context       string  // "document": cards are shown in their system's whole document, in one order; "segment"
	Assign        string  // what is handed out at once: "segment" or "document"

	// What annotators must reach on the training set, where the campaign has one; see [TrainingRules].
	TrainingShare    float64 // least share that an attempt must reach, in [0, 1]
	TrainingAttempts int     // how many attempts an annotator has, at least 1

	// The limits beyond which an annotator has a flag; see [Settings.Flags].
	FlagLowAgreement float64 // mean segment r with the others is below it
	FlagConstant     float64 // share of ratings with the most frequent score is at least it
	FlagFast         float64 // median active time, divided by that of all annotators, is below it
	FlagBias         float64 // mean difference to the others, in standard deviations, is above it
	FlagDrift        float64 // change of that difference, in standard deviations, is above it

	// Checks; see [Settings.CheckRule].
	CheckRate   float64 // share of the documents of an annotator that are checks, from 0 to 0.5
	Filter      string  // which segments are handed out; see [Campaign.SourceFilter]
	CheckKinds  string  // the kinds of checks, separated by commas; see [Settings.KindsOfChecks]
	CheckMargin float64 // how much lower a degraded text must be rated, as a share of the scale
	RepeatAfter int     // a segment is repeated after at least so many others
	CheckFlag   float64 // level of the test of an annotator's checks

	// Chains.
	TakesOver string // "ask": a lead takes segments over; "auto": housekeeping does
	Apart     string // slugs of campaigns, separated by commas; see [Settings.ApartFrom]
}

// UsualRedundancy is the number of annotators per segment if a protocol names none.
const UsualRedundancy = 2

// DefaultSettings returns the settings of a new campaign with protocol p.
func DefaultSettings(p *protocol.Protocol) Settings {
	_, nominal := p.NominalGate()
	checks := "degraded,repeat,known"
	if nominal { // no answer is lower than another one
		checks = "repeat,known"
	}
	return Settings{
		Nominal: nominal, NoGate: p.Gate == "", Redundancy: cmp.Or(p.Redundancy, UsualRedundancy), Quota: 100, Gate: p.GateByDefault,
		Threshold: 0.7, Tolerance: p.Tolerance,
		Rounds: 2, Reannotate: "own", ReleaseHours: 24, MaxErrors: 5, SourceError: "zero",
		IdleSeconds: 60, UndoSeconds: 10, Timezone: "UTC", Context: defaultContext(p), Assign: "segment",
		TrainingShare: 0.8, TrainingAttempts: 2,
		FlagLowAgreement: 0.3, FlagConstant: 0.9, FlagFast: 0.33, FlagBias: 0.5, FlagDrift: 0.5,
		CheckKinds: checks, CheckMargin: 0.25, RepeatAfter: 20, CheckFlag: 0.05,
		TakesOver: "ask",
	}
}

// defaultContext is the default of the setting context. It is "document" for protocols with error
// spans, because many errors can't be seen in a single segment.
func defaultContext(p *protocol.Protocol) string {
	if p.Spans != nil {
		return "document"
	}
	return "segment"
}

// A Setting names, explains, reads and writes one field of [Settings].
type Setting struct {
	Key   string   // on the command line (--set) and in exports
	Label string   // on pages
	Help  string   // one line for people
	OneOf []string // the allowed values; nil if they are not a short list
	Text  bool     // the value is a text; otherwise it is a number or one of OneOf
	get   func(*Settings) string
	set   func(*Settings, string) error
}

// Get formats the setting's value as [Settings.With] reads it.
func (k Setting) Get(s Settings) string { return k.get(&s) }

// A SettingGroup is a heading of the page Settings with the settings below it.
type SettingGroup struct {
	ID, Name string
	Settings []Setting
}

// SettingGroups lists every setting in the order in which pages and help show them.
var SettingGroups = []SettingGroup{
	{"work", "Annotators' work", []Setting{
		intSetting("redundancy", "Annotators per segment", "annotators per segment",
			1, MaxRaters, func(s *Settings) *int { return &s.Redundancy }),
		textSetting(
			"filter", "Filter by the score of the source",
			"hand out only segments whose source has this score of a metric or a judge, such as difficulty>=7; empty for all segments. Only protocols whose unit is the segment have it",
			cleanFilter, func(s *Settings) *string { return &s.Filter },
		),
		choice(
			"assign", "Hand out", "unit of work that an annotator gets at a time", []string{"segment", "document"},
			func(s *Settings) *string { return &s.Assign },
		),
		intSetting(
			"quota", "Ratings a day", "ratings an annotator may give a day before no new segment is handed out (0: no limit)", 0, 1_000_000,
			func(s *Settings) *int { return &s.Quota },
		),
		textSetting(
			"timezone", "Time zone", "where the day of the quota begins, e.g. Europe/Berlin", checkTimezone,
			func(s *Settings) *string { return &s.Timezone },
		),
		floatSetting(
			"release_hours", "Release after hours", "hours after which an idle assignment frees its place (0: never)", 0, 100_000,
			func(s *Settings) *float64 { return &s.ReleaseHours },
		),
		choice(
			"context", "Context", "text around a translation: its system's translation of the whole document, or none",
			[]string{"document", "segment"}, func(s *Settings) *string { return &s.Context },
		),
		intSetting(
			"undo_seconds", "Seconds to take a submission back", "seconds for which an annotator can take a submission back (0: never)", 0, 60,
			func(s *Settings) *int { return &s.UndoSeconds },
		),
		intSetting(
			"idle_seconds", "Idle after seconds", "active time stops after this number of seconds without input", 5, 3600,
			func(s *Settings) *int { return &s.IdleSeconds },
		),
		yesNo("show_reference", "Show the reference", "annotators see the reference", func(s *Settings) *bool { return &s.ShowReference }),
		yesNo(
			"adjudicate_own", "Adjudicators decide their own segments", "adjudicators may adjudicate segments that they annotated",
			func(s *Settings) *bool { return &s.AdjudicateOwn },
		),
	}},
	{"agreement", "Agreement", []Setting{
		choice(
			"gate", "Gate", "agreement gate: on sends a failing segment back, report only shows it", []string{"on", "report", "off"},
			func(s *Settings) *string { return &s.Gate },
		),
		floatSetting("threshold", "Threshold", "least Pearson r of every pair of annotators",
			-1, 1, func(s *Settings) *float64 { return &s.Threshold }),
		floatSetting(
			"tolerance", "Tolerance", "largest mean difference that still agrees where r is undefined", 0, 1000,
			func(s *Settings) *float64 { return &s.Tolerance },
		),
		intSetting("rounds", "Rounds", "rounds of annotation, the first counted", 1, 20, func(s *Settings) *int { return &s.Rounds }),
		choice(
			"reannotate", "Second look", "a second look starts from the annotator's own ratings, or blank", []string{"own", "blank"},
			func(s *Settings) *string { return &s.Reannotate },
		),
	}},
	{"protocol", "Protocol", []Setting{
		intSetting(
			"max_errors", "Errors per translation", "MQM: error spans per translation (0: no limit)", 0, 1000,
			func(s *Settings) *int { return &s.MaxErrors },
		),
		yesNo("critical", "Critical errors", "MQM: offer the severity critical", func(s *Settings) *bool { return &s.Critical }),
		choice(
			"source_error", "Source errors", "MQM: weight of the category Source error: zero, or as its severity", []string{"zero", "severity"},
			func(s *Settings) *string { return &s.SourceError },
		),
	}},
	{"training", "Training", []Setting{
		floatSetting(
			"training_share", "Share to reach", "least share of the training set that an annotator must get right to qualify", 0, 1,
			func(s *Settings) *float64 { return &s.TrainingShare },
		),
		intSetting(
			"training_attempts", "Attempts", "attempts at the training set before the lead decides", 1, 100,
			func(s *Settings) *int { return &s.TrainingAttempts },
		),
	}},
	{"flags", "Flags of annotators", []Setting{
		floatSetting(
			"flag_low_agreement", "Low agreement",
			"flag an annotator whose mean segment r with the others is below this value, over 5 segments or more (-1: never)", -1, 1,
			func(s *Settings) *float64 { return &s.FlagLowAgreement },
		),
		floatSetting(
			"flag_constant", "Constant scores",
			"flag an annotator who gave one score in at least this share of the ratings, over 20 different texts or more (2: never)", 0, 2,
			func(s *Settings) *float64 { return &s.FlagConstant },
		),
		floatSetting(
			"flag_fast", "Fast", "flag an annotator whose median active time is below this share of everybody's, over 20 ratings or more (0: never)",
			0, 1, func(s *Settings) *float64 { return &s.FlagFast },
		),
		floatSetting(
			"flag_bias", "Bias",
			"flag an annotator whose mean difference to the others is above this number of standard deviations of all scores, over 20 ratings or more",
			0, 1000, func(s *Settings) *float64 { return &s.FlagBias },
		),
		floatSetting(
			"flag_drift", "Drift",
			"flag an annotator whose difference to the others has changed by more than this number of standard deviations, over the last 50 ratings against the 50 before",
			0, 1000, func(s *Settings) *float64 { return &s.FlagDrift },
		),
	}},
	{"checks", "Checks of annotators", []Setting{
		floatSetting(
			"check_rate", "Share of checks",
			"share of the documents of each annotator that are checks, which look like work (0: no checks; 0.05 is usual)", 0, 0.5,
			func(s *Settings) *float64 { return &s.CheckRate },
		),
		textSetting(
			"check_kinds", "Kinds of checks", "kinds of checks, separated by commas: degraded, repeat, known", cleanKinds,
			func(s *Settings) *string { return &s.CheckKinds },
		),
		floatSetting(
			"check_margin", "Margin of degraded texts",
			"a degraded translation must score lower than its original by this share of the scale, or by a third of the room below the original if that is less; in a sum over errors 0.25 is one major error",
			0, 1, func(s *Settings) *float64 { return &s.CheckMargin },
		),
		intSetting(
			"repeat_after", "Repeat after segments", "number of other segments, at least, before a segment is repeated as a check", 1, 10_000,
			func(s *Settings) *int { return &s.RepeatAfter },
		),
		floatSetting(
			"check_flag", "Level of the test",
			"significance level of the two tests of checks: flag an annotator who passes no more checks than one who does not read, and fewer than a careful one (1: never)",
			0, 1, func(s *Settings) *float64 { return &s.CheckFlag },
		),
	}},
	{"chain", "Chain of campaigns", []Setting{
		choice(
			"follow", "Take over", "who takes over segments that are ready in the campaign before: a lead (ask), or the server, regularly (auto)",
			[]string{"ask", "auto"}, func(s *Settings) *string { return &s.TakesOver },
		),
		textSetting(
			"apart", "Kept apart from",
			"earlier campaigns of the chain, separated by commas: annotators never get a segment that they already had there", cleanSlugs,
			func(s *Settings) *string { return &s.Apart },
		),
	}},
	{"data", "Data", []Setting{
		textSetting("licence", "Licence", "licence of the data, shown where it is downloaded",
			checkLicence, func(s *Settings) *string { return &s.Licence }),
		yesNo(
			"pseudonyms", "Pseudonyms", "people are named A01, L01 and so on in every export, report and archive",
			func(s *Settings) *bool { return &s.Pseudonyms },
		),
	}},
}

// SettingList has the settings of all groups.
var SettingList = func() (out []Setting) {
	for _, g := range SettingGroups {
		out = append(out, g.Settings...)
	}
	return out
}()

// LookersNeeded is how many annotators at least have to be asked for another look at a segment: two, whom the gate compares,
// or one where one annotator is enough.
func (s Settings) LookersNeeded() int { return min(2, s.Redundancy) }

// With returns the settings with key changed to value. An unknown key, or a value that is
// not allowed, is an [InvalidError] whose field is key.
func (s Settings) With(key, value string) (Settings, error) {
	i := slices.IndexFunc(SettingList, func(k Setting) bool { return k.Key == key })
	if i < 0 {
		keys := make([]string, len(SettingList))
		for j, k := range SettingList {
			keys[j] = k.Key
		}
		return s, Invalid(key, "there is no such setting; the settings are: "+strings.Join(keys, ", "))
	}
	if err := SettingList[i].set(&s, strings.TrimSpace(value)); err != nil {
		return s, Invalid(key, strings.TrimPrefix(err.Error(), key+": "))
	}
	return s, nil
}

// WithPairs applies "key=value" pairs in order.
func (s Settings) WithPairs(pairs []string) (Settings, error) {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return s, Invalid(pair, "write a setting as key=value")
		}
		var err error
		if s, err = s.With(strings.TrimSpace(key), value); err != nil {
			return s, err
		}
		if key = strings.TrimSpace(key); key == "check_kinds" && s.Nominal && strings.Contains(s.CheckKinds, string(DegradedCheck)) {
			return s, Invalid(
				key,
				"a degraded text must get a lower score, and the gate of this protocol is an answer that is no number; list repeat, known or both",
			)
		}
		if key == "check_rate" && s.NoGate && s.CheckRate > 0 {
			return s, Invalid(key, "a check compares what the gate compares, and this protocol has no gate; leave it at 0")
		}
	}
	return s, nil
}

// Options returns the settings in the form that a protocol reads, with the campaign's own
// severities and categories.
func (s Settings) Options(own protocol.Own) protocol.Options {
	o := protocol.Options{Settings: make(map[string]string, len(SettingList)), MaxErrors: s.MaxErrors, Own: own}
	for _, k := range SettingList {
		o.Settings[k.Key] = k.Get(s)
	}
	return o
}

// ApartFrom lists the slugs of the setting apart.
func (s Settings) ApartFrom() []string { return slugList(s.Apart) }

// slugList reads slugs separated by commas, and drops repeated ones.
func slugList(text string) (out []string) {
	for slug := range strings.SplitSeq(text, ",") {
		if slug = strings.TrimSpace(slug); slug != "" && !slices.Contains(out, slug) {
			out = append(out, slug)
		}
	}
	return out
}

// Location is the campaign's time zone.
func (s Settings) Location() *time.Location {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// StartOfDay is the moment at which the day of t began in the campaign's time zone.
func (s Settings) StartOfDay(t time.Time) time.Time {
	y, m, d := t.In(s.Location()).Date()
	start := time.Date(y, m, d, 0, 0, 0, 0, s.Location())
	if start.Day() != d { // the clocks went from 0:00 to 1:00, so that start is in the day before
		_, start = start.ZoneBounds()
	}
	return start
}

func intSetting(key, label, help string, lo, hi int, field func(*Settings) *int) Setting {
	return Setting{
		Key: key, Label: label, Help: help,
		get: func(s *Settings) string { return strconv.Itoa(*field(s)) },
		set: func(s *Settings, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < lo || n > hi {
				return fmt.Errorf("must be a whole number from %d to %d, not %q", lo, hi, v)
			}
			*field(s) = n
			return nil
		},
	}
}

func floatSetting(key, label, help string, lo, hi float64, field func(*Settings) *float64) Setting {
	return Setting{
		Key: key, Label: label, Help: help,
		get: func(s *Settings) string { return strconv.FormatFloat(*field(s), 'g', -1, 64) },
		set: func(s *Settings, v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || math.IsNaN(x) || x < lo || x > hi {
				return fmt.Errorf("must be a number from %g to %g, not %q", lo, hi, v)
			}
			*field(s) = x
			return nil
		},
	}
}

func choice(key, label, help string, values []string, field func(*Settings) *string) Setting {
	return Setting{
		Key: key, Label: label, Help: help, OneOf: values,
		get: func(s *Settings) string { return *field(s) },
		set: func(s *Settings, v string) error {
			if !slices.Contains(values, v) {
				return fmt.Errorf("must be one of %s, not %q", strings.Join(values, ", "), v)
			}
			*field(s) = v
			return nil
		},
	}
}

func yesNo(key, label, help string, field func(*Settings) *bool) Setting {
	return Setting{
		Key: key, Label: label, Help: help, OneOf: []string{"no", "yes"},
		get: func(s *Settings) string { return formatBool(*field(s)) },
		set: func(s *Settings, v string) (err error) { *field(s), err = parseBool(v); return err },
	}
}

// textSetting is a setting whose value is a text. clean returns the form of a given text that is stored.
func textSetting(key, label, help string, clean func(string) (string, error), field func(*Settings) *string) Setting {
	return Setting{
		Key: key, Label: label, Help: help, Text: true,
		get: func(s *Settings) string { return *field(s) },
		set: func(s *Settings, v string) error {
			kept, err := clean(v)
			if err == nil {
				*field(s) = kept
			}
			return err
		},
	}
}

func checkTimezone(v string) (string, error) {
	if _, err := time.LoadLocation(v); err != nil || v == "" || v == "Local" {
		return "", fmt.Errorf("%q is not a time zone; use a name such as UTC or Europe/Berlin", v)
	}
	return v, nil
}

func checkLicence(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	return v, CheckName("licence", v)
}

func cleanFilter(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	f, err := NewFilter(v)
	return f.String(), err
}

func cleanSlugs(v string) (string, error) {
	slugs := slugList(v)
	for _, slug := range slugs {
		if err := CheckSlug(slug); err != nil {
			return "", err
		}
	}
	return strings.Join(slugs, ","), nil
}

func formatBool(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func parseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "yes", "true", "on", "1":
		return true, nil
	case "no", "false", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("must be yes or no, not %q", v)
}
