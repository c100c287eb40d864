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
	const ofB = "BLEU-refB COMET-refA.refB COMET-refB Only-refC Whole-all"
	for name, tt := range map[string]struct {
		choice             Choice
		metrics            string
		judged, others     string // metrics that are left out
		reference          string
		noSystem, optional string
	}{
		"nothing chosen": {Choice{}, "BLEU-refA COMET-refA Judge-mqm Kiwi-src", "", ofB, "refA", "refA", ""},
		"the reference is a system": {Choice{Include: []string{"refA"}}, "BLEU-refB COMET-refB Judge-mqm Kiwi-src",
			"BLEU-refA COMET-refA COMET-refA.refB Whole-all", "Only-refC", "refB", "", ""},
		"the judged reference is no system": {Choice{Exclude: []string{"refA"}}, "BLEU-refA COMET-refA Judge-mqm Kiwi-src", "", ofB, "refA", "", ""},
		"the judged reference is chosen":    {Choice{Reference: "refA"}, "BLEU-refA COMET-refA Judge-mqm Kiwi-src", "", ofB, "refA", "refA", ""},
		"another reference": {Choice{Reference: "refC"}, "Judge-mqm Kiwi-src Only-refC",
			"", "BLEU-refA BLEU-refB COMET-refA COMET-refA.refB COMET-refB Whole-all", "refC", "", "refA"},
		"all references": {Choice{AllReferences: true}, "BLEU-refA BLEU-refB COMET-refA COMET-refA.refB COMET-refB Judge-mqm Kiwi-src Only-refC Whole-all",
			"", "", "refA", "refA", ""},
		"full names":                  {Choice{Metrics: []string{"BLEU-refB", "Whole-all"}}, "BLEU-refB Whole-all", "", "", "refA", "refA", ""},
		"a base name":                 {Choice{Metrics: []string{"BLEU"}}, "BLEU-refA", "", "BLEU-refB", "refA", "refA", ""},
		"base and a full name":        {Choice{Metrics: []string{"COMET", "COMET-refB"}}, "COMET-refA COMET-refB", "", "COMET-refA.refB", "refA", "refA", ""},
		"metrics without a reference": {Choice{Metrics: []string{"Kiwi"}}, "Kiwi-src", "", "", "refA", "", "refA"},
	} {
		p, err := NewPlan(heEn(), tt.choice)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var judged, others, noSystem []string
		for _, u := range p.Skipped {
			if len(u.Judged) > 0 {
				judged = append(judged, u.Metric)
			} else {
				others = append(others, u.Metric)
			}
		}
		for _, n := range p.NoSystem {
			noSystem = append(noSystem, n.Reference)
		}
		join := func(names []string) string { return strings.Join(names, " ") }
		got := []string{join(p.Metrics), join(judged), join(others), p.Reference, join(noSystem), join(p.Optional)}
		if want := []string{tt.metrics, tt.judged, tt.others, tt.reference, tt.noSystem, tt.optional}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if want := slices.Concat(tt.choice.Exclude, noSystem); !slices.Equal(p.Exclude, want) || !slices.Equal(p.Humans, []string{"mqm"}) {
			t.Errorf("%s: excluded %q, human scores %q", name, p.Exclude, p.Humans)
		}
	}
}

