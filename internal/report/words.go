package report

import (
	"cmp"
	"strings"

	"annotate/internal/stat"
	"annotate/internal/wording"
)

// percent writes a share for a sentence, such as "22.2% (4 of 18)".
func percent(part, n int) string {
	return wording.Decimal(100*stat.Ratio(part, n), 1) + "% (" + wording.Count(part) + " of " + wording.Count(n) + ")"
}

// slug converts a name to a part of an id. Different names may give the same slug.
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

// capitalised returns the word with a capital first letter.
func capitalised(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
