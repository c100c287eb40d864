package metaeval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// Two systems and three segments, so that all can be counted by hand.
func byHand() Data {
	n := math.NaN()
	return Data{
		LanguagePair: "xx-yy", Systems: []string{"B", "A", "ref"}, Segments: 3, Domains: []string{"news", "chat", "news"},
		Humans: []Scores{
			{Name: "sqm", Segment: map[string][]float64{"A": {1, n, 3}, "B": {2, n, 2}, "ref": {n, n, n}}},
			{Name: "esa", System: map[string]float64{"A": 1, "ref": 5}},
		},
		Metrics: []Scores{
			{Name: "X-y-refA", Segment: map[string][]float64{"A": {1, 9, 5}, "B": {4, 0, 5}, "ref": {0, 0, 0}}},
			{Name: "Z-src", System: map[string]float64{"A": 1, "B": 2}},
			{Name: "Part-src", Segment: map[string][]float64{"A": {1, 2, 3}}},
		},
	}
}

func TestEvaluateByHand(t *testing.T) {
	n := math.NaN()
	var last atomic.Int64
	r, err := Evaluate(context.Background(), byHand(), Task{Human: "sqm", ByDomain: true, Seed: 4, Progress: func(done, total int) {
		if done > total {
			t.Errorf("%d of %d done", done, total)
		}
		if done == total {
			last.Add(1)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if last.Load() != 1 {
		t.Errorf("told %d times that all is done", last.Load())
	}
	if !slices.Equal(r.Systems, []string{"A", "B"}) || r.Segments != 2 || r.Human != "sqm" || r.Permutations != 1000 || r.Preset != WMT23 {
		t.Errorf("got %+v", r)
	}
	if len(r.LeftOut) != 1 || r.LeftOut[0].Metric != "Part-src" || !slices.Equal(r.LeftOut[0].Systems, []string{"B"}) {
		t.Errorf("left out %v", r.LeftOut)
	}
	x, z := r.Metrics[0], r.Metrics[1]
	// The human means tie at 2, the metric's are 5 and 3: over all segments.
	if x.Name != "X-y-refA" || x.System.Agree != 0 || x.System.Pairs != 1 || x.System.Acc != 0 || !math.IsNaN(x.System.Pearson) {
		t.Errorf("got %+v", x)
	}
	// Segment 1: B is better by both. Segment 3: A is better, the metric ties.
	// Making 3 a tie makes segment 1 wrong.
	if x.Segment.AccT != 0.5 || x.Segment.Epsilon != 0 || !math.IsNaN(x.Segment.AccTPooled) || !math.IsNaN(x.Meta) {
		t.Errorf("got %+v", x)
	}
	// Human 1 3 2 2, metric 1 5 4 5: Σuv = 4, Σu² = 2, Σv² = 10.75.
	if want := 4 / math.Sqrt(2*10.75); !testenv.Near(x.Segment.Pearson, want, 1e-12) {
		t.Errorf("r = %v, want %v", x.Segment.Pearson, want)
	}
	if z.Name != "Z-src" || z.System.Acc != 0 || !math.IsNaN(z.Segment.AccT) || !math.IsNaN(z.System.SPA) || z.Rank != 1 {
		t.Errorf("got %+v", z)
	}
	if len(r.Domains) != 2 || r.Domains[0].Domain != "chat" || r.Domains[0].Segments != 0 || r.Domains[1].Segments != 2 {
		t.Fatalf("domains %+v", r.Domains)
	}
	// In news the metric's means are 3 and 4.5, the human ones tie.
	if news := r.Domains[1].Metrics[0]; news.System.Acc != 0 || news.Segment.AccT != 0.5 {
		t.Errorf("news: %+v", news)
	}
	if chat := r.Domains[0].Metrics[0]; !testenv.Near(chat.System.Acc, n, 0) || !testenv.Near(chat.Segment.AccT, n, 0) {
		t.Errorf("chat: %+v", chat)
	}
}

func TestEvaluateChoices(t *testing.T) {
	ctx := context.Background()
	d := byHand()
	for name, tt := range map[string]struct {
		task Task
		want string
	}{
		"several human scores": {Task{}, "there are several human scores; use one of sqm, esa"},
		"unknown human score":  {Task{Human: "mqm"}, `there is no human score "mqm"; use one of sqm, esa`},
		"unknown metric":       {Task{Human: "sqm", Metrics: []string{"X"}}, `there is no metric "X"; use one of X-y-refA, Z-src, Part-src`},
		"unknown system":       {Task{Human: "sqm", Exclude: []string{"C"}}, `there is no system "C"; use one of B, A, ref`},
		"unknown as metric":    {Task{Human: "sqm", HumanAsMetric: []string{"da"}}, `there is no human score "da"; use one of sqm, esa`},
	} {
		_, err := Evaluate(ctx, d, tt.task)
		if _, ok := errors.AsType[*ChoiceError](err); !ok || err.Error() != tt.want {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// Without metrics, progress is not called, so nothing divides by 0.
	none := Task{Human: "sqm", Metrics: []string{"Part"}, Progress: func(done, total int) { t.Errorf("%d of %d done", done, total) }}
	if r, err := Evaluate(ctx, d, none); err != nil || len(r.Metrics) != 0 || len(r.LeftOut) != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := matchHuman(nil, ""); err == nil || err.Error() != "there is no human score" {
		t.Errorf("got %v", err)
	}
	// By the part before the last "-", and not twice.
	r, err := Evaluate(ctx, d, Task{Human: "sqm", Metrics: []string{"X-y", "X-y-refA"}, HumanAsMetric: []string{"sqm", "sqm"}})
	if err != nil || len(r.Metrics) != 2 {
		t.Fatalf("got %+v, %v", r.Metrics, err)
	}
	// A human score agrees with itself.
	if self := r.Metrics[1]; self.Name != "sqm" && r.Metrics[0].Name != "sqm" {
		t.Errorf("got %+v", self)
	}
	// A human score without segment scores, which determines the systems.
	r, err = Evaluate(ctx, d, Task{Human: "esa"})
	if err != nil || !slices.Equal(r.Systems, []string{"A", "ref"}) || r.Segments != 0 || len(r.LeftOut) != 2 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A system with a system score but without segment scores is left out of segment
// statistics. The other systems still have them.
func TestEvaluateSystemWithoutSegments(t *testing.T) {
	d := sample()
	task := Task{Metrics: []string{"M0"}, Seed: 4}
	alone, err := Evaluate(context.Background(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	d.Systems = append(d.Systems, "whole")
	d.Humans[0].System = map[string]float64{"whole": 9}
	d.Metrics[0].Segment["whole"] = slices.Repeat([]float64{1}, d.Segments)
	both, err := Evaluate(context.Background(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := alone.Metrics[0], both.Metrics[0]; a.System.SPA != b.System.SPA || !stat.Defined(a.System.SPA) || a.Segment.AccT != b.Segment.AccT || b.System.Pairs != stat.Choose2(7) {
		t.Errorf("got %+v, without it %+v", b, a)
	}
}

func TestEvaluateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, significance := range []bool{false, true} {
		if _, err := Evaluate(ctx, sample(), Task{Significance: significance}); err != context.Canceled {
			t.Errorf("got %v", err)
		}
	}
}

func TestRank(t *testing.T) {
	n := math.NaN()
	results := []Result{{Name: "u", Meta: n}, {Name: "b", Meta: 0.5}, {Name: "a", Meta: 0.5 - 1e-15}, {Name: "best", Meta: 0.7}, {Name: "c", Meta: 0.1}, {Name: "t", Meta: n}}
	rank(results)
	want := []struct {
		name string
		rank int
	}{{"best", 1}, {"a", 2}, {"b", 2}, {"c", 4}, {"t", 5}, {"u", 5}}
	for i, w := range want {
		if results[i].Name != w.name || results[i].Rank != w.rank {
			t.Errorf("place %d: %s with rank %d, want %s with %d", i, results[i].Name, results[i].Rank, w.name, w.rank)
		}
	}
}

// Half of 4 and all of 2 system pairs are 4 of 6, which counts for both.
// A meta score is the mean of its parts. Under WMT23, correlations are first brought to 0 to 1.
func TestMetaScore(t *testing.T) {
	r := Result{
		System:  SystemStats{Acc: 0.8, Pearson: 0.6, Spearman: 0.5, SPA: 0.9},
		Segment: SegmentStats{AccT: 0.5, AccTPooled: 0.4, Pearson: 0.2, Spearman: 0.1},
	}
	for preset, want := range map[Preset]float64{WMT24: (0.9 + 0.5) / 2, WMT23: (0.8 + 0.8 + 0.5 + 0.6) / 4, MENT: (0.8 + 0.6 + 0.5 + 0.4 + 0.2 + 0.1) / 6} {
		if got := preset.meta(r); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", preset, got, want)
		}
	}
}

func TestOverallWMT23(t *testing.T) {
	report := func(agree, pairs int, r float64) Report {
		return Report{Preset: WMT23, Metrics: []Result{{
			Name: "M", System: SystemStats{Acc: stat.Ratio(agree, pairs), Agree: agree, Pairs: pairs, Pearson: r}, Segment: SegmentStats{AccT: 0.5, Pearson: r},
		}}}
	}
	got, _ := Overall([]Report{report(2, 4, 0), report(2, 2, 1)})
	want := (2*4.0/6 + 0.5 + 0.5 + 0.5 + 1 + 0.5 + 1) / 8
	if len(got) != 1 || !testenv.Near(got[0].Meta, want, 1e-12) || got[0].Rank != 1 {
		t.Errorf("got %+v, want %v", got, want)
	}
	other := report(1, 1, 0)
	other.Metrics[0].Name = "N"
	got, _ = Overall([]Report{report(2, 4, 0), other})
	if len(got) != 2 || !math.IsNaN(got[0].Meta) || !math.IsNaN(got[1].Meta) {
		t.Errorf("got %+v", got)
	}
}

// TestNoDomain: segments without a domain are part of the whole and of no domain.
func TestNoDomain(t *testing.T) {
	d := Data{Systems: []string{"A", "B"}, Segments: 4, Domains: []string{"news", "", "", "news"},
		Humans:  []Scores{{Name: "mqm", Segment: map[string][]float64{"A": {1, 2, math.NaN(), 4}, "B": {2, 1, math.NaN(), 3}}}},
		Metrics: []Scores{{Name: "m", Segment: map[string][]float64{"A": {1, 2, 3, 4}, "B": {2, 3, 4, 3}}}},
	}
	r, err := Evaluate(t.Context(), d, Task{ByDomain: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Domains) != 1 || r.Domains[0].Domain != "news" || r.Domains[0].Segments != 2 || r.Segments != 3 || r.NoDomain != 1 {
		t.Errorf("%d segments, %d without domain, domains %+v; want 3, 1, and news with 2", r.Segments, r.NoDomain, r.Domains)
	}
	d.Domains = nil
	if r, _ = Evaluate(t.Context(), d, Task{ByDomain: true}); len(r.Domains) != 0 || r.NoDomain != 3 {
		t.Errorf("without domains: %d without domain, domains %+v", r.NoDomain, r.Domains)
	}
}

// TestHumanSystemNone: a human score of a system that is None, or not there, is the
// mean over its rated segments, in every statistic and as a metric too.
func TestHumanSystemNone(t *testing.T) {
	segments := map[string][]float64{"A": {1, 2, math.NaN()}, "B": {4, 1, 4}, "C": {5, 4, 3}}
	metric := Scores{Name: "m", Segment: map[string][]float64{"A": {1, 2, 3}, "B": {2, 3, 7}, "C": {3, 3, 5}}}
	domains := []string{"news", "news", "news"}
	part := Scores{Name: "mqm", Segment: segments,
		System: map[string]float64{"A": math.NaN(), "B": 3},
		Domain: map[string]map[string]float64{"news": {"A": math.NaN(), "B": 3}}}
	whole := Scores{Name: "mqm", Segment: segments} // means are 1.5, 3, 4
	task := Task{HumanAsMetric: []string{"mqm"}, ByDomain: true, Preset: WMT23, Seed: 4}
	var reports [2]string
	for i, human := range []Scores{part, whole} {
		r, err := Evaluate(t.Context(), Data{Systems: []string{"A", "B", "C"}, Segments: 3, Domains: domains, Humans: []Scores{human}, Metrics: []Scores{metric}}, task)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Systems) != 3 || len(r.LeftOut) > 0 || len(r.Metrics) != 2 || r.Metrics[0].System.Acc != 1 || math.IsNaN(r.Metrics[1].System.Pearson) {
			t.Errorf("systems %v, left out %v, metrics %+v", r.Systems, r.LeftOut, r.Metrics)
		}
		reports[i] = fmt.Sprint(r.Tables())
	}
	if reports[0] != reports[1] {
		t.Errorf("with None\n%s\nwant\n%s", reports[0], reports[1])
	}
}
