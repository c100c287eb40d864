package report

import (
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
func (j joint) systemTable(columns []sideColumn) Table {
	t := Table{ID: "beside-systems", Title: "Systems by campaign", Caption: "Mean human scores of the systems and their clusters in each campaign.",
		Note:    "Clusters as in the section on systems. Best, second and third of each score are marked. The systems are in the order of the first score.",
		Columns: []Column{{Name: "System", Kind: Text}}}
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
	return t
}

// workTable counts time and errors, as in Tables 2 and 3 of Popov et al. 2025.
func (j joint) workTable() Table {
	t := Table{
		ID:      "beside-work",
		Title:   "Time and errors by campaign",
		Caption: "How long annotators worked on a rating in each campaign, and how many errors they marked.",
		Note:    "Times are over the ratings whose time is known, errors over all ratings. Majors and minors: errors a rating with the higher and the lower weight, if the protocol weighs errors with two weights.",
		Columns: []Column{{Name: "Campaign", Kind: Text}, {Name: "Annotators", Kind: Count}, {Name: "Ratings", Kind: Count},
			{
				Name:     "Median (s)",
				Group:    []string{"Active time"},
				Kind:     Number,
				Decimals: 1,
			}, {Name: "Mean (s)", Group: []string{"Active time"}, Kind: Number, Decimals: 1},
			{
				Name:     "A rating",
				Group:    []string{"Errors"},
				Kind:     Number,
				Decimals: 2,
			}, {Name: "Majors", Group: []string{"Errors"}, Kind: Number, Decimals: 2}, {Name: "Minors", Group: []string{"Errors"}, Kind: Number, Decimals: 2},
			{Name: "None", Group: []string{"Errors"}, Kind: Share, Decimals: 1}},
	}
	for _, s := range j.sides {
		people := map[int32]bool{}
		var seconds []float64
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
					seconds = append(seconds, r.seconds)
				}
			}
		}
		mean, grave, slight, none := stat.Ratio(errors, ratings), stat.Ratio(major, ratings), stat.Ratio(minor, ratings), stat.Ratio(clean, ratings)
		if majors == nil {
			grave, slight = undefined, undefined
		}
		if !s.rules.MarksErrors() {
			mean, none = undefined, undefined
		}
		t.Rows = append(
			t.Rows,
			Row{
				Cells: []Cell{
					text(s.label),
					count(len(people)),
					count(ratings),
					value(stat.Median(seconds)),
					value(stat.Mean(seconds)),
					value(mean),
					value(grave),
					value(slight),
					value(none),
				},
			},
		)
	}
	return t
}

// timeTable has the median time by domain and campaign (Table 2 of Popov et al. 2025). It has no rows if
// there is only one domain.
func (j joint) timeTable() Table {
	t := Table{
		ID:      "beside-times",
		Title:   "Time by domain and campaign",
		Caption: "Median active seconds of a rating, by domain and campaign.",
		Columns: []Column{{Name: "Domain", Kind: Text}},
	}
	byDomain := map[string][][]float64{}
	for i, s := range j.sides {
		t.Columns = append(t.Columns, Column{Name: s.label, Kind: Number, Decimals: 1})
		for _, translation := range j.translations {
			name := j.domain(translation)
			if byDomain[name] == nil {
				byDomain[name] = make([][]float64, len(j.sides))
			}
			for r := range s.given(translation) {
				if r.seconds > 0 {
					byDomain[name][i] = append(byDomain[name][i], r.seconds)
				}
			}
		}
	}
	if len(byDomain) < 2 {
		return t
	}
	total := make([][]float64, len(j.sides))
	add := func(name string, seconds [][]float64) {
		row := Row{Cells: []Cell{text(name)}}
		for i := range j.sides {
			row.Cells = append(row.Cells, value(stat.Median(seconds[i])))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range sorted(byDomain) {
		add(domainName(name), byDomain[name])
		for i, seconds := range byDomain[name] {
			total[i] = append(total[i], seconds...)
		}
	}
	t.Rows[len(t.Rows)-1].RuleAfter = true
	add("All", total)
	t.Rows[len(t.Rows)-1].Total = true
	return t
}

// correlationTable has the correlation of every two scores, of the means of systems or of
// translations.
func correlationTable(columns []sideColumn, systems bool) Table {
	t := Table{
		ID:      "beside-translations",
		Title:   "Correlation of scores by campaign",
		Caption: "Pearson's r of the scores of translations, for each two scores.",
		Note:    "Values are times 100, over the translations that have both scores.",
		Columns: []Column{{Name: "Score", Kind: Text}},
	}
	if systems {
		t.ID, t.Title, t.Caption = "beside-ranks", "Correlation of rankings by campaign", "Above the diagonal Spearman's ρ, below it Kendall's tau-b of the means of systems, for each two scores."
		t.Note = "Times 100. Two scores that rank the systems alike have 100."
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{Name: c.name(), Kind: Hundredths, Decimals: 1})
	}
	for a, x := range columns {
		row := Row{Cells: []Cell{text(x.name())}}
		for b, y := range columns {
			cell := Cell{Blank: true, Value: undefined}
			switch {
			case a == b || !systems && a > b:
			case systems && a < b:
				cell = value(stat.Spearman(x.means, y.means))
			case systems:
				cell = value(stat.TauB(x.means, y.means))
			default:
				cell = value(stat.Pearson(stat.Complete(slices.Concat(x.rows...), slices.Concat(y.rows...))))
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
