package metaeval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"annotate/internal/stat"
)

// Statistics that share what depends on the human scores are those of the functions that compute each of them alone, also
// where scores are missing.
func TestSegmentLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const systems, segments = 7, 150
	sub := subset{lengths: make([][]int, len(LengthGroups)), human: scorer{segment: make([][]float64, systems)}}
	for seg := range segments {
		k := random.IntN(len(LengthGroups))
		sub.lengths[k] = append(sub.lengths[k], seg)
	}
	truth := make([][]float64, systems)
	for s := range truth {
		for range segments {
			truth[s] = append(truth[s], 4*random.NormFloat64())
		}
	}
	gaps := func(width, share float64) [][]float64 {
		out := make([][]float64, systems)
		for s, row := range truth {
			for _, v := range row {
				if v = math.Trunc((v + random.NormFloat64()) / width); random.Float64() < share {
					v = missing
				}
				out[s] = append(out[s], v)
			}
		}
		return out
	}
	sub.human.segment = gaps(5, 0.4)
	for s := range sub.human.segment {
		sub.human.segment[s][3] = missing // a segment without a score
		if s > 0 {
			sub.human.segment[s][4] = missing // and one with a single score
		}
	}
	sub.rated = newRated(sub.human.segment, sub.lengths)
	for name, metric := range map[string][][]float64{"complete": gaps(0.5, 0), "gaps": gaps(0.5, 0.2), "nothing": gaps(1, 1)} {
		r := UndefinedResult(name)
		if err := sub.segmentLevel(t.Context(), scorer{segment: metric}, &r, Pooled); err != nil {
			t.Fatal(err)
		}
		h, m := pool(sub.human.segment, metric)
		best, err := Calibrate(t.Context(), sub.human.segment, metric, ByItem)
		if err != nil {
			t.Fatal(err)
		}
		mae, mse := RescaledErrors(h, m)
		got := []float64{r.Segment.Pearson, r.Segment.Spearman, r.Segment.Kendall, r.Segment.MAE, r.Segment.MSE, r.Segment.AccT, r.Segment.Epsilon}
		want := []float64{stat.Pearson(h, m), stat.Spearman(h, m), stat.TauB(h, m), mae, mse, best.Acc, best.Epsilon}
		for k, segments := range sub.lengths {
			h, m := pool(columns(sub.human.segment, segments), columns(metric, segments))
			got = append(got, r.Lengths[k].Spearman, r.Lengths[k].Kendall)
			want = append(want, stat.Spearman(h, m), stat.TauB(h, m))
		}
		for i, v := range got {
			got[i], want[i] = orZero(v), orZero(want[i])
		}
		if name != "nothing" && slices.Contains(want, 0) {
			t.Errorf("%s: a statistic is undefined: %v", name, want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %v\nwant %v", name, got, want)
		}
	}
}

// Human scores of systems alone, and no system at all, have no statistics of segments, by length or else.
func TestWithoutSegments(t *testing.T) {
	d := sample()
	for range d.Segments {
		d.Lengths = append(d.Lengths, 5)
	}
	d.Humans = append(d.Humans, Scores{Name: "systems", System: map[string]float64{}})
	for s, name := range d.Systems {
		d.Humans[1].System[name] = float64(s)
	}
	for _, task := range []Task{{Human: "systems"}, {Human: d.Humans[0].Name, Exclude: d.Systems}} {
		r, err := Evaluate(t.Context(), d, task)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Metrics {
			if len(m.Lengths) != len(LengthGroups) || stat.Defined(m.Lengths[0].Kendall) || stat.Defined(m.Segment.AccT) {
				t.Errorf("%s by %q: %+v, %+v", m.Name, task.Human, m.Segment, m.Lengths)
			}
		}
	}
}
