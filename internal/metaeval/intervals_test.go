package metaeval

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// chosen returns data that have only the given segments, of which some come several times.
func chosen(d Data, segments []int) Data {
	of := func(all []Scores) (out []Scores) {
		for _, s := range all {
			rows := map[string][]float64{}
			for system, row := range s.Segment {
				for _, k := range segments {
					rows[system] = append(rows[system], row[k])
				}
			}
			if s.Segment != nil {
				s.Segment = rows
			}
			out = append(out, s)
		}
		return out
	}
	d.Humans, d.Metrics, d.Domains, d.Documents, d.Segments = of(d.Humans), of(d.Metrics), nil, nil, len(segments)
	return d
}

// The intervals are those of evaluations of data that are put together of drawn documents.
func TestIntervals(t *testing.T) {
	const resamples = 12
	for _, preset := range Presets {
		d := sample()
		d.Documents = nil
		d.Metrics[1].System = d.Metrics[3].System // other scores than the means of its segments
		for k := range d.Segments {
			d.Documents = append(d.Documents, fmt.Sprint("d", k/5))
		}
		task := Task{Metrics: []string{"M0", "M1", "Sys"}, Preset: preset, Intervals: resamples, Permutations: 80, Seed: 6}
		r, err := Evaluate(t.Context(), d, task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Resamples != resamples {
			t.Errorf("the report has %d resamples", r.Resamples)
		}
		units := ResamplingUnits(d.Documents)
		drawn, err := stat.Resample(t.Context(), len(units), resamples, task.Seed, func(sample []int) Report {
			var segments []int
			for _, unit := range sample {
				segments = append(segments, units[unit]...)
			}
			plain := task
			plain.Intervals = 0
			r, err := Evaluate(t.Context(), chosen(d, segments), plain)
			if err != nil {
				t.Error(err)
			}
			return r
		})
		if err != nil {
			t.Fatal(err)
		}
		columns := r.Tables()[0].Columns
		for _, m := range r.Metrics {
			for c, column := range columns {
				var values []float64
				for _, report := range drawn {
					i := slices.IndexFunc(report.Metrics, func(x Result) bool { return x.Name == m.Name })
					values = append(values, report.Metrics[i].values(preset)[c])
				}
				want := stat.PercentileInterval(values, stat.ExpandedLevel(Level, len(units)))
				switch {
				case m.Name == "Sys-refA", m.Name == "M1-src" && (column.Level == "system" && column.Name != "spa" || column.Name == "meta" && preset != WMT24):
					want = stat.PercentileInterval(nil, Level)
				case column.Name == "pearson" && column.Level == "system" && want.Resamples > 0:
					if got := m.Intervals[c]; got.Resamples != len(units) || !(got.Low <= m.System.Pearson && m.System.Pearson <= got.High) {
						t.Errorf("%s %s: the interval of r of systems is %v, of %v", preset, m.Name, got, m.System.Pearson)
					}
					continue
				case preset == MENT && (column.Name == "acc_t_pooled" || column.Name == "meta"): // keeps its threshold
					if got := m.Intervals[c]; !(got.Low < got.High) {
						t.Errorf("%s %s %s: the interval is %v", preset, m.Name, column.Key(), got)
					}
					continue
				}
				if got := m.Intervals[c]; !testenv.Near(got.Low, want.Low, 1e-12) || !testenv.Near(got.High, want.High, 1e-12) || got.Resamples != want.Resamples {
					t.Errorf("%s %s %s: the interval is %v, want %v", preset, m.Name, column.Key(), got, want)
				}
			}
		}
	}
}

// The pooled accuracy of a resample keeps the threshold of the whole.
func TestPooledInterval(t *testing.T) {
	d := sample()
	task := Task{Metrics: []string{"M1"}, Preset: MENT, Intervals: 9, Permutations: 20, Seed: 2}
	r, err := Evaluate(t.Context(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	sub, _, _, err := chooseSubset(d, task)
	if err != nil {
		t.Fatal(err)
	}
	values, err := stat.Resample(t.Context(), d.Segments, task.Intervals, task.Seed, func(sample []int) float64 {
		var human, metric []float64
		for s := range sub.systems {
			for _, k := range sample {
				human, metric = append(human, sub.human.segment[s][k]), append(metric, sub.metrics[0].segment[s][k])
			}
		}
		return stat.CountWithin(human, metric, r.Metrics[0].pooledEpsilon).Acc23()
	})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Tables()[0].Columns, func(c Column) bool { return c.Name == "acc_t_pooled" })
	want := stat.PercentileInterval(values, stat.ExpandedLevel(Level, d.Segments))
	if got := r.Metrics[0].Intervals[at]; !testenv.Near(got.Low, want.Low, 1e-12) || !testenv.Near(got.High, want.High, 1e-12) {
		t.Errorf("the interval is %v, want %v", got, want)
	}
}

// Without a second segment there is nothing to draw.
func TestIntervalsOfOneSegment(t *testing.T) {
	r, err := Evaluate(t.Context(), chosen(sample(), []int{1}), Task{Metrics: []string{"M0"}, Intervals: 5, Permutations: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Metrics[0].Intervals {
		if !math.IsNaN(v.Low) || v.Resamples != 0 {
			t.Errorf("the interval is %v", v)
		}
	}
	if r.Metrics[0].Intervals == nil {
		t.Error("there are no intervals")
	}
}

func TestResamplingUnits(t *testing.T) {
	for _, tt := range []struct {
		documents []string
		want      [][]int
	}{
		{nil, nil},
		{[]string{"a", "b", "a"}, [][]int{{0, 2}, {1}}},
		{[]string{"a", "a"}, [][]int{{0}, {1}}},
	} {
		if got := ResamplingUnits(tt.documents); !slices.EqualFunc(got, tt.want, slices.Equal[[]int]) {
			t.Errorf("%v: got %v, want %v", tt.documents, got, tt.want)
		}
	}
}

// A metric whose score of a system is the mean of more segments than the data have has the intervals that it has
// without that score, and none if the score is another one.
func TestIntervalsOfWiderMeans(t *testing.T) {
	d := sample()
	task := Task{Metrics: []string{"M1"}, Intervals: 20, Permutations: 20, Seed: 6}
	intervals := func(system map[string]float64, wider map[string]bool) []stat.Interval {
		for i := range d.Metrics {
			d.Metrics[i].System, d.Metrics[i].Wider = system, wider
		}
		r, err := Evaluate(t.Context(), d, task)
		if err != nil {
			t.Fatal(err)
		}
		return r.Metrics[0].Intervals
	}
	want, system, wider := intervals(nil, nil), map[string]float64{}, map[string]bool{}
	for i, name := range d.Systems {
		system[name], wider[name] = float64(i), true
	}
	if got := intervals(system, wider); !slices.Equal(got, want) {
		t.Errorf("the intervals are %v, want %v", got, want)
	}
	if got := intervals(system, nil)[systemPearsonColumn]; got.Resamples != 0 {
		t.Errorf("the interval of r of systems is %v, although the scores are no means", got)
	}
}
