package evaluation

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A table collects the scores of humans and metrics while segments are read.
type table struct {
	c         campaign.Campaign
	systems   []string
	excluded  []string
	optional  []string       // see [metaeval.Plan]
	place     map[string]int // by system: its index in systems
	humans    []human
	first     human                   // the human score that metrics are evaluated against
	scores    []campaign.ScoreMatrix  // by index in humans
	others    []campaign.ScoreMatrix  // by index in humans: the means of the other annotators; see comparesOthers
	ratings   []campaign.RatingScores // by index in humans: the ratings of z-normalised scores
	rated     [][]rated               // by index in humans: the translations with these ratings
	imported  map[string]int          // by name of an imported metric: its index in metrics
	declared  map[string]campaign.Metric
	metrics   []campaign.ScoreMatrix
	whole     []map[string]*mean // by index in metrics, by system: the mean over all segments, with or without a human score
	silent    []map[string][]int // by index in metrics, by system: the segments where a judge's answer could not be read, in ascending order
	domains   []string           // by segment
	documents []string           // by segment
	texts     map[string]string  // by document: its identity, see [table.identify]
	same      []string           // by segment: the identity of its document
	lengths   []int              // by segment: the length of the source in tokens
	tokens    metric.Tokenizer
	segments  int
	built     *builtin
}

// A rated translation has the ratings with the numbers in [first, end).
type rated struct {
	system              string
	segment, first, end int
}

func (s *Source) newTable(plan metaeval.Plan) *table {
	t := &table{
		c:        s.c,
		systems:  s.Systems,
		excluded: plan.Exclude,
		optional: plan.Optional,
		place:    map[string]int{},
		texts:    map[string]string{},
		imported: map[string]int{},
		declared: s.imported,
		tokens:   metric.TokenizerFor(s.c.SourceLang),
	}
	for i, name := range t.systems {
		t.place[name] = i
	}
	for _, name := range plan.Humans {
		t.humans = append(t.humans, s.human(name))
	}
	if len(t.humans) > 0 {
		t.first = t.humans[0]
	}
	t.scores, t.others, t.ratings, t.rated = make(
		[]campaign.ScoreMatrix, len(t.humans),
	), make([]campaign.ScoreMatrix, len(t.humans)), make([]campaign.RatingScores, len(t.humans)), make([][]rated, len(t.humans))
	var builtins []string
	for _, name := range plan.Metrics {
		if !s.Imported(name) {
			builtins = append(builtins, name)
			continue
		}
		t.imported[name] = len(t.metrics)
		t.metrics = append(t.metrics, campaign.ScoreMatrix{})
		t.whole = append(t.whole, map[string]*mean{})
		t.silent = append(t.silent, map[string][]int{})
	}
	t.built = newBuiltin(builtins, s.c.TargetLang, len(t.systems), plan.Reference)
	return t
}

// judges reports whether a reference is or may be judged as a system.
func (t *table) judges(reference string) bool {
	_, system := t.place[reference]
	return system && !slices.Contains(t.excluded, reference)
}

// includes reports whether a segment is evaluated.
func (t *table) includes(seg campaign.Segment) bool {
	if t.first.score != "" {
		return seg.Status.InGold()
	}
	return slices.ContainsFunc(seg.Translations, func(tr campaign.Translation) bool {
		return slices.ContainsFunc(tr.HumanScores, func(h campaign.HumanScore) bool { return h.Name == t.first.name })
	})
}

// A mean is a sum of n scores.
type mean struct {
	sum stat.Sum
	n   int
}

// identify gives the document of a segment an identity, which documents of other campaigns have if their first segment has the same
// source. Formats name the same documents differently, and some trim white space.
func (t *table) identify(seg campaign.Segment) {
	if _, known := t.texts[seg.DocID]; !known {
		hash := sha256.Sum256([]byte(strings.Join(strings.Fields(seg.Source), " ")))
		t.texts[seg.DocID] = string(hash[:16])
	}
}

// count adds the scores of metrics to the means over all segments.
func (t *table) count(seg campaign.Segment) {
	for _, tr := range seg.Translations {
		for _, m := range tr.Metrics {
			k, ok := t.imported[m.Name]
			if !ok || math.IsNaN(m.Score) {
				continue
			}
			if t.whole[k][tr.System] == nil {
				t.whole[k][tr.System] = &mean{}
			}
			t.whole[k][tr.System].sum.Add(m.Score)
			t.whole[k][tr.System].n++
		}
	}
}

