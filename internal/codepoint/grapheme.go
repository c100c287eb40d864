package codepoint

import (
	"fmt"
	"iter"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Graphemes returns the boundaries of a text's extended grapheme clusters (Unicode 17, UAX #29), as code
// point offsets in ascending order, including 0 and Len. For an empty text it is [0].
func Graphemes(text string) []int {
	bounds := []int{0}
	for at := range clusters(text) {
		bounds = append(bounds, at)
	}
	return bounds
}

// Snap extends the range [start, end) to boundaries of grapheme clusters, in code points. An empty range
// stays empty: inside a cluster it moves to the boundary before. Snap panics unless 0 <= start <= end <=
// Len(text).
func Snap(text string, start, end int) (int, int) {
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
