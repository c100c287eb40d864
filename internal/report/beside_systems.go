package report

import (
	"context"
	"math"
	"slices"

	"annotate/internal/stat"
)

// A sideColumn is a score of a side that has values.
type sideColumn struct {
	side  *side
	score sideScore
	rows  [][]float64
	means []float64 // by system
}

func (c sideColumn) name() string { return c.side.label + ": " + c.score.label }

func (j joint) columns() (out []sideColumn) {
	for _, s := range j.sides {
		for i, score := range s.scores {
			c := sideColumn{side: s, score: score, rows: j.matrix(s, i)}
			for _, row := range c.rows {
				c.means = append(c.means, stat.Mean(slices.DeleteFunc(slices.Clone(row), math.IsNaN)))
			}
			if slices.ContainsFunc(c.means, func(v float64) bool { return !math.IsNaN(v) }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// systemTable ranks the systems by every score of every campaign, as in Tables 4 and 5 of Popov et al. 2025.
func (j joint) systemTable(columns []sideColumn, scores scoreIntervals) Table {
	t := Table{ID: "beside-systems", Title: "Systems by campaign",
		Caption: "Mean human scores of the systems and their clusters in each campaign.",
		Note:    "Clusters as in the section on systems. Best, second and third of each score are marked. The systems are in the order of the first score.",
		Columns: texts("System"), across: "Campaign and score"}
	var ranked [][]rankedSystem
	for _, c := range columns {
		group := []string{c.side.label, c.score.label}
		t.Columns = append(
			t.Columns, Column{Name: "Mean", Group: group, Kind: Number, Decimals: 2, Better: Higher},
			Column{Name: "Cluster", Group: group, Kind: Count},
		)
		ranked = append(ranked, rankSystems(j.systems, c.rows))
	}
	t.fill(ranked)
	for _, row := range t.Rows {
		i := slices.Index(j.systems, row.Cells[0].Text)
		for k := range columns {
			row.Cells[1+2*k] = Cell{Value: row.Cells[1+2*k].Value, Mark: row.Cells[1+2*k].Mark, interval: scores.means[k][i]}
		}
	}
	return t
}

// estimateWork adds times and errors to the estimates.
func (j joint) estimateWork() {
	for _, s := range j.sides {
		majors, minors := classes(s.rules)
		for _, translation := range j.translations {
			document, g := j.document(translation), j.drawn.group("beside-work", s)
			for r, spans := range s.given(translation) {
				g.base(document, 1)
				g.part(document, anyErrors, float64(len(spans)))
				if len(spans) == 0 {
					g.part(document, faultless, 1)
				}
				for _, e := range spans {
					switch severity := j.part.names.texts[e.severity]; {
					case slices.Contains(majors, severity):
						g.part(document, majorErrors, 1)
					case slices.Contains(minors, severity):
						g.part(document, minorErrors, 1)
					}
				}
				if r.seconds > 0 {
					g.add(document, meanTime, ratioOf, r.seconds, 1)
				}
			}
		}
	}
}

// scoreIntervals are the intervals of the scores of campaigns, by column, and by two columns.
type scoreIntervals struct {
	means                [][]stat.Interval // by column and system
	spearman, tau, rated [][]stat.Interval // by two columns, the first of which is lower; rated is r of translations
}

// scoreIntervals draws documents. The means of all scores and systems share the draws, as do those of the two scores of an r.
func (j joint) scoreIntervals(ctx context.Context, b stat.Bootstrap, columns []sideColumn) (out scoreIntervals, err error) {
	var totals stat.Totals
	n := len(j.systems)
	at := func(column, system int) int { return 2 * (column*n + system) }
	documents := make([]int, len(j.segments))
	for k, segment := range j.segments {
		documents[k] = j.part.documents[segment]
		for c, column := range columns {
			for i, row := range column.rows {
				if v := row[k]; !math.IsNaN(v) {
					totals.Add(documents[k], at(c, i), v)
					totals.Add(documents[k], at(c, i)+1, 1)
				}
			}
		}
	}
	all, err := totals.Intervals(ctx, b, func(t []float64) (values []float64) {
		t = append(slices.Clip(t), make([]float64, max(0, at(len(columns), 0)-len(t)))...)
		means := make([][]float64, len(columns))
		for c := range columns {
			for i := range n {
				means[c] = append(means[c], t[at(c, i)]/t[at(c, i)+1])
			}
			values = append(values, means[c]...)
		}
		for a := range columns {
			for b := a + 1; b < len(columns); b++ {
				values = append(values, stat.Spearman(means[a], means[b]), stat.TauB(means[a], means[b]))
			}
		}
		return values
	})
	if err != nil {
		return out, err
	}
	for range columns {
		out.means = append(out.means, all[:n])
		all = all[n:]
		out.spearman, out.tau = append(out.spearman, make([]stat.Interval, len(columns))), append(out.tau, make([]stat.Interval, len(columns)))
		out.rated = append(out.rated, make([]stat.Interval, len(columns)))
	}
	for a := range columns {
		for c := a + 1; c < len(columns); c++ {
			out.spearman[a][c], out.tau[a][c] = all[0], all[1]
			all = all[2:]
			if out.rated[a][c], err = correlationInterval(ctx, b, columns[a].rows, columns[c].rows, documents); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// correlationInterval is the interval of Pearson's r of two scores of translations. documents has the number of each segment's.
// One pair after the other is drawn, so that memory does not grow with the number of pairs.
func correlationInterval(ctx context.Context, b stat.Bootstrap, x, y [][]float64, documents []int) (stat.Interval, error) {
	var e estimates
	g := e.group("r", everything{})
	for k, document := range documents {
		var sums [6]float64
		for i := range x {
			if u, v := x[i][k], y[i][k]; !math.IsNaN(u) && !math.IsNaN(v) {
				for at, s := range [6]float64{1, u, v, u * u, v * v, u * v} {
					sums[at] += s
				}
			}
		}
		g.add(document, besideR, correlationOf, sums[:]...)
	}
	err := e.draw(ctx, b)
	return g.interval(besideR), err
}

// sideTimes are the times of a side by domain, and all of them.
type sideTimes struct {
	all       activeTimes
	byDomains map[string]*activeTimes
}

// times draws the medians of the times of each side.
func (j joint) times(ctx context.Context, b stat.Bootstrap) ([]sideTimes, error) {
	out := make([]sideTimes, len(j.sides))
	for i, s := range j.sides {
		own := &out[i]
		own.byDomains = map[string]*activeTimes{}
		for _, translation := range j.translations {
			in := entry(own.byDomains, j.domain(translation))
			for r := range s.given(translation) {
				if r.seconds > 0 {
					in.Add(j.document(translation), r.seconds)
					own.all.Add(j.document(translation), r.seconds)
				}
			}
		}
		for _, t := range own.byDomains {
			if err := t.draw(ctx, b); err != nil {
				return nil, err
			}
		}
		if err := own.all.draw(ctx, b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// workTable counts time and errors, as in Tables 2 and 3 of Popov et al. 2025.
func (j joint) workTable(of []sideTimes) Table {
	t := Table{
		ID:      "beside-work",
		Title:   "Time and errors by campaign",
		Caption: "How long annotators worked on a rating in each campaign, and how many errors they marked.",
		Note:    "Times are over the ratings whose time is known, errors over all ratings. Majors and minors: errors a rating with the higher and the lower weight, if the protocol weighs errors with two weights.",
		Columns: slices.Concat(
			texts("Campaign"), counts("Annotators", "Ratings"), under("Active time", numbers(1, "Median (s)", "Mean (s)")),
			under("Errors", numbers(2, "A rating", "Majors", "Minors"), shares("None")),
		),
	}
	for i, s := range j.sides {
		people := map[int32]bool{}
		seconds, timed := stat.Sum{}, 0
		majors, minors := classes(s.rules)
		ratings, errors, major, minor, clean := 0, 0, 0, 0, 0
		for _, translation := range j.translations {
			for r, spans := range s.given(translation) {
				people[r.annotator] = true
				ratings++
				errors += len(spans)
				if len(spans) == 0 {
					clean++
				}
				for _, e := range spans {
					severity := j.part.names.texts[e.severity]
					switch {
					case slices.Contains(majors, severity):
						major++
					case slices.Contains(minors, severity):
						minor++
					}
				}
				if r.seconds > 0 {
					seconds.Add(r.seconds)
					timed++
				}
			}
		}
		drawn := j.drawn.group("beside-work", s)
		mean, grave, slight, none := stat.Ratio(errors, ratings), stat.Ratio(major, ratings), stat.Ratio(minor,
			ratings), stat.Ratio(clean, ratings)
		if majors == nil {
			grave, slight = undefined, undefined
		}
		if !s.rules.MarksErrors() {
			mean, none = undefined, undefined
		}
		t.add(
			text(s.label), count(len(people)), count(ratings), of[i].all.median,
			estimated(seconds.Value()/float64(timed), drawn.interval(meanTime)),
			estimated(mean, drawn.interval(anyErrors)), estimated(grave, drawn.interval(majorErrors)),
			estimated(slight, drawn.interval(minorErrors)), estimated(none, drawn.interval(faultless)),
		)
	}
	return t
}

// timeTable has the median time by domain and campaign (Table 2 of Popov et al. 2025). It has no rows if
// there is only one domain.
func (j joint) timeTable(of []sideTimes) Table {
	t := Table{
		ID:      "beside-times",
		Title:   "Time by domain and campaign",
		Caption: "Median active seconds of a rating, by domain and campaign.",
		across:  "Campaign",
		Columns: texts("Domain"),
	}
	for _, s := range j.sides {
		t.addColumns(numbers(1, s.label))
	}
	domains := of[0].byDomains
	if len(domains) < 2 {
		return t
	}
	for _, name := range sorted(domains) {
		row := []Cell{text(domainName(name))}
		for _, own := range of {
			row = append(row, own.byDomains[name].median)
		}
		t.add(row...)
	}
	all := []Cell{text("All")}
	for _, own := range of {
		all = append(all, own.all.median)
	}
	t.addTotal(all...)
	return t
}

// correlationTable has the correlation of every two scores, of the means of systems or of
// translations.
func correlationTable(columns []sideColumn, scores scoreIntervals, systems bool) Table {
	t := Table{
		ID:      "beside-translations",
		Title:   "Correlation of scores by campaign",
		Caption: "Pearson's r of the scores of translations, for each two scores.",
		Note:    "Values are times 100, over the translations that have both scores.",
		across:  "With",
		matrix:  true,
		Columns: texts("Score"),
	}
	if systems {
		t.ID, t.Title, t.Caption = "beside-ranks", "Correlation of rankings by campaign", "Above the diagonal Spearman's ρ, below it Kendall's tau-b of the means of systems, for each two scores."
		t.Note = "Times 100. Two scores that rank the systems alike have 100. Intervals are wider than they need be for few systems. For many close ones they lie too low or too high."
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.name())
	}
	t.addMatrix(hundredths(names...), func(a, b int) Cell {
		x, y := columns[a], columns[b]
		switch {
		case a == b || !systems && a > b:
			return blank
		case systems && a < b:
			return estimated(stat.Spearman(x.means, y.means), scores.spearman[a][b])
		case systems:
			return estimated(stat.TauB(x.means, y.means), scores.tau[b][a])
		}
		return estimated(stat.Pearson(stat.Complete(slices.Concat(x.rows...), slices.Concat(y.rows...))), scores.rated[a][b])
	})
	return t
}
