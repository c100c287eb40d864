package codepoint_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// By hand, from the rules of UAX #29, section 3.1.1.
func TestGraphemes(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []int
	}{
		{"empty", "", []int{0}},
		{"letters", "abc", []int{0, 1, 2, 3}},
		{"combining mark", "e\u0301a", []int{0, 2, 3}},
		{"mark at the start", "\u0301a", []int{0, 1, 2}},
		{"two marks", "a\u0308\u0301b", []int{0, 3, 4}},
		{"CRLF (GB3)", "a\r\nb", []int{0, 1, 3, 4}},
		{"LF CR", "\n\r", []int{0, 1, 2}},
		{"mark after a break (GB4)", "\n\u0301", []int{0, 1, 2}},
		{"family with joiners (GB11)", "👨‍👩‍👧!", []int{0, 5, 6}},
		{"joiner between letters", "a\u200Db", []int{0, 2, 3}},
		{"skin colour", "👍🏽👍", []int{0, 2, 3}},
		{"heart on fire", "❤️‍🔥", []int{0, 4}},
		{"keycap", "1️⃣2", []int{0, 3, 4}},
		{"flags (GB12)", "🇩🇪🇫🇷", []int{0, 2, 4}},
		{"one flag and a half", "🇩🇪🇫", []int{0, 2, 3}},
		{"flag of Scotland in tags", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F.", []int{0, 7, 8}},
		{"jamo L V T (GB6-8)", "\u1112\u1161\u11AB\u1100\u1173\u11AF", []int{0, 3, 6}},
		{"syllable LV and T", "\uD558\u11AB\uAE00", []int{0, 2, 3}},
		{"Devanagari conjunct (GB9c)", "क्षि", []int{0, 4}},
		{"Devanagari, conjunct inside", "नमस्ते", []int{0, 1, 2, 6}},
		{"Devanagari, virama at the end", "सत्", []int{0, 1, 3}},
		{"Tamil has no conjuncts", "க்ஷ", []int{0, 2, 3}},
		{"Thai sara am", "น้ำ", []int{0, 3}},
		{"Hebrew with points", "שָׁל", []int{0, 3, 4}},
		{"Arabic with marks", "مَرّ", []int{0, 2, 4}},
		{"prefix (GB9b)", "\u0600\u0661a", []int{0, 2, 3}},
		{"bidi controls stand alone", "a\u202Eb\u202C", []int{0, 1, 2, 3, 4}},
		{"replacement character", "\uFFFD\u0301a", []int{0, 2, 3}},
		{"ideographs", "𠮷野家", []int{0, 1, 2, 3}},
		{"variation of an ideograph", "葛\U000E0100城", []int{0, 2, 3}},
		{"bytes that do not belong", "a\xff\xfeb", []int{0, 1, 2, 3, 4}},
	} {
		if got := graphemeBounds(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: Graphemes(%+q) = %v, want %v", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestSnap(t *testing.T) {
	family := "a👨‍👩‍👧b" // boundaries 0 1 6 7
	for _, tt := range []struct {
		text       string
		start, end int
		from, to   int
	}{
		{family, 0, 1, 0, 1},
		{family, 2, 3, 1, 6},
		{family, 0, 2, 0, 6},
		{family, 3, 7, 1, 7},
		{family, 1, 6, 1, 6},
		{family, 3, 3, 1, 1},
		{family, 6, 6, 6, 6},
		{family, 0, 0, 0, 0},
		{family, 7, 7, 7, 7},
		{"", 0, 0, 0, 0},
		{"a\r\nb", 2, 3, 1, 3},
		{"a\r\nb", 2, 2, 1, 1},
	} {
		from, to := snap(tt.text, tt.start, tt.end)
		if from != tt.from || to != tt.to {
			t.Errorf("Snap(%+q, %d, %d) = %d, %d, want %d, %d", tt.text, tt.start, tt.end, from, to, tt.from, tt.to)
		}
	}
}

// graphemeBounds returns the boundaries of a text's extended grapheme clusters (Unicode 17, UAX #29), as code
// point offsets in ascending order, including 0 and Len. For an empty text it is [0].
func graphemeBounds(text string) []int {
	bounds := []int{0}
	for at := range clusters(text) {
		bounds = append(bounds, at)
	}
	return bounds
}

// snap extends the range [start, end) to boundaries of grapheme clusters, in code points. An empty range
// stays empty: inside a cluster it moves to the boundary before. snap panics unless 0 <= start <= end <=
// Len(text).
func snap(text string, start, end int) (int, int) {
	if start < 0 || end < start {
		panic(fmt.Sprintf("codepoint: [%d, %d) is no stretch of text", start, end))
	}
	from, to := 0, 0
	for at := range clusters(text) {
		if at <= start {
			from = at
		}
		to = at
		if at >= end {
			break
		}
	}
	switch {
	case to < end:
		panic(fmt.Sprintf("codepoint: [%d, %d) is outside a text of %d code points", start, end, to))
	case start == end:
		return from, from
	}
	return from, to
}

// clusters yields the end of each grapheme cluster, in code points.
func clusters(text string) iter.Seq[int] {
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // replaces each invalid byte by U+FFFD
	}
	return func(yield func(int) bool) {
		at := 0
		for c := graphemes.FromString(text); c.Next(); {
			at += utf8.RuneCountInString(c.Value())
			if !yield(at) {
				return
			}
		}
	}
}
