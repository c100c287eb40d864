package pearmut

import (
	"strings"

	"annotate/internal/codepoint"
)

// Pearmut shows a text as one element for each UTF-16 unit, without the line feeds, and after them one element for each special
// token. A span has the numbers of its first and its last element.

// elements is the number of elements of a text without the special tokens.
func elements(text string) int { return codepoint.UTF16Len(strings.ReplaceAll(text, "\n", "")) }

// toText converts the elements from first to last into the code points [start, end) of a text. It is false if they are not
// those of the text.
func toText(text string, first, last int) (start, end int, ok bool) {
	shown := strings.ReplaceAll(text, "\n", "")
	a, ok := codepoint.FromUTF16(shown, first)
	b, ok2 := codepoint.FromUTF16(shown, last)
	if !ok || !ok2 || first > last || last >= codepoint.UTF16Len(shown) {
		return 0, 0, false
	}
	start, end = -1, 0
	n, i := 0, 0 // of the shown code points, of all
	for _, r := range text {
		if r != '\n' {
			if n == a {
				start = i
			}
			if n++; n == b+1 {
				return start, i + 1, true
			}
		}
		i++
	}
	return 0, 0, false
}

// fromText converts the code points [start, end) of a text into elements. shown is false if they are line feeds alone, or
// none. exact is false if the converted elements are another span of the text.
func fromText(text string, start, end int) (first, last int, shown, exact bool) {
	before, _ := codepoint.Slice(text, 0, start)
	covered, _ := codepoint.Slice(text, start, end)
	first = elements(before)
	last = first + elements(covered) - 1
	if last < first {
		return 0, 0, false, false
	}
	return first, last, true, !strings.HasPrefix(covered, "\n") && !strings.HasSuffix(covered, "\n")
}