func (t *table) add(seg campaign.Segment) {
	n := t.segments
	for _, tr := range seg.Translations {
		if _, ok := t.place[tr.System]; !ok {
			continue
		}
		for h, human := range t.humans {
			x, ok := t.human(h, human, seg, tr)
			if ok && t.comparesOthers(h) && !t.first.z {
				var others float64
				if others, ok = t.mean(t.first.score, seg, tr, human.annotator); ok {
					t.others[h].Set(tr.System, n, others)
				}
			}
			if ok {
				t.scores[h].Set(tr.System, n, x)
			}
		}
		for _, m := range tr.Metrics {
			k, ok := t.imported[m.Name]
			switch {
			case !ok:
			case math.IsNaN(m.Score):
				t.silent[k][tr.System] = append(t.silent[k][tr.System], n)
			default:
				t.metrics[k].Set(tr.System, n, m.Score)
			}
		}
	}
	t.built.add(t, seg)
	t.domains, t.documents, t.same = append(t.domains, seg.Domain), append(t.documents, seg.DocID), append(t.same, t.texts[seg.DocID])
	t.lengths = append(t.lengths, len(t.tokens.Split(seg.Source)))
	t.segments++
}

// comparesOthers reports whether a human score is of an annotator who is part of the first
// human score. Such an annotator is compared with the mean of the others, on the
// translations that both have rated.
func (t *table) comparesOthers(h int) bool {
	return h > 0 && t.humans[h].annotator != "" && t.first.score != "" && t.first.annotator == ""
}

// without returns the annotator that a mean leaves out, since the annotator is compared with
// it, or "".
func (t *table) without(h int) string {
	if t.humans[h].annotator != "" {
		return ""
	}
	return t.first.annotator
}

// mean returns the mean of a score over the ratings that gold is formed from, without
// those of an annotator.
func (t *table) mean(score string, seg campaign.Segment, tr campaign.Translation, without string) (float64, bool) {
	var given []float64
	for _, r := range campaign.GoldRatings(seg, tr) {
		if x, ok := t.c.Rules.Human(score, r.Rating); ok && r.Annotator != without {
			given = append(given, x)
		}
	}
	return campaign.Mean(given)
}

// human returns a human score of a translation. For a z-normalised score it stores the
// ratings and returns false, since a z-score depends on the ratings of all
// translations.
func (t *table) human(h int, human human, seg campaign.Segment, tr campaign.Translation) (float64, bool) {
	if human.score == "" {
		i := slices.IndexFunc(tr.HumanScores, func(s campaign.HumanScore) bool { return s.Name == human.name })
		if i < 0 {
			return 0, false
		}
		return tr.HumanScores[i].Score, true
	}
	if without := t.without(h); without != "" && !human.z {
		return t.mean(human.score, seg, tr, without)
	}
	mean, entered, ok := campaign.HumanGold(t.c.Rules, human.score, seg, tr)
	if !human.z && human.annotator == "" {
		return mean, ok
	}
	first := t.ratings[h].Len()
	for _, r := range campaign.GoldRatings(seg, tr) {
		x, ok := t.c.Rules.Human(human.score, r.Rating)
		switch {
		case !ok:
		case human.z:
			t.ratings[h].Add(r.Annotator, x)
		case human.annotator == r.Annotator:
			return x, true
		}
	}
	if end := t.ratings[h].Len(); end > first && !entered {
		t.rated[h] = append(t.rated[h], rated{tr.System, t.segments, first, end})
	}
	return 0, false
}

// normalise sets a z-normalised human score, and the means that annotators are compared
// with if it is the first.
func (t *table) normalise(h int) {
	ratings := &t.ratings[h]
	z := ratings.Z(0)
	mean := func(r rated, without string) float64 {
		if without == "" {
			return z(r.first, r.end)
		}
		var zs []float64
		for k := r.first; k < r.end; k++ {
			if x := z(k, k+1); ratings.Rater(k) != ratings.Number(without) && !math.IsNaN(x) {
				zs = append(zs, x)
			}
		}
		return stat.Mean(zs)
	}
	for _, r := range t.rated[h] {
		t.scores[h].Set(r.system, r.segment, mean(r, t.without(h)))
		for a := range t.humans {
			if h == 0 && t.comparesOthers(a) {
				t.others[a].Set(r.system, r.segment, mean(r, t.humans[a].annotator))
			}
		}
	}
}

