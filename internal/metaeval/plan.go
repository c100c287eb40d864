package metaeval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Catalogue is what there is to choose from, by name.
type Catalogue struct {
	Humans  []string
	Default string // the human score to judge by if none is chosen; empty: the only one
	Metrics []string
	Systems []string
	// References are the names of the references that exist. Only they, and "src",
	// are taken for the reference part of a metric's name.
	References []string
	// Judged gives the systems that have scores by a human score. Nil: all have.
	Judged func(human string) ([]string, error)
}

// A Choice is what a user wants to be judged. Its zero value takes the default
// human score, all systems, and the metrics of the standard reference.
type Choice struct {
	Human         string
	HumanAsMetric []string // other human scores, judged like metrics
	Metrics       []string // by full name, or by the part before the last "-"; empty: by the rule of [NewPlan]
	Exclude       []string // systems left out
	Reference     string   // the standard reference; empty: the first in byte order
	AllReferences bool     // take the metrics of all references
}

// A Plan says which scores are read and judged, by names that exist.
type Plan struct {
	Humans        []string // to read; the first is the one to judge by
	HumanAsMetric []string // of Humans, those that are judged like metrics
	Metrics       []string
	Exclude       []string // systems
	Reference     string   // the standard reference; empty: no metric has one
	// NoSystem is the chosen reference if it was judged as a system. It is among
	// Exclude.
	NoSystem string
	Unwanted []Unwanted // metrics that the rule of references leaves out
}

// An Unwanted is a metric that a plan leaves out because of its references.
type Unwanted struct {
	Metric     string
	References []string
	Judged     []string // those of its references that are judged as systems
}

// HumanAsMetric is the What of a [ChoiceError] about Choice.HumanAsMetric.
const HumanAsMetric = "human score to judge like a metric"

// Of is the task for the scores that a plan has read.
func (t Task) Of(p Plan) Task {
	t.Human, t.HumanAsMetric, t.Metrics, t.Exclude = p.Humans[0], p.HumanAsMetric, nil, p.Exclude
	return t
}

// Judged gives the systems that have scores by a human score.
func (d Data) Judged(human string) (systems []string) {
	for _, s := range d.Humans {
		for _, system := range d.Systems {
			if s.Name == human && s.has(system) {
				systems = append(systems, system)
			}
		}
	}
	return systems
}

// NewPlan chooses what is judged. It is the only place that does so.
//
//   - The human score is the one that is chosen, else the default, else the only one.
//   - A reference that is judged as a system is no reference: a metric that uses it
//     is left out. A reference that the choice names is no system instead.
//   - Of the metrics that use references, those of the standard reference are
//     taken. It is the one that the choice names, else the first in byte order that
//     a metric uses alone and that is not judged as a system.
//   - Metrics that use no reference are taken.
//   - A metric that the choice gives by its full name is always taken. The part of a
//     name before the last "-" stands for the metrics that begin with it, by the rules
//     above.
//
// These are the metrics that mt-metrics-eval ranks (GetCorrelations in data.py,
// where the standard reference of a test set is part of the program).
//
// The error is a *[ChoiceError] where the choice names what does not exist, or
// that of Catalogue.Judged.
func NewPlan(c Catalogue, choice Choice) (Plan, error) {
	human, err := matchHuman(c.Humans, cmp.Or(choice.Human, c.Default))
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Humans: []string{human}, HumanAsMetric: choice.HumanAsMetric, Exclude: slices.Clone(choice.Exclude)}
	for _, name := range choice.HumanAsMetric {
		if !slices.Contains(c.Humans, name) {
			return Plan{}, &ChoiceError{HumanAsMetric, name, c.Humans}
		}
		if !slices.Contains(p.Humans, name) {
			p.Humans = append(p.Humans, name)
		}
	}
	if c.Systems != nil {
		if err := checkSystems(c.Systems, choice.Exclude); err != nil {
			return Plan{}, err
		}
	}
	if err := checkReference(c, choice.Reference); err != nil {
		return Plan{}, err
	}
	judged := c.Systems
	if c.Judged != nil {
		if judged, err = c.Judged(human); err != nil {
			return Plan{}, err
		}
	}
	if choice.Reference != "" && slices.Contains(judged, choice.Reference) && !slices.Contains(choice.Exclude, choice.Reference) {
		p.NoSystem = choice.Reference
		p.Exclude = append(p.Exclude, choice.Reference)
	}
	return p, p.chooseMetrics(c, choice, func(system string) bool {
		return slices.Contains(judged, system) && !slices.Contains(p.Exclude, system)
	})
}

