package report

import (
	"context"
	"fmt"
	"slices"

	"annotate/internal/stat"
	"annotate/internal/wording"
)

// fewUnits is the number of documents or segments below which intervals are said to be narrow. docs/fidelity.md shows how narrow.
const fewUnits = 15

// narrowNote says that intervals of n documents or segments are narrow. It is empty unless n is small.
func narrowNote(n int) string {
	if n < 2 || n >= fewUnits {
		return ""
	}
	return fmt.Sprintf(" Warning: they are narrow, since %d are few.", n)
}

// resamplingNote says whether intervals resample documents or segments. It warns if
// there are few of them.
func resamplingNote(clusters [][]int, segments int) string {
	return resampled(clusters, segments) + narrowNote(len(clusters))
}

// resampled says how many documents or segments intervals resample.
func resampled(clusters [][]int, segments int) string {
	if len(clusters) == segments {
		return fmt.Sprintf("Intervals resample %s.", wording.Counted(segments, "segment"))
	}
	return fmt.Sprintf("Intervals resample %s with their %s.", wording.Counted(len(clusters), "document"),
		wording.Counted(segments, "segment"))
}

// bootstrap returns the way in which intervals draw documents. It keeps the draws.
func (o Options) bootstrap() stat.Bootstrap {
	return stat.Bootstrap{Resamples: o.Resamples, Seed: o.Seed, Level: confidence}.Kept()
}

// intervalName is the heading of intervals.
func intervalName() string { return wording.Decimal(100*confidence, 0) + "% interval" }

// limits returns the cells of the bounds of an interval of a value of a kind, which are undefined without resamples.
func limits(kind Kind, i stat.Interval) []Cell {
	i = i.Shown(kind == Share, confidence)
	if i.Resamples == 0 {
		return []Cell{value(undefined), value(undefined)}
	}
	return []Cell{value(i.Low), value(i.High)}
}

// bounds returns the columns of the bounds of intervals, below the columns of their values.
func bounds(columns ...[]Column) (out []Column) {
	for _, c := range slices.Concat(columns...) {
		for _, name := range []string{"Low", "High"} {
			out = append(out, Column{Name: name, Group: append(slices.Clone(c.Group), c.Name), Kind: c.Kind, Decimals: c.Decimals})
		}
	}
	return out
}

// addBounds adds a row of cells that the bounds of intervals follow.
func (t *Table) addBounds(cells []Cell, of ...stat.Interval) {
	for _, in := range of {
		cells = append(cells, limits(t.Columns[len(cells)].Kind, in)...)
	}
	t.add(cells...)
}

// within writes an interval for a sentence; it is empty without resamples.
func within(i stat.Interval, decimals int) string {
	if i.Resamples == 0 {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", wording.Decimal(i.Low, decimals), wording.Decimal(i.High, decimals))
}

// drawnNote describes intervals that draw the documents with data of their statistic. The campaign has n documents.
func drawnNote(n int, intervals []stat.Interval) string {
	out := fmt.Sprintf("Intervals draw the documents in which the value has data, of %s in all; with fewer than two there is none.",
		wording.Count(n))
	if slices.ContainsFunc(intervals, func(i stat.Interval) bool { return i.Resamples > 0 && i.Shown(false, confidence).Resamples == 0 }) {
		out += " A value that no resample changes has none either; a share of 0 or 100% has that of the rule of three."
	}
	return out + narrowNote(n)
}

// intervals computes the intervals of the means of systems. rows[i] has the segment
// scores of names[i]. The bootstrap draws clusters of segments, which are the same for all
// systems ([metaeval.ResamplingUnits]). Intervals are undefined with fewer than two clusters.
func intervals(ctx context.Context, o Options, names []string, rows [][]float64, clusters [][]int, all []rankedSystem) error {
	sums, counts := make([][]float64, len(rows)), make([][]int, len(rows))
	for i, row := range rows {
		sums[i], counts[i] = make([]float64, len(clusters)), make([]int, len(clusters))
		for c, places := range clusters {
			for _, k := range places {
				if v := row[k]; v == v { // not NaN
					sums[i][c] += v
					counts[i][c]++
				}
			}
		}
	}
	var resamples [][]float64 // by resample and system
	if len(clusters) > 1 {
		var err error
		resamples, err = stat.Resample(ctx, len(clusters), o.Resamples, o.Seed, func(sample []int) []float64 {
			means := make([]float64, len(rows))
			for i := range rows {
				sum, n := 0.0, 0
				for _, c := range sample {
					sum += sums[i][c]
					n += counts[i][c]
				}
				means[i] = sum / float64(n) // NaN if n is 0
			}
			return means
		})
		if err != nil {
			return err
		}
	}
	for k := range all {
		i := slices.Index(names, all[k].system)
		means := make([]float64, len(resamples))
		for r := range resamples {
			means[r] = resamples[r][i]
		}
		all[k].interval = stat.PercentileInterval(means, stat.ExpandedLevel(confidence, len(clusters)))
	}
	return nil
}
