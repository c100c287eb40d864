package templates

import (
	"math"
	"strings"
	"time"

	"annotate/internal/wording"
)

// A DayChart draws a value by day, as bars from 0 or as a line around 0.
type DayChart struct {
	ID     string // unique on the page
	Label  string // what is drawn, e.g. "Ratings a day"
	Bars   bool   // amounts from 0; else a line of values that may be negative
	Digits int    // behind the point
	Days   []DayValue
	// Band is the distance from 0 within which a line's values pass for close; 0: none.
	Band float64
}

// A DayValue is the value of one day.
type DayValue struct {
	Day   string  // 2026-11-20
	Value float64 // NaN: undefined, a gap in the line
	N     int     // what it was formed from
}

// daysDrawn is how many days a chart has room for; the table has all.
const daysDrawn = 90

// The size of a chart in the units of its drawing.
const (
	chartWidth  = 600.0
	chartHeight = 120.0
	widestBar   = 36.0 // a few days do not make bars as wide as walls
)

// drawn are the days of the drawing, the days between those with a value
// included: on these the value is undefined, or 0 where bars are drawn.
func (c DayChart) drawn() []DayValue {
	if len(c.Days) == 0 {
		return nil
	}
	last, err := time.Parse(time.DateOnly, c.Days[len(c.Days)-1].Day)
	if err != nil {
		return c.Days
	}
	known := make(map[string]DayValue, len(c.Days))
	for _, d := range c.Days {
		known[d.Day] = d
	}
	var out []DayValue
	for day := last; len(out) < daysDrawn; day = day.AddDate(0, 0, -1) {
		name := day.Format(time.DateOnly)
		if name < c.Days[0].Day {
			break
		}
		d, ok := known[name]
		if !ok {
			d = DayValue{Day: name, Value: math.NaN()}
			if c.Bars {
				d.Value = 0
			}
		}
		out = append([]DayValue{d}, out...)
	}
	return out
}

// top is the value at the upper edge; the lower one is 0 for bars, else −top.
func (c DayChart) top() float64 {
	top := 0.0
	for _, d := range c.drawn() {
		if !math.IsNaN(d.Value) {
			top = max(top, math.Abs(d.Value))
		}
	}
	if !c.Bars {
		top = max(top, 1.2*c.Band)
	}
	return niceCeil(top)
}

func (c DayChart) y(value float64) float64 {
	if c.Bars {
		return chartHeight * (1 - value/c.top())
	}
	return chartHeight * (1 - value/c.top()) / 2
}

func (c DayChart) columns() []chartBar {
	days := c.drawn()
	slot := chartWidth / float64(max(len(days), 1))
	wide := min(.8*slot, widestBar)
	var out []chartBar
	for i, d := range days {
		if math.IsNaN(d.Value) || d.Value <= 0 {
			continue
		}
		y := min(c.y(d.Value), chartHeight-1)
		out = append(out, chartBar{
			X: coordinate(slot*(float64(i)+.5) - wide/2), Y: coordinate(y), Width: coordinate(wide), Height: coordinate(chartHeight - y),
			Words: d.Day + ": " + wording.Decimal(d.Value, c.Digits),
		})
	}
	return out
}

// x is the middle of a day; a line spans the whole width.
func (c DayChart) x(i, days int) float64 {
	if days == 1 {
		return chartWidth / 2
	}
	return 6 + (chartWidth-12)*float64(i)/float64(days-1)
}

// line is the path through the days that have a value, in parts where a day
// between has none but for days without any work, which it passes over.
func (c DayChart) line() string {
	var b strings.Builder
	days := c.drawn()
	for i, d := range days {
		if math.IsNaN(d.Value) {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("M")
		} else {
			b.WriteString(" L")
		}
		b.WriteString(coordinate(c.x(i, len(days))) + " " + coordinate(c.y(d.Value)))
	}
	return b.String()
}

// A dot is a point of a line: a stroke without length, which stays round
// however the drawing is stretched.
type dot struct {
	D, Words string
	Far      bool // outside the band
}

func (c DayChart) dots() []dot {
	var out []dot
	days := c.drawn()
	for i, d := range days {
		if math.IsNaN(d.Value) {
			continue
		}
		out = append(out, dot{
			"M" + coordinate(c.x(i, len(days))) + " " + coordinate(c.y(d.Value)) + "h0",
			d.Day + ": " + wording.Signed(d.Value, c.Digits), c.Band > 0 && math.Abs(d.Value) > c.Band,
		})
	}
	return out
}

// words tells the chart to those who can't see it.
func (c DayChart) words() string {
	days := c.drawn()
	if len(days) == 0 {
		return c.Label + ": none"
	}
	low, high := math.NaN(), math.NaN()
	for _, d := range days {
		if !math.IsNaN(d.Value) {
			if math.IsNaN(low) || d.Value < low {
				low = d.Value
			}
			if math.IsNaN(high) || d.Value > high {
				high = d.Value
			}
		}
	}
	s := c.Label + " from " + days[0].Day + " to " + days[len(days)-1].Day
	if math.IsNaN(low) {
		return s + ": undefined"
	}
	return s + ": between " + c.value(low) + " and " + c.value(high)
}

func (c DayChart) value(x float64) string {
	if c.Bars {
		return wording.Decimal(x, c.Digits)
	}
	return wording.Signed(x, c.Digits)
}

// edges are the values at the upper and the lower edge.
func (c DayChart) edges() (upper, lower string) {
	digits := c.Digits
	if c.top() >= 10 {
		digits = 0
	}
	if c.Bars {
		return wording.Decimal(c.top(), digits), "0"
	}
	return wording.Signed(c.top(), digits), wording.Signed(-c.top(), digits)
}