// annotator returns the scores of an annotator and of the others, each on the translations
// that both have rated.
func (t *table) annotator(h int) metaeval.Scores {
	s := metaeval.Scores{Name: t.humans[h].name, Segment: t.scores[h].Rows(t.segments), Others: t.others[h].Rows(t.segments)}
	for system, own := range s.Segment {
		others := s.Others[system]
		for k := range own {
			switch {
			case others == nil || math.IsNaN(others[k]):
				own[k] = math.NaN()
			case math.IsNaN(own[k]):
				others[k] = math.NaN()
			}
		}
	}
	maps.DeleteFunc(s.Others, func(system string, others []float64) bool {
		return s.Segment[system] == nil || !stat.Defined(stat.Mean(others))
	})
	return s
}

// data returns the collected scores, without the built-in metrics. Notes name the
// metrics that are left out because they lack some scores.
func (t *table) data() (d metaeval.Data, notes []string) {
	d = metaeval.Data{LanguagePair: t.c.LanguagePair(), Systems: t.systems, Segments: t.segments, Documents: t.documents,
		Identities: t.same, Lengths: t.lengths}
	if slices.ContainsFunc(t.domains, func(name string) bool { return name != "" }) {
		d.Domains = t.domains
	}
	for h, human := range t.humans {
		if human.z {
			t.normalise(h)
		}
		if t.comparesOthers(h) {
			s := t.annotator(h)
			if len(s.Others) == 0 {
				notes = append(notes, fmt.Sprintf("%s has nothing to be compared with, since nobody else rated the same translations", human.name))
			}
			d.Humans = append(d.Humans, s)
			continue
		}
		d.Humans = append(d.Humans, metaeval.Scores{Name: human.name, Segment: t.scores[h].Rows(t.segments)})
	}
	names := make([]string, len(t.metrics))
	for name, k := range t.imported {
		names[k] = name
	}
	for k, name := range names {
		m := metaeval.Scores{Name: name, Group: t.declared[name].Group, LowerIsBetter: t.declared[name].LowerIsBetter}
		if len(t.metrics[k].Systems()) > 0 {
			if missing := t.missing(k); len(missing) > 0 {
				do := "import them"
				if t.declared[name].Judge {
					do = "run the judge on, or import them"
				}
				notes = append(
					notes,
					fmt.Sprintf("%s is left out, since it lacks scores where there is a human score: of %s; %s", name, strings.Join(missing, ", of "), do),
				)
				continue
			}
			if n := t.unread(k); n > 0 {
				notes = append(
					notes,
					fmt.Sprintf(
						"%s gave %s that could not be read; they have no score, and its statistics are over the others", name,
						wording.Counted(n, "answer"),
					),
				)
			}
			m.Segment = t.metrics[k].Rows(t.segments)
			for _, system := range t.optional {
				if t.lacks(k, system) > 0 {
					delete(m.Segment, system)
				}
			}
		}
		d.Metrics = append(d.Metrics, m)
	}
	return d, notes
}

// unread counts the translations with a human score for which a judge's answer could not
// be read. Excluded systems do not count.
func (t *table) unread(metric int) (n int) {
	for system, segments := range t.silent[metric] {
		if slices.Contains(t.excluded, system) {
			continue
		}
		human := t.scores[0].Row(system, t.segments)
		for _, k := range segments {
			if k < len(human) && !math.IsNaN(human[k]) {
				n++
			}
		}
	}
	return n
}

// missing describes, by system, how many translations have a human score but no score
// of the metric. Excluded and optional systems and systems without any score of the
// metric are not listed.
func (t *table) missing(metric int) (lacks []string) {
	for _, system := range t.metrics[metric].Systems() {
		if slices.Contains(t.excluded, system) || slices.Contains(t.optional, system) {
			continue
		}
		if n := t.lacks(metric, system); n > 0 {
			lacks = append(lacks, system+" "+wording.Counted(n, "translation"))
		}
	}
	return lacks
}

// lacks counts the translations of a system that have a human score but neither a score
// of the metric nor an answer of a judge that could not be read.
func (t *table) lacks(metric int, system string) (n int) {
	row := t.metrics[metric].Row(system, t.segments)
	for k, human := range t.scores[0].Row(system, t.segments) {
		_, silent := slices.BinarySearch(t.silent[metric][system], k)
		if !math.IsNaN(human) && (k >= len(row) || math.IsNaN(row[k])) && !silent {
			n++
		}
	}
	return n
}
