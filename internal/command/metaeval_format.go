package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"annotate/internal/api"
	"annotate/internal/metaeval"
	"annotate/internal/spreadsheet"
	"annotate/internal/stat"
	"annotate/internal/wording"
)

// reportFormats lists the formats of annotate metaeval.
var reportFormats = []string{"text", "json", "csv", "markdown", "latex", "html"}

// writeReport writes a report as text, JSON or CSV. details applies only to json.
func (a *App) writeReport(format string, details bool, r metaeval.Report) error {
	switch format {
	case "json":
		return api.WriteJSON(a.Stdout, api.MetaevalOf(r, details))
	case "csv":
		return writeReportCSV(a.Stdout, r)
	}
	return writeReportText(a.Stdout, r)
}

// writeReportCSV writes a row for each metric and domain, at full precision.
func writeReportCSV(out io.Writer, r metaeval.Report) error {
	w := csv.NewWriter(out)
	addCSV(w, r, true)
	w.Flush()
	return w.Error()
}

// addCSV writes the rows of a report. Each row begins with the cells of before.
func addCSV(w *csv.Writer, r metaeval.Report, header bool, before ...string) {
	for i, t := range r.Tables() {
		if i == 0 && header {
			head := []string{"language_pair", "human", "preset", "seed", "permutations", "domain", "rank", "metric"}
			for _, c := range t.Columns {
				head = append(head, c.Key())
			}
			if hasIntervals(r) {
				for _, c := range t.Columns {
					head = append(head, c.Key()+"_low", c.Key()+"_high")
				}
			}
			if len(before) > 0 {
				head = append([]string{"campaign"}, head...)
			}
			w.Write(head)
		}
		for place, row := range t.Rows {
			cells := []string{
				r.LanguagePair, r.Human, string(r.Preset), strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Permutations),
				spreadsheet.Escape(t.Domain), rankOr(row.Rank, ""), spreadsheet.Escape(row.Metric),
			}
			for _, v := range row.Values {
				cells = append(cells, fullNumber(v))
			}
			if hasIntervals(r) {
				for _, iv := range resultsOf(r, i)[place].Intervals {
					cells = append(cells, fullNumber(iv.Low), fullNumber(iv.High))
				}
			}
			w.Write(append(slices.Clone(before), cells...))
		}
	}
}

// rankOr formats a rank, or returns none if there is no rank.
func rankOr(rank int, none string) string {
	if rank == 0 {
		return none
	}
	return strconv.Itoa(rank)
}

