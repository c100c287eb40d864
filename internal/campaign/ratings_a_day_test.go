package campaign

import (
	"math"
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	week := time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC) // six and a half days ago
	for _, tt := range []struct {
		first   time.Time
		ratings int
		want    float64
	}{
		{time.Time{}, 0, math.NaN()},
		{now.Add(-time.Minute), 50, math.NaN()},
		{now.Add(-23 * time.Hour), 50, math.NaN()},
		{now.Add(-24 * time.Hour), 50, 50},
		{now.Add(-48 * time.Hour), 50, 25},
		{now.AddDate(0, -1, 0), 65, 10},
		{now.AddDate(0, -1, 0), 0, math.NaN()},
	} {
		if got := RatingsPerDay(tt.ratings, tt.first, week, now); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%d ratings since %v: %v a day, want %v", tt.ratings, tt.first, got, tt.want)
		}
	}
}
