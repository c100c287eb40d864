// Package textdiff compares two versions of a text: which words were changed, and how far they are apart.
package textdiff

import (
	"slices"
	"strings"

	"annotate/internal/codepoint"
)

// A Change is a part of two versions of a text. The parts that are equal in both have From == To.
type Change struct{ From, To string }

// maxCells bounds the work of [Words]. Longer texts that differ almost everywhere are one change.
const maxCells = 4_000_000

// Words returns the parts of two texts that are equal and those that differ, in order. Parts end at the boundaries of words, and
// of each ideograph or kana (UAX #29). The From of all parts together are from, and the To of all parts are to.
func Words(from, to string) []Change {
	a, b := pieces(from), pieces(to)
	head, tail := common(a, b)
	var out []Change
	add := func(from, to string) {
		if n := len(out); n > 0 && (out[n-1].From == out[n-1].To) == (from == to) {
			out[n-1].From, out[n-1].To = out[n-1].From+from, out[n-1].To+to
		} else if from != "" || to != "" {
			out = append(out, Change{from, to})
		}
	}
	same := strings.Join(a[:head], "")
	add(same, same)
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	for _, c := range aligned(x, y) {
		add(c.From, c.To)
	}
	same = strings.Join(a[len(a)-tail:], "")
	add(same, same)
	return out
}

// pieces are the stretches between the word boundaries of a text.
func pieces(text string) (out []string) {
	for part := range codepoint.Parts(text) {
		out = append(out, part)
	}
	return out
}

// common counts the elements that two lists have in common at their start, and then at their end.
func common[T comparable](a, b []T) (head, tail int) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// aligned aligns two lists by a longest common subsequence.
func aligned(a, b []string) (out []Change) {
	if len(a)*len(b) > maxCells {
		return []Change{{strings.Join(a, ""), strings.Join(b, "")}}
	}
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width) // of a[i:] and b[k:]
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				longest[i*width+k] = longest[(i+1)*width+k+1] + 1
			} else {
				longest[i*width+k] = max(longest[(i+1)*width+k], longest[i*width+k+1])
			}
		}
	}
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		switch {
		case a[i] == b[k]:
			out = append(out, Change{a[i], b[k]})
			i, k = i+1, k+1
		case longest[(i+1)*width+k] >= longest[i*width+k+1]:
			out = append(out, Change{From: a[i]})
			i++
		default:
			out = append(out, Change{To: b[k]})
			k++
		}
	}
	for ; i < len(a); i++ {
		out = append(out, Change{From: a[i]})
	}
	for ; k < len(b); k++ {
		out = append(out, Change{To: b[k]})
	}
	return out
}

// Characters is the least number of code points to insert, delete or replace to turn one text into the other (Levenshtein 1966).
func Characters(from, to string) int { return distance([]rune(from), []rune(to)) }

// WordDistance is the same over words, as [codepoint.Words] counts them. What lies between words does not count.
func WordDistance(from, to string) int { return distance(words(from), words(to)) }

func words(text string) (out []string) {
	for part, is := range codepoint.Parts(text) {
		if is {
			out = append(out, part)
		}
	}
	return out
}

// distance is the Levenshtein distance of two lists. It takes time in proportion to their length times the distance.
func distance[T comparable](a, b []T) int {
	head, tail := common(a, b)
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	for band := 8; ; band *= 2 {
		if d := within(a, b, band); d <= band || band >= len(a)+len(b) {
			return d
		}
	}
}

// within is the distance of two lists if it is at most band, and otherwise a larger number (Ukkonen 1985).
func within[T comparable](a, b []T, band int) int {
	far := len(a) + len(b) + 1
	row, next := slices.Repeat([]int{far}, len(b)+1), slices.Repeat([]int{far}, len(b)+1)
	for k := 0; k <= min(band, len(b)); k++ {
		row[k] = k
	}
	for i, x := range a {
		first, last := max(0, i+1-band), min(len(b), i+1+band)
		if first > last {
			return far
		}
		if first > 0 {
			next[first-1] = far
		}
		for k := first; k <= last; k++ {
			if k == 0 {
				next[0] = i + 1
				continue
			}
			d := min(row[k], next[k-1]) + 1
			if b[k-1] == x {
				d = min(d, row[k-1])
			} else {
				d = min(d, row[k-1]+1)
			}
			next[k] = d
		}
		if last < len(b) {
			next[last+1] = far
		}
		row, next = next, row
	}
	return row[len(b)]
}
