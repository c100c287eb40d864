package templates

import "time"

// A Clock is the moment a page is made for, and the time zone that its times
// are written in. The zero value writes dates and times in UTC.
type Clock struct {
	Now      time.Time      // zero: no "today" and "yesterday"
	Location *time.Location // nil: UTC
}

// In moves a time into the clock's zone; the zero time stays zero.
func (c Clock) In(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	if c.Location == nil {
		return t.UTC()
	}
	return t.In(c.Location)
}

// Text is a time as short as can be told apart: "today 14:05",
// "yesterday 09:30", "2026-11-12 14:05".
func (c Clock) Text(t time.Time) string {
	t = c.In(t)
	if !c.Now.IsZero() {
		now, day := c.In(c.Now), t.Format(time.DateOnly)
		switch day {
		case now.Format(time.DateOnly):
			return "today " + t.Format("15:04")
		case now.AddDate(0, 0, -1).Format(time.DateOnly):
			return "yesterday " + t.Format("15:04")
		}
	}
	return t.Format("2006-01-02 15:04")
}

// Zone names the zone that times are in.
func (c Clock) Zone() string {
	if c.Location == nil {
		return "UTC"
	}
	return c.Location.String()
}

// MomentOf is a moment on a clock, without its day where that is today.
func MomentOf(c Clock, t time.Time) string {
	if c.Location != nil {
		t = t.In(c.Location)
	}
	if n := c.Now.In(t.Location()); n.Year() == t.Year() && n.YearDay() == t.YearDay() {
		return t.Format("15:04")
	}
	return t.Format("2 January 2006, 15:04")
}
