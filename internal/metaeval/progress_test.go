package metaeval

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
)

// Long work reports progress while it runs, and all steps at the end.
func TestProgress(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	d := Data{Segments: 400, Humans: []Scores{{Name: "sqm", Segment: map[string][]float64{}}}}
	for range 2 {
		d.Metrics = append(d.Metrics, Scores{Name: "M" + strconv.Itoa(len(d.Metrics)), Segment: map[string][]float64{}})
	}
	for s := range 4 {
		name := "S" + strconv.Itoa(s)
		d.Systems = append(d.Systems, name)
		for range d.Segments {
			h := float64(random.IntN(5))
			d.Humans[0].Segment[name] = append(d.Humans[0].Segment[name], h)
			for _, m := range d.Metrics {
				m.Segment[name] = append(m.Segment[name], h+3*random.NormFloat64())
			}
		}
	}
	for _, tt := range []struct {
		name  string
		task  Task
		least int // times that progress is reported
	}{
		// For each of two metrics once with its segments and once with its systems, and once for soft accuracy.
		{"wmt23", Task{Preset: WMT23}, 5},
		// For each metric half of the steps of pooled accuracy in the first pass over
		// 25 pieces of 64 translations.
		{"pooled accuracy", Task{Preset: MENT}, 50},
		// The verdicts of pooled accuracy, again in 25 pieces, and 4 batches of draws
		// for each of the other five parts.
		{"tests", Task{Preset: MENT, Significance: true}, 50 + 25 + 20},
	} {
		var mu sync.Mutex
		times, most, total := 0, 0, 0
		tt.task.Permutations = 1000
		tt.task.Progress = func(done, all int) {
			mu.Lock()
			defer mu.Unlock()
			times, most, total = times+1, max(most, done), all
		}
		if _, err := Evaluate(t.Context(), d, tt.task); err != nil {
			t.Fatal(err)
		}
		if times < tt.least || most != total {
			t.Errorf("%s: reported %d times, want %d, and %d of %d in the end", tt.name, times, tt.least, most, total)
		}
	}
}
