package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Tokenizer splits text into the words that BLEU counts. Scores with different
// tokenisers are not comparable.
type Tokenizer string

// The tokenisers, with sacreBLEU's names.
const (
	Tok13a  Tokenizer = "13a"  // mteval-v13a, for languages that put spaces between words
	TokZh   Tokenizer = "zh"   // each Chinese character is a word; other text as in 13a, but without decoding entities
	TokChar Tokenizer = "char" // each code point is a word, except white space
	TokNone Tokenizer = "none" // the text is already tokenised, with white space between words
)

// Tokenizers lists all tokenisers.
func Tokenizers() []Tokenizer { return []Tokenizer{Tok13a, TokZh, TokChar, TokNone} }

// chinese lists the primary language subtags of Chinese: the macrolanguage and the
// languages in it (ISO 639-3), since some corpora use the latter.
var chinese = map[string]bool{
	"zh": true, "zho": true, "chi": true,
	"cdo": true, "cjy": true, "cmn": true, "cnp": true, "cpx": true, "csp": true, "czh": true, "czo": true,
	"gan": true, "hak": true, "hsn": true, "lzh": true, "mnp": true, "nan": true, "wuu": true, "yue": true,
}

// TokenizerFor returns the tokeniser for a language, by the first part of its tag
// ("zh-Hans", "zh_TW", "yue", "jpn_Jpan"): zh for Chinese, char for Japanese and Thai,
// which are written without spaces between words, and 13a for all others.
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

// Split returns the words of a text in order. It panics if t is no known tokeniser.
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

// isSpace reports whether Python, and so the reference implementation, treats a
// character as white space: characters with the Unicode property White_Space, and the
// four information separators of ASCII.
func isSpace(r rune) bool {
	return r == ' ' || '\x1c' <= r && r <= '\x1f' || unicode.IsSpace(r)
}

func characters(text string) []string {
	words := make([]string, 0, len(text)/3) // characters of these scripts mostly have three bytes
	for i, r := range text {
		if !isSpace(r) {
			_, size := utf8.DecodeRuneInString(text[i:])
			words = append(words, text[i:i+size])
		}
	}
	return words
}

// plain removes the mark-up that mteval-v13a removes, in the same order: "&amp;lt;"
// becomes "<", but "&amp;quot;" becomes "&quot;".
func plain(text string) string {
	text = strings.TrimRightFunc(text, isSpace) // otherwise a hyphen before a final line break would be removed
	text = strings.ReplaceAll(text, "<skipped>", "")
	text = strings.ReplaceAll(text, "-\n", "")
	text = strings.ReplaceAll(text, "&quot;", `"`)
	text = strings.ReplaceAll(text, "&amp;", "&")
	text = strings.ReplaceAll(text, "&lt;", "<")
	return strings.ReplaceAll(text, "&gt;", ">")
}

// split applies mteval-v13a's rules for Western languages in a single pass.
// sacreBLEU states them as four substitutions by regular expressions:
//
//   - ASCII punctuation and symbols, except ' - . , become words of their own. If
//     padded is false, so do Chinese characters (see [isChinese]).
//   - A period or comma becomes a word of its own unless it has a digit on both
//     sides.
//   - A hyphen after a digit becomes a word of its own.
//
// Two properties of the substitutions are kept. First, they replace pairs of
// characters that do not overlap, so a period or comma directly after one that was
// split off is treated as if it followed a digit: in "..5" the second period stays
// with the 5. Second, only padded text is treated as if it had a space before and
// after it: "5." is one word in zh and two words in 13a.
func split(text string, padded bool) []string {
	words := make([]string, 0, len(text)/4)
	begin := 0 // the start of the current word
	cut := func(to int) {
		if begin < to {
			words = append(words, text[begin:to])
		}
	}
	open := padded // whether the character before i makes a period or comma at i a word of its own
	digit := false // whether the character before i is a digit
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

// isChinese reports whether the zh tokeniser makes a character a word of its own:
// ideographs, their parts, CJK punctuation and full-width forms, but neither kana nor
// hangul.
//
// The first range is a mistake of the reference implementation, which is kept because
// published scores depend on it. The implementation compares strings, and its bounds
// for the supplementary ideographs, "\u20000" and "\u2a6d6", are two characters each:
// U+2000 and "0", U+2A6D and "6". So dashes, curly quotes, arrows and mathematical
// symbols become words of their own, and ideographs above U+FFFF do not.
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
