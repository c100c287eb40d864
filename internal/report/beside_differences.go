package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// A sameScore is a score of the first campaign and the same score of another one.
type sameScore struct{ first, other sideColumn }

// sameScores pairs each score of the first campaign with that of the other campaigns that have it. Differences to
// another score say nothing.
func (j joint) sameScores(columns []sideColumn) (out []sameScore) {
	for _, c := range columns {
		i := slices.IndexFunc(columns, func(x sideColumn) bool { return x.side == j.sides[0] && x.score == c.score })
		if c.side != j.sides[0] && i >= 0 {
			out = append(out, sameScore{columns[i], c})
		}
	}
	return out
}

// difference returns how much higher the score of a translation is in the other campaign.
func (s sameScore) difference(system, segment int) float64 {
	return s.other.rows[system][segment] - s.first.rows[system][segment]
}

// estimateDifferences adds the differences between campaigns to the estimates.
func (j joint) estimateDifferences(columns []sideColumn) {
	for number, s := range j.sameScores(columns) {
		g := j.drawn.group("beside-differences", number)
		for k, segment := range j.segments {
			for i := range j.systems {
				if d := s.difference(i, k); !math.IsNaN(d) {
					g.add(j.part.documents[segment], i, ratioOf, d, 1)
					g.add(j.part.documents[segment], everything{}, ratioOf, d, 1)
				}
			}
		}
	}
}

// differenceTable compares the means of systems in two campaigns with the same score, such as those of two groups of
// annotators or those before and after a training. It has no rows if no other campaign has a score of the first.
func (j joint) differenceTable(ctx context.Context, b stat.Bootstrap, columns []sideColumn) (Table, error) {
	first := j.sides[0].label
	t := Table{ID: "beside-differences", Title: "Differences between campaigns by system",
		Caption: fmt.Sprintf("How much higher the mean score of each system is in another campaign than in the first, %s, over the translations that both score.", first),
		Columns: slices.Concat(
			texts("System", "Campaign and score"), counts("Translations"), under("Mean", numbers(2, "First", "Other")),
			numbers(2, "Difference"), pValues(3, "p"),
		)}
	pairs := j.sameScores(columns)
	if len(pairs) == 0 {
		return t, nil
	}
	units := map[int]int{} // by number of a document: that of its sums
	for _, segment := range j.segments {
		if _, known := units[j.part.documents[segment]]; !known {
			units[j.part.documents[segment]] = len(units)
		}
	}
	var sums [][]float64 // by row and document
	for number, s := range pairs {
		order := make([]int, len(j.systems))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.first.means[b], s.first.means[a]) })
		from := len(t.Rows)
		var all differenceRow
		for _, i := range order {
			own := differenceRow{units: make([]float64, len(units))}
			for k, segment := range j.segments {
				if d := s.difference(i, k); !math.IsNaN(d) {
					own.add(s.first.rows[i][k], s.other.rows[i][k], units[j.part.documents[segment]])
				}
			}
			if own.n > 0 {
				if all.n == 0 {
					t.rule()
				}
				all.merge(own)
				t.add(own.row(s, j.systems[i], j.drawn.interval("beside-differences", number, i))...)
				sums = append(sums, own.units)
			}
		}
		if all.n > 0 {
			several := len(t.Rows) > from+1
			t.addTotal(all.row(s, "All", j.drawn.interval("beside-differences", number, everything{}))...)
			sums, t.Rows[len(t.Rows)-1].Total = append(sums, all.units), several
		}
	}
	if len(t.Rows) == 0 {
		return t, nil
	}
	p, least, err := metaeval.PairedDifferences(ctx, sums, b.Resamples, b.Seed)
	if err != nil {
		return t, err
	}
	for i, row := range t.Rows {
		if len(units) > 1 {
			row.Cells[6] = Cell{Value: p[i], Significant: p[i] < 0.05}
		}
	}
	t.Note = "Compared is the same score alone: campaigns under a protocol without it are left out. All is over the translations of all systems."
	if len(units) > 1 {
		t.Note += fmt.Sprintf(
			" p is two-sided, by a paired permutation test: the differences of whole documents change sign at random. The smallest p that %s can give is %s. p below 0.05 is marked with an asterisk, without a correction for several tests.",
			wording.Counted(len(units), "document"), wording.Decimal(least, 4),
		)
	}
	return t, nil
}

// A differenceRow sums the scores of translations in two campaigns, and their differences by document.
type differenceRow struct {
	n            int
	first, other stat.Sum
	units        []float64
}

func (r *differenceRow) add(first, other float64, unit int) {
	r.n++
	r.first.Add(first)
	r.other.Add(other)
	r.units[unit] += other - first
}

func (r *differenceRow) merge(o differenceRow) {
	r.n += o.n
	r.first.Add(o.first.Value())
	r.other.Add(o.other.Value())
	if r.units == nil {
		r.units = make([]float64, len(o.units))
	}
	for u, d := range o.units {
		r.units[u] += d
	}
}

// row returns the row of a system, without p.
func (r *differenceRow) row(s sameScore, system string, in stat.Interval) []Cell {
	n := float64(r.n)
	return []Cell{
		text(system), text(s.other.name()), count(r.n), value(r.first.Value() / n), value(r.other.Value() / n),
		estimated((r.other.Value()-r.first.Value())/n, in), value(undefined),
	}
}
