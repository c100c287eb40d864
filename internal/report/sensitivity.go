package report

import (
	"fmt"
	"math"
	"slices"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A VariantKind is the kind of choice that differs in a [Variant].
type VariantKind string

// The kinds of variants.
const (
	OtherPreset   VariantKind = "preset"  // the statistics of the meta score
	OtherHuman    VariantKind = "human"   // the human score
	WithoutSystem VariantKind = "without" // a system is left out
)

// A Variant is an evaluation of the same metrics that differs in one choice.
type Variant struct {
	Kind    VariantKind
	Name    string // of the preset, the human score or the system
	Metrics []metaeval.Result
}

// sensitivityTable has the rank of each metric under each variant. For systems that are left out one at a
// time, it has the best and the worst rank.
func sensitivityTable(e Evaluation, id, of string) Table {
	t := Table{
		ID:      id,
		Title:   "Ranks of the metrics under other choices" + of,
		Caption: "The rank of each metric by the meta score of the report, by other presets, by other human scores, and if one system is left out.",
		Note:    "Ranks follow the meta score alone, without tests. Metrics without a meta score have no rank. Left out one by one: the best and the worst rank over the systems.",
		Columns: slices.Concat(texts("Metric"), counts("Report")),
	}
	var without []resultSet
	var others []resultSet
	for _, v := range e.Sensitivity {
		set := resultSet{results: v.Metrics}
		switch v.Kind {
		case WithoutSystem:
			without = append(without, set)
			continue
		case OtherPreset:
			t.addColumns(under("Preset", counts(v.Name)))
		case OtherHuman:
			t.addColumns(under("Human score", counts(v.Name)))
		}
		others = append(others, set)
	}
	if len(without) > 0 {
		t.addColumns(under("Without a system", counts("Best", "Worst")))
	}
	for _, r := range e.Report.Metrics {
		row := []Cell{text(r.Name), value(rankOf(r, true))}
		for _, set := range others {
			row = append(row, value(rankOf(set.result(r.Name))))
		}
		if len(without) > 0 {
			best, worst := math.Inf(1), math.Inf(-1)
			for _, set := range without {
				if rank := rankOf(set.result(r.Name)); !math.IsNaN(rank) {
					best, worst = min(best, rank), max(worst, rank)
				}
			}
			if math.IsInf(best, 1) {
				best, worst = undefined, undefined
			}
			row = append(row, value(best), value(worst))
		}
		t.add(row...)
	}
	return t
}

// rankOf returns the rank of a metric. It is undefined without a meta score.
func rankOf(r metaeval.Result, found bool) float64 {
	if !found || math.IsNaN(r.Meta) {
		return undefined
	}
	return float64(r.Rank)
}

// sensitivityWords compares the orders of metrics under other presets and human scores with that of the
// report.
func sensitivityWords(e Evaluation) (words []string) {
	for _, v := range e.Sensitivity {
		if v.Kind == WithoutSystem {
			continue
		}
		var own, other []float64
		for _, r := range e.Report.Metrics {
			if o, found := (resultSet{results: v.Metrics}).result(r.Name); found && !math.IsNaN(r.Meta) && !math.IsNaN(o.Meta) {
				own, other = append(own, r.Meta), append(other, o.Meta)
			}
		}
		if tau := stat.TauB(own, other); !math.IsNaN(tau) {
			what := map[VariantKind]string{OtherPreset: "the preset ", OtherHuman: "the human score "}[v.Kind]
			words = append(words, fmt.Sprintf("%s%s %s", what, v.Name, wording.Decimal(tau, 2)))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Kendall's τ-b of the meta scores with those by %s.", wording.List(words))}
}
