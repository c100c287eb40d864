package metaeval_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"annotate/internal/metaeval"
)

// The tables of docs/fidelity.md are written from recorded values, so that a clone without the published
// data can tell whether they are current.
const (
	fidelityPage     = "../../docs/fidelity.md"
	recordedFidelity = "testdata/fidelity.json"
)

// TestFidelityValues computes the recorded values again from the published data. Run it with UPDATE=1 to
// record them.
func TestFidelityValues(t *testing.T) {
	values := map[string][]float64{}
	d, task := ende(t)
	for _, m := range evaluate(t, d, task).Metrics {
		values["wmt23 "+m.Name] = []float64{m.System.Acc, m.System.Pearson, m.Segment.AccT, m.Segment.Pearson}
	}
	var reports []metaeval.Report
	for _, pair := range []string{"zh-en", "en-zh"} {
		r := evaluate(t, ment(t, pair), metaeval.Task{Preset: metaeval.MENT, Seed: 4})
		reports = append(reports, r)
		for _, m := range r.Metrics {
			values["ment "+pair+" "+m.Name] = []float64{m.System.Acc, m.System.Pearson, m.System.Spearman, m.Segment.AccTPooled, m.Segment.Pearson, m.Segment.Spearman, m.Segment.AccT}
		}
	}
	joint, _ := metaeval.Overall(reports)
	for _, o := range joint {
		values["ment both "+o.Name] = []float64{o.Meta}
	}
	if os.Getenv("UPDATE") != "" {
		b, err := json.MarshalIndent(values, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recordedFidelity, append(b, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	var recorded map[string][]float64
	readJSON(t, recordedFidelity, &recorded)
	if len(values) != len(recorded) {
		t.Errorf("%d rows, %d are recorded", len(values), len(recorded))
	}
	for name, row := range values {
		if len(recorded[name]) != len(row) {
			t.Errorf("%s: %v are recorded, want %v", name, recorded[name], row)
			continue
		}
		for i, v := range row {
			close9(t, fmt.Sprintf("%s, recorded value %d", name, i+1), recorded[name][i], v)
		}
	}
}

// TestFidelity keeps the tables of docs/fidelity.md equal to the recorded values and to what is computed
// from the slice in testdata. Run it with UPDATE=1 to write them.
func TestFidelity(t *testing.T) {
	b, err := os.ReadFile(fidelityPage)
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string][]float64
	readJSON(t, recordedFidelity, &recorded)
	text := string(b)
	for name, rows := range map[string]string{"slice": sliceRows(t), "wmt23": wmt23Rows(t, recorded), "ment": mentRows(t, recorded)} {
		from := strings.Index(text, "<!-- "+name)
		to := strings.Index(text, "<!-- /"+name+" -->")
		if from < 0 || to < from {
			t.Fatalf("docs/fidelity.md has no place for %s", name)
		}
		rule := strings.Index(text[from:to], "|---|")
		head, _, _ := strings.Cut(text[from+rule:to], "\n")
		start := from + rule + len(head) + 1
		text = text[:start] + rows + text[to:]
	}
	if text == string(b) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("docs/fidelity.md is not current; run UPDATE=1 go test ./internal/metaeval -run Fidelity")
	}
	if err := os.WriteFile(fidelityPage, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// beside writes a published value and ours with the same number of digits, and marks the
// pair if they differ.
func beside(published string, ours float64) string {
	digits := len(published) - strings.IndexByte(published, '.') - 1
	got := fmt.Sprintf("%.*f", digits, ours)
	if got == published {
		return published + " · " + got
	}
	return published + " · **" + got + "**"
}

// published are the names of metrics in tables of papers, with the printed values.
type published struct {
	name, metric string
	values       []string
}

// Feng et al. 2025, Table 2, the columns of EN-DE: system accuracy and Pearson, segment
// acc_t and Pearson.
var fengTable2 = []published{
	{"chrF", "chrF-refA", []string{"0.818", "0.866", "0.519", "0.232"}},
	{"BLEU", "BLEU-refA", []string{"0.894", "0.917", "0.520", "0.192"}},
	{"COMET", "COMET-refA", []string{"0.970", "0.990", "0.574", "0.432"}},
	{"XCOMET-Ensemble", "XCOMET-Ensemble-refA", []string{"0.939", "0.980", "0.604", "0.675"}},
	{"MetricX-23-QE", "MetricX-23-QE-src", []string{"0.924", "0.969", "0.596", "0.626"}},
	{"GEMBA-MQM", "GEMBA-MQM-src", []string{"0.970", "0.973", "0.474", "0.429"}},
}

func wmt23Rows(t *testing.T, recorded map[string][]float64) string {
	var b strings.Builder
	for _, row := range fengTable2 {
		values := recorded["wmt23 "+row.metric]
		if len(values) != len(row.values) {
			t.Fatalf("%s has %d recorded values", row.metric, len(values))
		}
		fmt.Fprintf(&b, "| %s", row.name)
		for i, v := range values {
			b.WriteString(" | " + beside(row.values[i], v))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// sliceRows has the values of mt-metrics-eval and ours.
func sliceRows(t *testing.T) string {
	_, r := slice(t)
	var want sliceByMTME
	readJSON(t, "testdata/wmt23/mtme.json", &want)
	var b strings.Builder
	for _, row := range fengTable2 {
		m, sys, seg := resultOf(t, r, row.metric), want.System[row.metric], want.Speech[row.metric]
		fmt.Fprintf(&b, "| %s", row.name)
		for _, v := range [][2]float64{
			{sys.Acc, m.System.Acc}, {sys.Pearson, m.System.Pearson}, {sys.Spearman, m.System.Spearman}, {sys.KendallB, m.System.Kendall},
			{seg.AccT, m.Segment.AccT}, {seg.Pearson, m.Segment.Pearson}, {seg.Spearman, m.Segment.Spearman},
		} {
			b.WriteString(" | " + beside(fmt.Sprintf("%.4f", v[0]), v[1]))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// Tian et al. 2026, Table 3: accuracy, r and ρ of systems; acc_t, r and ρ of segments.
func mentRows(t *testing.T, recorded map[string][]float64) string {
	var b strings.Builder
	for _, row := range []struct {
		name, metric, pair string
		published          [6]string
	}{
		{"BLEU", "sentBLEU-ref", "zh-en", [6]string{"82.2", "91.1", "84.2", "52.0", "30.1", "30.7"}},
		{"BLEU", "sentBLEU-ref", "en-zh", [6]string{"91.1", "92.6", "91.5", "56.6", "37.0", "39.5"}},
		{"RATE agent", "RATE-src", "zh-en", [6]string{"97.8", "99.3", "99.7", "61.9", "74.5", "66.4"}},
		{"RATE agent", "RATE-src", "en-zh", [6]string{"88.9", "97.7", "92.7", "59.5", "65.3", "60.1"}},
	} {
		values := recorded["ment "+row.pair+" "+row.metric]
		if len(values) != 7 {
			t.Fatalf("%s in %s has %d recorded values", row.metric, row.pair, len(values))
		}
		fmt.Fprintf(&b, "| %s | %s", row.name, row.pair)
		for i, v := range row.published {
			b.WriteString(" | " + beside(v, 100*values[i]))
			if i == 3 {
				fmt.Fprintf(&b, " (by item %.1f)", 100*values[6])
			}
		}
		b.WriteString(" |  |\n")
	}
	for _, row := range []struct{ name, metric, published string }{{"BLEU", "sentBLEU-ref", "64.9"}, {"RATE agent", "RATE-src", "80.4"}} {
		values := recorded["ment both "+row.metric]
		if len(values) != 1 {
			t.Fatalf("%s has %d recorded meta scores", row.metric, len(values))
		}
		fmt.Fprintf(&b, "| %s | both |  |  |  |  |  |  | %s |\n", row.name, beside(row.published, 100*values[0]))
	}
	return b.String()
}

func resultOf(t *testing.T, r metaeval.Report, name string) metaeval.Result {
	t.Helper()
	i := slices.IndexFunc(r.Metrics, func(m metaeval.Result) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no metric %s", name)
	}
	return r.Metrics[i]
}
