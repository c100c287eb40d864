package annotating

import (
	"strings"
	"testing"
	"time"

	"annotate/internal/readmodel"
	"annotate/web/templates"
)

func TestMyNumbers(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v := MyNumbersView{
		Page: templates.Page{Clock: templates.Clock{Now: noon}}, Done: 30, Words: 1234, Left: 10,
		Days: []readmodel.AnnotatorDay{
			{Ratings: 9}, // imported
			{Day: "2026-11-13", Segments: 5, Ratings: 50, Seconds: 36000},
			{Day: "2026-11-14", Segments: 6, Ratings: 60, Seconds: 5400},
			{Day: "2026-11-20", Segments: 4, Ratings: 40, Seconds: 1800},
		},
	}
	var got []string
	for _, tile := range v.tiles() {
		got = append(got, tile.Label+": "+tile.Value+", "+tile.Note)
	}
	want := []string{
		"Today: 0.5 h, 40 ratings", "Last 7 days: 2.0 h, 100 ratings", "Pace: 50, ratings an hour of active time, over the last 7 days",
		"Words judged: 1,234, of the sources of 30 segments", "Segments left: 10, about 2.0 h at this pace",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("tiles\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := v.active(); len(c.Values) != 3 || c.Values[0].Value != 10 {
		t.Errorf("chart %+v", c)
	}
	v.Days = v.Days[:2]
	if tile := v.tiles()[2]; tile.Value != "–" {
		t.Errorf("the pace of a week without work is %s", tile.Value)
	}
}
