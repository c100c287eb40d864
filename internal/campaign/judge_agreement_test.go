package campaign

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// judgedBy returns judgements of the systems s1, s2 and so on with the given scores. NaN stands for a
// missing score.
func judgedBy(judge string, scores ...float64) (out []Judged) {
	for i, x := range scores {
		out = append(out, Judged{System: fmt.Sprintf("s%d", i+1), Judge: judge, Score: x})
	}
	return out
}

func join[T any](lists ...[]T) (out []T) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// pairOfJudge returns the pair of a judge and another party.
func pairOfJudge(t *testing.T, a JudgeAgreement, judge, other string, otherJudge bool) JudgePair {
	t.Helper()
	for _, p := range a.Pairs {
		if p.Judge == judge && p.Other == other && p.OtherJudge == otherJudge {
			return p
		}
	}
	t.Fatalf("no pair of %s and %s in %+v", judge, other, a.Pairs)
	return JudgePair{}
}

// A judge is compared with the latest round of each annotator. Its scores can have a scale of their
// own. r is 1 if the judge orders translations as the annotator does, -1 if it reverses the order, and
// undefined if it gives every translation the same score.
func TestJudgeAgreement(t *testing.T) {
	segments := []Rated{
		{Status: Agreed, Given: join(given("ann", 1, 4, 0, 0), given("ann", 2, 0, 2, 4), given("bob", 1, 4, 2, 0)), Judged: join(judgedBy("copy", -20, -10, 0), judgedBy("flat", 7, 7, 7))},
		{Status: Pending, Given: given("ann", 1, 0, 2, 4), Judged: join(judgedBy("copy", -20, nan, 0), judgedBy("flat", 7, 7))},
		{Status: Agreed, Given: given("bob", 1, 1, 2, 3)},                            // nobody judged it
		{Status: Pending, Judged: join(judgedBy("alone", 1), judgedBy("mute", nan))}, // nobody rated it
	}
	got := agreementOf(t, "sqm", false, segments...).Judges
	if fmt.Sprint(got.Judges) != "[alone copy flat mute]" || len(got.Pairs) != 5 {
		t.Fatalf("judges %v, %d pairs", got.Judges, len(got.Pairs))
	}
	for _, want := range []struct {
		judge, other           string
		isJudge                bool
		segments, translations int
		system, segment, tau   float64
	}{
		{"copy", "ann", false, 2, 5, 1, 1, 1}, // round 2 of ann; s2 has one translation less than the other systems
		{"copy", "bob", false, 1, 3, -1, -1, -1},
		{"copy", "flat", true, 2, 4, nan, nan, nan}, // flat gives every translation the same score
		{"flat", "ann", false, 2, 5, nan, nan, nan},
		{"flat", "bob", false, 1, 3, nan, nan, nan},
	} {
		s := pairOfJudge(t, got, want.judge, want.other, want.isJudge).Score
		if s.Segments != want.segments || s.Translations != want.translations || !same(s.SystemLevel, want.system) || !same(s.SegmentLevel, want.segment) || !same(s.TauB, want.tau) {
			t.Errorf("%s and %s: %+v, want %+v", want.judge, want.other, s, want)
		}
	}
	gold := agreementOf(t, "sqm", true, segments...).Judges
	if p := pairOfJudge(t, gold, "copy", "ann", false); p.Score.Segments != 1 || len(gold.Judges) != 4 {
		t.Errorf("in gold: %+v, judges %v", p.Score, gold.Judges)
	}
}

