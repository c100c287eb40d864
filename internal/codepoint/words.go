package codepoint

import (
	"iter"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// Words counts the words of a text by the default rules of UAX #29: the stretches between
// word boundaries that have a letter or a digit. A script without blanks has no such
// boundaries of words, so that each ideograph or kana of Chinese and Japanese counts.
func Words(text string) int {
	n := 0
	for _, isWord := range Parts(text) {
		if isWord {
			n++
		}
	}
	return n
}

// Parts yields the stretches between the word boundaries of a text, and whether each is a word,
// as [Words] counts them. Together the stretches are the text.
func Parts(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for w := words.FromString(text); w.Next(); {
			if !yield(w.Value(), strings.ContainsFunc(w.Value(), isOfWord)) {
				return
			}
		}
	}
}

func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// Graphemes yields the grapheme clusters of a text, which are what people see as characters
// (UAX #29). Together the clusters are the text.
func Graphemes(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for g := graphemes.FromString(text); g.Next(); {
			if !yield(g.Value()) {
				return
			}
		}
	}
}
