package annotating

import (
	"math"
	"time"

	"annotate/internal/chart"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A MyNumbersView has an annotator's own figures of a campaign.
type MyNumbersView struct {
	templates.Page
	Days  []readmodel.AnnotatorDay // oldest first; the one without a date is imported work
	Done  int                      // segments submitted in round 1
	Words int                      // of their sources
	Left  int                      // segments in work, sent back or free for this annotator
}

// weekDays is how many days a pace is formed of.
const weekDays = 7

// since sums the days of the last n, today included.
func (v MyNumbersView) since(n int) (sum readmodel.AnnotatorDay) {
	first := v.Clock.In(v.Clock.Now).AddDate(0, 0, 1-n).Format(time.DateOnly)
	for _, d := range v.Days {
		if d.Day >= first {
			sum.Ratings, sum.Segments, sum.Seconds = sum.Ratings+d.Ratings, sum.Segments+d.Segments, sum.Seconds+d.Seconds
		}
	}
	return sum
}

func (v MyNumbersView) tiles() []templates.Tile {
	today, week := v.since(1), v.since(weekDays)
	perHour, left := "–", "–"
	if week.Seconds > 0 {
		perHour = wording.Count(int(math.Round(float64(week.Ratings) / week.Seconds * 3600)))
		if week.Segments > 0 {
			left = "about " + templates.Hours(week.Seconds/float64(week.Segments)*float64(v.Left)) + " at this pace"
		}
	}
	words := templates.Tile{Label: "Words judged",
		Value: wording.Count(v.Words), Note: "of the sources of " + wording.Counted(v.Done, "segment")}
	open := templates.Tile{Label: "Segments left", Value: wording.Count(v.Left), Note: left}
	if left == "–" || v.Left == 0 {
		open.Note = ""
	}
	return []templates.Tile{
		{Label: "Today", Value: templates.Hours(today.Seconds), Note: wording.Counted(today.Ratings, "rating")},
		{Label: "Last 7 days", Value: templates.Hours(week.Seconds), Note: wording.Counted(week.Ratings, "rating")},
		{Label: "Pace", Value: perHour, Note: "ratings an hour of active time, over the last 7 days"},
		words, open,
	}
}

// active is the active time of each day.
func (v MyNumbersView) active() chart.Days {
	c := chart.Days{ID: "hours", Label: "Hours of active time", Bars: true, Digits: 1}
	for _, d := range v.Days {
		if d.Day != "" {
			c.Values = append(c.Values, chart.Day{Day: d.Day, Value: d.Seconds / 3600, N: d.Ratings})
		}
	}
	return c
}
