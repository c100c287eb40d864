package report

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"annotate/internal/chart"
	"annotate/internal/protocol"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// scoreCounts counts how often each value of each human score was given, by all
// annotators together and by each.
type scoreCounts struct {
	rules   *protocol.Protocol
	humans  []protocol.HumanScore
	ratings int
	all     []map[float64]int            // by number of the human score
	by      map[string][]map[float64]int // by login, then by number of the human score
}

func newScoreCounts(rules *protocol.Protocol) *scoreCounts {
	c := &scoreCounts{rules: rules, humans: rules.HumanScores(), by: map[string][]map[float64]int{}}
	c.all = c.maps()
	return c
}

func (c *scoreCounts) maps() []map[float64]int {
	out := make([]map[float64]int, len(c.humans))
	for i := range out {
		out[i] = map[float64]int{}
	}
	return out
}

// scoresOf returns the human scores of a rating, NaN for a score that it lacks.
func (c *scoreCounts) scoresOf(r protocol.Rating) []float64 {
	out := make([]float64, len(c.humans))
	for i, h := range c.humans {
		v, ok := c.rules.Human(h.Score, r)
		if !ok {
			v = undefined
		}
		out[i] = v
	}
	return out
}

func (c *scoreCounts) add(annotator string, scores []float64) {
	c.ratings++
	own := c.by[annotator]
	if own == nil {
		own = c.maps()
		c.by[annotator] = own
	}
	for i, v := range scores {
		if !math.IsNaN(v) {
			c.all[i][v]++
			own[i][v]++
		}
	}
}

// merge adds the counts of other ratings.
func (c *scoreCounts) merge(o *scoreCounts) {
	c.ratings += o.ratings
	add := func(into, from []map[float64]int) {
		for i, counts := range from {
			for v, n := range counts {
				into[i][v] += n
			}
		}
	}
	add(c.all, o.all)
	for login, counts := range o.by {
		if c.by[login] == nil {
			c.by[login] = c.maps()
		}
		add(c.by[login], counts)
	}
}

// A deviationOf is the row of the estimate of the standard deviation of a human score, by its number.
type deviationOf struct {
	row   any
	score int
}

// estimate adds the scores of a document to the estimates of their means and deviations, whose names are numbers of human scores.
func (c *scoreCounts) estimate(e *estimates, document int) {
	add := func(row any, counts []map[float64]int) {
		for i := range counts {
			n, sum, squares := 0.0, 0.0, 0.0
			for _, m := range stat.Margins(counts[i]) {
				n += float64(m.N)
				sum += m.Value * float64(m.N)
				squares += m.Value * m.Value * float64(m.N)
			}
			if n > 0 {
				e.group("scores", row).add(document, i, ratioOf, sum, n)
				e.group("scores-deviations", deviationOf{row, i}).addDeviation(document, sum, squares, n)
			}
		}
	}
	add(everything{}, c.all)
	for login, counts := range c.by {
		add(login, counts)
	}
}

// figures returns Figures 2 and 3 of Popov et al. 2025: the distribution of each score, over all
// ratings and for each annotator.
func (c *scoreCounts) figures() (out []Figure) {
	for i, h := range c.humans {
		if len(c.all[i]) == 0 {
			continue
		}
		label, _ := describe(c.rules, h.Score)
		bins := binsOf(c.rules, h.Score, c.all[i])
		f := Figure{ID: "scores-" + slug(h.Name), Title: "Distribution of " + label, Kind: HistogramsFigure,
			Caption: fmt.Sprintf("How often each value of %s was given, by all annotators and by each.", h.Name),
			X:       chart.Axis{Label: label, Min: bins[0].Low, Max: bins[len(bins)-1].High}, Y: chart.Axis{Label: "Ratings"}}
		f.Caption += beyond(bins, c.all[i])
		f.Panels = append(f.Panels, panel("All", bins, c.all[i]))
		for _, login := range sorted(c.by) {
			f.Panels = append(f.Panels, panel(login, bins, c.by[login][i]))
		}
		f.Words = panelWords(f.Panels[0], label)
		f.Table = panelTable(f)
		out = append(out, f)
	}
	return out
}

