package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
)

// A table collects scores while segments are read: of each scorer one column for
// each system, one place for each segment.
type table struct {
	c        campaign.Campaign
	systems  []string
	excluded []string
	place    map[string]int // of systems
	humans   []human
	first    human
	scores   [][][]float64 // of humans, by system
	ratings  [][]rated     // of z-normalised humans
	imported map[string]int
	declared map[string]campaign.Metric
	metrics  [][][]float64
	domains  []string
	lengths  []int // of sources in tokens
	tokens   metric.Tokenizer
	segments int
	built    *builtin
}

// rated is one annotator's score of one translation.
type rated struct {
	annotator       string
	system, segment int
	score           float64
	entered         bool // the translation's gold is what a lead entered
}

func (s *Source) newTable(plan metaeval.Plan) *table {
	t := &table{c: s.c, systems: s.Systems, excluded: plan.Exclude, place: map[string]int{}, imported: map[string]int{}, declared: s.imported,
		tokens: metric.TokenizerFor(s.c.SourceLang)}
	for i, name := range t.systems {
		t.place[name] = i
	}
	for _, name := range plan.Humans {
		t.humans = append(t.humans, s.human(name))
		t.scores = append(t.scores, make([][]float64, len(t.systems)))
	}
	if len(t.humans) > 0 {
		t.first = t.humans[0]
	}
	t.ratings = make([][]rated, len(t.humans))
	var builtins []string
	for _, name := range plan.Metrics {
		if !s.Imported(name) {
			builtins = append(builtins, name)
			continue
		}
		t.imported[name] = len(t.metrics)
		t.metrics = append(t.metrics, make([][]float64, len(t.systems)))
	}
	t.built = newBuiltin(builtins, s.c.TargetLang, len(t.systems))
	return t
}

// about reports whether a segment is among those that are evaluated.
func (t *table) about(seg campaign.Segment) bool {
	if t.first.score != "" {
		return seg.Status.InGold()
	}
	return slices.ContainsFunc(seg.Translations, func(tr campaign.Translation) bool {
		return slices.ContainsFunc(tr.HumanScores, func(h campaign.HumanScore) bool { return h.Name == t.first.name })
	})
}

func (t *table) add(seg campaign.Segment) {
	for _, columns := range slices.Concat(t.scores, t.metrics) {
		for i := range columns {
			columns[i] = append(columns[i], math.NaN())
		}
	}
	n := t.segments
	for _, tr := range seg.Translations {
		i, ok := t.place[tr.System]
		if !ok {
			continue
		}
		for h, human := range t.humans {
			if x, ok := t.human(h, human, seg, tr); ok {
				t.scores[h][i][n] = x
			}
		}
		for _, m := range tr.Metrics {
			if k, ok := t.imported[m.Name]; ok {
				t.metrics[k][i][n] = m.Score
			}
		}
	}
	t.built.add(t, seg)
	t.domains = append(t.domains, seg.Domain)
	t.lengths = append(t.lengths, len(t.tokens.Split(seg.Source)))
	t.segments++
}

// human is a human score of a translation; the ratings of a z-normalised one are
// noted instead, since it needs them all.
func (t *table) human(h int, human human, seg campaign.Segment, tr campaign.Translation) (float64, bool) {
	if human.score == "" {
		i := slices.IndexFunc(tr.HumanScores, func(s campaign.HumanScore) bool { return s.Name == human.name })
		if i < 0 {
			return 0, false
		}
		return tr.HumanScores[i].Score, true
	}
	gold, entered, ok := campaign.HumanGold(t.c.Rules, human.score, seg, tr)
	if !human.z && human.annotator == "" {
		return gold, ok
	}
	for _, r := range campaign.GoldRatings(seg, tr) {
		x, ok := t.c.Rules.Human(human.score, r.Rating)
		switch {
		case !ok:
		case human.z:
			t.ratings[h] = append(t.ratings[h], rated{r.Annotator, t.place[tr.System], t.segments, x, entered})
		case human.annotator == r.Annotator:
			return x, true
		}
	}
	return 0, false
}

