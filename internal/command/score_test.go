package command

import (
	"io"
	"testing"

	"annotate/internal/metric"
)

// The progress counts every segment, whichever core scores it, until it is stopped.
func TestWatchScoring(t *testing.T) {
	const n = 200
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "a cat sat on the mat"
	}
	chrF, ok := metric.Lookup("chrF-ref", "en")
	if !ok {
		t.Fatal("there is no chrF")
	}
	watched, stop := watchScoring(ProgressOn(io.Discard), chrF, n)
	_, err := metric.Score(t.Context(), watched, metric.SegmentLevel, texts, texts)
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := watched.(countedMetric).done.Load(); got != n {
		t.Errorf("%d of %d segments were counted", got, n)
	}
}