// table has the mean and deviation of each score by annotator.
func (c *scoreCounts) table(e *estimates) Table {
	t := Table{ID: "scores", Title: "Scores", Caption: "Mean and standard deviation of the scores that each annotator gave.",
		Note:    "Population standard deviation. The intervals of its logarithm leave out one document at a time.",
		Columns: slices.Concat(texts("Annotator"), counts("Ratings"))}
	row := func(name string, drawn any, counts []map[float64]int) []Cell {
		r := []Cell{text(name), count(0)}
		for i := range counts {
			if len(c.all[i]) == 0 {
				continue
			}
			n, mean, deviation := moments(counts[i])
			r[1].Value = max(r[1].Value, float64(n))
			r = append(r, estimated(mean, e.interval("scores", drawn, i)),
				estimated(deviation, e.interval("scores-deviations", deviationOf{drawn, i}, "SD")))
		}
		return r
	}
	for i, h := range c.humans {
		if len(c.all[i]) > 0 {
			label, _ := describe(c.rules, h.Score)
			t.addColumns(under(label, numbers(2, "Mean", "SD")))
		}
	}
	for _, login := range sorted(c.by) {
		t.add(row(login, login, c.by[login])...)
	}
	t.addTotal(row("All", everything{}, c.all)...)
	return t
}

// moments returns the number, the mean and the population standard deviation of counted
// values. Without values the mean and the deviation are NaN.
func moments(counts map[float64]int) (n int, mean, deviation float64) {
	values := stat.Margins(counts)
	sum, squares := 0.0, 0.0
	for _, m := range values {
		n += m.N
		sum += m.Value * float64(m.N)
	}
	mean = sum / float64(n)
	for _, m := range values {
		squares += float64(m.N) * (m.Value - mean) * (m.Value - mean)
	}
	if len(values) == 1 {
		return n, values[0].Value, 0
	}
	return n, mean, math.Sqrt(squares / float64(n))
}

func panel(title string, bins []chart.Bin, counts map[float64]int) chart.Panel {
	p := chart.Panel{Title: title, Bins: slices.Clone(bins)}
	for _, m := range stat.Margins(counts) {
		p.Bins[binOf(bins, m.Value)].Count += m.N
	}
	p.N, p.Mean, _ = moments(counts)
	return p
}

// binOf returns the bin of a value. A bin has its lower end, and those above the bin of 0 have their upper end
// instead. A value below all bins is in the first, and one above all in the last.
func binOf(bins []chart.Bin, v float64) int {
	above := false
	for i, b := range bins {
		above = above || b.High == b.Low
		if v < b.High || above && v == b.High {
			return i
		}
	}
	return len(bins) - 1
}

func panelWords(p chart.Panel, label string) string {
	fullest := p.Bins[0]
	for _, b := range p.Bins {
		if b.Count > fullest.Count {
			fullest = b
		}
	}
	return fmt.Sprintf("A histogram for all annotators together and one for each. The mean %s of %s is %s; the highest bar, at %s, stands for %s of them.",
		label, wording.Counted(p.N, "rating"), wording.Decimal(p.Mean, 2), fullest.Label, percent(fullest.Count, p.N))
}

func panelTable(f Figure) Table {
	t := Table{ID: f.ID, Title: f.Title, Caption: f.Caption, Columns: texts(f.X.Label)}
	total := []Cell{text("All")}
	for _, p := range f.Panels {
		t.addColumns(counts(p.Title))
		total = append(total, count(p.N))
	}
	for i, b := range f.Panels[0].Bins {
		row := []Cell{text(b.Label)}
		for _, p := range f.Panels {
			row = append(row, count(p.Bins[i].Count))
		}
		t.add(row...)
	}
	t.addTotal(total...)
	return t
}

// binsOf divides the range of a score into bins: a scale into its points or into twenty
// parts, and a sum over errors into about twenty parts, with a bin of its own for 0 (a
// translation without errors).
func binsOf(rules *protocol.Protocol, score string, counts map[float64]int) []chart.Bin {
	low, high, ok := scaleOf(rules, score)
	if !ok {
		return costBins(stat.Margins(counts))
	}
	var bins []chart.Bin
	if high-low <= 20 {
		for v := low; v <= high; v++ {
			bins = append(bins, chart.Bin{Low: v - 0.5, High: v + 0.5, Label: wording.Decimal(v, 0)})
		}
		return bins
	}
	width := math.Ceil((high - low) / 20)
	for k := 0.0; k*width < high-low; k++ {
		from, to := low+k*width, min(low+(k+1)*width, high)
		label := fmt.Sprintf("%s to <%s", wording.Decimal(from, 0), wording.Decimal(to, 0))
		if to == high {
			label = fmt.Sprintf("%s to %s", wording.Decimal(from, 0), wording.Decimal(to, 0))
		}
		bins = append(bins, chart.Bin{Low: from, High: to, Label: label})
	}
	return bins
}

