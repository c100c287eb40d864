package campaign

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// given lays out a turn: the scores of systems s1, s2 and so on, NaN for none.
func given(annotator string, round int, scores ...float64) (out []Given) {
	for i, x := range scores {
		if !math.IsNaN(x) {
			out = append(out, Given{System: fmt.Sprintf("s%d", i+1), Annotator: annotator, Round: round, Score: x})
		}
	}
	return out
}

func agreementOf(t *testing.T, id string, gold bool, segments ...Rated) AgreementReport {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatal(id)
	}
	r, err := Agreement(Campaign{Protocol: id, Rules: p}, each(segments, nil), gold)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// each yields segments, and then an error if there is one.
func each(segments []Rated, err error) iter.Seq2[Rated, error] {
	return func(yield func(Rated, error) bool) {
		for _, s := range segments {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(Rated{}, err)
		}
	}
}

func same(a, b float64) bool {
	return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b)
}

var nan = math.NaN()

func TestAgreementRounds(t *testing.T) {
	segments := []Rated{
		// c left after round 1: a and b are compared in round 2, either with c in round 1.
		{SegmentID: "1", Status: Agreed, Round: 2, Given: slices.Concat(
			given("a", 1, 0, 1, 2), given("b", 1, 2, 1, 0), given("c", 1, 0, 1, 4),
			given("b", 2, 0, 2, 4), given("a", 2, 0, 1, 2))},
		// b has begun a third round alone.
		{SegmentID: "2", Status: Reannotate, Round: 2, Given: slices.Concat(
			given("a", 1, 4, 4, nan, 1), given("b", 1, 4, 0, 3, 1), given("b", 2, 1, 1, 1, 1))},
		{SegmentID: "3", Status: Pending, Round: 1, Given: given("d", 1, 3, 3, 3)},
		{SegmentID: "4", Status: Pending, Round: 1},
	}
	r := agreementOf(t, "sqm", false, segments...)
	if !slices.Equal(r.Annotators, []string{"a", "b", "c", "d"}) || len(r.SystemLevel) != 6 || len(r.SegmentLevel) != 6 {
		t.Fatalf("got %v, %v", r.Annotators, r.SystemLevel)
	}
	// a-b: round 2 of segment 1 (0 1 2)(0 2 4), r 1; round 1 of segment 2 (4 4 1)(4 0 1):
	// means 3 and 5/3, Σ 2.3333 − 1.6667 + 1.3333 = 2, √(6 · 8.6667).
	r2 := 2 / math.Sqrt(6*26.0/3)
	// s1 and s2 were rated twice, s3 and s4 once: means (2 2.5 2 1) and (2 1 4 1).
	system := stat.Pearson([]float64{2, 2.5, 2, 1}, []float64{2, 1, 4, 1})
	for _, c := range []struct {
		got       agreement.Cell
		a, b      string
		r         float64
		shared, n int
	}{
		{r.SystemLevel[0], "a", "b", system, 2, 4},
		{r.SegmentLevel[0], "a", "b", (1 + r2) / 2, 2, 2},
		{r.SegmentLevel[1], "a", "c", stat.Pearson([]float64{0, 1, 2}, []float64{0, 1, 4}), 1, 1},
		{r.SegmentLevel[2], "a", "d", nan, 0, 0},
		{r.SystemLevel[3], "b", "c", stat.Pearson([]float64{2, 1, 0}, []float64{0, 1, 4}), 1, 3},
	} {
		if c.got.A != c.a || c.got.B != c.b || !same(c.got.R, c.r) || c.got.Shared != c.shared || c.got.N != c.n {
			t.Errorf("got %+v, want %+v", c.got, c)
		}
	}
	// Three translations of segment 1 and three of segment 2 (s3 has one rating).
	if r.Metric != agreement.Ordinal || r.Alpha.Units != 6 || r.Alpha.Ratings != 12 {
		t.Errorf("alpha %v of %+v", r.Metric, r.Alpha)
	}
	if want := agreement.Alpha([][]float64{{0, 0}, {1, 2}, {2, 4}, {4, 4}, {4, 0}, {1, 1}}, agreement.Ordinal).Alpha; !same(r.Alpha.Alpha, want) {
		t.Errorf("alpha %v, want %v", r.Alpha.Alpha, want)
	}
	x, y := []float64{0, 1, 2, 4, 4, 1}, []float64{0, 2, 4, 4, 0, 1}
	if p := r.Pairs[0]; len(r.Pairs) != 3 || p.A != "a" || p.B != "b" || p.Translations != 6 || !same(p.TauB, stat.TauB(x, y)) ||
		!same(p.Kappa, agreement.Kappa(x, y, 0, 4)) {
		t.Errorf("pairs %+v", r.Pairs)
	}
	// a's latest turns: (0 1 2) and (4 4 1), c's (0 1 4), compared in no round: the
	// latest with two is that of a and b.
	if a := r.Each[0]; a.Annotator != "a" || a.Ratings != 6 || a.Mean != 2 || a.Compared != 6 || !same(a.LeaveOneOut, stat.Pearson(x, y)) || !same(a.Difference, 1.0/6) {
		t.Errorf("a: %+v", a)
	}
	if c := r.Each[2]; c.Annotator != "c" || c.Ratings != 3 || c.Compared != 0 || !math.IsNaN(c.LeaveOneOut) {
		t.Errorf("c: %+v", c)
	}

	// Only segment 1 is in gold; whoever rated stays in the list.
	r = agreementOf(t, "sqm", true, segments...)
	if c := r.SegmentLevel[0]; len(r.SegmentLevel) != 6 || !same(c.R, 1) || c.Shared != 1 || r.Alpha.Units != 3 || len(r.Segments) != 4 {
		t.Errorf("gold: %+v, alpha %+v", r.SegmentLevel, r.Alpha)
	}
}

