package metaeval_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"annotate/internal/metaeval"
)

// TestFidelity keeps the tables of docs/fidelity.md equal to what is computed.
// Run with UPDATE=1 to write them.
func TestFidelity(t *testing.T) {
	const file = "../../docs/fidelity.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for name, rows := range map[string]string{"wmt23": wmt23Rows(t), "ment": mentRows(t)} {
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
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
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

// M-MAD, Table 2, the columns of EN-DE: system accuracy and Pearson, segment
// acc_t and Pearson.
func wmt23Rows(t *testing.T) string {
	d, task := ende(t)
	r := evaluate(t, d, task)
	var b strings.Builder
	for _, row := range []struct {
		name, metric string
		published    [4]string
	}{
		{"chrF", "chrF-refA", [4]string{"0.818", "0.866", "0.519", "0.232"}},
		{"BLEU", "BLEU-refA", [4]string{"0.894", "0.917", "0.520", "0.192"}},
		{"COMET", "COMET-refA", [4]string{"0.970", "0.990", "0.574", "0.432"}},
		{"XCOMET-Ensemble", "XCOMET-Ensemble-refA", [4]string{"0.939", "0.980", "0.604", "0.675"}},
		{"MetricX-23-QE", "MetricX-23-QE-src", [4]string{"0.924", "0.969", "0.596", "0.626"}},
		{"GEMBA-MQM", "GEMBA-MQM-src", [4]string{"0.970", "0.973", "0.474", "0.429"}},
	} {
		m := resultOf(t, r, row.metric)
		values := [4]float64{m.System.Acc, m.System.Pearson, m.Segment.AccT, m.Segment.Pearson}
		fmt.Fprintf(&b, "| %s", row.name)
		for i, v := range values {
			b.WriteString(" | " + beside(row.published[i], v))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// Tian et al. 2026, Table 3.
func mentRows(t *testing.T) string {
	var b strings.Builder
	reports := map[string]metaeval.Report{}
	for _, pair := range []string{"zh-en", "en-zh"} {
		reports[pair] = evaluate(t, ment(t, pair), metaeval.Task{Preset: metaeval.MENT, Seed: 4})
	}
	overall := metaeval.Overall([]metaeval.Report{reports["zh-en"], reports["en-zh"]})
	for _, row := range []struct {
		name, metric, pair string
		published          [6]string
	}{
		{"BLEU", "sentBLEU-ref", "zh-en", [6]string{"82.2", "91.1", "84.2", "52.0", "30.1", "30.7"}},
		{"BLEU", "sentBLEU-ref", "en-zh", [6]string{"91.1", "92.6", "91.5", "56.6", "37.0", "39.5"}},
		{"RATE agent", "RATE-src", "zh-en", [6]string{"97.8", "99.3", "99.7", "61.9", "74.5", "66.4"}},
		{"RATE agent", "RATE-src", "en-zh", [6]string{"88.9", "97.7", "92.7", "59.5", "65.3", "60.1"}},
	} {
		m := resultOf(t, reports[row.pair], row.metric)
		values := [6]float64{m.System.Acc, m.System.Pearson, m.System.Spearman, m.Segment.AccTPooled, m.Segment.Pearson, m.Segment.Spearman}
		fmt.Fprintf(&b, "| %s | %s", row.name, row.pair)
		for i, v := range values {
			b.WriteString(" | " + beside(row.published[i], 100*v))
			if i == 3 {
				fmt.Fprintf(&b, " (by item %.1f)", 100*m.Segment.AccT)
			}
		}
		b.WriteString(" |  |\n")
	}
	for _, row := range []struct{ name, metric, published string }{{"BLEU", "sentBLEU-ref", "64.9"}, {"RATE agent", "RATE-src", "80.4"}} {
		i := slices.IndexFunc(overall, func(o metaeval.OverallResult) bool { return o.Name == row.metric })
		fmt.Fprintf(&b, "| %s | both |  |  |  |  |  |  | %s |\n", row.name, beside(row.published, 100*overall[i].Meta))
	}
	return b.String()
}

// TestTable7 checks what docs/fidelity.md says of Tian et al. 2026, Table 7: how
// many of its values follow from the accuracies of Table 3.
func TestTable7(t *testing.T) {
	// Metric, then zh-en and en-zh: accuracy in Table 3, value in Table 7.
	published := []struct {
		metric string
		values [2][2]float64
	}{
		{"BLEU", [2][2]float64{{82.2, 91.6}, {91.1, 95.8}}},
		{"BLEURT", [2][2]float64{{88.9, 94.7}, {57.8, 79.9}}},
		{"COMET", [2][2]float64{{88.9, 94.7}, {82.2, 91.6}}},
		{"XCOMET", [2][2]float64{{80.0, 90.5}, {68.9, 85.2}}},
		{"MetricX-23", [2][2]float64{{73.3, 87.3}, {64.4, 83.1}}},
		{"MetricX-24", [2][2]float64{{73.3, 87.3}, {66.7, 84.2}}},
		{"COMETKiwi", [2][2]float64{{51.1, 76.8}, {48.9, 75.7}}},
		{"MetricX-23-QE", [2][2]float64{{46.7, 74.7}, {35.6, 69.4}}},
		{"MetricX-24-QE", [2][2]float64{{48.9, 75.7}, {55.6, 78.9}}},
		{"GEMBA-MQM", [2][2]float64{{82.2, 91.6}, {91.1, 95.8}}},
		{"GEMBA-DA", [2][2]float64{{86.7, 93.7}, {91.1, 95.8}}},
		{"EAPrompt", [2][2]float64{{82.2, 91.6}, {75.6, 88.4}}},
		{"ThinMQM", [2][2]float64{{80.0, 90.5}, {91.1, 95.8}}},
		{"M-MAD", [2][2]float64{{82.2, 92.6}, {88.9, 94.7}}},
		{"RATE", [2][2]float64{{97.8, 100.0}, {88.9, 94.7}}},
	}
	all, near, equal := 0, 0, 0
	var far []string
	for _, row := range published {
		for _, v := range row.values {
			right := math.Round(v[0] * 45 / 100)
			if fmt.Sprintf("%.1f", 100*right/45) != fmt.Sprintf("%.1f", v[0]) {
				t.Errorf("%s: %v is no share of 45", row.metric, v[0])
			}
			follows := 100 * (right + 50) / 95
			all++
			if math.Abs(v[1]-follows) < 0.1+1e-9 {
				near++
			} else {
				far = append(far, fmt.Sprintf("%s %.1f", row.metric, v[1]-follows))
			}
			if fmt.Sprintf("%.1f", follows) == fmt.Sprintf("%.1f", v[1]) {
				equal++
			}
		}
	}
	text, err := os.ReadFile("../../docs/fidelity.md")
	if err != nil {
		t.Fatal(err)
	}
	says := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		fmt.Sprintf("Of its %d values, %d are within 0.1", all, near),
		fmt.Sprintf("%d of them are equal in all printed digits", equal),
	} {
		if !strings.Contains(says, want) {
			t.Errorf("docs/fidelity.md does not say %q", want)
		}
	}
	if got := strings.Join(far, ", "); got != "M-MAD 1.0, RATE 1.1" {
		t.Errorf("far off are %s", got)
	}
}

func resultOf(t *testing.T, r metaeval.Report, name string) metaeval.Result {
	t.Helper()
	i := slices.IndexFunc(r.Metrics, func(m metaeval.Result) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no metric %s", name)
	}
	return r.Metrics[i]
}
