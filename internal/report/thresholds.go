package report

import (
	"fmt"
	"math"
	"slices"

	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// thresholdSums collects the data for the mean of each sum over errors, among the
// ratings whose entered score reaches a threshold.
type thresholdSums struct {
	rules   *protocol.Protocol
	entered []int // the numbers of the human scores that annotators enter
	sums    []int // the numbers of the human scores that are sums over errors
	humans  []protocol.HumanScore
	joint   [][]stat.CrossTable // by entered score and sum: counts of the pairs of their values
}

func newThresholdSums(rules *protocol.Protocol) *thresholdSums {
	t := &thresholdSums{rules: rules, humans: rules.HumanScores()}
	for i, h := range t.humans {
		if _, ok := rules.Score(h.Score); ok {
			t.entered = append(t.entered, i)
		} else if isSum(rules, h.Score) {
			t.sums = append(t.sums, i)
		}
	}
	for range t.entered {
		row := make([]stat.CrossTable, len(t.sums))
		for i := range row {
			row[i] = stat.CrossTable{}
		}
		t.joint = append(t.joint, row)
	}
	return t
}

func (t *thresholdSums) add(scores []float64) {
	for i, e := range t.entered {
		for k, s := range t.sums {
			if !math.IsNaN(scores[e]) && !math.IsNaN(scores[s]) {
				t.joint[i][k][[2]float64{scores[e], scores[s]}]++
			}
		}
	}
}

// merge adds the pairs of other ratings.
func (t *thresholdSums) merge(o *thresholdSums) {
	for i, row := range o.joint {
		for k, pairs := range row {
			for pair, n := range pairs {
				t.joint[i][k][pair] += n
			}
		}
	}
}

// A thresholdMean names the mean of a sum over errors among the ratings whose entered score reaches a threshold. Scores are
// places in thresholdSums.
type thresholdMean struct {
	entered, sum int
	threshold    float64
}

// estimate adds the pairs of a document to the estimates.
func (t *thresholdSums) estimate(e *estimates, document int) {
	for i, row := range t.joint {
		for k, pairs := range row {
			for _, threshold := range thresholdsOf(t.rules, t.humans[t.entered[i]].Score) {
				if mean, n := meanFrom(pairs, threshold); n > 0 {
					name := thresholdMean{i, k, threshold}
					e.group("thresholds", name).add(document, name, ratioOf, mean*float64(n), float64(n))
				}
			}
		}
	}
}

// figures returns Figure 1 of Popov et al. 2025: the mean of each sum over the ratings whose
// entered score is at least the threshold.
func (t *thresholdSums) figures(e *estimates) []Figure {
	if len(t.entered) == 0 || len(t.sums) == 0 || len(t.joint[0][0]) == 0 {
		return nil
	}
	f := Figure{ID: "thresholds", Title: "Scores over thresholds", Kind: LinesFigure,
		Caption: "Mean scores from errors over the ratings whose entered score is at least the threshold.",
		X:       chart.Axis{Label: "Threshold"}, Y: chart.Axis{Label: "Mean score", Decimals: 2}}
	f.Table = Table{
		ID:      f.ID,
		Title:   f.Title,
		Caption: f.Caption,
		Note:    "A mean is undefined if no rating reaches the threshold.",
		Columns: counts("Threshold"),
	}
	rows := map[float64][]Cell{} // by threshold; scores with different scales have different thresholds
	var thresholds []float64
	for _, number := range t.entered {
		for _, v := range thresholdsOf(t.rules, t.humans[number].Score) {
			if rows[v] == nil {
				rows[v] = []Cell{value(v)}
				thresholds = append(thresholds, v)
			}
		}
	}
	slices.Sort(thresholds)
	for i, number := range t.entered {
		entered := t.humans[number].Score
		of, _ := describe(t.rules, entered)
		reached := map[float64]int{}
		for k, s := range t.sums {
			label, _ := describe(t.rules, t.humans[s].Score)
			line := chart.Line{Name: label + " over " + of, Group: label, Dash: i > 0}
			for _, threshold := range thresholdsOf(t.rules, entered) {
				mean, n := meanFrom(t.joint[i][k], threshold)
				reached[threshold] = n
				line.X, line.Y = append(line.X, threshold), append(line.Y, mean)
			}
			f.Lines = append(f.Lines, line)
			f.Table.addColumns(under(of+" at least", numbers(2, label)))
			at := map[float64]float64{}
			for j, x := range line.X {
				at[x] = line.Y[j]
			}
			for _, v := range thresholds {
				y, ok := at[v]
				if !ok {
					y = undefined
				}
				name := thresholdMean{i, k, v}
				rows[v] = append(rows[v], estimated(y, e.interval("thresholds", name, name)))
			}
		}
		f.Table.addColumns(under(of+" at least", counts("Ratings")))
		for _, v := range thresholds {
			rows[v] = append(rows[v], count(reached[v]))
		}
	}
	for _, v := range thresholds {
		f.Table.add(rows[v]...)
	}
	f.Words = t.words(f)
	return []Figure{f}
}

func (t *thresholdSums) words(f Figure) string {
	out := "A line for each pair of a score from errors and an entered score."
	for _, line := range f.Lines {
		last := len(line.Y) - 1
		for last > 0 && math.IsNaN(line.Y[last]) {
			last--
		}
		out += fmt.Sprintf(
			" %s goes from %s at %s to %s at %s.", line.Name, wording.Decimal(line.Y[0], 2), wording.Decimal(line.X[0], 0),
			wording.Decimal(line.Y[last], 2), wording.Decimal(line.X[last], 0),
		)
	}
	return out
}

// meanFrom returns the mean of the second values of the pairs whose first value is at
// least the threshold, and the number of these pairs.
func meanFrom(c stat.CrossTable, threshold float64) (float64, int) {
	counts := map[float64]int{}
	for key, n := range c {
		if key[0] >= threshold {
			counts[key[1]] += n
		}
	}
	sum, n := 0.0, 0
	for _, m := range stat.Margins(counts) {
		sum += m.Value * float64(m.N)
		n += m.N
	}
	if n == 0 {
		return undefined, 0
	}
	return sum / float64(n), n
}

// thresholdsOf returns the thresholds for an entered score: the points of its scale, or
// every twentieth of it.
func thresholdsOf(rules *protocol.Protocol, score string) (out []float64) {
	s, _ := rules.Score(score)
	low, length := float64(s.Min), s.Length()
	step := max(1, math.Floor(length/20))
	for k := 0.0; k*step <= length; k++ {
		out = append(out, low+k*step)
	}
	return out
}
