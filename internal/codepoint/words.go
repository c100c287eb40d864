package codepoint

import (
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// Words counts the words of a text by the default rules of UAX #29: the stretches between
// word boundaries that have a letter or a digit. A script without blanks has no such
// boundaries of words, so that each ideograph or kana of Chinese and Japanese counts.
func Words(text string) int {
	n := 0
	for w := words.FromString(text); w.Next(); {
		for _, r := range w.Value() {
			if unicode.IsLetter(r) || unicode.IsNumber(r) {
				n++
				break
			}
		}
	}
	return n
}
