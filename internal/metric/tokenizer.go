package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Tokenizer cuts text into the words that BLEU counts. Scores of different
// tokenisers can't be compared.
type Tokenizer string

// The tokenisers, by sacreBLEU's names.
const (
	Tok13a  Tokenizer = "13a"  // mteval-v13a, for languages that put spaces between words
	TokZh   Tokenizer = "zh"   // each Chinese character is a word; the rest as 13a, without its entities
	TokChar Tokenizer = "char" // each code point but white space is a word
	TokNone Tokenizer = "none" // the text is tokenised: words stand between white space
)

// Tokenizers lists all tokenisers.
func Tokenizers() []Tokenizer { return []Tokenizer{Tok13a, TokZh, TokChar, TokNone} }

// chinese has the primary subtags of Chinese: the macrolanguage and, from
// ISO 639-3, the languages in it, for which corpora use tags of their own.
var chinese = map[string]bool{
	"zh": true, "zho": true, "chi": true,
	"cdo": true, "cjy": true, "cmn": true, "cnp": true, "cpx": true, "csp": true, "czh": true, "czo": true,
	"gan": true, "hak": true, "hsn": true, "lzh": true, "mnp": true, "nan": true, "wuu": true, "yue": true,
}

// TokenizerFor is the tokeniser for text in a language, by the first part of its
// tag ("zh-Hans", "zh_TW", "yue", "jpn_Jpan"): zh for Chinese, char for Japanese and
// Thai, which have no spaces between words either, else 13a.
func TokenizerFor(lang string) Tokenizer {
	primary, _, _ := strings.Cut(strings.ReplaceAll(lang, "_", "-"), "-")
	switch primary = strings.ToLower(primary); {
	case chinese[primary]:
		return TokZh
	case primary == "ja", primary == "jpn", primary == "th", primary == "tha":
		return TokChar
	}
	return Tok13a
}

// Split gives the words of a text, in order. It panics if there is no such
// tokeniser.
func (t Tokenizer) Split(text string) []string {
	switch t {
	case Tok13a:
		return split(plain(text), true)
	case TokZh:
		return split(strings.TrimFunc(text, isSpace), false)
	case TokChar:
		return characters(text)
	case TokNone:
		return strings.FieldsFunc(text, isSpace)
	}
	panic("metric: no tokenizer " + string(t))
}

// isSpace is what Python, and so the reference implementation, takes for white
// space: the Unicode property, and the four information separators of ASCII.
func isSpace(r rune) bool {
	return r == ' ' || '\x1c' <= r && r <= '\x1f' || unicode.IsSpace(r)
}

func characters(text string) []string {
	words := make([]string, 0, len(text)/3) // most scripts that are cut so have three bytes a character
	for i, r := range text {
		if !isSpace(r) {
			_, size := utf8.DecodeRuneInString(text[i:])
			words = append(words, text[i:i+size])
		}
	}
	return words
}

// plain undoes the mark-up that mteval-v13a undoes, one thing after the other
// as it does: "&amp;lt;" becomes "<", but "&amp;quot;" only "&quot;".
func plain(text string) string {
	text = strings.TrimRightFunc(text, isSpace) // or a hyphen at the end would be taken for a broken word
	text = strings.ReplaceAll(text, "<skipped>", "")
	text = strings.ReplaceAll(text, "-\n", "")
	text = strings.ReplaceAll(text, "&quot;", `"`)
	text = strings.ReplaceAll(text, "&amp;", "&")
	text = strings.ReplaceAll(text, "&lt;", "<")
	return strings.ReplaceAll(text, "&gt;", ">")
}

// split is mteval-v13a's rule for Western languages, which sacreBLEU states as
// four substitutions by regular expressions one after the other, done in one
// pass:
//
//   - ASCII punctuation and symbols but ' - . , are words of their own, and so
//     are Chinese characters if padded is false (see [isChinese]);
//   - a period or comma is a word of its own unless it has a digit on both
//     sides;
//   - a hyphen after a digit is a word of its own.
//
// Two properties of the substitutions are kept. They look at pairs of
// characters that do not overlap, so a period or comma that follows one that
// was just cut off counts as one after a digit: in "..5" the second stays with
// the 5. And at the ends of the text there is nothing that is no digit, unless
// padded, as if it had a space on both sides: "5." is one word in zh, two in
// 13a.
func split(text string, padded bool) []string {
	words := make([]string, 0, len(text)/4)
	begin := 0 // of the word that i is in
	cut := func(to int) {
		if begin < to {
			words = append(words, text[begin:to])
		}
	}
	open := padded // whether a period here would be cut off for what stands before it
	digit := false // whether a digit stands before it
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		next := i + size
		alone, afterOpen := false, true
		switch {
		case isSpace(r):
			cut(i)
			begin = next
		case r == '.' || r == ',':
			alone = open || followedByOther(text[next:], padded)
			afterOpen = !open
		case r == '-':
			alone = digit
		case r < utf8.RuneSelf:
			alone = isPunctuation(byte(r)) && r != '\''
		default:
			alone = !padded && isChinese(r)
		}
		if alone {
			cut(i)
			begin = i
			cut(next)
			begin = next
		}
		digit = '0' <= r && r <= '9'
		open = afterOpen && !digit
		i = next
	}
	cut(len(text))
	return words
}

// followedByOther reports whether the rest of a text begins with something
// other than a digit.
func followedByOther(rest string, padded bool) bool {
	if rest == "" {
		return padded
	}
	return rest[0] < '0' || '9' < rest[0]
}

// isChinese reports whether the zh tokeniser makes a word of a character:
// ideographs, their parts, CJK punctuation and full-width forms, but no kana and
// no hangul.
//
// The first range is much wider than its author meant, and it is kept because
// published scores depend on it: the reference implementation compares strings,
// and its bounds for the supplementary ideographs, written "\u20000" and
// "\u2a6d6", are two characters each, U+2000 and "0", U+2A6D and "6". So dashes,
// curly quotes, arrows and mathematical symbols are cut off, and ideographs
// beyond U+FFFF are not.
func isChinese(r rune) bool { return unicode.Is(chineseCharacters, r) }

var chineseCharacters = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x2001, Hi: 0x2a6d, Stride: 1},
	{Lo: 0x2e80, Hi: 0x2fdf, Stride: 1}, // radicals
	{Lo: 0x2ff0, Hi: 0x303f, Stride: 1}, // description characters, punctuation
	{Lo: 0x3100, Hi: 0x312f, Stride: 1}, // bopomofo
	{Lo: 0x31a0, Hi: 0x31ef, Stride: 1}, // bopomofo, strokes
	{Lo: 0x3200, Hi: 0x4db5, Stride: 1}, // enclosed and compatibility forms, extension A
	{Lo: 0x4e00, Hi: 0x9fbb, Stride: 1}, // ideographs of Unicode 4.1
	{Lo: 0xf900, Hi: 0xfa2d, Stride: 1}, // compatibility ideographs
	{Lo: 0xfa30, Hi: 0xfa6a, Stride: 1},
	{Lo: 0xfa70, Hi: 0xfad9, Stride: 1},
	{Lo: 0xfe10, Hi: 0xfe1f, Stride: 1}, // vertical forms
	{Lo: 0xfe30, Hi: 0xfe4f, Stride: 1}, // compatibility forms
	{Lo: 0xff00, Hi: 0xffef, Stride: 1}, // full-width and half-width forms
}}