func checkReference(c Catalogue, name string) error {
	if name == "" || slices.Contains(c.References, name) {
		return nil
	}
	if slices.ContainsFunc(c.Metrics, func(metric string) bool { return strings.HasSuffix(metric, "-"+name) }) {
		return nil
	}
	return &ChoiceError{"reference", name, c.References}
}

// chooseMetrics fills in the metrics that the choice takes.
func (p *Plan) chooseMetrics(c Catalogue, choice Choice, isSystem func(string) bool) error {
	known := c.References
	if choice.Reference != "" && !slices.Contains(known, choice.Reference) {
		known = append(slices.Clone(known), choice.Reference)
	}
	candidates, full, err := matchMetrics(c.Metrics, choice.Metrics)
	if err != nil {
		return err
	}
	uses := map[string][]string{}
	var alone []string // references that a metric uses alone, and that are no systems
	for _, name := range c.Metrics {
		uses[name] = referencesOf(name, known)
		if refs := uses[name]; len(refs) == 1 && !isSystem(refs[0]) {
			alone = append(alone, refs[0])
		}
	}
	p.Reference = choice.Reference
	if p.Reference == "" && len(alone) > 0 {
		p.Reference = slices.Min(alone)
	}
	for _, name := range candidates {
		refs := uses[name]
		var judged []string
		for _, ref := range refs {
			if isSystem(ref) {
				judged = append(judged, ref)
			}
		}
		standard := !slices.ContainsFunc(refs, func(ref string) bool { return ref != p.Reference })
		switch {
		case full[name], len(judged) == 0 && (standard || choice.AllReferences):
			p.Metrics = append(p.Metrics, name)
		default:
			p.Unwanted = append(p.Unwanted, Unwanted{name, refs, judged})
		}
	}
	return nil
}

// referencesOf gives the references that a metric uses, from the part of its name
// behind the last "-": "src" uses none, "all" uses every reference, and several
// are divided by ".". A part that is none of these belongs to the name of the
// metric, which then uses no reference.
func referencesOf(metric string, known []string) []string {
	i := strings.LastIndexByte(metric, '-')
	if i < 0 || metric[i+1:] == "src" {
		return nil
	}
	part := metric[i+1:]
	if slices.Contains(known, part) {
		return []string{part}
	}
	if part == "all" {
		return known
	}
	refs := strings.Split(part, ".")
	for _, ref := range refs {
		if !slices.Contains(known, ref) {
			return nil
		}
	}
	return refs
}

// String says in a sentence without its full stop why the metric is left out.
func (u Unwanted) String() string {
	if len(u.Judged) > 0 {
		return fmt.Sprintf("%s is left out, since its reference %s is judged as a system", u.Metric, strings.Join(u.Judged, ", "))
	}
	return fmt.Sprintf("%s is left out, since it uses another reference", u.Metric)
}

// matchHuman gives the human score that is wanted: by name, or the only one. The
// error is a *[ChoiceError].
func matchHuman(all []string, wanted string) (string, error) {
	if wanted == "" && len(all) == 1 {
		return all[0], nil
	}
	if wanted == "" || !slices.Contains(all, wanted) {
		return "", &ChoiceError{"human score", wanted, all}
	}
	return wanted, nil
}

// checkSystems refuses a system that does not exist. The error is a
// *[ChoiceError].
func checkSystems(all, named []string) error {
	for _, name := range named {
		if !slices.Contains(all, name) {
			return &ChoiceError{"system", name, all}
		}
	}
	return nil
}

// matchMetrics gives the names that are wanted, by name or by the part before the
// last "-" (BLEU for BLEU-refA); all if nothing is wanted in particular. It tells
// which of them are wanted by their full name. The error is a *[ChoiceError].
func matchMetrics(all, wanted []string) (names []string, full map[string]bool, err error) {
	if len(wanted) == 0 {
		return all, nil, nil
	}
	full = map[string]bool{}
	for _, w := range wanted {
		found := false
		for _, name := range all {
			if name != w && baseName(name) != w {
				continue
			}
			found = true
			full[name] = full[name] || name == w
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if !found {
			return nil, nil, &ChoiceError{"metric", w, all}
		}
	}
	return names, full, nil
}

// baseName is the part of a metric's name before the last "-".
func baseName(metric string) string {
	if i := strings.LastIndexByte(metric, '-'); i >= 0 {
		return metric[:i]
	}
	return metric
}
