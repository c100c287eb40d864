package metaeval

import "strings"

// A Table holds the results of a report for all segments or for one domain.
type Table struct {
	Domain  string // empty for all segments
	Columns []Column
	Rows    []Row
}

// A Column is a statistic.
type Column struct {
	Level string // "system" or "segment"; empty for the meta score
	Name  string
	Tie   bool // the column is a tie threshold, where higher is neither better nor worse
}

// Key names the column in files, such as system_acc and meta.
func (c Column) Key() string { return strings.TrimPrefix(c.Level+"_"+c.Name, "_") }

// A Row has the values of a metric in the order of the columns, NaN where undefined.
type Row struct {
	Metric  string
	Negated bool // the statistics are of the negated scores, since lower scores are better
	Rank    int
	Values  []float64
}

// Tables returns a table of all segments, followed by one for each domain. The column
// acc_t_pooled is present only if [Preset.Pools].
func (r Report) Tables() []Table {
	out := []Table{table("", r, r.Metrics)}
	for _, d := range r.Domains {
		out = append(out, table(d.Domain, r, d.Metrics))
	}
	return out
}

func table(domain string, report Report, results []Result) Table {
	t := Table{Domain: domain, Columns: []Column{
		{"", "meta", false},
		{"system", "acc", false}, {"system", "pearson", false}, {"system", "spearman", false}, {"system", "kendall", false},
		{"system", "spa", false},
		{"segment", "acc_t", false}, {"segment", "epsilon", true},
	}}
	if report.Preset.Pools() {
		t.Columns = append(t.Columns, Column{"segment", "acc_t_pooled", false})
	}
	by := ""
	if report.Average != Pooled {
		by = "_by_" + report.Average.String()
	}
	t.Columns = append(t.Columns, Column{"segment", "pearson" + by, false}, Column{"segment", "spearman" + by, false},
		Column{"segment", "kendall" + by, false})
	for _, r := range results {
		t.Rows = append(t.Rows, Row{r.Name, r.LowerIsBetter, r.Rank, r.values(report.Preset)})
	}
	return t
}

// systemPearsonColumn is the index of the system-level Pearson's r in [Result.values].
const systemPearsonColumn = 2

// values returns the statistics in the order of the columns of a table.
func (r Result) values(preset Preset) []float64 {
	out := []float64{
		r.Meta,
		r.System.Acc, r.System.Pearson, r.System.Spearman, r.System.Kendall, r.System.SPA,
		r.Segment.AccT, r.Segment.Epsilon,
	}
	if preset.Pools() {
		out = append(out, r.Segment.AccTPooled)
	}
	return append(out, r.Segment.Pearson, r.Segment.Spearman, r.Segment.Kendall)
}

// Label returns [Label] of the metric.
func (r Row) Label() string { return Label(r.Metric, r.Negated) }

// Label returns the name of a metric, followed by a minus sign if its scores were
// negated.
func Label(metric string, negated bool) string {
	if negated {
		return metric + " (−)"
	}
	return metric
}
