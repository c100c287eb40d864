package pearmut

import (
	"regexp"
	"sort"
	"unicode"
)

// Pearmut shows each UTF-16 unit that it counts as an element, and after them each special token. A span has
// the numbers of its first and last element.

// A counting says which parts of a text have elements.
type counting int

const (
	withoutTags counting = iota // from commit f993fb7 on: neither line breaks nor the tags of uncounted have elements
	withTags                    // before: all but line feeds have elements
)

// uncounted matches text without elements.
var uncounted = map[counting]*regexp.Regexp{
	withoutTags: regexp.MustCompile(`</?(?:br|strong|b|i|p|em|h1|h2|h3)>|[\n\r\x{2028}\x{2029}]`),
	withTags:    regexp.MustCompile(`\n`),
}

// places returns the code point of each element of a text, without the special tokens.
func (c counting) places(text string) (out []int) {
	hidden := uncounted[c].FindAllStringIndex(text, -1)
	n := 0
	for at, r := range text {
		for len(hidden) > 0 && hidden[0][1] <= at {
			hidden = hidden[1:]
		}
		if len(hidden) == 0 || at < hidden[0][0] {
			if out = append(out, n); r > 0xffff {
				out = append(out, n)
			}
		}
		n++
	}
	return out
}

// toText converts the elements from first to last into code points [start, end). places are those of the
// text. It returns false if the text has no such elements.
func toText(places []int, first, last int) (start, end int, ok bool) {
	if first < 0 || first > last || last >= len(places) {
		return 0, 0, false
	}
	return places[first], places[last] + 1, true
}

// fromText converts code points [start, end) into elements. places are those of the text. shown is false if
// no code point has an element. exact is false if the elements stand for another span of the text.
func fromText(places []int, start, end int) (first, last int, shown, exact bool) {
	first = sort.SearchInts(places, start)
	last = sort.SearchInts(places, end) - 1
	if last < first {
		return 0, 0, false, false
	}
	return first, last, true, places[first] == start && places[last] == end-1
}

// wholeWords reports whether the code points [start, end) neither begin nor end inside a word.
func wholeWords(text []rune, start, end int) bool {
	isOfWord := func(i int) bool {
		return i >= 0 && i < len(text) && (unicode.IsLetter(text[i]) || unicode.IsNumber(text[i]))
	}
	return !(isOfWord(start-1) && isOfWord(start)) && !(isOfWord(end-1) && isOfWord(end))
}
