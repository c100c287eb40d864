package metaeval

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"annotate/internal/stat"
	"annotate/internal/testenv"
)

// documented is the sample with documents of five segments.
func documented() Data {
	d := sample()
	for k := range d.Segments {
		d.Documents = append(d.Documents, fmt.Sprint("d", k/5))
	}
	return d
}

func sameInterval(t *testing.T, what string, got, want stat.Interval) {
	t.Helper()
	if !testenv.Near(got.Low, want.Low, 1e-12) || !testenv.Near(got.High, want.High, 1e-12) || got.Resamples != want.Resamples {
		t.Errorf("%s: the interval is %v, want %v", what, got, want)
	}
}

// A domain has the intervals that its segments would have as data of their own.
func TestIntervalsByDomain(t *testing.T) {
	d := documented()
	task := Task{Metrics: []string{"M0", "M2"}, Preset: MENT, ByDomain: true, Intervals: 25, Permutations: 40, Seed: 6}
	r, err := Evaluate(t.Context(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	for _, domain := range r.Domains {
		var segments []int
		for k, name := range d.Domains {
			if name == domain.Domain {
				segments = append(segments, k)
			}
		}
		own := chosen(d, segments)
		for _, k := range segments {
			own.Documents = append(own.Documents, d.Documents[k])
		}
		alone, err := Evaluate(t.Context(), own, task)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range domain.Metrics {
			want := alone.Metrics[i]
			if len(m.Intervals) != len(r.Tables()[0].Columns) || m.Name != want.Name {
				t.Fatalf("%s has %d intervals", m.Name, len(m.Intervals))
			}
			for k, in := range m.Intervals {
				sameInterval(t, fmt.Sprint(domain.Domain, " ", m.Name, " ", k), in, want.Intervals[k])
			}
		}
	}
}

// The intervals by length draw the documents with segments of the group, and those of MAE and MSE draw the errors of translations, rescaled by
// the range of all scores.
func TestIntervalsOfLengthsAndErrors(t *testing.T) {
	d := documented()
	for k := range d.Segments {
		d.Lengths = append(d.Lengths, []int{5, 20, 20, 40}[(k/2)%4])
	}
	task := Task{Metrics: []string{"M1"}, Intervals: 30, Permutations: 20, Seed: 6}
	r, err := Evaluate(t.Context(), d, task)
	if err != nil {
		t.Fatal(err)
	}
	human, metric := d.Humans[0].Segment, d.Metrics[1].Segment
	draw := func(segments []int, of func(h, m []float64) float64) stat.Interval {
		byDocument := map[string][]int{}
		var names []string
		for _, k := range segments {
			if byDocument[d.Documents[k]] == nil {
				names = append(names, d.Documents[k])
			}
			byDocument[d.Documents[k]] = append(byDocument[d.Documents[k]], k)
		}
		values, err := stat.Resample(t.Context(), len(names), task.Intervals, task.Seed, func(sample []int) float64 {
			var h, m []float64
			for _, system := range d.Systems {
				for _, unit := range sample {
					for _, k := range byDocument[names[unit]] {
						if v := human[system][k]; !math.IsNaN(v) {
							h, m = append(h, v), append(m, metric[system][k])
						}
					}
				}
			}
			return of(h, m)
		})
		if err != nil {
			t.Fatal(err)
		}
		return stat.PercentileInterval(values, stat.ExpandedLevel(Level, len(names)))
	}
	result := r.Metrics[0]
	for g, group := range LengthGroups {
		var segments []int
		for k, tokens := range d.Lengths {
			if LengthGroupOf(tokens) == g {
				segments = append(segments, k)
			}
		}
		sameInterval(t, group.Name+" τ", result.Lengths[g].KendallInterval, draw(segments, stat.TauB))
		sameInterval(t, group.Name+" ρ", result.Lengths[g].SpearmanInterval, draw(segments, stat.Spearman))
	}
	var all, own []float64
	for _, system := range d.Systems {
		for k, v := range human[system] {
			if !math.IsNaN(v) {
				all, own = append(all, v), append(own, metric[system][k])
			}
		}
	}
	rescale := func(v float64, by []float64) float64 { return (v - slices.Min(by)) / (slices.Max(by) - slices.Min(by)) }
	errors := func(power float64) func(h, m []float64) float64 {
		return func(h, m []float64) float64 {
			sum := 0.0
			for i := range h {
				sum += math.Pow(math.Abs(rescale(m[i], own)-rescale(h[i], all)), power)
			}
			return sum / float64(len(h))
		}
	}
	sameInterval(t, "MAE", result.MAEInterval, draw(indices(d.Segments), errors(1)))
	sameInterval(t, "MSE", result.MSEInterval, draw(indices(d.Segments), errors(2)))
	if in := result.MAEInterval; !(in.Low < result.Segment.MAE && result.Segment.MAE < in.High) {
		t.Errorf("MAE is %v, its interval %v", result.Segment.MAE, in)
	}
}

// The interval of the meta score over several reports is that of resamples of which each report has its own, or the same where the
// documents are the same.
func TestOverallInterval(t *testing.T) {
	const resamples = 40
	data := jointSample()
	for i := range data {
		for k := range data[i].Segments {
			data[i].Documents = append(data[i].Documents, fmt.Sprint("d", k/5))
		}
	}
	for _, tt := range []struct {
		name   string
		second func(k int) string // the document of a segment of the second report, in other data
		shift  int                // of the draws of the second report; negative: no interval
	}{
		{"the same documents", func(k int) string { return data[0].Documents[k] }, 0},
		{"other documents", func(k int) string { return "other " + data[0].Documents[k] }, 1},
		{"one in common", func(k int) string { return map[bool]string{true: "d0", false: fmt.Sprint("other", k/5)}[k < 5] }, -1},
		{"another order", func(k int) string { return fmt.Sprint("d", 4-k/5) }, -1},
	} {
		for _, preset := range Presets {
			task := Task{Metrics: []string{"M0", "M1"}, Preset: preset, Joint: true, Intervals: resamples, Permutations: 30, Seed: 3}
			data[1].Identities = nil
			for k := range data[1].Segments {
				data[1].Identities = append(data[1].Identities, tt.second(k))
			}
			var reports []Report
			var drawn [][]Report // by report and resample
			for _, d := range data {
				r, err := Evaluate(t.Context(), d, task)
				if err != nil {
					t.Fatal(err)
				}
				reports = append(reports, r)
				units := ResamplingUnits(d.Documents)
				own, err := stat.Resample(t.Context(), len(units), resamples, task.Seed, func(sample []int) Report {
					var segments []int
					for _, unit := range sample {
						segments = append(segments, units[unit]...)
					}
					plain := task
					plain.Intervals, plain.Joint = 0, false
					put := chosen(d, segments)
					put.Identities = nil
					r, err := Evaluate(t.Context(), put, plain)
					if err != nil {
						t.Error(err)
					}
					return r
				})
				if err != nil {
					t.Fatal(err)
				}
				drawn = append(drawn, own)
			}
			results, _ := Overall(reports)
			for _, o := range results {
				if tt.shift < 0 {
					if o.Interval.Resamples != 0 || !math.IsNaN(o.Interval.Low) {
						t.Errorf("%s, %s, %s: the interval is %v", tt.name, preset, o.Name, o.Interval)
					}
					continue
				}
				if preset == MENT { // its pooled accuracy keeps its threshold
					if !(o.Interval.Low < o.Meta && o.Meta < o.Interval.High) || o.Interval.Resamples != resamples {
						t.Errorf("%s, %s, %s: the interval is %v, of %v", tt.name, preset, o.Name, o.Interval, o.Meta)
					}
					continue
				}
				var values []float64
				for draw := range resamples {
					all, _ := Overall([]Report{drawn[0][draw], drawn[1][(draw+tt.shift)%resamples]})
					values = append(values, all[slices.IndexFunc(all, func(x OverallResult) bool { return x.Name == o.Name })].Meta)
				}
				sameInterval(t, fmt.Sprint(tt.name, " ", preset, " ", o.Name), o.Interval, stat.PercentileInterval(values, stat.ExpandedLevel(Level, 5)))
			}
		}
	}
	// A report without kept resamples gives none.
	task := Task{Metrics: []string{"M0"}, Intervals: 5, Permutations: 5, Joint: true}
	with, err := Evaluate(t.Context(), data[0], task)
	if err != nil {
		t.Fatal(err)
	}
	task.Joint = false
	without, err := Evaluate(t.Context(), data[1], task)
	if err != nil {
		t.Fatal(err)
	}
	if results, _ := Overall([]Report{with, without}); results[0].Interval.Resamples != 0 {
		t.Errorf("without kept resamples the interval is %v", results[0].Interval)
	}
}

// A group that has all segments is drawn as the others are.
func TestIntervalsOfOneLength(t *testing.T) {
	d := sample()
	for range d.Segments {
		d.Lengths = append(d.Lengths, 5)
	}
	r, err := Evaluate(t.Context(), d, Task{Metrics: []string{"M1"}, Intervals: 30, Permutations: 20, Seed: 6})
	if err != nil {
		t.Fatal(err)
	}
	if in := r.Metrics[0].Lengths[0].KendallInterval; !(in.Low < in.High) {
		t.Errorf("the interval is %v", in)
	}
}
