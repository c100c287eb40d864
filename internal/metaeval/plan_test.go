package metaeval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// refA is judged as a system, as in WMT23 he-en, and refB is the reference.
func heEn() Catalogue {
	return Catalogue{
		Humans: []string{"esa", "mqm"}, Default: "mqm",
		Metrics:    []string{"BLEU-refA", "BLEU-refB", "COMET-refA", "COMET-refA.refB", "COMET-refB", "Judge-mqm", "Kiwi-src", "Only-refC", "Whole-all"},
		Systems:    []string{"A", "B", "refA", "refB", "refC"},
		References: []string{"refA", "refB", "refC"},
		Judged:     func(string) ([]string, error) { return []string{"A", "B", "refA"}, nil },
	}
}

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		choice                  Choice
		metrics, judged, others string
		reference, noSystem     string
	}{
		"nothing chosen": {Choice{}, "BLEU-refB COMET-refB Judge-mqm Kiwi-src",
			"BLEU-refA COMET-refA COMET-refA.refB Whole-all", "Only-refC", "refB", ""},
		"the judged reference is no system": {Choice{Exclude: []string{"refA"}}, "BLEU-refA COMET-refA Judge-mqm Kiwi-src",
			"", "BLEU-refB COMET-refA.refB COMET-refB Only-refC Whole-all", "refA", ""},
		"the judged reference is chosen": {Choice{Reference: "refA"}, "BLEU-refA COMET-refA Judge-mqm Kiwi-src",
			"", "BLEU-refB COMET-refA.refB COMET-refB Only-refC Whole-all", "refA", "refA"},
		"another reference": {Choice{Reference: "refC"}, "Judge-mqm Kiwi-src Only-refC",
			"BLEU-refA COMET-refA COMET-refA.refB Whole-all", "BLEU-refB COMET-refB", "refC", ""},
		"all references": {Choice{AllReferences: true}, "BLEU-refB COMET-refB Judge-mqm Kiwi-src Only-refC",
			"BLEU-refA COMET-refA COMET-refA.refB Whole-all", "", "refB", ""},
		"full names":           {Choice{Metrics: []string{"BLEU-refA", "Whole-all"}}, "BLEU-refA Whole-all", "", "", "refB", ""},
		"a base name":          {Choice{Metrics: []string{"BLEU"}}, "BLEU-refB", "BLEU-refA", "", "refB", ""},
		"base and a full name": {Choice{Metrics: []string{"COMET", "COMET-refA"}}, "COMET-refA COMET-refB", "COMET-refA.refB", "", "refB", ""},
	} {
		p, err := NewPlan(heEn(), tt.choice)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var judged, others []string
		for _, u := range p.Skipped {
			if len(u.Judged) > 0 {
				judged = append(judged, u.Metric)
			} else {
				others = append(others, u.Metric)
			}
		}
		got := [3]string{strings.Join(p.Metrics, " "), strings.Join(judged, " "), strings.Join(others, " ")}
		if want := [3]string{tt.metrics, tt.judged, tt.others}; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if p.Reference != tt.reference || p.ExcludedReference != tt.noSystem || (p.ExcludedReference != "") != slices.Contains(p.Exclude[len(tt.choice.Exclude):], "refA") {
			t.Errorf("%s: reference %q, no system %q, excluded %q", name, p.Reference, p.ExcludedReference, p.Exclude)
		}
		if !slices.Equal(p.Humans, []string{"mqm"}) {
			t.Errorf("%s: human scores %q", name, p.Humans)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	several := heEn()
	several.Default = ""
	for name, tt := range map[string]struct {
		catalogue Catalogue
		choice    Choice
		want      string
	}{
		"several human scores": {several, Choice{}, "there are several human scores; use one of esa, mqm"},
		"no such human score":  {heEn(), Choice{Human: "da"}, `there is no human score "da"; use one of esa, mqm`},
		"no such system":       {heEn(), Choice{Exclude: []string{"C"}}, `there is no system "C"; use one of A, B, refA, refB, refC`},
		"no such reference":    {heEn(), Choice{Reference: "refD"}, `there is no reference "refD"; use one of refA, refB, refC`},
		"no such metric":       {heEn(), Choice{Metrics: []string{"chrF"}}, `there is no metric "chrF"; use one of ` + strings.Join(heEn().Metrics, ", ")},
	} {
		_, err := NewPlan(tt.catalogue, tt.choice)
		if _, ok := errors.AsType[*ChoiceError](err); !ok || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	broken := heEn()
	broken.Judged = func(string) ([]string, error) { return nil, errors.New("broken") }
	if _, err := NewPlan(broken, Choice{}); err == nil || err.Error() != "broken" {
		t.Errorf("got %v", err)
	}
}

// The part behind the last "-" is a reference only if there is one of that name.
func TestReferencesOf(t *testing.T) {
	known := []string{"refA", "refB"}
	for metric, want := range map[string]string{
		"BLEU-refA": "refA", "X-refA.refB": "refA refB", "X-all": "refA refB", "X-src": "", "gemba-mqm": "", "X-refC": "", "X-refA.refC": "", "X": "",
	} {
		if got := strings.Join(referencesOf(metric, known), " "); got != want {
			t.Errorf("%s uses %q, want %q", metric, got, want)
		}
	}
}

// A metric of which lower is better counts like its negative at every level.
func TestLowerIsBetter(t *testing.T) {
	d := byHand()
	turned := Scores{Name: "T-src", Group: Surface, LowerIsBetter: true,
		Segment: map[string][]float64{"A": {-1, -9, -5}, "B": {-4, -0, -5}, "ref": {0, 0, 0}},
		System:  map[string]float64{"A": -3, "B": -2, "ref": 0},
		Domain:  map[string]map[string]float64{"news": {"A": -2, "B": -7}}}
	plain := Scores{Name: "U-src",
		Segment: d.Metrics[0].Segment, System: map[string]float64{"A": 3, "B": 2, "ref": 0}, Domain: map[string]map[string]float64{"news": {"A": 2, "B": 7}}}
	d.Metrics = []Scores{turned, plain}
	r, err := Evaluate(t.Context(), d, Task{Human: "sqm", ByDomain: true, Preset: MENT, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, results := range [][]Result{r.Metrics, r.Domains[1].Metrics} {
		a, b := results[0], results[1]
		if a.Name != "T-src" || a.Group != Surface || !a.LowerIsBetter || b.LowerIsBetter {
			t.Errorf("got %+v, %+v", a, b)
		}
		for i := range b.SystemScores { // as the metrics give them
			if a.SystemScores[i] != -b.SystemScores[i] {
				t.Errorf("scores of systems %v and %v", a.SystemScores, b.SystemScores)
			}
		}
		a.Name, a.Group, a.LowerIsBetter, a.Rank, a.SystemScores = b.Name, b.Group, b.LowerIsBetter, b.Rank, b.SystemScores
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("negated: %+v; plain: %+v", a, b)
		}
	}
	if got := r.Tables()[0].Rows[0].Label(); got != "T-src (−)" {
		t.Errorf("the label is %q", got)
	}
}
