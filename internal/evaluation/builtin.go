package evaluation

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/metric"
	"annotate/internal/wording"
)

// builtin computes the built-in metrics while segments are read. It keeps the scores
// for every reference that all segments so far have.
type builtin struct {
	names      []string
	metrics    []metric.Metric
	systems    int                        // the number of systems
	standard   string                     // the standard reference
	references map[string][]*metricScores // by name of the reference, then by metric
	begun      bool                       // whether a segment was added
}

// metricScores are the scores of one metric against one reference.
type metricScores struct {
	scores  campaign.ScoreMatrix
	totals  []metric.Counts            // by system: counts summed over all segments
	domains map[string][]metric.Counts // by domain and system: counts summed over the segments of the domain
}

func newBuiltin(names []string, targetLang string, systems int, standard string) *builtin {
	b := &builtin{systems: systems, standard: standard}
	for _, name := range names {
		if m, ok := metric.Lookup(name, targetLang); ok {
			b.names, b.metrics = append(b.names, name), append(b.metrics, m)
		}
	}
	return b
}

// begin makes the references of the first segment the candidates.
func (b *builtin) begin(seg campaign.Segment) {
	b.begun, b.references = true, map[string][]*metricScores{}
	for _, r := range seg.References {
		list := make([]*metricScores, len(b.metrics))
		for i := range list {
			list[i] = &metricScores{totals: make([]metric.Counts, b.systems), domains: map[string][]metric.Counts{}}
		}
		b.references[r.Name] = list
	}
}

func (b *builtin) add(t *table, seg campaign.Segment) {
	if len(b.metrics) == 0 {
		return
	}
	if !b.begun {
		b.begin(seg)
	}
	texts := make(map[string]string, len(seg.References))
	for _, r := range seg.References {
		texts[r.Name] = r.Text
	}
	for name, list := range b.references {
		for i, m := range b.metrics {
			text := texts[name]
			if strings.TrimSpace(text) == "" { // as in "annotate score", white space alone is no reference
				text = ""
			}
			compare, err := m.Against(text)
			if err != nil { // the segment lacks this reference
				delete(b.references, name)
				break
			}
			list[i].add(t, seg, m, compare)
		}
	}
}

func (c *metricScores) add(t *table, seg campaign.Segment, m metric.Metric, compare metric.Comparison) {
	inDomain := c.domains[seg.Domain]
	if inDomain == nil {
		inDomain = make([]metric.Counts, len(c.totals))
		c.domains[seg.Domain] = inDomain
	}
	for _, tr := range seg.Translations {
		i, ok := t.place[tr.System]
		if !ok {
			continue
		}
		counts := compare(tr.Text)
		c.scores.Set(tr.System, t.segments, m.Segment(counts))
		c.totals[i].Add(counts)
		inDomain[i].Add(counts)
	}
}

// finish adds the scores of the built-in metrics to the data. It uses the first of these
// references that every segment has: "ref", the standard reference, and the others in byte
// order. A reference that is judged as a system is not used.
func (b *builtin) finish(data *metaeval.Data, t *table) (notes []string) {
	if len(b.metrics) == 0 || t.segments == 0 {
		return nil
	}
	name, ok := b.reference(t.judges)
	if !ok {
		for _, left := range b.names {
			notes = append(notes, fmt.Sprintf("%s is left out: there is no reference that every segment has", left))
		}
		return notes
	}
	if name != campaign.MainReference {
		notes = append(notes, fmt.Sprintf("%s %s with the reference %s", wording.List(b.names), wording.Choose(len(b.names), "compares", "compare"), name))
	}
	for i, c := range b.references[name] {
		scores := metaeval.Scores{
			Name:    b.names[i],
			Group:   metaeval.Surface,
			Segment: c.scores.Rows(t.segments),
			System:  map[string]float64{},
			Domain:  map[string]map[string]float64{},
		}
		for k, system := range t.systems {
			if _, ok := scores.Segment[system]; !ok {
				continue
			}
			scores.System[system] = b.metrics[i].System(c.totals[k])
			for domain, totals := range c.domains {
				if scores.Domain[domain] == nil {
					scores.Domain[domain] = map[string]float64{}
				}
				if x := b.metrics[i].System(totals[k]); !math.IsNaN(x) {
					scores.Domain[domain][system] = x
				}
			}
		}
		data.Metrics = append(data.Metrics, scores)
	}
	return notes
}

// tokenizer says in a note how BLEU splits texts, if it is among the metrics of the data. It is empty otherwise.
func (b *builtin) tokenizer(data metaeval.Data) string {
	for i, m := range b.metrics {
		if bleu, ok := m.(metric.BLEU); ok && slices.ContainsFunc(data.Metrics, func(s metaeval.Scores) bool { return s.Name == b.names[i] }) {
			return fmt.Sprintf("%s is computed as by sacreBLEU with the tokenizer %s", b.names[i], bleu.Tokenizer)
		}
	}
	return ""
}

// reference returns the reference that the built-in metrics use; see finish.
func (b *builtin) reference(judged func(reference string) bool) (string, bool) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(b.references)), judged)
	for _, name := range []string{campaign.MainReference, b.standard} {
		if slices.Contains(names, name) {
			return name, true
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return names[0], true
}