// The intervals are those of the coefficients of the segments put together of the drawn documents.
func TestJudgeIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	const documents = 9
	var by [documents][]Rated
	var all []Rated
	for n := range 3 * documents {
		s := Rated{DocID: fmt.Sprint(n / 3), SegmentID: fmt.Sprint(n), Status: Agreed}
		for i := range 4 {
			quality, system := float64(random.IntN(60)+10*i), fmt.Sprint("s", i)
			g := Given{System: system, Annotator: "ann", Round: 1, Score: quality, Scores: map[string]float64{"accuracy": quality, "fluency": float64(random.IntN(100))}}
			g.Spans = []agreement.Span{{Side: "target", Severity: "minor", Start: 2, End: 4 + random.IntN(4)}}
			s.Given = append(s.Given, g)
			s.Judged = append(s.Judged, Judged{System: system, Judge: "j", Score: quality + float64(random.IntN(30)), Scores: map[string]float64{"fluency": float64(random.IntN(100))},
				Marks: true, Spans: []agreement.Span{{Side: "target", Severity: "minor", Start: random.IntN(3), End: 6}}})
		}
		by[n/3], all = append(by[n/3], s), append(all, s)
	}
	b := stat.Bootstrap{Resamples: 100, Seed: 2, Level: 0.95}
	c := Campaign{Protocol: "rate", Rules: protocolOf(t, "rate")}
	r, err := AgreementWithIntervals(t.Context(), c, each(all, nil), false, b)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := stat.Resample(t.Context(), documents, b.Resamples, b.Seed, func(sample []int) JudgePair {
		var segments []Rated
		for _, d := range sample {
			segments = append(segments, by[d]...)
		}
		again, _ := Agreement(c, each(segments, nil), false)
		return again.Judges.Pairs[0]
	})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Judges.Pairs[0]
	for _, x := range []struct {
		name string
		got  stat.Interval
		of   func(JudgePair) float64
	}{
		{"system", p.Score.Intervals.SystemLevel, func(p JudgePair) float64 { return p.Score.SystemLevel }},
		{"segment", p.Score.Intervals.SegmentLevel, func(p JudgePair) float64 { return p.Score.SegmentLevel }},
		{"segment, fluency", p.Scores[0].Intervals.SegmentLevel, func(p JudgePair) float64 { return p.Scores[0].SegmentLevel }},
		{"characters", p.SpanIntervals.CharF1, func(p JudgePair) float64 { return p.Spans.CharF1() }},
		{"matches by severity", p.SeverityIntervals.F1, func(p JudgePair) float64 { _, _, f1 := p.SpansBySeverity.Matches(); return f1 }},
	} {
		var values []float64
		for _, d := range drawn {
			values = append(values, x.of(d))
		}
		if want := stat.PercentileInterval(values, stat.ExpandedLevel(b.Level, documents)); math.Abs(x.got.Low-want.Low) > 1e-9 || math.Abs(x.got.High-want.High) > 1e-9 || x.got.Resamples != want.Resamples {
			t.Errorf("%s: got %+v, want %+v", x.name, x.got, want)
		}
	}
	if in := p.Score.Intervals.TauB; in.Resamples != documents || in.Low >= p.Score.TauB || in.High <= p.Score.TauB {
		t.Errorf("tau-b %v has the interval %+v", p.Score.TauB, in)
	}
}

// A judge and an annotator with the same name are two parties.
func TestJudgeNamedAsAnAnnotator(t *testing.T) {
	got := agreementOf(t, "sqm", false, Rated{Status: Agreed, Given: given("ann", 1, 0, 2, 4), Judged: judgedBy("ann", 0, 2, 4)}).Judges
	if p := pairOfJudge(t, got, "ann", "ann", false); len(got.Pairs) != 1 || !same(p.Score.SegmentLevel, 1) {
		t.Errorf("%+v", got.Pairs)
	}
}

// The errors of a judge (A) are compared in the translations in which it marks errors.
func TestJudgeSpans(t *testing.T) {
	span := func(start, end int, severity string) agreement.Span {
		return agreement.Span{Side: "target", Severity: severity, Start: start, End: end}
	}
	g, j := given("ann", 1, -5, 0, 0), judgedBy("j", -5, 0, nan)
	g[0].Spans = []agreement.Span{span(0, 4, "major"), span(8, 9, "minor")}
	j[0].Marks, j[0].Spans = true, []agreement.Span{span(0, 4, "minor")}
	j[1].Marks = true
	p := pairOfJudge(t, agreementOf(t, "mqm", false, Rated{Status: Agreed, Given: g, Judged: j}).Judges, "j", "ann", false)
	if s := p.Spans; s.Translations != 2 || s.SpansA != 1 || s.SpansB != 2 || s.Matched != 1 || !same(s.OverlapOfB(), 0.75) || !same(s.OverlapOfA(), 1) {
		t.Errorf("%+v", s)
	}
	if s := p.SpansBySeverity; s.Matched != 0 || !same(s.CharF1(), 0) {
		t.Errorf("by severity %+v", s)
	}
	if quick, err := AgreementOfJudges(protocolOf(t, "mqm"), each([]Rated{{Status: Agreed, Given: g, Judged: j}}, nil), false); err != nil || quick.Pairs[0].Spans.Translations != 0 || !same(quick.Pairs[0].Score.SystemLevel, nan) {
		t.Errorf("%+v, %v", quick, err)
	}
}

