package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// drawnEvaluations are two language pairs of which one has documents of its own, with intervals.
func drawnEvaluations(t *testing.T) (all []Evaluation) {
	t.Helper()
	for i, label := range []string{"one", "two"} {
		random := rand.New(rand.NewPCG(5, uint64(i)))
		d := metaeval.Data{Systems: []string{"A", "B", "C", "D"}, Segments: 60}
		human := metaeval.Scores{Name: "gold", Segment: map[string][]float64{}}
		metrics := []metaeval.Scores{{Name: "good", Segment: map[string][]float64{}}, {Name: "poor", Segment: map[string][]float64{}}}
		for k := range d.Segments {
			d.Domains = append(d.Domains, []string{"news", "talks"}[k/30])
			d.Documents = append(d.Documents, fmt.Sprint(label, k/3))
			d.Lengths = append(d.Lengths, []int{5, 20, 20}[k%3])
			for s, system := range d.Systems {
				h := float64(s)/2 + random.NormFloat64()
				human.Segment[system] = append(human.Segment[system], h)
				for m := range metrics {
					metrics[m].Segment[system] = append(metrics[m].Segment[system], h+float64(m*2+1)*random.NormFloat64())
				}
			}
		}
		d.Humans, d.Metrics = []metaeval.Scores{human}, metrics
		task := metaeval.Task{Preset: metaeval.WMT23, ByDomain: true, Joint: true, Intervals: 60, Permutations: 20, Seed: 3}
		r, err := metaeval.Evaluate(t.Context(), d, task)
		if err != nil {
			t.Fatal(err)
		}
		task.ByDomain, task.Exclude, d.Lengths = false, []string{"D"}, nil
		class, err := metaeval.Evaluate(t.Context(), d, task)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Evaluation{Label: label, Report: r, Classes: []ClassEvaluation{{Class: "open", Metrics: class.Metrics}}})
	}
	return all
}

// TestMetricIntervals: metrics by domain, by class and by length, their errors and the meta score over several pairs have their intervals.
func TestMetricIntervals(t *testing.T) {
	all := drawnEvaluations(t)
	tables := map[string]Table{}
	for _, table := range metricsSection(all, Options{}).Tables {
		tables[table.ID] = table
	}
	// bounds finds the bounds of a row below some headings.
	bounds := func(id, metric string, headings ...string) []float64 {
		t.Helper()
		table, ok := tables[id]
		if !ok {
			t.Fatalf("there is no table %s", id)
		}
		var out []float64
		for i, c := range table.Columns {
			if c.Name != "Metric" && slices.Equal(c.Group, headings) {
				for _, row := range table.Rows {
					if row.Cells[0].Text == metric {
						out = append(out, row.Cells[i].Value)
					}
				}
			}
		}
		return out
	}
	check := func(what string, got []float64, want stat.Interval) {
		t.Helper()
		if want.Resamples == 0 || !slices.Equal(got, []float64{want.Low, want.High}) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	of := func(results []metaeval.Result) metaeval.Result {
		return results[slices.IndexFunc(results, func(r metaeval.Result) bool { return r.Name == "poor" })]
	}
	meta := []string{"", "Meta"}
	for i, e := range all {
		n := fmt.Sprint("-", i+1)
		check("all", bounds("metrics-intervals"+n, "poor", meta...), of(e.Report.Metrics).Intervals[0])
		check("domain", bounds("metrics-domain-talks-intervals"+n, "poor", meta...), of(e.Report.Domains[1].Metrics).Intervals[0])
		check("class", bounds("metrics-class-open-intervals"+n, "poor", meta...), of(e.Classes[0].Metrics).Intervals[0])
		check("MAE", bounds("metrics-errors-intervals", "poor", e.Label, "MAE"), of(e.Report.Metrics).MAEInterval)
		check("MSE", bounds("metrics-errors-intervals", "poor", e.Label, "MSE"), of(e.Report.Metrics).MSEInterval)
		check("length", bounds("metrics-lengths"+n+"-intervals", "poor", "Medium (13–27 tokens)", "40 segments", "ρ"), of(e.Report.Metrics).Lengths[1].SpearmanInterval)
		if note := tables["metrics-domain-talks-intervals"+n].Note; !strings.Contains(note, "since 10 are few") {
			t.Errorf("10 documents of a domain are not said to be few: %s", note)
		}
	}
	for _, id := range []string{"metrics", "metrics-domain-news", "metrics-class-open"} {
		if got := bounds(id+"-intervals-all", "poor", intervalName()); len(got) != 2 || !(got[0] < got[1]) {
			t.Errorf("over all %s has %v", id, got)
		}
	}
	// With some documents in common there is none over all, which a paragraph says.
	all[1] = all[0]
	all[1].Label = "two"
	all[1].Report.Metrics, all[1].Report.Lengths = all[0].Report.Domains[0].Metrics, nil
	s := metricsSection(all, Options{})
	if slices.ContainsFunc(s.Tables, func(t Table) bool { return t.ID == "metrics-intervals-all" }) {
		t.Error("a report and a part of it have an interval over both")
	}
	if !strings.Contains(strings.Join(s.Paragraphs, " "), "The meta score over all has no interval") {
		t.Errorf("nothing says why: %q", s.Paragraphs)
	}
	// Where one of them has none either, that is not why.
	for i := range all[0].Report.Metrics {
		all[0].Report.Metrics[i].Intervals = nil
	}
	if s := metricsSection(all, Options{}); strings.Contains(strings.Join(s.Paragraphs, " "), "The meta score over all has no interval") {
		t.Errorf("a wrong reason: %q", s.Paragraphs)
	}
}