// fullNumber formats a number with all its digits. NaN is empty.
func fullNumber(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// summary names the data of a report and all settings that change a number.
func summary(r metaeval.Report) string {
	average := ""
	if r.Average != metaeval.Pooled {
		average = "; pearson, spearman and kendall of segments averaged by " + r.Average.String()
	}
	var annotators []string
	for _, m := range r.Metrics {
		if m.Others {
			annotators = append(annotators, m.Name)
		}
	}
	compared := ""
	if len(annotators) > 0 {
		slices.Sort(annotators)
		compared = "; " + wording.List(annotators) + wording.Choose(len(annotators), " is", " are each") +
			" compared with the mean of the other annotators"
	}
	return fmt.Sprintf("%s, human score %s: %s, %s; preset %s, %s, seed %d%s%s",
		r.LanguagePair, r.Human, wording.Counted(len(r.Systems), "system"), wording.Counted(r.Segments, "segment"),
		r.Preset, wording.Counted(r.Permutations, "permutation"), r.Seed, average, compared)
}

// shown formats a statistic for people.
func shown(c metaeval.Column, v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case c.Tie:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// groups returns the levels of the columns, with the number of columns of each.
func groups(columns []metaeval.Column) (levels []string, sizes []int) {
	for i, c := range columns {
		if i == 0 || c.Level != columns[i-1].Level {
			levels, sizes = append(levels, c.Level), append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	return levels, sizes
}

func writeReportText(w io.Writer, r metaeval.Report) error {
	var b strings.Builder
	fmt.Fprintln(&b, summary(r))
	for i, t := range r.Tables() {
		if t.Domain != "" {
			fmt.Fprintf(&b, "\n%s: %s\n", t.Domain, wording.Counted(r.Domains[i-1].Segments, "segment"))
		}
		top, head := []string{"", ""}, []string{"rank", "metric"}
		levels, sizes := groups(t.Columns)
		for g, level := range levels {
			top = append(top, level)
			for range sizes[g] - 1 {
				top = append(top, "")
			}
		}
		for _, c := range t.Columns {
			head = append(head, c.Name)
		}
		lines := [][]string{top, head}
		for _, row := range t.Rows {
			cells := []string{rankOr(row.Rank, "–"), row.Label()}
			for c, v := range row.Values {
				cells = append(cells, shown(t.Columns[c], v))
			}
			lines = append(lines, cells)
		}
		b.WriteByte('\n')
		align(&b, lines)
		if hasIntervals(r) {
			fmt.Fprintf(&b, "\n%.0f %% intervals\n\n", 100*metaeval.Level)
			align(&b, intervalLines(top, head, t.Columns, resultsOf(r, i)))
		}
		tests := slices.Concat(r.Tests, r.Williams)
		if i > 0 {
			tests = r.Domains[i-1].Tests
		}
		for _, test := range tests {
			addTest(&b, test)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// resultsOf returns the results of a table of [metaeval.Report.Tables].
func resultsOf(r metaeval.Report, table int) []metaeval.Result {
	if table == 0 {
		return r.Metrics
	}
	return r.Domains[table-1].Metrics
}

func hasIntervals(r metaeval.Report) bool {
	return slices.ContainsFunc(r.Metrics, func(m metaeval.Result) bool { return m.Intervals != nil })
}

// intervalLines returns the intervals of the metrics as a table below the given heads.
func intervalLines(top, head []string, columns []metaeval.Column, metrics []metaeval.Result) [][]string {
	lines := [][]string{top, head}
	for _, m := range metrics {
		cells := []string{rankOr(m.Rank, "–"), metaeval.Label(m.Name, m.LowerIsBetter)}
		for i, c := range columns {
			cells = append(cells, shownInterval(c, m.Intervals[i]))
		}
		lines = append(lines, cells)
	}
	return lines
}

// shownInterval formats an interval for people.
func shownInterval(c metaeval.Column, in stat.Interval) string {
	if math.IsNaN(in.Low) {
		return "–"
	}
	return shown(c, in.Low) + " to " + shown(c, in.High)
}

// addTest writes a test as text.
func addTest(b *strings.Builder, t metaeval.Test) {
	fmt.Fprintf(b, "\n%s: cluster, metric, and p that it is no better than each below\n\n", t.Statistic)
	align(b, testLines(t))
}

// testLines returns a test as a table, with p-values above the diagonal.
func testLines(t metaeval.Test) (lines [][]string) {
	for i, name := range t.Metrics {
		cells := []string{strconv.Itoa(t.Clusters[name]), name}
		for j := 1; j < len(t.Metrics); j++ {
			if j <= i {
				cells = append(cells, "")
			} else {
				cells = append(cells, shownP(t.P[i][j]))
			}
		}
		lines = append(lines, cells)
	}
	return lines
}

// shownP formats a p-value. It never writes 0.
func shownP(p float64) string {
	if p < .001 {
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// align writes lines of cells as aligned columns. The second column, which has names, is
// aligned to the left, and all others to the right.
func align(b *strings.Builder, lines [][]string) {
	var widths []int
	for _, cells := range lines {
		for c, cell := range cells {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range lines {
		var line strings.Builder
		for c, cell := range cells {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if c > 0 {
				line.WriteString("  ")
			}
			if c == 1 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