func TestAgreementDecisions(t *testing.T) {
	pass, fail := Decision{Round: 1, Passed: true, Status: Agreed, Pairs: []Pair{{A: "a", B: "b", Passed: true}}}, Decision{Round: 1, Status: Reannotate, Pairs: []Pair{{A: "a", B: "b"}}}
	alone := Decision{Round: 1, Passed: true, Status: Ungated}
	again := Decision{Round: 2, Passed: true, Status: Agreed, Pairs: []Pair{{A: "a", B: "c"}}}
	for _, c := range []struct {
		name  string
		in    Rated
		round int
		pairs []Pair
	}{
		{"none", Rated{Status: Pending, Round: 1}, 1, nil},
		{"first", Rated{Status: Reannotate, Round: 2, Decisions: []Decision{fail}}, 1, fail.Pairs},
		{"second", Rated{Status: Agreed, Round: 2, Decisions: []Decision{fail, again}}, 2, again.Pairs},
		{"passed", Rated{Status: Agreed, Round: 1, Decisions: []Decision{pass}}, 1, pass.Pairs},
	} {
		r := agreementOf(t, "sqm", false, c.in)
		if s := r.Segments[0]; s.Round != c.round || !reflect.DeepEqual(s.Pairs, c.pairs) || s.Status != c.in.Status {
			t.Errorf("%s: got %+v", c.name, s)
		}
	}
	r := agreementOf(t, "sqm", false, Rated{Status: Agreed, Round: 2, Decisions: []Decision{fail, again}}, Rated{Status: Agreed, Round: 1, Decisions: []Decision{pass}},
		Rated{Status: Discarded, Round: 1, Decisions: []Decision{pass}}, Rated{Status: Pending, Round: 1},
		// Neither of these is in the share: the one has no pair, the other is withdrawn.
		Rated{Status: Ungated, Round: 1, Decisions: []Decision{alone}}, Rated{Status: Withdrawn, Round: 1, Decisions: []Decision{fail}})
	if !same(r.FirstFailRate, 1.0/3) || r.Statuses[Agreed] != 2 || r.Statuses[Pending] != 1 {
		t.Errorf("first failures %v, statuses %v", r.FirstFailRate, r.Statuses)
	}
	if r := agreementOf(t, "esa", false); !math.IsNaN(r.FirstFailRate) || len(r.Segments)+len(r.Annotators)+len(r.SystemLevel) != 0 || !math.IsNaN(r.Alpha.Alpha) || !math.IsNaN(r.Deviation) {
		t.Errorf("of nothing: %+v", r)
	}
}

