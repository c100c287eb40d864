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
	// Builtin are those of Metrics that are computed. They use the reference that their
	// names end in, or the standard reference if there is no such reference.
	Builtin []string
	Systems []string
	// References are the names of the references that have texts.
	References []string
	// Judged returns the systems that have scores by a human score. If it is nil, all
	// systems have scores.
	Judged func(human string) ([]string, error)
}

// A Choice is what a user chooses to evaluate. The zero value stands for the default
// human score, all systems, and the metrics that use the standard reference or none.
type Choice struct {
	Human         string
	HumanAsMetric []string // other human scores to evaluate as if they were metrics
	Metrics       []string // full names, or names without their last "-" and what follows; empty: see [NewPlan]
	Exclude       []string // systems to leave out
	Include       []string // references to judge as systems
	Reference     string   // the standard reference; empty: see [NewPlan]
	Declared      []string // names that count as references, even if the catalogue lacks them
	AllReferences bool     // take the metrics of all references
}

// A Plan names the scores to read and evaluate. All names exist.
type Plan struct {
	Humans        []string // the human scores to read; metrics are evaluated against the first
	HumanAsMetric []string // the members of Humans that are evaluated as if they were metrics
	Metrics       []string
	Exclude       []string // systems, with the references of NoSystem
	Reference     string   // the standard reference; empty if no metric uses one
	// NoSystem are references that metrics of the plan use.
	NoSystem []NoSystem
	// Optional are further references among the systems. [Evaluate] leaves a reference out
	// unless every metric has scores of it.
	Optional []string
	Skipped  []SkippedMetric // metrics that the rule of references leaves out
	// Shared are references of skipped metrics that are known only from names of metrics.
	Shared []string
	// Doubtful are metrics that are taken as if they used no reference, although a metric
	// of the same name before the last "-" uses one.
	Doubtful []string
}

// A SkippedMetric is a metric that a plan leaves out because of its references.
type SkippedMetric struct {
	Metric     string
	References []string
	Judged     []string // the members of References that are judged as systems
}

// NoSystem names a reference that is left out of the systems, with the reason.
type NoSystem struct {
	Reference string
	Standard  bool     // the reference is the standard reference
	Using     []string // the metrics that compare with the reference
	Lacking   []string // the metrics that have no scores of the reference
}

// String gives the reason, as a sentence without a full stop.
func (n NoSystem) String() string {
	switch {
	case n.Standard:
		return n.Reference + " is the standard reference, and is left out of the systems"
	case len(n.Using) > 0:
		return fmt.Sprintf("%s is left out of the systems, since %s with it", n.Reference, those(n.Using, "compares", "compare"))
	}
	return fmt.Sprintf("%s is left out of the systems, since %s no scores of it", n.Reference, those(n.Lacking, "has", "have"))
}

// those returns a subject and its verb. The subject names a single metric and counts
// several.
func those(metrics []string, one, many string) string {
	if len(metrics) == 1 {
		return metrics[0] + " " + one
	}
	return fmt.Sprintf("%d metrics %s", len(metrics), many)
}

// WithPlan returns the task for the scores of a plan. All metrics that were read are
// evaluated.
func (t Task) WithPlan(p Plan) Task {
	t.Human, t.HumanAsMetric, t.Metrics, t.Exclude, t.Optional, t.NoSystem = p.Humans[0], p.HumanAsMetric, nil, p.Exclude, p.Optional, p.NoSystem
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
//   - The last part of a metric's name is a reference if there is a reference of that
//     name, if the choice declares it, or if several metrics share it. See also
//     [referencesOf].
//   - The standard reference is the one that the choice names. Otherwise it is the first
//     in byte order that some metric uses as its only reference and that the choice does
//     not include in the systems. References with texts go before others.
//   - Of the metrics that use references, those of the standard reference are taken.
//     Metrics that use no reference are taken.
//   - A reference that the choice includes in the systems is a system and no reference.
//     Metrics that use it are left out.
//   - Any other reference with human scores is a system only if no metric that is taken
//     uses it and every one has scores of it.
//   - A metric that the choice names in full is always taken. A name without its last
//     "-" and what follows stands for all metrics that it fits, by the rules above.
//
// In mt-metrics-eval the standard reference of each test set is part of the program.
// Apart from that, a plan selects the metrics and systems that mt-metrics-eval ranks
// (GetCorrelations in data.py).
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
			return Plan{}, &ChoiceError{HumanAsMetricField, name, c.Humans}
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
	u := newUsage(c, choice)
	var optional []string
	for _, system := range judged {
		if u.reference(system) && system != choice.Reference && !slices.Contains(choice.Exclude, system) {
			optional = append(optional, system)
		}
	}
	for _, name := range choice.Include {
		if !slices.Contains(optional, name) {
			return Plan{}, &ChoiceError{IncludeField, name, optional}
		}
	}
	if err := p.chooseMetrics(c, choice, u); err != nil {
		return Plan{}, err
	}
	p.chooseReferences(judged, choice, u)
	return p, nil
}

