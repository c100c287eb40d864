package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquoteJSON decodes a string that scanJSON has checked. quoted includes the quotation marks.
// Two things that JSON allows are errors: U+0000, which some databases cannot store, and
// half of a surrogate pair, which UTF-8 cannot represent.
func unquoteJSON(quoted []byte) (string, *fault) {
	body := quoted[1 : len(quoted)-1]
	i := bytes.IndexByte(body, '\\')
	if i < 0 {
		return string(body), nil
	}
	var first *fault
	bad := func(at int, format string, args ...any) {
		if first == nil {
			first = &fault{At: at + 1, Msg: fmt.Sprintf(format, args...)}
		}
	}
	out := make([]byte, i, len(body))
	copy(out, body)
	for i < len(body) {
		c := body[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		if c = body[i+1]; c != 'u' {
			if j := strings.IndexByte("bfnrt", c); j >= 0 {
				c = "\b\f\n\r\t"[j]
			}
			out = append(out, c)
			i += 2
			continue
		}
		at := i
		r, _ := hex4(body[i+2:])
		i += 6
		if utf16.IsSurrogate(r) {
			whole := rune(utf8.RuneError)
			if i+1 < len(body) && body[i] == '\\' && body[i+1] == 'u' {
				low, _ := hex4(body[i+2:])
				whole = utf16.DecodeRune(r, low)
			}
			if whole == utf8.RuneError {
				bad(at, `\u%04x is half of a surrogate pair, not a character; write the character itself, or both halves`, r)
			} else {
				i += 6
			}
			r = whole
		}
		if r == 0 {
			bad(at, `\u0000 is not a character of a text; remove it`)
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), first
}

// UnquoteJSON decodes a JSON string, which has no mistake of syntax, with its quotation marks. msg says what a text may not have, at
// the offset at.
func UnquoteJSON(quoted []byte) (s string, at int, msg string) {
	s, bad := unquoteJSON(quoted)
	if bad != nil {
		return "", bad.At, bad.Msg
	}
	return s, 0, ""
}

// hex4 returns the code unit of four hexadecimal digits.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var u rune
	for _, c := range b[:4] {
		switch {
		case isDigit(c):
			u = u<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			u = u<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return u, true
}
