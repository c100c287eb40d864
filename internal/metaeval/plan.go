package metaeval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Catalogue lists the names that can be chosen.
type Catalogue struct {
	Humans  []string
	Default string // the human score to use if none is chosen; empty: the only one
	Metrics []string
	Judges  []string // those of Metrics that use no reference, whatever their names
	Systems []string
	// References are the names of the references. The last part of a metric's name
	// counts as a reference only if it is one of these names, or "src" or "all".
	References []string
	// Judged returns the systems that have scores by a human score. If it is nil, all
	// systems have.
	Judged func(human string) ([]string, error)
}

// A Choice is what a user chooses to evaluate. The zero value stands for the default
// human score, all systems, and the metrics that use the standard reference or none.
type Choice struct {
	Human         string
	HumanAsMetric []string // other human scores to evaluate as if they were metrics
	Metrics       []string // full names, or names without their last "-" and what follows; empty: see [NewPlan]
	Exclude       []string // systems to leave out
	Reference     string   // the standard reference; empty: the first in byte order
	AllReferences bool     // take the metrics of all references
}

// A Plan names the scores to read and evaluate. All names exist.
type Plan struct {
	Humans        []string // the human scores to read; metrics are evaluated against the first
	HumanAsMetric []string // the members of Humans that are evaluated as if they were metrics
	Metrics       []string
	Exclude       []string // systems
	Reference     string   // the standard reference; empty if no metric uses one
	// ExcludedReference is the chosen reference if it has human scores as a system. It
	// is also in Exclude.
	ExcludedReference string
	Skipped           []SkippedMetric // metrics that the rule of references leaves out
}

// A SkippedMetric is a metric that a plan leaves out because of its references.
type SkippedMetric struct {
	Metric     string
	References []string
	Judged     []string // the members of References that are judged as systems
}

// HumanAsMetric is the field What of a [ChoiceError] about Choice.HumanAsMetric.
const HumanAsMetric = "human score to judge like a metric"

// WithPlan returns the task for the scores of a plan. All metrics that were read are
// evaluated.
func (t Task) WithPlan(p Plan) Task {
	t.Human, t.HumanAsMetric, t.Metrics, t.Exclude = p.Humans[0], p.HumanAsMetric, nil, p.Exclude
	return t
}

// Judged returns the systems that have scores by a human score.
func (d Data) Judged(human string) (systems []string) {
	for _, s := range d.Humans {
		for _, system := range d.Systems {
			if s.Name == human && s.hasSystem(system) {
				systems = append(systems, system)
			}
		}
	}
	return systems
}

// NewPlan selects the human scores, systems and metrics to evaluate:
//
//   - The human score is the chosen one, else the default, else the only one.
//   - A metric that uses a reference which is judged as a system is left out. But if
//     the choice names that reference, the reference is left out of the systems.
//   - Of the metrics that use references, those of the standard reference are
//     taken. The standard reference is the one that the choice names. Otherwise it is
//     the first in byte order that is not judged as a system and that some metric
//     uses as its only reference.
//   - Metrics that use no reference are taken.
//   - A metric that the choice names in full is always taken. A name without its last
//     "-" and what follows stands for all metrics that it fits, by the rules above.
//
// These are the metrics that mt-metrics-eval ranks (GetCorrelations in data.py). There
// the standard reference of each test set is part of the program.
//
// The error is a *[ChoiceError] if the choice names something that does not exist, or
// the error of Catalogue.Judged.
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
		p.ExcludedReference = choice.Reference
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

// chooseMetrics sets the reference and the metrics of the plan, and the metrics that it
// skips.
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
	var alone []string // references that are no systems and that a metric uses as its only one
	for _, name := range c.Metrics {
		if !slices.Contains(c.Judges, name) {
			uses[name] = referencesOf(name, known)
		}
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
			p.Skipped = append(p.Skipped, SkippedMetric{name, refs, judged})
		}
	}
	return nil
}

// referencesOf returns the references that a metric uses, from the part of its name
// after the last "-". "src" is no reference, "all" is every reference, and several
// references are joined by ".". Any other part belongs to the name of the metric, and
// the metric uses no reference.
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

// String explains why the metric is left out, as a sentence without a full stop.
func (u SkippedMetric) String() string {
	if len(u.Judged) > 0 {
		return fmt.Sprintf("%s is left out, since its reference %s is judged as a system", u.Metric, strings.Join(u.Judged, ", "))
	}
	return fmt.Sprintf("%s is left out, since it uses another reference", u.Metric)
}

// matchHuman returns the wanted human score, or the only one if none is wanted. The
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

// checkSystems returns a *[ChoiceError] if a named system does not exist.
func checkSystems(all, named []string) error {
	for _, name := range named {
		if !slices.Contains(all, name) {
			return &ChoiceError{"system", name, all}
		}
	}
	return nil
}

// matchMetrics returns the metrics that fit the wanted names: full names, or names
// without their last "-" and what follows (BLEU for BLEU-refA). If no name is wanted,
// it returns all metrics. full says which metrics were wanted by their full name. The
// error is a *[ChoiceError].
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

// baseName returns the part of a metric's name before the last "-".
func baseName(metric string) string {
	if i := strings.LastIndexByte(metric, '-'); i >= 0 {
		return metric[:i]
	}
	return metric
}
