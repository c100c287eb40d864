package database

import "time"

// An Instant is a stored time: microseconds since 1970-01-01 UTC, 0 for none. Both databases
// store, compare and aggregate it in the same way.
type Instant int64

// InstantOf converts a time; the zero time becomes 0.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro())
}

// Time converts an instant to a time in UTC; 0 becomes the zero time.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}
