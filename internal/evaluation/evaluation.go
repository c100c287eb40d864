// Package evaluation lays a campaign out for metaeval: its gold and imported human
// scores, the imported scores of metrics, and those of the built-in ones. It joins
// the store with the pure packages, for the command line and for pages alike.
//
// Start at [Open], which says what a campaign has; [Source.Read] reads it.
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

// A Source is a campaign whose metrics can be judged.
type Source struct {
	st      *store.Store
	c       campaign.Campaign
	letters map[string]string // of annotators by login
	gold    int               // segments in gold
	Names

	imported map[string]campaign.Metric // of Metrics, by name
}

// Names are what there is to choose from in a campaign.
type Names struct {
	// Humans are the names of the human scores: those of the protocol where there
	// is gold, z-normalised with -z and by one annotator alone with -A, -B and so
	// on, letters being given in byte order of the logins; then the imported
	// averages.
	Humans []string
	// Default is the one to judge by if nothing else is said: the score of the
	// protocol's gate where there is gold, else the only imported one; empty if
	// there are several or none.
	Default string
	// Metrics are the names of the metrics: the imported ones, and those built in
	// which no import has the name of.
	Metrics []string
	// Systems are all that the campaign has, in byte order.
	Systems []string
	// References are the names of the references that segments have, in byte order.
	References []string
}

// Open reads what a campaign has.
func Open(ctx context.Context, st *store.Store, c campaign.Campaign) (*Source, error) {
	s := &Source{st: st, c: c, letters: map[string]string{}}
	facts, err := st.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	for i, login := range facts.Logins {
		s.letters[login] = campaign.CardName(i)
	}
	if s.gold, err = st.GoldSegments(ctx, c.ID); err != nil {
		return nil, err
	}
	if s.gold > 0 && facts.Ratings > 0 {
		for _, h := range c.Rules.HumanScores() {
			s.Humans = append(s.Humans, h.Name, h.Name+zSuffix)
			for i := range facts.Logins {
				s.Humans = append(s.Humans, h.Name+"-"+campaign.CardName(i))
			}
		}
		s.Default = s.Humans[0]
	}
	imported, err := st.HumanScoreNames(ctx, c.ID)
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
	if s.Systems, err = st.Systems(ctx, c.ID); err != nil {
		return nil, err
	}
	if s.References, err = st.ReferenceNames(ctx, c.ID); err != nil {
		return nil, err
	}
	declared, err := st.DeclaredMetrics(ctx, c.ID)
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

// Plan chooses what is judged, as [metaeval.NewPlan] does. A system is taken for
// judged if the campaign has it.
func (s *Source) Plan(choice metaeval.Choice) (metaeval.Plan, error) {
	return metaeval.NewPlan(metaeval.Catalogue{
		Humans: s.Humans, Default: s.Default, Metrics: s.Metrics, Systems: s.Systems, References: s.References,
	}, choice)
}

// Known is what of a choice the campaign has. Another human score than the campaign's
// is not chosen, so that the default holds.
func (s *Source) Known(choice metaeval.Choice) metaeval.Choice {
	if !slices.Contains(s.Humans, choice.Human) {
		choice.Human = ""
	}
	if !slices.Contains(s.References, choice.Reference) {
		choice.Reference = ""
	}
	choice.Exclude = slices.DeleteFunc(slices.Clone(choice.Exclude), func(name string) bool { return !slices.Contains(s.Systems, name) })
	return choice
}

// Imported reports whether a metric's scores were imported.
func (s *Source) Imported(metric string) bool { _, ok := s.imported[metric]; return ok }

// zSuffix stands behind the name of a human score that is z-normalised.
const zSuffix = "-z"

// Preset is the one by which a campaign's metrics are judged if nothing else is
// said.
func (s *Source) Preset() metaeval.Preset {
	return cmp.Or(metaeval.Preset(s.c.Rules.Preset), metaeval.WMT23)
}

// A human is one of [Source.Humans], taken apart.
type human struct {
	name      string
	score     string // of the protocol; empty: an imported average
	z         bool
	annotator string // login; empty: the mean over all
}

// human finds one of [Source.Humans] by its name.
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
