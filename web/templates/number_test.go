package templates

import (
	"testing"
	"time"

	"annotate/internal/wording"
)

func TestNumbers(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ got, want string }{
		{wording.Percent(0, 0), "–"}, {wording.Percent(0, 9), "0%"}, {wording.Percent(1, 1000), "<1%"}, {wording.Percent(999, 1000), ">99%"}, {wording.PercentTenths(7, 8), "87.5%"}, {wording.PercentTenths(1, 8), "12.5%"}, {wording.PercentTenths(2, 3), "66.7%"}, {wording.PercentTenths(1, 2001), "<0.1%"}, {wording.PercentTenths(2000, 2001), ">99.9%"}, {wording.PercentTenths(1, 2), "50%"}, {wording.PercentTenths(0, 0), "–"}, {wording.PercentTenths(8, 8), "100%"}, {wording.Percent(9, 9), "100%"}, {wording.Percent(1, 3), "33%"},
		{Hours(0), "–"}, {Hours(60), "<0.1 h"}, {Hours(5400), "1.5 h"}, {Hours(3600 * 12345), "12,345 h"},
		{PerRating(380, 10), "38 s"}, {PerRating(0, 0), "–"},
		{Short(3), "3"}, {Short(1.0 / 3), "0.3333"}, {Short(-2.5), "−2.5"},
		{Paging{2, 50, 340}.RangeText(), "51 to 100 of 340"}, {Paging{7, 50, 340}.RangeText(), "301 to 340 of 340"}, {Paging{1, 50, 12}.RangeText(), "12 in all"},
		{Clock{Now: noon}.Text(noon.Add(-time.Hour)), "today 11:00"}, {Clock{Now: noon}.Text(noon.Add(-13 * time.Hour)), "yesterday 23:00"}, {Clock{}.Text(noon), "2026-11-20 12:00"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
