package judge

import (
	"encoding/json"
	"testing"
)

// TestCalibration checks every row of the comparison's outcomes. A tie keeps the tentative score, which
// differs from the published code that made the rows.
func TestCalibration(t *testing.T) {
	var file struct {
		Calibration   [][]json.RawMessage `json:"calibration"`
		NearestAnchor [][]json.RawMessage `json:"nearest_anchor"`
	}
	readTestdata(t, "rate-calibration.json", &file)
	if len(file.Calibration) != 378 || len(file.NearestAnchor) != 49 {
		t.Errorf("%d and %d rows, want 378 and 49", len(file.Calibration), len(file.NearestAnchor))
	}
	row := func(cells []json.RawMessage, into ...any) {
		t.Helper()
		for i, c := range cells {
			if err := json.Unmarshal(c, into[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, cells := range file.Calibration {
		var asA, asB string
		var tentative, anchor float64
		var want suggestion
		row(cells, &asA, &asB, &tentative, &anchor, &want.outcome, &want.suggestion, &want.score)
		if want.outcome == "tie" {
			want.suggestion, want.score = "confirm", tentative
		}
		if got := calibrate(asA, asB, tentative, anchor); got != want {
			t.Errorf("calibrate(%s, %s, %g, %g) = %+v, want %+v", asA, asB, tentative, anchor, got, want)
		}
	}
	for _, cells := range file.NearestAnchor {
		var scores []float64
		var tentative float64
		var want *float64
		row(cells, &scores, &tentative, &want)
		anchors := map[float64]string{}
		for _, s := range scores {
			anchors[s] = "x"
		}
		got, ok := nearestAnchor(anchors, tentative)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("nearestAnchor(%v, %g) = %g, %v, want %v", scores, tentative, got, ok, show(want))
		}
	}
}
