package export

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// writeMetrics writes two files for each metric: its scores of segments and of systems. references maps the names of references to
// those in the files.
func (m *mtme) writeMetrics(references map[string]string) error {
	ofSystems := map[string]map[string]float64{}
	for _, x := range m.opt.SystemScores {
		if ofSystems[x.Metric] == nil {
			ofSystems[x.Metric] = map[string]float64{}
		}
		ofSystems[x.Metric][x.System] = x.Score
	}
	names := slices.Sorted(maps.Keys(m.metrics))
	for name := range ofSystems {
		if m.metrics[name] == nil {
			m.metrics[name] = &campaign.ScoreMatrix{}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	written := m.rename("metric", names, func(name string) string { return metricToken(name, references) },
		"where the name of a metric ends in the reference that it uses, or in src")
	var meant []string // metrics with means
	zeros := 0
	for i, name := range names {
		means, filled, err := m.writeMetric(name, written[i], usedReferences(written[i], references), ofSystems[name])
		if err != nil {
			return err
		}
		if means {
			meant = append(meant, wording.Quote(name))
		}
		zeros += filled
	}
	if zeros > 0 {
		m.notes = append(m.notes, wording.Counted(zeros, "metric score of a translation that does not exist is",
			"metric scores of translations that do not exist are")+" 0 in the files, which need a score for every segment")
	}
	if len(meant) > 0 {
		m.notes = append(m.notes, "the scores of systems by "+wording.Choose(len(meant), "the metric ", "the metrics ")+wording.ListUpTo(meant,
			10)+" are means of their scores of segments, since no others are known")
	}
	var lower []string
	for _, metric := range m.opt.Metrics {
		if metric.LowerIsBetter && m.metrics[metric.Name] != nil {
			lower = append(lower, wording.Quote(metric.Name))
		}
	}
	if len(lower) > 0 {
		m.notes = append(m.notes, "a lower score is better for "+wording.Choose(len(lower), "the metric ", "the metrics ")+wording.ListUpTo(lower,
			10)+", which the files do not say")
	}
	return nil
}

// writeMetric writes a metric. used are the references that it uses, named as in the files. It reports whether it wrote means of
// scores, and counts the scores of translations that do not exist, for which it writes 0.
//
// A file needs the scores of all systems but used: mt-metrics-eval refuses it without them, or takes them for 0. A file that
// would lack some is left out.
func (m *mtme) writeMetric(name, written string, used []string, ofSystems map[string]float64) (means bool, filled int, err error) {
	scores := m.metrics[name]
	segments, systems := make([][]float64, len(m.systems)), make([][]float64, len(m.systems))
	var partial, without []string // systems that lack scores of segments, and of the whole
	for i, system := range m.systems {
		row := scores.Row(system, len(m.sources))
		given := slices.DeleteFunc(slices.Clone(row), math.IsNaN)
		complete := len(given) > 0 && len(given)+len(m.absent[i]) >= len(row)
		needed := !slices.Contains(used, m.names[i])
		if complete {
			filled += len(m.absent[i])
			segments[i] = slices.Clone(row)
			for j, x := range row {
				if math.IsNaN(x) {
					segments[i][j] = 0
				}
			}
		} else if needed || len(given) > 0 {
			partial = append(partial, wording.Quote(system))
		}
		if x, known := ofSystems[system]; known {
			systems[i] = []float64{x}
		} else if complete {
			systems[i], means = []float64{stat.Mean(given)}, true
		} else if needed {
			without = append(without, wording.Quote(system))
		}
	}
	path := "metric-scores/" + m.pair + "/" + written
	write := func(level, what string, rows [][]float64, lacking []string) (bool, error) {
		if !slices.ContainsFunc(rows, func(row []float64) bool { return row != nil }) && len(scores.Systems()) == 0 {
			return false, nil
		}
		if len(lacking) > 0 {
			m.notes = append(m.notes, fmt.Sprintf("the scores of %s by the metric %s are left out, since it did not score all of %s, and the file needs all",
				what, wording.Quote(name), wording.ListUpTo(lacking, 10)))
			return false, nil
		}
		return true, m.scoreFile(path+"."+level+".score", rows)
	}
	if wrote, err := write("seg", "segments", segments, partial); err != nil || !wrote {
		if filled = 0; err != nil {
			return false, 0, err
		}
	}
	wrote, err := write("sys", "systems", systems, without)
	return means && wrote, filled, err
}

// usedReferences lists the references that a metric of the files uses, by the last part of its name. references maps all to their names in
// the files.
func usedReferences(metric string, references map[string]string) []string {
	last := metric[strings.LastIndexByte(metric, '-')+1:]
	if last == "all" {
		return slices.Collect(maps.Values(references))
	}
	return strings.Split(last, ".") // no reference is named src
}

// metricToken converts the name of a metric to a token that ends in a dash and the references that it uses, divided by dots, or all or
// src. The references have their names in the files. A name that ends in none of them gets -src.
func metricToken(name string, references map[string]string) string {
	for _, reference := range slices.SortedFunc(maps.Keys(references), func(a, b string) int { return len(b) - len(a) }) {
		if base, ok := strings.CutSuffix(name, "-"+reference); ok && base != "" {
			return token(base) + "-" + references[reference]
		}
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		base, last := name[:i], name[i+1:]
		if last == "src" || last == "all" || !slices.ContainsFunc(strings.Split(last, "."), func(part string) bool { return references[part] != part }) {
			return token(base) + "-" + last
		}
	}
	return token(name) + "-src"
}
