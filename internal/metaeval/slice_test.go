package metaeval_test

import (
	"context"
	"math"
	"testing"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// slice evaluates the slice of WMT23 in testdata/wmt23, whose README names its source.
func slice(t *testing.T) (metaeval.Data, metaeval.Report) {
	d := readMTME(t, "testdata/wmt23", "en-de")
	r := evaluate(t, d, metaeval.Task{Preset: metaeval.MENT, Seed: 4})
	if len(r.Systems) != 12 || r.Segments != 58 || len(r.Metrics) != 6 {
		t.Fatalf("%d systems, %d segments, %d metrics", len(r.Systems), r.Segments, len(r.Metrics))
	}
	return d, r
}

// sliceByMTME are the values of mt-metrics-eval for the slice.
type sliceByMTME struct {
	System map[string]expectedSys
	Speech map[string]struct {
		AccT     float64 `json:"acc_t_item"`
		Epsilon  float64
		Pearson  float64 `json:"pearson_none"`
		Spearman float64 `json:"spearman_none"`
	}
	Williams []struct {
		Metric1, Metric2 string
		P                float64 `json:"p_one_sided"`
	}
}

// TestSliceAgainstMTME compares with mt-metrics-eval. Statistics of systems are those of the whole test
// set, statistics of segments those of the domain.
func TestSliceAgainstMTME(t *testing.T) {
	d, r := slice(t)
	var want sliceByMTME
	readJSON(t, "testdata/wmt23/mtme.json", &want)
	system := map[string][]float64{}
	var gold []float64
	for _, s := range r.Systems {
		gold = append(gold, d.Humans[0].System[s])
	}
	for _, m := range r.Metrics {
		sys, seg := want.System[m.Name], want.Speech[m.Name]
		if sys.Pairs == 0 || m.System.Agree != sys.Agree || m.System.Pairs != sys.Pairs {
			t.Errorf("%s: %d of %d system pairs, want %d of %d", m.Name, m.System.Agree, m.System.Pairs, sys.Agree, sys.Pairs)
		}
		close9(t, m.Name+" system pearson", m.System.Pearson, sys.Pearson)
		close9(t, m.Name+" system spearman", m.System.Spearman, sys.Spearman)
		close9(t, m.Name+" system kendall", m.System.Kendall, sys.KendallB)
		close9(t, m.Name+" acc_t", m.Segment.AccT, seg.AccT)
		close9(t, m.Name+" pearson", m.Segment.Pearson, seg.Pearson)
		close9(t, m.Name+" spearman", m.Segment.Spearman, seg.Spearman)
		// Of several best thresholds mt-metrics-eval may report a larger one.
		if m.Segment.Epsilon > seg.Epsilon+1e-9 {
			t.Errorf("%s: ε = %v, want at most %v", m.Name, m.Segment.Epsilon, seg.Epsilon)
		}
		scores := scoresOf(t, d.Metrics, m.Name)
		for _, s := range r.Systems {
			system[m.Name] = append(system[m.Name], scores.System[s])
		}
	}
	if len(want.Williams) != 15 {
		t.Errorf("%d tests of Williams, want 15", len(want.Williams))
	}
	for _, w := range want.Williams {
		a, b := system[w.Metric1], system[w.Metric2]
		close9(t, "Williams "+w.Metric1+" "+w.Metric2, metaeval.Williams(stat.Pearson(gold, a), stat.Pearson(gold, b), stat.Pearson(a, b), len(gold)), w.P)
	}
}

// TestSliceAgainstScript compares with scripts/fidelity/reference.py, which computes every statistic from
// its definition.
func TestSliceAgainstScript(t *testing.T) {
	d, r := slice(t)
	type average struct {
		Value  float64
		Groups int
	}
	type calibrated struct {
		AccT    float64 `json:"acc_t"`
		Epsilon float64
	}
	type averages struct {
		Pearson, Spearman, Kendall average
		AccT                       calibrated `json:"acc_t"`
	}
	var want struct {
		Metrics map[string]struct {
			Pooled struct {
				Pearson, Spearman, Kendall float64
				AccT                       calibrated `json:"acc_t"`
			}
			ByItem   averages `json:"by_item"`
			BySystem averages `json:"by_system"`
			MAE, MSE float64
			Interval [2]float64 `json:"system_pearson_interval"`
		}
	}
	readJSON(t, "testdata/wmt23/script.json", &want)
	human := matrixOf(d.Humans[0], r.Systems)
	for _, m := range r.Metrics {
		w, ok := want.Metrics[m.Name]
		if !ok {
			t.Fatalf("script.json has no %s", m.Name)
		}
		close9(t, m.Name+" pearson", m.Segment.Pearson, w.Pooled.Pearson)
		close9(t, m.Name+" spearman", m.Segment.Spearman, w.Pooled.Spearman)
		close9(t, m.Name+" kendall", m.Segment.Kendall, w.Pooled.Kendall)
		close9(t, m.Name+" acc_t_pooled", m.Segment.AccTPooled, w.Pooled.AccT.AccT)
		close9(t, m.Name+" mae", m.Segment.MAE, w.MAE)
		close9(t, m.Name+" mse", m.Segment.MSE, w.MSE)
		metric := matrixOf(scoresOf(t, d.Metrics, m.Name), r.Systems)
		in := metaeval.PearsonInterval(human, metric, metaeval.ResamplingUnits(d.Documents), metaeval.Level)
		close9(t, m.Name+" lower bound of system pearson", in.Low, w.Interval[0])
		close9(t, m.Name+" upper bound of system pearson", in.High, w.Interval[1])
		for by, w := range map[metaeval.Grouping]averages{metaeval.ByItem: w.ByItem, metaeval.BySystem: w.BySystem} {
			for name, c := range map[string]struct {
				f    func(x, y []float64) float64
				want average
			}{"pearson": {stat.Pearson, w.Pearson}, "spearman": {stat.Spearman, w.Spearman}, "kendall": {stat.TauB, w.Kendall}} {
				v, groups := metaeval.Average(c.f, human, metric, by)
				if math.Abs(v-c.want.Value) > 1e-9 || groups != c.want.Groups {
					t.Errorf("%s %s by %s: %v over %d, want %+v", m.Name, name, by, v, groups, c.want)
				}
			}
		}
		for by, w := range map[metaeval.Grouping]calibrated{metaeval.Pooled: w.Pooled.AccT, metaeval.ByItem: w.ByItem.AccT, metaeval.BySystem: w.BySystem.AccT} {
			c, err := metaeval.Calibrate(context.Background(), human, metric, by)
			if err != nil || math.Abs(c.Acc-w.AccT) > 1e-9 || c.Epsilon != w.Epsilon {
				t.Errorf("%s acc_t by %s: %+v, %v, want %+v", m.Name, by, c, err, w)
			}
		}
	}
}
