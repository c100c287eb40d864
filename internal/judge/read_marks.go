package judge

import (
	"strings"
	"unicode"
)

// quotes are the quotation marks that replies use, each opening mark with its closing one.
var quotes = [][2]string{
	{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"”", "”"}, {"«", "»"}, {"»", "«"}, {"「", "」"}, {"『", "』"}, {"＂", "＂"},
}

// singleQuotes also serve as apostrophes, so they count only around a whole text.
var singleQuotes = [][2]string{{"'", "'"}, {"‘", "’"}, {"‚", "‘"}, {"`", "`"}}

// unquote takes one pair of quotation marks off a text that begins and ends with them.
func unquote(s string) (string, bool) {
	for _, pairs := range [][][2]string{quotes, singleQuotes} {
		for _, q := range pairs {
			if len(s) >= len(q[0])+len(q[1]) && strings.HasPrefix(s, q[0]) && strings.HasSuffix(s, q[1]) {
				return s[len(q[0]) : len(s)-len(q[1])], true
			}
		}
	}
	return s, false
}

// quoted returns the text between the first quotation mark and the last one that closes it.
func quoted(s string) (string, bool) {
	first, found, ok := len(s), "", false
	for _, q := range quotes {
		from := strings.Index(s, q[0])
		if from < 0 || from > first {
			continue
		}
		to := strings.LastIndex(s, q[1])
		if to < from+len(q[0]) || from == first && to-from-len(q[0]) <= len(found) {
			continue
		}
		first, found, ok = from, s[from+len(q[0]):to], true
	}
	return found, ok
}

// unmark takes the marks of Markdown off a line: emphasis, code and headings.
func unmark(s string) string {
	s = strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(s)
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(s), "#>"))
}

// fence is a line that begins or ends a block of code.
var fence = pattern("(?m)^[ \t]*(```|~~~)[\\w-]*[ \t]*$")

// bare takes off fences, marks, quotation marks and brackets that surround a text.
func bare(s string) string {
	s = strings.TrimSpace(unmark(fence().ReplaceAllString(s, "")))
	for {
		inner, ok := unquote(s)
		if !ok {
			inner, ok = unbracket(s)
		}
		if !ok {
			return s
		}
		s = strings.TrimSpace(inner)
	}
}

// unbracket takes one pair of brackets off a text that begins and ends with them.
func unbracket(s string) (string, bool) {
	for _, b := range []string{"[]", "()", "<>", "【】", "（）", "［］"} {
		r := []rune(b)
		if inner, ok := strings.CutPrefix(s, string(r[0])); ok {
			if inner, ok := strings.CutSuffix(inner, string(r[1])); ok {
				return inner, true
			}
		}
	}
	return s, false
}

// bullet is the mark before an item of a list: "-", "*", "•", "1.", "1)", "(1)" or "（1）".
var bullet = pattern(`^\s*(?:[-*•·–—]\s+|[(（]\d{1,3}[)）]\s*|\d{1,3}[.)、．]\s+)`)

// unbullet takes the mark of a list off a line.
func unbullet(s string) (string, bool) {
	if m := bullet().FindString(s); m != "" {
		return strings.TrimSpace(s[len(m):]), true
	}
	return s, false
}

// ascii writes digits of any script and full-width punctuation as ASCII, and all minus signs as "-".
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII:
			return r
		case unicode.IsDigit(r):
			return '0' + rune(digit(r))
		case r >= '！' && r <= '～': // the full-width forms of ASCII
			return r - '！' + '!'
		}
		switch r {
		case '−', '‐', '‑', '‒', '–', '—':
			return '-'
		case '٪':
			return '%'
		case '٫':
			return '.'
		case '、', '،':
			return ','
		case '\u00a0', '\u3000':
			return ' '
		}
		return r
	}, s)
}

// digit is the value of a decimal digit. In Unicode the digits of a script stand in order, and runs of
// digits that touch begin at a multiple of ten from one another.
func digit(r rune) int {
	n := 0
	for unicode.IsDigit(r - rune(n) - 1) {
		n++
	}
	return n % 10
}
