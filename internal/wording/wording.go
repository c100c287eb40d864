// Package wording writes numbers, names and lists as sentences have them. The pages, the
// report, the commands and the errors write a count or a quoted name alike, since all
// of them call this package. Minus signs are U+2212.
package wording

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"annotate/internal/codepoint"
)

// Undefined is written for a value that is not defined.
const Undefined = "–"

// Count writes a whole number with its thousands set off: "12,345".
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Counted writes a count with its noun: "1 segment", "12,345 segments". The plural is
// the noun with an s, unless another one is given.
func Counted(n int, noun string, plural ...string) string {
	return Count(n) + " " + Choose(n, noun, strings.Join(append(plural, noun+"s")[:1], ""))
}

// CountedRange writes the least and the most of some counts with their noun: "1 segment",
// "2 to 5 segments". The plural is that of [Counted].
func CountedRange(least, most int, noun string, plural ...string) string {
	if least == most {
		return Counted(most, noun, plural...)
	}
	return Count(least) + " to " + Count(most) + " " + append(plural, noun+"s")[0]
}

// Choose returns one if n is 1, and many otherwise.
func Choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Decimal writes x with a number of digits behind the point, and [Undefined] for NaN.
// Zero has no sign.
func Decimal(x float64, digits int) string {
	if math.IsNaN(x) {
		return Undefined
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// Signed is [Decimal] with a plus sign before positive values: "+0.31", "−0.20", "0.00".
func Signed(x float64, digits int) string {
	s := Decimal(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// Percent is the share n of all. It says 0% and 100% only where that is exact.
func Percent(n, all int) string {
	switch {
	case all == 0:
		return Undefined
	case n > 0 && 200*n < all:
		return "<1%"
	case n < all && 200*(all-n) < all:
		return ">99%"
	}
	return strconv.Itoa(int(math.Round(100*float64(n)/float64(all)))) + "%"
}

// PercentTenths is the share n of all to one decimal, for shares that stand side by
// side: in whole percent 7 and 1 of 8 would make 88% and 13%. It says 0% and 100%
// only where that is exact.
func PercentTenths(n, all int) string {
	switch {
	case all == 0 || 100*n%all == 0:
		return Percent(n, all)
	case 2000*n < all:
		return "<0.1%"
	case 2000*(all-n) < all:
		return ">99.9%"
	}
	return Decimal(100*float64(n)/float64(all), 1) + "%"
}

// Plain writes x with all digits that it has.
func Plain(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', -1, 64), "-", "−", 1)
}

// Capital begins a text with a capital letter, where it begins with a letter.
func Capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[n:]
}

// List joins names: "a, b and c".
func List(names []string) string { return ListUpTo(names, len(names)) }

// ListUpTo joins at most so many names: "a, b and 3 more".
func ListUpTo(names []string, most int) string {
	rest, last := names, ""
	switch n := len(names); {
	case n > most:
		rest, last = names[:most], strconv.Itoa(n-most)+" more"
	case n > 1:
		rest, last = names[:n-1], names[n-1]
	default:
		return strings.Join(names, "")
	}
	return strings.Join(rest, ", ") + " and " + last
}

// shownFiles is the number of files that [Files] names.
const shownFiles = 3

// Files writes the names of files, which are joined by ", ", for a sentence: the first few, and how many more.
func Files(joined string) string { return ListUpTo(strings.Split(joined, ", "), shownFiles) }

// Cut shortens a text to at most so many bytes and an ellipsis.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// quoted is the number of code points of a text that [Quote] shows.
const quoted = 60

// Quote writes the beginning of a text in quotation marks, with an ellipsis if there is
// more. Characters that can't be printed are escaped as in Go.
func Quote(text string) string {
	if head, ok := codepoint.Slice(text, 0, quoted); ok && len(head) < len(text) {
		return strconv.Quote(head) + "…"
	}
	return strconv.Quote(text)
}