func checkReference(c Catalogue, name string) error {
	if name == "" || slices.Contains(c.References, name) {
		return nil
	}
	if slices.ContainsFunc(c.Metrics, func(metric string) bool { return strings.HasSuffix(metric, "-"+name) }) {
		return nil
	}
	return &ChoiceError{ReferenceField, name, c.References}
}

// A usage holds the references that metrics use.
type usage struct {
	known    []string            // references that have texts or that the choice names
	shared   []string            // other names that several metrics end in
	uses     map[string][]string // by metric
	standard string
}

func (u usage) reference(name string) bool {
	return slices.Contains(u.known, name) || slices.Contains(u.shared, name)
}

func newUsage(c Catalogue, choice Choice) usage {
	u := usage{known: slices.Clone(c.References), uses: map[string][]string{}, standard: choice.Reference}
	for _, name := range append([]string{choice.Reference}, choice.Declared...) {
		if name != "" && !slices.Contains(u.known, name) {
			u.known = append(u.known, name)
		}
	}
	named := slices.DeleteFunc(slices.Clone(c.Metrics), func(name string) bool {
		return slices.Contains(c.Judges, name) || slices.Contains(c.Builtin, name) && !slices.Contains(u.known, lastPart(name))
	})
	u.shared = sharedParts(named, u.known)
	all := slices.Concat(u.known, u.shared)
	var alone []string
	for _, name := range named {
		u.uses[name] = referencesOf(name, all)
		if refs := u.uses[name]; len(refs) == 1 {
			alone = append(alone, refs[0])
		}
	}
	if len(named) < len(c.Metrics)-len(c.Judges) { // some built-in metric uses the standard reference
		alone = append(alone, c.References...)
	}
	for _, from := range [][]string{u.known, u.shared} {
		alone := slices.DeleteFunc(slices.Clone(alone), func(name string) bool {
			return !slices.Contains(from, name) || slices.Contains(choice.Include, name)
		})
		if u.standard == "" && len(alone) > 0 {
			u.standard = slices.Min(alone)
		}
	}
	for _, name := range c.Builtin {
		if u.standard != "" && !slices.Contains(named, name) {
			u.uses[name] = []string{u.standard}
		}
	}
	return u
}

// sharedParts returns the last parts that several names of metrics share, without those
// that are known.
func sharedParts(metrics, known []string) (shared []string) {
	count := map[string]int{}
	for _, name := range metrics {
		part := lastPart(name)
		if part == "" || part == "src" || part == "all" || slices.Contains(known, part) {
			continue
		}
		if count[part]++; count[part] == 2 {
			shared = append(shared, part)
		}
	}
	return shared
}

// chooseMetrics sets the standard reference and the metrics of the plan, and the metrics
// that it skips.
func (p *Plan) chooseMetrics(c Catalogue, choice Choice, u usage) error {
	candidates, full, err := matchMetrics(c.Metrics, choice.Metrics)
	if err != nil {
		return err
	}
	p.Reference = u.standard
	for _, name := range candidates {
		refs := u.uses[name]
		var judged []string
		for _, ref := range refs {
			if slices.Contains(choice.Include, ref) {
				judged = append(judged, ref)
			}
		}
		standard := !slices.ContainsFunc(refs, func(ref string) bool { return ref != p.Reference })
		if full[name] || len(judged) == 0 && (standard || choice.AllReferences) {
			p.Metrics = append(p.Metrics, name)
			if len(refs) == 0 && u.doubtful(name) {
				p.Doubtful = append(p.Doubtful, name)
			}
			continue
		}
		p.Skipped = append(p.Skipped, SkippedMetric{name, refs, judged})
		for _, ref := range refs {
			if len(judged) == 0 && slices.Contains(u.shared, ref) && !slices.Contains(p.Shared, ref) {
				p.Shared = append(p.Shared, ref)
			}
		}
	}
	return nil
}

