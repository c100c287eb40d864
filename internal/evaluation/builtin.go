package evaluation

import (
	"fmt"
	"hash/maphash"
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
	kind       string                     // identifies the metrics with their settings
	systems    int                        // the number of systems
	standard   string                     // the standard reference
	counted    *counted                   // nil if the campaign is alone in a report
	keeps      bool                       // whether counted takes the counts of this campaign; the others only use them
	references map[string][]*metricScores // by name of the reference, then by metric
	begun      bool                       // whether a segment was added
}

// counted has the counts of the translations of the first of several campaigns, for the others that have the same
// translations and references. It takes about 400 bytes for a translation and reference.
type counted struct {
	seed  maphash.Seed
	known map[uint64][]metric.Counts // by a hash of the metrics with their settings, the reference and the translation
}

func newCounted() *counted {
	return &counted{maphash.MakeSeed(), map[uint64][]metric.Counts{}}
}

// key is a hash of texts.
func (c *counted) key(texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, text := range texts {
		maphash.WriteComparable(&h, text)
	}
	return h.Sum64()
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
			b.kind += m.Signature(metric.SegmentLevel, 1) + "\n"
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
		if strings.TrimSpace(texts[name]) == "" { // as in "annotate score", white space alone is no reference
			delete(b.references, name)
			continue
		}
		compare := b.against(texts[name])
		for _, tr := range seg.Translations {
			if system, ok := t.place[tr.System]; ok {
				for i, counts := range compare(tr.Text) {
					list[i].add(system, seg.Domain, counts)
					list[i].scores.Set(tr.System, t.segments, b.metrics[i].Segment(counts))
				}
			}
		}
	}
}

// against returns a function that compares a translation with a reference that is not empty.
func (b *builtin) against(reference string) func(translation string) []metric.Counts {
	var prepared func(string) []metric.Counts // nil until it is needed
	compare := func(translation string) []metric.Counts {
		if prepared == nil {
			prepared, _ = metric.Together(b.metrics, reference) // the reference is not empty
		}
		return prepared(translation)
	}
	if b.counted == nil {
		return compare
	}
	return func(translation string) []metric.Counts {
		key := b.counted.key(b.kind, reference, translation)
		counts, ok := b.counted.known[key]
		if !ok {
			if counts = compare(translation); b.keeps {
				b.counted.known[key] = counts
			}
		}
		return counts
	}
}

// add adds the counts of a translation to the sums of its system, which is named by its index.
func (c *metricScores) add(system int, domain string, counts metric.Counts) {
	inDomain := c.domains[domain]
	if inDomain == nil {
		inDomain = make([]metric.Counts, len(c.totals))
		c.domains[domain] = inDomain
	}
	c.totals[system].Add(counts)
	inDomain[system].Add(counts)
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
		notes = append(notes, fmt.Sprintf("%s %s with the reference %s", wording.List(b.names),
			wording.Choose(len(b.names), "compares", "compare"), name))
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
