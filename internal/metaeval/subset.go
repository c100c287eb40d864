package metaeval

import (
	"maps"
	"slices"

	"annotate/internal/stat"
)

// A subset holds the scores that are evaluated together: those of the chosen systems,
// on all segments or on those of one domain.
type subset struct {
	systems   []string
	domains   []string // the domain of each segment
	documents []string // the document of each segment; nil if unknown
	several   bool     // the data have more than one document
	same      []string // see Data.Identities; nil if documents are unknown
	lengths   [][]int  // the segments of each of the LengthGroups; nil if lengths are unknown
	human     scorer
	rated     *rated // of human; nil before the statistics of segments are computed
	metrics   []scorer
	others    []subset // for each annotator with Scores.Others: the annotator as the only metric
}

// A scorer holds the scores of the systems of a subset, in the order of these systems.
type scorer struct {
	name     string
	group    string
	negated  bool // the scores are negated
	system   []float64
	segment  [][]float64 // rows are systems; nil if there are no segment scores
	wider    []bool      // by system: see Scores.Wider
	byDomain map[string]map[string]float64
}

// unnegated returns the system scores as they were before any negation.
func (s scorer) unnegated() []float64 {
	out := slices.Clone(s.system)
	if s.negated {
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

// chooseSubset selects the scorers and systems that the task names. It also returns the
// metrics that lack scores, and the references that are no systems.
func chooseSubset(d Data, t Task) (sub subset, left []LeftOut, references []NoSystem, err error) {
	human, err := chooseHumanScores(d, t.Human)
	if err != nil {
		return sub, nil, nil, err
	}
	chosen, err := chooseMetrics(d, t)
	if err != nil {
		return sub, nil, nil, err
	}
	if err := checkSystems(d.Systems, t.Exclude); err != nil {
		return sub, nil, nil, err
	}
	sub.domains, sub.documents, sub.same = d.Domains, d.Documents, d.Documents
	sub.several = slices.ContainsFunc(d.Documents, func(name string) bool { return name != d.Documents[0] })
	if d.Documents != nil && d.Identities != nil {
		sub.same = d.Identities
	}
	if d.Lengths != nil {
		sub.lengths = byLength(d.Lengths)
	}
	var optional []string
	for _, s := range slices.Sorted(slices.Values(d.Systems)) {
		switch {
		case !human.hasSystem(s) || slices.Contains(t.Exclude, s):
		case slices.Contains(t.Optional, s):
			optional = append(optional, s)
		default:
			sub.systems = append(sub.systems, s)
		}
	}
	var metrics []Scores
	for _, m := range chosen {
		if systems := m.missingSystems(sub.systems); len(systems) > 0 {
			left = append(left, LeftOut{m.Name, systems})
		} else {
			metrics = append(metrics, m)
		}
	}
	for _, n := range t.NoSystem {
		if human.hasSystem(n.Reference) {
			references = append(references, n)
		}
	}
	for _, s := range optional {
		var lacking []string
		for _, m := range metrics {
			if len(m.missingSystems([]string{s})) > 0 {
				lacking = append(lacking, m.Name)
			}
		}
		if len(lacking) > 0 {
			references = append(references, NoSystem{Reference: s, Lacking: lacking})
		} else {
			sub.systems = append(sub.systems, s)
		}
	}
	slices.Sort(sub.systems)
	sub.human = human.forSystems(sub.systems, d.Segments)
	for _, m := range metrics {
		s := m.higherIsBetter().forSystems(sub.systems, d.Segments)
		if m.Others == nil {
			sub.metrics = append(sub.metrics, s)
			continue
		}
		own := sub
		own.human, own.metrics, own.others = Scores{Name: human.Name, Segment: m.Others}.forSystems(sub.systems, d.Segments), []scorer{s}, nil
		sub.others = append(sub.others, own)
	}
	return sub, left, references, nil
}

func chooseHumanScores(d Data, wanted string) (Scores, error) {
	name, err := matchHuman(names(d.Humans), wanted)
	if err != nil {
		return Scores{}, err
	}
	return d.Humans[slices.IndexFunc(d.Humans, func(s Scores) bool { return s.Name == name })].withSystemMeans(), nil
}

// withSystemMeans fills gaps in s.System: a system that has segment scores but no
// system score gets the mean of its segment scores.
func (s Scores) withSystemMeans() Scores {
	if s.System == nil {
		return s
	}
	s.System = maps.Clone(s.System)
	for name, row := range s.Segment {
		if v, ok := s.System[name]; !ok || !stat.Defined(v) {
			s.System[name] = stat.Mean(row)
		}
	}
	return s
}

func chooseMetrics(d Data, t Task) ([]Scores, error) {
	chosen, _, err := matchMetrics(names(d.Metrics), t.Metrics)
	if err != nil {
		return nil, err
	}
	var out []Scores
	for _, m := range d.Metrics {
		if slices.Contains(chosen, m.Name) {
			out = append(out, m)
		}
	}
	for i, name := range t.HumanAsMetric {
		if slices.Contains(t.HumanAsMetric[:i], name) {
			continue
		}
		h, err := chooseHumanScores(d, name)
		if err != nil {
			return nil, &ChoiceError{HumanAsMetricField, name, names(d.Humans)}
		}
		out = append(out, h)
	}
	return out, nil
}

func names(scores []Scores) []string {
	out := make([]string, len(scores))
	for i, s := range scores {
		out[i] = s.Name
	}
	return out
}

// hasSystem reports whether a system has a score.
func (s Scores) hasSystem(system string) bool {
	if v, ok := s.System[system]; ok && stat.Defined(v) {
		return true
	}
	return stat.Defined(stat.Mean(s.Segment[system]))
}

// missingSystems lists the systems that lack a score. Where the scorer has system
// scores, each system must have one; where it has segment scores, each system must have
// at least one.
func (s Scores) missingSystems(systems []string) (names []string) {
	for _, name := range systems {
		v, ok := s.System[name]
		switch {
		case s.System != nil && (!ok || !stat.Defined(v)), s.Segment != nil && !stat.Defined(stat.Mean(s.Segment[name])), !s.hasSystem(name):
			names = append(names, name)
		}
	}
	return names
}

// forSystems returns the scores of the given systems, in their order. A system without
// segment scores gets a row of NaN.
func (s Scores) forSystems(systems []string, segments int) scorer {
	out := scorer{name: s.Name, group: s.Group, negated: s.LowerIsBetter, byDomain: s.Domain, system: make([]float64, len(systems)),
		wider: make([]bool, len(systems))}
	for i, name := range systems {
		out.wider[i] = s.Wider[name]
		v, ok := s.System[name]
		if !ok {
			v = stat.Mean(s.Segment[name])
		}
		out.system[i] = v
	}
	if s.Segment == nil {
		return out
	}
	out.segment = make([][]float64, len(systems))
	for i, name := range systems {
		row := s.Segment[name]
		if row == nil {
			row = slices.Repeat([]float64{missing}, segments)
		}
		if len(row) != segments {
			panic("metaeval: the number of scores differs from the number of segments")
		}
		out.segment[i] = row
	}
	return out
}

// domain returns the part of the subset that lies in one domain.
func (sub subset) domain(name string) subset {
	var segments []int
	for i, d := range sub.domains {
		if d == name {
			segments = append(segments, i)
		}
	}
	out := subset{systems: sub.systems, several: sub.several, human: sub.human.inDomain(name, sub.systems, segments)}
	if sub.documents != nil {
		for _, k := range segments {
			out.documents, out.same = append(out.documents, sub.documents[k]), append(out.same, sub.same[k])
		}
	}
	for _, m := range sub.metrics {
		out.metrics = append(out.metrics, m.inDomain(name, sub.systems, segments))
	}
	for _, own := range sub.others {
		out.others = append(out.others, own.domain(name))
	}
	return out
}

// inDomain returns the scores on the segments of one domain. The score of a system is
// the scorer's own score for that domain if it has one, else the mean over the
// segments.
func (s scorer) inDomain(domain string, systems []string, segments []int) scorer {
	out := scorer{name: s.name, group: s.group, negated: s.negated, system: make([]float64, len(systems)), wider: make([]bool, len(systems))}
	if s.segment != nil {
		out.segment = columns(s.segment, segments)
	}
	for i, name := range systems {
		v, ok := s.byDomain[domain][name]
		if !ok || !stat.Defined(v) {
			v = missing
			if out.segment != nil {
				v = stat.Mean(out.segment[i])
			}
		}
		out.system[i] = v
	}
	return out
}

// ratedSegments returns the number of segments with a human score.
func (sub subset) ratedSegments() int {
	return countRated(sub.human.segment, indices(width(sub.human.segment)))
}

// countRated returns how many of the segments have a human score of at least one
// system.
func countRated(human [][]float64, segments []int) (n int) {
	for _, segment := range segments {
		if slices.ContainsFunc(human, func(row []float64) bool { return stat.Defined(row[segment]) }) {
			n++
		}
	}
	return n
}
