package wording

import (
	"math"
	"strings"
	"testing"
)

func TestWording(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(1234567), "1,234,567"}, {Count(-1234), "−1,234"},
		{Counted(1, "segment"), "1 segment"}, {Counted(0, "segment"), "0 segments"}, {CountedRange(1, 1, "segment"), "1 segment"}, {CountedRange(0, 1, "segment"), "0 to 1 segments"}, {CountedRange(2, 1200, "segment"), "2 to 1,200 segments"}, {Counted(12345, "segment"), "12,345 segments"},
		{Counted(1, "segment was", "segments were"), "1 segment was"}, {Counted(2, "segment was", "segments were"), "2 segments were"},
		{Decimal(-0.001, 2), "0.00"}, {Decimal(-0.5, 2), "−0.50"}, {Decimal(math.NaN(), 2), "–"},
		{Signed(0.31, 2), "+0.31"}, {Signed(-0.2, 2), "−0.20"}, {Signed(0.001, 2), "0.00"}, {Signed(math.NaN(), 2), "–"},
		{Plain(-2.5), "−2.5"}, {Plain(1e21), "1000000000000000000000"},
		{Capital(""), ""}, {Capital("mean r"), "Mean r"}, {Capital("élan"), "Élan"}, {Capital("−0.61 points"), "−0.61 points"},
		{List(nil), ""}, {List([]string{"a"}), "a"}, {List([]string{"a", "b"}), "a and b"}, {List([]string{"a", "b", "c"}), "a, b and c"},
		{ListUpTo([]string{"a"}, 3), "a"}, {ListUpTo([]string{"a", "b", "c", "d"}, 2), "a, b and 2 more"},
		{Cut("é", 2), "é"}, {Cut("né", 2), "n…"}, {Cut("😀", 0), "…"},
		{Files("one.jsonl"), "one.jsonl"}, {Files("a, b, c"), "a, b and c"}, {Files("a, b, c, d, e"), "a, b, c and 2 more"},
		{Quote(`a "b"`), `"a \"b\""`}, {Quote(""), `""`},
		{Quote(strings.Repeat("é", 60)), `"` + strings.Repeat("é", 60) + `"`},
		{Quote(strings.Repeat("é", 61)), `"` + strings.Repeat("é", 60) + `"…`},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
