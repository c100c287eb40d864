// Package evaluation reads campaigns from the database for packages metaeval and report:
// gold and imported human scores, imported metric scores, and those of the built-in
// metrics. It stores reports until their campaigns change. The command line and the pages
// use it.
//
// Start at [Open], which lists the scores that a campaign has, or at [ComputeReport].
// [KeptReport] reads a stored report, and [ReportState] tells whether it is up to date.
package evaluation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/store"
)

// A Source is a campaign whose metrics can be evaluated.
type Source struct {
	st      *store.Store
	c       campaign.Campaign
	letters map[string]string // the letters of annotators, by login
	gold    int               // the number of segments in gold
	Names

	imported map[string]campaign.Metric // the imported metrics, by name
}

// Names lists the names that can be chosen in a campaign.
type Names struct {
	// Humans are the names of the human scores. If there is gold, these are first the
	// scores of the protocol: a plain name for gold, with -z for z-normalised gold, and
	// with -A, -B and so on for a single annotator. Annotators get letters in byte
	// order of their logins. The imported averages follow.
	Humans []string
	// Default is the human score to use if none is chosen: the gate score of the
	// protocol if there is gold, else the only imported score. It is empty if there is
	// no gold and not exactly one imported score.
	Default string
	// Metrics are the names of the metrics: first the imported ones, then the built-in
	// metrics whose names no imported metric has.
	Metrics []string
	// Systems are the names of all systems, in byte order.
	Systems []string
	// References are the names of the references that segments have, in byte order.
	References []string
}

// Open lists the scores that a campaign has.
func Open(ctx context.Context, st *store.Store, c campaign.Campaign) (*Source, error) {
	s := &Source{st: st, c: c, letters: map[string]string{}}
	facts, err := st.Records.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	for i, login := range facts.Logins {
		s.letters[login] = campaign.CardName(i)
	}
	if s.gold, err = st.Records.GoldSegments(ctx, c.ID); err != nil {
		return nil, err
	}
	if s.gold > 0 && facts.Ratings > 0 {
		for _, h := range c.Rules.HumanScores() {
			s.Humans = append(s.Humans, h.Name, h.Name+zSuffix)
			for i := range facts.Logins {
				s.Humans = append(s.Humans, h.Name+"-"+campaign.CardName(i))
			}
		}
		if len(s.Humans) > 0 {
			s.Default = s.Humans[0]
		}
	}
	imported, err := st.Records.HumanScoreNames(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	for _, name := range imported {
		if !slices.Contains(s.Humans, name) {
			s.Humans = append(s.Humans, name)
		}
	}
	if s.Default == "" && len(imported) == 1 {
		s.Default = imported[0]
	}
	if s.Systems, err = st.Records.Systems(ctx, c.ID); err != nil {
		return nil, err
	}
	if s.References, err = st.Records.ReferenceNames(ctx, c.ID); err != nil {
		return nil, err
	}
	declared, err := st.Records.DeclaredMetrics(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	s.imported = make(map[string]campaign.Metric, len(declared))
	for _, m := range declared {
		s.imported[m.Name] = m
		s.Metrics = append(s.Metrics, m.Name)
	}
	for _, name := range metric.Names() {
		if !slices.Contains(s.Metrics, name) {
			s.Metrics = append(s.Metrics, name)
		}
	}
	return s, nil
}

// Plan calls [metaeval.NewPlan]. It treats every system of the campaign as judged.
func (s *Source) Plan(choice metaeval.Choice) (metaeval.Plan, error) {
	return metaeval.NewPlan(metaeval.Catalogue{
		Humans: s.Humans, Default: s.Default, Metrics: s.Metrics, Judges: s.judges(), Builtin: s.builtins(), Systems: s.Systems,
		References: s.References,
	}, choice)
}

// judges lists the metrics that are judges.
func (s *Source) judges() (names []string) {
	for _, name := range s.Metrics {
		if s.imported[name].Judge {
			names = append(names, name)
		}
	}
	return names
}

// builtins lists the metrics that are built in.
func (s *Source) builtins() (names []string) {
	for _, name := range s.Metrics {
		if !s.Imported(name) {
			names = append(names, name)
		}
	}
	return names
}

// Known removes from a choice all names that the campaign does not have. Without a
// human score, a plan uses the default.
func (s *Source) Known(choice metaeval.Choice) metaeval.Choice {
	if !slices.Contains(s.Humans, choice.Human) {
		choice.Human = ""
	}
	if !slices.Contains(s.References, choice.Reference) {
		choice.Reference = ""
	}
	noSystem := func(name string) bool { return !slices.Contains(s.Systems, name) }
	choice.Exclude = slices.DeleteFunc(slices.Clone(choice.Exclude), noSystem)
	choice.Include = slices.DeleteFunc(slices.Clone(choice.Include), func(name string) bool {
		return noSystem(name) || !slices.Contains(s.References, name) || name == choice.Reference || slices.Contains(choice.Exclude, name)
	})
	return choice
}

// Imported reports whether a metric's scores were imported.
func (s *Source) Imported(metric string) bool { _, ok := s.imported[metric]; return ok }

// zSuffix ends the name of a human score that is z-normalised.
const zSuffix = "-z"

// Preset returns the campaign's default preset.
func (s *Source) Preset() metaeval.Preset {
	return cmp.Or(metaeval.Preset(s.c.Rules.Preset), metaeval.WMT23)
}

// A human is the parsed name of a human score.
type human struct {
	name      string
	score     string // the score of the protocol; empty for an imported average
	z         bool   // whether the score is z-normalised
	annotator string // a login; empty for gold, the mean over annotators
}

// human parses a name of [Names.Humans].
func (s *Source) human(name string) human {
	for _, h := range s.c.Rules.HumanScores() {
		rest, ok := strings.CutPrefix(name, h.Name)
		if !ok || s.gold == 0 {
			continue
		}
		switch {
		case rest == "":
			return human{name: name, score: h.Score}
		case rest == zSuffix:
			return human{name: name, score: h.Score, z: true}
		}
		for login, letter := range s.letters {
			if rest == "-"+letter {
				return human{name: name, score: h.Score, annotator: login}
			}
		}
	}
	return human{name: name}
}