// The last part of a metric's name is a reference if several metrics share it or the
// choice declares it, whether the catalogue knows the reference or not.
func TestUnknownReferences(t *testing.T) {
	synthetic := []string{"BLEU-refA", "BLEU-synthetic_ref", "COMET-refA", "COMET-synthetic_ref", "COMET-x", "Judge-mqm", "Other-mqm", "Odd-y", "chrF-ref"}
	for name, tt := range map[string]struct {
		references []string
		metrics    []string
		choice     Choice
		want       string // the metrics that are taken
		notes      []string
	}{
		"shared": {[]string{"refA"}, synthetic, Choice{}, "BLEU-refA COMET-refA COMET-x Judge-mqm Other-mqm Odd-y chrF-ref", []string{
			"left out, since the standard reference is refA: BLEU-synthetic_ref, COMET-synthetic_ref",
			"synthetic_ref counts as a reference, since the names of several metrics end in it",
			"COMET-x is judged as a metric without a reference, since no reference is named x"}},
		"declared": {[]string{"refA"}, synthetic, Choice{Declared: []string{"x", "y"}, Reference: "x"}, "COMET-x Judge-mqm Other-mqm chrF-ref", []string{
			"left out, since the standard reference is x: BLEU-refA, BLEU-synthetic_ref, COMET-refA, COMET-synthetic_ref, Odd-y",
			"synthetic_ref counts as a reference, since the names of several metrics end in it"}},
		"no texts": {nil, []string{"BLEU-b", "BLEU-a", "COMET-b", "COMET-a", "X-src", "Y-src"}, Choice{}, "BLEU-a COMET-a X-src Y-src", []string{
			"left out, since the standard reference is a: BLEU-b, COMET-b", "b counts as a reference, since the names of several metrics end in it"}},
		"texts before no texts": {[]string{"z"}, []string{"BLEU-a", "COMET-a", "X-z"}, Choice{}, "X-z", []string{
			"left out, since the standard reference is z: BLEU-a, COMET-a", "a counts as a reference, since the names of several metrics end in it"}},
	} {
		c := Catalogue{Humans: []string{"mqm"}, Metrics: tt.metrics, Judges: []string{"Judge-mqm", "Other-mqm"}, Builtin: []string{"chrF-ref"}, Systems: []string{"A", "B"}, References: tt.references}
		p, err := NewPlan(c, tt.choice)
		if got := strings.Join(p.Metrics, " "); err != nil || got != tt.want || !slices.Equal(p.Notes(), tt.notes) {
			t.Errorf("%s: %v, takes %s, notes %q", name, err, got, p.Notes())
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
		"several human scores":    {several, Choice{}, "there are several human scores; use one of esa, mqm"},
		"no such human score":     {heEn(), Choice{Human: "da"}, `there is no human score "da"; use one of esa, mqm`},
		"no such system":          {heEn(), Choice{Exclude: []string{"C"}}, `there is no system "C"; use one of A, B, refA, refB, refC`},
		"no such reference":       {heEn(), Choice{Reference: "refD"}, `there is no reference "refD"; use one of refA, refB, refC`},
		"no reference to include": {heEn(), Choice{Include: []string{"refB"}}, `there is no reference with human scores "refB"; use one of refA`},
		"an excluded reference":   {heEn(), Choice{Include: []string{"refA"}, Exclude: []string{"refA"}}, `there is no reference with human scores "refA", nor any other`},
		"no such metric":          {heEn(), Choice{Metrics: []string{"chrF"}}, `there is no metric "chrF"; use one of ` + strings.Join(heEn().Metrics, ", ")},
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

// An optional reference is a system only if every metric that is judged has scores of it.
// A metric that is left out for another reason does not count.
func TestOptionalReference(t *testing.T) {
	row := []float64{1, 2}
	scores := func(name string, systems ...string) Scores {
		s := Scores{Name: name, Segment: map[string][]float64{}}
		for _, system := range systems {
			s.Segment[system] = row
		}
		return s
	}
	d := Data{Systems: []string{"A", "B", "refA", "refB"}, Segments: 2, Humans: []Scores{scores("mqm", "A", "B", "refA")},
		Metrics: []Scores{scores("Kiwi-src", "A", "B", "refA"), scores("Part-src", "A")}}
	for _, tt := range []struct {
		metric  Scores
		systems string
		said    string
	}{
		{scores("Whole-src", "A", "B", "refA"), "A B refA", "[]"},
		{scores("Some-src", "A", "B"), "A B", "[refA is left out of the systems, since Some-src has no scores of it]"},
	} {
		d := d
		d.Metrics = append(slices.Clone(d.Metrics), tt.metric)
		r, err := Evaluate(t.Context(), d, Task{Optional: []string{"refA", "refB"}})
		if got := strings.Join(r.Systems, " "); err != nil || got != tt.systems || fmt.Sprint(r.NoSystem) != tt.said || len(r.LeftOut) != 1 {
			t.Errorf("%v: systems %s, says %v, left out %v", err, got, r.NoSystem, r.LeftOut)
		}
	}
}
