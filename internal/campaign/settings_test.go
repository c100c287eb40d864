package campaign

import (
	"errors"
	"testing"
	"time"
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
		"nosuch=1", "redundancy=0", "redundancy=two", "quota=-1", "gate=maybe", "threshold=1.5", "threshold=NaN",
		"rounds=0", "reannotate=never", "timezone=Mars/Olympus", "timezone=", "critical=perhaps", "redundancy",
	} {
		_, err := sqmSettings(t).WithPairs([]string{pair})
		if _, ok := errors.AsType[*InvalidError](err); !ok {
			t.Errorf("%s: got %v, want an InvalidError", pair, err)
		}
	}
}

func TestStartOfDay(t *testing.T) {
	s := sqmSettings(t, "timezone=Asia/Shanghai")
	// 17:00 UTC is 01:00 of the next day in Shanghai, whose day began at 16:00 UTC.
	got := s.StartOfDay(time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC))
	if want := time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCardName(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 701: "ZZ", 702: "AAA"} {
		if got := CardName(i); got != want {
			t.Errorf("CardName(%d) = %s, want %s", i, got, want)
		}
	}
}
