package metaeval

// A Table is a part of a report as rows for people.
type Table struct {
	Domain  string // empty: all segments
	Columns []Column
	Rows    []Row
}

// A Column has a statistic of each metric.
type Column struct {
	Level string // "system", "segment", or empty: of both
	Name  string
	Tie   bool // it is a threshold, which is neither good nor bad
}

// A Row is a metric: its values in the order of the columns, NaN where
// undefined.
type Row struct {
	Metric  string
	Negated bool // lower scores are better, and were negated
	Rank    int
	Values  []float64
}

// Tables gives the results of all segments and of each domain. acc_t_pooled is
// a column only where it was asked for.
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
		{"system", "acc", false}, {"system", "pearson", false}, {"system", "spearman", false}, {"system", "kendall", false}, {"system", "spa", false},
		{"segment", "acc_t", false}, {"segment", "epsilon", true},
	}}
	if report.Preset == MENT {
		t.Columns = append(t.Columns, Column{"segment", "acc_t_pooled", false})
	}
	by := ""
	if report.Average != Pooled {
		by = "_by_" + report.Average.String()
	}
	t.Columns = append(t.Columns, Column{"segment", "pearson" + by, false}, Column{"segment", "spearman" + by, false}, Column{"segment", "kendall" + by, false})
	for _, r := range results {
		row := Row{r.Name, r.LowerIsBetter, r.Rank, []float64{
			r.Meta,
			r.System.Acc, r.System.Pearson, r.System.Spearman, r.System.Kendall, r.System.SPA,
			r.Segment.AccT, r.Segment.Epsilon,
		}}
		if report.Preset == MENT {
			row.Values = append(row.Values, r.Segment.AccTPooled)
		}
		row.Values = append(row.Values, r.Segment.Pearson, r.Segment.Spearman, r.Segment.Kendall)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Label is the name of the metric for people, with a minus sign behind it where its
// scores were negated.
func (r Row) Label() string { return Label(r.Metric, r.Negated) }

// Label is the name of a metric for people, with a minus sign behind it where its
// scores were negated because lower is better.
func Label(metric string, negated bool) string {
	if negated {
		return metric + " (−)"
	}
	return metric
}