// normalise fills the columns of a z-normalised human score: for each translation
// the mean over the annotators whose z is defined.
func (t *table) normalise(h int) {
	scores := map[string][]float64{}
	for _, r := range t.ratings[h] {
		scores[r.annotator] = append(scores[r.annotator], r.score)
	}
	scales := make(map[string]campaign.Scale, len(scores))
	for annotator, given := range scores {
		scales[annotator] = campaign.NewScale(given)
	}
	ratings := t.ratings[h]
	for len(ratings) > 0 { // those of a translation stand together
		one := ratings[0]
		n := 1
		for n < len(ratings) && ratings[n].system == one.system && ratings[n].segment == one.segment {
			n++
		}
		var zs []float64
		for _, r := range ratings[:n] {
			if z, ok := scales[r.annotator].Z(r.score); ok && !r.entered {
				zs = append(zs, z)
			}
		}
		if mean, ok := campaign.MeanZ(zs); ok {
			t.scores[h][one.system][one.segment] = mean
		}
		ratings = ratings[n:]
	}
}

// data is what was collected, without the built-in metrics. Notes name the metrics
// that are left out, since a part of their scores is no judgement of the whole.
func (t *table) data() (d metaeval.Data, notes []string) {
	d = metaeval.Data{LanguagePair: t.c.LanguagePair(), Systems: t.systems, Segments: t.segments, Lengths: t.lengths}
	if slices.ContainsFunc(t.domains, func(name string) bool { return name != "" }) {
		d.Domains = t.domains
	}
	for h, human := range t.humans {
		if human.z {
			t.normalise(h)
		}
		d.Humans = append(d.Humans, metaeval.Scores{Name: human.name, Segment: t.bySystem(t.scores[h])})
	}
	names := make([]string, len(t.metrics))
	for name, k := range t.imported {
		names[k] = name
	}
	for k, name := range names {
		m := metaeval.Scores{Name: name, Group: t.declared[name].Group, LowerIsBetter: t.declared[name].LowerIsBetter}
		if slices.ContainsFunc(t.metrics[k], hasScore) {
			if missing := t.missing(k); len(missing) > 0 {
				notes = append(notes, fmt.Sprintf("%s is left out, since it lacks scores where there is a human score: of %s; import them", name, strings.Join(missing, ", of ")))
				continue
			}
			m.Segment = t.bySystem(t.metrics[k])
		}
		d.Metrics = append(d.Metrics, m)
	}
	return d, notes
}

// missing counts the translations with a human score that a metric has none of, in
// words, by system: those that it knows and that are not excluded.
func (t *table) missing(metric int) (lacks []string) {
	for i, column := range t.metrics[metric] {
		if !hasScore(column) || slices.Contains(t.excluded, t.systems[i]) {
			continue
		}
		n := 0
		for k, human := range t.scores[0][i] {
			if !math.IsNaN(human) && math.IsNaN(column[k]) {
				n++
			}
		}
		switch {
		case n == 1:
			lacks = append(lacks, fmt.Sprintf("%s 1 translation", t.systems[i]))
		case n > 1:
			lacks = append(lacks, fmt.Sprintf("%s %d translations", t.systems[i], n))
		}
	}
	return lacks
}

func hasScore(column []float64) bool {
	return slices.ContainsFunc(column, func(x float64) bool { return !math.IsNaN(x) })
}

// bySystem names the columns that hold any score: a system without is one that the
// scorer does not know.
func (t *table) bySystem(columns [][]float64) map[string][]float64 {
	out := make(map[string][]float64, len(columns))
	for i, name := range t.systems {
		if hasScore(columns[i]) {
			out[name] = columns[i]
		}
	}
	return out
}
