package chart

import (
	"math"
	"slices"
	"strings"
	"time"

	"annotate/internal/wording"
)

// Days are the values of successive days, drawn as bars from 0 or as a line around 0.
type Days struct {
	ID     string // unique on the page
	Label  string // what is drawn, e.g. "Ratings a day"
	Bars   bool   // amounts from 0; otherwise a line of values that may be negative
	Digits int    // after the decimal point
	Values []Day  // in order, at most one for each day
	// Band is the distance from 0 within which the values of a line count as close. 0:
	// no band.
	Band float64
}

// A Day is the value of one day.
type Day struct {
	Day   string  // 2026-11-20
	Value float64 // NaN: undefined, a gap in the line
	N     int     // items that Value is computed from
}

// daysDrawn is the greatest number of days that are drawn. The table has all.
const daysDrawn = 90

// The size of a chart in the units of its drawing.
const (
	daysWidth  = 600.0
	daysHeight = 120.0
	widestBar  = 36.0 // the widest bar
)

// Drawn returns the days of the drawing without gaps. On a day that [Days.Values] lacks
// the value is NaN, or 0 where bars are drawn.
func (c Days) Drawn() (out []Day) {
	if len(c.Values) == 0 {
		return nil
	}
	last, err := time.Parse(time.DateOnly, c.Values[len(c.Values)-1].Day)
	if err != nil {
		return c.Values
	}
	next := len(c.Values) - 1 // the last of Values that is not in out
	for day := last; len(out) < daysDrawn && next >= 0; day = day.AddDate(0, 0, -1) {
		switch name := day.Format(time.DateOnly); {
		case name == c.Values[next].Day:
			out = append(out, c.Values[next])
			next--
		case c.Bars:
			out = append(out, Day{Day: name})
		default:
			out = append(out, Day{Day: name, Value: math.NaN()})
		}
	}
	slices.Reverse(out)
	return out
}

// top is the value at the upper edge. The lower edge is 0 for bars, otherwise −top.
func (c Days) top() float64 {
	top := 0.0
	for _, d := range c.Drawn() {
		if !math.IsNaN(d.Value) {
			top = max(top, math.Abs(d.Value))
		}
	}
	if !c.Bars {
		top = max(top, 1.2*c.Band)
	}
	return nice(top, 1, 2, 2.5, 5)
}

// Y returns how far a value is below the upper edge.
func (c Days) Y(value float64) float64 { return c.below(value, c.top()) }

func (c Days) below(value, top float64) float64 {
	if c.Bars {
		return daysHeight * (1 - value/top)
	}
	return daysHeight * (1 - value/top) / 2
}

// Columns returns the bars of the days with a value above 0.
func (c Days) Columns() []Bar {
	days, top := c.Drawn(), c.top()
	slot := daysWidth / float64(max(len(days), 1))
	wide := min(.8*slot, widestBar)
	var out []Bar
	for i, d := range days {
		if math.IsNaN(d.Value) || d.Value <= 0 {
			continue
		}
		y := min(c.below(d.Value, top), daysHeight-1)
		out = append(out, Bar{
			X: Coordinate(slot*(float64(i)+.5) - wide/2), Y: Coordinate(y), Width: Coordinate(wide), Height: Coordinate(daysHeight - y),
			Words: d.Day + ": " + wording.Decimal(d.Value, c.Digits),
		})
	}
	return out
}

// x is the middle of a day. A line spans the whole width.
func (c Days) x(i, days int) float64 {
	if days == 1 {
		return daysWidth / 2
	}
	return 6 + (daysWidth-12)*float64(i)/float64(days-1)
}

// Line returns the path through the days that have a value.
func (c Days) Line() string {
	var b strings.Builder
	days, top := c.Drawn(), c.top()
	for i, d := range days {
		if math.IsNaN(d.Value) {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("M")
		} else {
			b.WriteString(" L")
		}
		b.WriteString(Coordinate(c.x(i, len(days))) + " " + Coordinate(c.below(d.Value, top)))
	}
	return b.String()
}

// A Dot is a point of a line. It is a stroke without length, which stays round when the
// drawing is stretched.
type Dot struct {
	D     string // the path
	Words string // of its tooltip
	Far   bool   // outside the band
}

// Dots returns the days with a value.
func (c Days) Dots() []Dot {
	var out []Dot
	days, top := c.Drawn(), c.top()
	for i, d := range days {
		if math.IsNaN(d.Value) {
			continue
		}
		out = append(out, Dot{
			"M" + Coordinate(c.x(i, len(days))) + " " + Coordinate(c.below(d.Value, top)) + "h0",
			d.Day + ": " + wording.Signed(d.Value, c.Digits), c.Band > 0 && math.Abs(d.Value) > c.Band,
		})
	}
	return out
}

// Words describes the chart for people who cannot see it.
func (c Days) Words() string {
	days := c.Drawn()
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
	return s + ": between " + c.Value(low) + " and " + c.Value(high)
}

// Value writes a value as the chart shows it.
func (c Days) Value(x float64) string {
	if c.Bars {
		return wording.Decimal(x, c.Digits)
	}
	return wording.Signed(x, c.Digits)
}

// Edges returns the values at the upper and the lower edge.
func (c Days) Edges() (upper, lower string) {
	digits := c.Digits
	if c.top() >= 10 {
		digits = 0
	}
	if c.Bars {
		return wording.Decimal(c.top(), digits), "0"
	}
	return wording.Signed(c.top(), digits), wording.Signed(-c.top(), digits)
}