func TestAgreementSpans(t *testing.T) {
	mark := func(severity string, start, end int) []agreement.Span {
		return []agreement.Span{{Side: "target", Severity: severity, Start: start, End: end}}
	}
	a, b := given("a", 1, -5, -1, 0), given("b", 1, -1, -1, 0)
	a[0].Spans, a[1].Spans = mark("major", 0, 4), mark("minor", 2, 6)
	b[0].Spans, b[1].Spans = mark("minor", 0, 4), mark("minor", 4, 8)
	r := agreementOf(t, "mqm", false, Rated{Status: Ungated, Round: 1, Given: append(a, b...)})
	if len(r.Pairs) != 1 || r.Metric != agreement.Interval || !math.IsNaN(r.Pairs[0].Kappa) {
		t.Fatalf("got %+v", r.Pairs)
	}
	p := r.Pairs[0]
	if p.Spans.Translations != 3 || p.Spans.CharF1() != 12.0/16 || p.SpansBySeverity.CharF1() != 4.0/16 || p.Spans.OverlapOfA() != 1 || p.SpansBySeverity.OverlapOfA() != 2.0/3 {
		t.Errorf("got %+v and %+v", p.Spans, p.SpansBySeverity)
	}
}

func TestAgreementFails(t *testing.T) {
	p, _ := protocol.Lookup("sqm")
	broken := errors.New("broken")
	if _, err := Agreement(Campaign{Protocol: "sqm", Rules: p}, each([]Rated{{}}, broken), false); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// A custom protocol decides by its measurement, not by its name, which alpha and
// whether kappa is computed.
func TestAgreementMeasurement(t *testing.T) {
	segment := Rated{SegmentID: "1", Status: Agreed, Round: 1, Given: slices.Concat(given("a", 1, 0, 3, 6, 6), given("b", 1, 1, 3, 5, 6))}
	of := func(measurement string) AgreementReport {
		rules, err := protocol.Read(strings.NewReader(`{"id": "seven", "name": "Seven", "about": "Score.", "gate": "s", "gate_by_default": "on", "tolerance": 1,
			"scores": [{"name": "s", "label": "S", "min": 0, "max": 6, "human": "s"` + measurement + `}], "guide": {"intro": ["-"]}}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Agreement(Campaign{Protocol: "seven", Rules: rules}, each([]Rated{segment}, nil), false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	x, y := []float64{0, 3, 6, 6}, []float64{1, 3, 5, 6}
	units := [][]float64{{0, 1}, {3, 3}, {6, 5}, {6, 6}}
	ordinal := of(`, "measurement": "ordinal"`)
	if want := agreement.Alpha(units, agreement.Ordinal).Alpha; ordinal.Metric != agreement.Ordinal || !same(ordinal.Alpha.Alpha, want) {
		t.Errorf("alpha is %v, %v; want ordinal, %v", ordinal.Metric, ordinal.Alpha.Alpha, want)
	}
	if want := agreement.Kappa(x, y, 0, 6); !same(ordinal.Pairs[0].Kappa, want) || math.IsNaN(want) {
		t.Errorf("kappa is %v; want %v", ordinal.Pairs[0].Kappa, want)
	}
	for _, measurement := range []string{`, "measurement": "interval"`, ""} {
		interval := of(measurement)
		if want := agreement.Alpha(units, agreement.Interval).Alpha; interval.Metric != agreement.Interval || !same(interval.Alpha.Alpha, want) {
			t.Errorf("alpha is %v, %v; want interval, %v", interval.Metric, interval.Alpha.Alpha, want)
		}
		if !math.IsNaN(interval.Pairs[0].Kappa) {
			t.Errorf("kappa is %v on an interval scale", interval.Pairs[0].Kappa)
		}
	}
}