// doubtful reports whether the last part of a metric's name may be a reference, although
// none is known by that name: a metric with the same name before it uses references.
func (u usage) doubtful(metric string) bool {
	if _, named := u.uses[metric]; !named || lastPart(metric) == "" || lastPart(metric) == "src" {
		return false
	}
	for other, refs := range u.uses {
		if len(refs) > 0 && baseName(other) == baseName(metric) {
			return true
		}
	}
	return false
}

// chooseReferences sets the references that are no systems and those that are optional.
func (p *Plan) chooseReferences(judged []string, choice Choice, u usage) {
	for _, system := range judged {
		if !u.reference(system) || slices.Contains(p.Exclude, system) || slices.Contains(choice.Include, system) {
			continue
		}
		out := NoSystem{Reference: system, Standard: system == p.Reference}
		for _, metric := range p.Metrics {
			if slices.Contains(u.uses[metric], system) {
				out.Using = append(out.Using, metric)
			}
		}
		if len(out.Using) > 0 || system == choice.Reference {
			p.NoSystem = append(p.NoSystem, out)
			p.Exclude = append(p.Exclude, system)
		} else {
			p.Optional = append(p.Optional, system)
		}
	}
}

// referencesOf returns the references that a metric uses, from the part of its name
// after the last "-". "src" is no reference, "all" is every reference, and several
// references are joined by ".". Any other part belongs to the name of the metric, and
// the metric uses no reference.
func referencesOf(metric string, known []string) []string {
	part := lastPart(metric)
	if part == "" || part == "src" {
		return nil
	}
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

// SkipsOthers reports whether the plan leaves out metrics of references that are no
// systems.
func (p Plan) SkipsOthers() bool {
	return slices.ContainsFunc(p.Skipped, func(u SkippedMetric) bool { return len(u.Judged) == 0 })
}

// Notes says which metrics are left out because of their references, and which metrics
// are doubtful. The notes are sentences without full stops.
func (p Plan) Notes() (notes []string) {
	var others []string
	for _, u := range p.Skipped {
		if len(u.Judged) > 0 {
			notes = append(notes, u.String())
		} else {
			others = append(others, u.Metric)
		}
	}
	if len(others) > 0 {
		notes = append(notes, fmt.Sprintf("left out, since the standard reference is %s: %s", p.Reference, strings.Join(others, ", ")))
	}
	for _, ref := range p.Shared {
		notes = append(notes, fmt.Sprintf("%s counts as a reference, since the names of several metrics end in it", ref))
	}
	for _, metric := range p.Doubtful {
		notes = append(notes, fmt.Sprintf("%s is judged as a metric without a reference, since no reference is named %s", metric,
			lastPart(metric)))
	}
	return notes
}

// matchHuman returns the wanted human score, or the only one if none is wanted. The
// error is a *[ChoiceError].
func matchHuman(all []string, wanted string) (string, error) {
	if wanted == "" && len(all) == 1 {
		return all[0], nil
	}
	if wanted == "" || !slices.Contains(all, wanted) {
		return "", &ChoiceError{HumanField, wanted, all}
	}
	return wanted, nil
}

// checkSystems returns a *[ChoiceError] if a named system does not exist.
func checkSystems(all, named []string) error {
	for _, name := range named {
		if !slices.Contains(all, name) {
			return &ChoiceError{ExcludeField, name, all}
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
			return nil, nil, &ChoiceError{MetricsField, w, all}
		}
	}
	return names, full, nil
}

// lastPart returns the part of a metric's name after the last "-".
func lastPart(metric string) string {
	if i := strings.LastIndexByte(metric, '-'); i >= 0 {
		return metric[i+1:]
	}
	return ""
}

// baseName returns the part of a metric's name before the last "-".
func baseName(metric string) string {
	if i := strings.LastIndexByte(metric, '-'); i >= 0 {
		return metric[:i]
	}
	return metric
}