func protocolOf(t *testing.T, id string) *protocol.Protocol {
	t.Helper()
	p, ok := protocol.Lookup(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

// If annotators enter several scores, each score that the judge gives is compared. If the judge gives
// no score of its own, its score is the gate score of the entered scores.
func TestJudgeScoresOfSeveral(t *testing.T) {
	rules := protocolOf(t, "rate")
	score := 3.0
	for _, test := range []struct {
		name  string
		given Judgement
		want  float64
		named int
	}{
		{"its own", Judgement{Score: &score, Scores: map[string]float64{"accuracy": 80, "fluency": 90, "score_eq1": 1}}, 3, 2},
		{"both", Judgement{Scores: map[string]float64{"accuracy": 80, "fluency": 90}}, 85, 2},
		{"one of two", Judgement{Scores: map[string]float64{"fluency": 90}}, nan, 1},
		{"none", Judgement{Status: JudgementUnparsable}, nan, 0},
	} {
		if got := JudgedOf(rules, "s1", test.given); !same(got.Score, test.want) || len(got.Scores) != test.named {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
	var s Rated
	s.Status = Agreed
	for i, x := range []float64{10, 50, 60} {
		system := fmt.Sprintf("s%d", i+1)
		s.Given = append(s.Given, Given{System: system, Annotator: "ann", Round: 1, Score: x, Scores: map[string]float64{"accuracy": x, "fluency": 100 - x}})
		s.Judged = append(s.Judged, JudgedOf(rules, system, Judgement{Judge: "j", Scores: map[string]float64{"fluency": x}}))
	}
	p := pairOfJudge(t, agreementOf(t, "rate", false, s).Judges, "j", "ann", false)
	if p.Score.Translations != 0 || !math.IsNaN(p.Score.SegmentLevel) || len(p.Scores) != 1 || p.Scores[0].Name != "fluency" || !same(p.Scores[0].SegmentLevel, -1) {
		t.Errorf("%+v", p)
	}
}

// Every bit of the figures about annotators is the same with and without judges.
func TestJudgesChangeNoFigureOfAnnotators(t *testing.T) {
	var with, without []Rated
	for i := range 40 {
		x := func(k int) float64 { return float64((7*i+5*k)%5) / 3 }
		s := Rated{SegmentID: fmt.Sprint(i), Status: Statuses[i%len(Statuses)], Round: 1,
			Decisions: []Decision{{Round: 1, Passed: i%3 > 0, Pairs: []Pair{{A: "ann", B: "bob", Passed: i%3 > 0}}}},
			Given:     join(given("ann", 1, x(1), x(2), x(3), x(4)), given("bob", 1, x(5), x(1), x(7), nan), given("cy", 1+i%2, x(3), x(6), x(2), x(9)))}
		without = append(without, s)
		s.Judged = join(judgedBy("ann", x(2), x(9), x(4), x(4)), judgedBy("j", -x(8), -x(3), nan, -x(1)))
		with = append(with, s)
	}
	for _, gold := range []bool{false, true} {
		a, b := agreementOf(t, "sqm", gold, without...), agreementOf(t, "sqm", gold, with...)
		if len(b.Judges.Pairs) != 7 {
			t.Fatalf("%d pairs of judges", len(b.Judges.Pairs))
		}
		b.Judges = a.Judges
		if x, y := bits(a), bits(b); x != y {
			t.Errorf("gold %t: without judges\n%s\nwith judges\n%s", gold, x, y)
		}
	}
}

// bits writes a value with the bits of its floating-point numbers, because NaN is not equal to itself.
func bits(v any) string {
	var walk func(reflect.Value) string
	walk = func(v reflect.Value) string {
		switch v.Kind() {
		case reflect.Float64:
			return fmt.Sprintf("%x ", math.Float64bits(v.Float()))
		case reflect.Slice, reflect.Array:
			out := "["
			for i := range v.Len() {
				out += walk(v.Index(i))
			}
			return out + "]"
		case reflect.Struct:
			out := "{"
			for i := range v.NumField() {
				out += walk(v.Field(i))
			}
			return out + "}"
		case reflect.Map:
			out := map[string]string{}
			for it := v.MapRange(); it.Next(); {
				out[walk(it.Key())] = walk(it.Value())
			}
			return fmt.Sprint(out)
		case reflect.Pointer:
			if v.IsNil() {
				return "nil "
			}
			return walk(v.Elem())
		}
		return fmt.Sprint(v) + " "
	}
	return walk(reflect.ValueOf(v))
}