// scaleOf returns the range of an entered score, or of a mean of entered scores. ok is
// false for a sum over errors.
func scaleOf(rules *protocol.Protocol, score string) (low, high float64, ok bool) {
	if s, ok := rules.Score(score); ok {
		return float64(s.Min), float64(s.Max), true
	}
	for _, d := range rules.Derived {
		if d.Name != score || len(d.Mean) == 0 {
			continue
		}
		for i, name := range d.Mean {
			s, known := rules.Score(name)
			if !known {
				return 0, 0, false
			}
			if i == 0 {
				low, high = float64(s.Min), float64(s.Max)
			}
			low, high = min(low, float64(s.Min)), max(high, float64(s.Max))
		}
		return low, high, true
	}
	return 0, 0, false
}

// costBins divides the range of a sum over errors into about twenty parts, of which one end is 0. If a few scores lie
// so far out that the others would take less than half of it, it divides the range of these others, and the first or
// the last bin has all that lie beyond; see [beyond].
func costBins(values []stat.Margin) []chart.Bin {
	lowest, highest := min(0, values[0].Value), max(0, values[len(values)-1].Value)
	low, high := bulk(values)
	if low, high = min(0, low), max(0, high); low == high || highest-lowest <= 2*(high-low) {
		low, high = lowest, highest
	}
	width := 1.0
	for steps := []float64{2, 2.5, 2}; (high-low)/width > 20; steps = append(steps[1:], steps[0]) { // 1, 2, 5, 10, …
		width *= steps[0]
	}
	var bins []chart.Bin
	from, to := math.Floor(low/width), math.Ceil(high/width)
	if all := math.Floor(lowest / width); all >= from-1 {
		from = all // a further bin has all that lies below
	} else {
		bins = append(bins, chart.Bin{Low: (from - 1) * width, High: from * width, Label: "<" + wording.Decimal(from*width, 0)})
	}
	for k := from; k < 0; k++ {
		bins = append(
			bins,
			chart.Bin{Low: k * width, High: (k + 1) * width,
				Label: fmt.Sprintf("%s to <%s", wording.Decimal(k*width, 0), wording.Decimal((k+1)*width, 0))},
		)
	}
	bins = append(bins, chart.Bin{Label: "0"})
	if all := math.Ceil(highest / width); all <= to+1 {
		to = all
	}
	for k := 0.0; k < to; k++ { // a weight may be negative, so that a sum is above 0
		bins = append(
			bins,
			chart.Bin{Low: k * width, High: (k + 1) * width,
				Label: fmt.Sprintf(">%s to %s", wording.Decimal(k*width, 0), wording.Decimal((k+1)*width, 0))},
		)
	}
	if highest > to*width {
		bins = append(bins, chart.Bin{Low: to * width, High: (to + 1) * width, Label: ">" + wording.Decimal(to*width, 0)})
	}
	return bins
}

// bulk returns the range of the values without 2 % of them at each end, at least one. Fewer than 20 values are all in it.
func bulk(values []stat.Margin) (low, high float64) {
	n := 0
	for _, m := range values {
		n += m.N
	}
	out := max(1, n/50)
	if n < 20 {
		out = 0
	}
	end := func(values iter.Seq2[int, stat.Margin]) float64 {
		left := out
		for _, m := range values {
			if left -= m.N; left < 0 {
				return m.Value
			}
		}
		return 0
	}
	return end(slices.All(values)), end(slices.Backward(values))
}

// beyond says how many scores lie beyond the bins and stand in the first or the last. It is empty if none do.
func beyond(bins []chart.Bin, counts map[float64]int) string {
	below, above := 0, 0
	lowest, highest := math.Inf(1), math.Inf(-1)
	first, last := bins[0], bins[len(bins)-1]
	for v, n := range counts {
		lowest, highest = min(lowest, v), max(highest, v)
		if v < first.High {
			below += n
		}
		if v > last.Low {
			above += n
		}
	}
	out := ""
	if lowest < first.Low {
		out += fmt.Sprintf(" In the first column %s below %s, down to %s.", wording.Counted(below, "score is", "scores are"),
			wording.Decimal(first.High, 0), wording.Plain(lowest))
	}
	if highest > last.High {
		out += fmt.Sprintf(" In the last column %s above %s, up to %s.", wording.Counted(above, "score is", "scores are"),
			wording.Decimal(last.Low, 0), wording.Plain(highest))
	}
	return out
}
