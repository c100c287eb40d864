package database

import "time"

// An Instant is a moment as it is stored: microseconds since 1970 UTC, 0 for
// never. Both databases keep, compare and aggregate it alike.
type Instant int64

// InstantOf is a time as an instant; 0 for the zero time.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro())
}

// Time is the instant in UTC; the zero time for 0.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}
