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
		means, filled, err := m.writeMetric(name, written[i], ofSystems[name])
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

// writeMetric writes a metric. It reports whether it wrote means of scores, and counts the scores of translations that do not
// exist, for which it writes 0. A system without a score of another translation has none in the file of segments, which has no place for
// missing scores.
func (m *mtme) writeMetric(name, written string, ofSystems map[string]float64) (means bool, filled int, err error) {
	var partial []string
	segments, systems := make([][]float64, len(m.systems)), make([][]float64, len(m.systems))
	some, whole := false, false // systems and segments have scores
	for i, system := range m.systems {
		if x, known := ofSystems[system]; known {
			systems[i] = []float64{x}
			some = true
		}
		row := m.metrics[name].Row(system, len(m.sources))
		if row == nil {
			continue
		}
		given := slices.DeleteFunc(slices.Clone(row), math.IsNaN)
		if len(given)+len(m.absent[i]) < len(row) {
			partial = append(partial, wording.Quote(system))
			continue
		}
		filled += len(m.absent[i])
		if segments[i] = row; len(given) < len(row) {
			segments[i] = slices.Clone(row)
			for j, x := range row {
				if math.IsNaN(x) {
					segments[i][j] = 0
				}
			}
		}
		if systems[i] == nil {
			systems[i], means = []float64{stat.Mean(given)}, true
		}
		some, whole = true, true
	}
	if len(partial) > 0 {
		m.notes = append(m.notes, fmt.Sprintf(
			"the scores of segments by the metric %s are left out for %s, which it did not score on every segment, since the file needs all",
			wording.Quote(name), wording.ListUpTo(partial, 10)))
	}
	path := "metric-scores/" + m.pair + "/" + written
	if whole {
		if err := m.scoreFile(path+".seg.score", segments); err != nil {
			return false, 0, err
		}
	}
	if some {
		err = m.scoreFile(path+".sys.score", systems)
	}
	return means, filled, err
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
