package campaign

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/protocol"
)

func TestSettingsRoundTrip(t *testing.T) {
	s := sqmSettings(t, "redundancy=3", "quota=0", "gate=report", "threshold=0.65", "critical=yes", "timezone=Asia/Shanghai", "licence=CC BY 4.0")
	again := sqmSettings(t)
	for _, k := range SettingList {
		var err error
		if again, err = again.With(k.Key, k.Get(s)); err != nil {
			t.Errorf("%s: %v", k.Key, err)
		}
	}
	if again != s {
		t.Errorf("got %+v, want %+v", again, s)
	}
}

func TestSettingsRefused(t *testing.T) {
	for _, pair := range []string{
		"nosuch=1", "redundancy=0", "redundancy=101", "redundancy=two", "quota=-1", "gate=maybe", "threshold=1.5", "threshold=NaN",
		"rounds=0", "reannotate=never", "timezone=Mars/Olympus", "timezone=", "critical=perhaps", "redundancy",
	} {
		_, err := sqmSettings(t).WithPairs([]string{pair})
		if _, ok := errors.AsType[*InvalidError](err); !ok {
			t.Errorf("%s: got %v, want an InvalidError", pair, err)
		}
	}
}

func TestCardName(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 701: "ZZ", 702: "AAA"} {
		if got := CardName(i); got != want {
			t.Errorf("CardName(%d) = %s, want %s", i, got, want)
		}
	}
}

// A day begins with the first moment of its date, which need not be midnight.
func TestStartOfDay(t *testing.T) {
	for _, tt := range []struct{ zone, at, want string }{
		{"UTC", "2026-11-20T09:00:00Z", "2026-11-20T00:00:00Z"},
		{"UTC", "2026-11-20T00:00:00Z", "2026-11-20T00:00:00Z"},
		{"Asia/Tokyo", "2026-11-20T15:00:00Z", "2026-11-20T15:00:00Z"},
		{"Asia/Tokyo", "2026-11-20T14:59:59Z", "2026-11-19T15:00:00Z"},
		{"Asia/Kathmandu", "2026-11-20T09:00:00Z", "2026-11-19T18:15:00Z"},
		// Clocks change at 2:00 and 3:00: days of 23 and 25 hours.
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z"},
		{"Europe/Berlin", "2026-03-30T12:00:00Z", "2026-03-29T22:00:00Z"},
		{"Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z"},
		// In Chile they go from 0:00 to 1:00: the day begins at 1:00, 4:00 UTC.
		{"America/Santiago", "2024-09-08T12:00:00Z", "2024-09-08T04:00:00Z"},
		{"America/Santiago", "2024-09-08T04:00:00Z", "2024-09-08T04:00:00Z"},
		{"America/Santiago", "2024-09-08T03:59:59Z", "2024-09-07T04:00:00Z"},
		{"Africa/Cairo", "2024-04-26T12:00:00Z", "2024-04-25T22:00:00Z"},
		// In Havana they go from 1:00 back to 0:00: the first midnight counts.
		{"America/Havana", "2024-11-03T12:00:00Z", "2024-11-03T04:00:00Z"},
		{"America/Havana", "2024-11-03T04:30:00Z", "2024-11-03T04:00:00Z"},
		{"America/Havana", "2024-11-03T05:30:00Z", "2024-11-03T04:00:00Z"},
	} {
		s := sqmSettings(t, "timezone="+tt.zone)
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		got := s.StartOfDay(at)
		if got.UTC().Format(time.RFC3339) != tt.want {
			t.Errorf("%s: the day of %s began at %s, want %s", tt.zone, tt.at, got.UTC().Format(time.RFC3339), tt.want)
		}
		if day := got.Format(time.DateOnly); day != at.In(s.Location()).Format(time.DateOnly) {
			t.Errorf("%s: the day of %s begins on %s", tt.zone, tt.at, day)
		}
	}
}

// TestProtocolSettings: what a protocol's file may name are settings, with these
// values.
func TestProtocolSettings(t *testing.T) {
	for key, values := range protocol.Settings {
		i := slices.IndexFunc(SettingList, func(s Setting) bool { return s.Key == key })
		if i < 0 || !slices.Equal(SettingList[i].OneOf, values) {
			t.Errorf("protocols name the setting %s with the values %v", key, values)
		}
	}
}

// TestCheckSlug checks that a slug can't be the address of a page or the name of a command.
func TestCheckSlug(t *testing.T) {
	for slug, ok := range map[string]bool{"gold-zh-en": true, "new-zh": true, "new": false, "list": false, "undo": false, "undone": true, "New": false, "": false, "a/b": false} {
		if err := CheckSlug(slug); (err == nil) != ok {
			t.Errorf("%q: %v", slug, err)
		}
	}
}

// TestNothingIsDegradedBelowAnAnswer: a protocol whose gate is no number has checks of the other kinds only, and one without a gate has none.
func TestNothingIsDegradedBelowAnAnswer(t *testing.T) {
	inspect, _ := protocol.Lookup("inspect")
	s := DefaultSettings(inspect)
	if _, err := s.WithPairs([]string{"check_kinds=degraded,known"}); err == nil || !strings.Contains(err.Error(), "list repeat, known or both") {
		t.Errorf("degraded texts: %v", err)
	}
	if kinds := s.KindsOfChecks(); len(kinds) != 2 || slices.Contains(kinds, DegradedCheck) {
		t.Errorf("the kinds of checks are %q", kinds)
	}
	terms, _ := protocol.Lookup("terms")
	if kinds := DefaultSettings(terms).KindsOfChecks(); len(kinds) != 0 {
		t.Errorf("without a gate, the kinds of checks are %q", kinds)
	}
	if _, err := DefaultSettings(terms).WithPairs([]string{"check_rate=0.1"}); err == nil || !strings.Contains(err.Error(), "this protocol has no gate") {
		t.Errorf("a rate of checks without a gate: %v", err) // annotators would be told of segments that never come
	}
	if _, err := DefaultSettings(terms).WithPairs([]string{"check_rate=0"}); err != nil {
		t.Errorf("no checks without a gate: %v", err)
	}
}
