package report

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"annotate/internal/stat"
)

// number writes a count with its noun, which takes an s in the plural, unless
// another plural is given.
func number(n int, noun string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(plural) > 0:
		return thousands(n) + " " + plural[0]
	}
	return thousands(n) + " " + noun + "s"
}

// thousands sets off groups of three digits by commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// decimals writes a value in a sentence; "–" where it is undefined.
func decimals(v float64, n int) string {
	if math.IsNaN(v) {
		return "–"
	}
	s := strconv.FormatFloat(v, 'f', n, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // no negative zero
	}
	return strings.Replace(s, "-", "−", 1)
}

// percent writes a share of n in a sentence, such as "22.2% (4 of 18)".
func percent(part, n int) string {
	return decimals(100*stat.Ratio(part, n), 1) + "% (" + thousands(part) + " of " + thousands(n) + ")"
}

// list joins names as in a sentence: "a, b and c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// slug makes a part of an id from a name. Different names may have the same.
func slug(name string) string {
	s := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name), "-")
	return cmp.Or(s, "x")
}

// plain writes a setting in a sentence with all its digits.
func plain(v float64) string {
	return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), "-", "−", 1)
}

// capitalised begins a word with a capital letter.
func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
