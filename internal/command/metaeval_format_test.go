package command

import (
	"math"
	"strings"
	"testing"

	"annotate/internal/api"
	"annotate/internal/metaeval"
)

// Every format says which metrics are annotators, and what they are compared with.
func TestAnnotatorsAreNamed(t *testing.T) {
	annotator := metaeval.UndefinedResult("sqm-A")
	annotator.Others, annotator.System.Acc = true, 0.5
	metric := metaeval.UndefinedResult("BLEU-ref")
	metric.Rank = 1
	r := metaeval.Report{Human: "sqm", Preset: metaeval.MENT, Metrics: []metaeval.Result{annotator, metric}}
	for format, wants := range map[string][]string{
		"text":     {"; sqm-A is compared with the mean of the other annotators\n", "\n   –  sqm-A ", "\n   1  BLEU-ref "},
		"markdown": {"\nsqm-A is compared with the mean of the other annotators, ", "\n| – | sqm-A | "},
		"latex":    {"\n% sqm-A is compared with the mean of the other annotators, ", "\n-- & sqm-A & "},
		"json":     {`{"name":"sqm-A","compared_with":"others",`, `"rank":null}`, `{"name":"BLEU-ref","system"`, `"rank":1}`},
		"csv":      {",,sqm-A,", ",1,BLEU-ref,"},
	} {
		var out strings.Builder
		a := &App{Stdout: &out}
		err := a.writeReport(format, false, r)
		if format == "markdown" || format == "latex" {
			out.Reset()
			err = writeTables(&out, format, asReport([]string{"en-de"}, []metaeval.Report{r}))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q:\n%s", format, want, out.String())
			}
		}
	}
	if math.IsNaN(float64(api.MetaevalOf(r, false).Metrics[1].Rank)) {
		t.Error("a metric has no rank")
	}
}

func TestShownP(t *testing.T) {
	for p, want := range map[float64]string{0: "<0.001", .0009: "<0.001", .001: "0.001", 1: "1.000"} {
		if got := shownP(p); got != want {
			t.Errorf("%v is written as %s, want %s", p, got, want)
		}
	}
}
