package ingest

import (
	"bytes"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// encoding/json is not used to read imports, for three reasons. It silently keeps the last
// of two equal keys, it silently replaces a lone surrogate by U+FFFD, and it does not give
// the offsets of values. go-json-experiment/json/jsontext accepts the same texts as this
// file, but it gives another offset for leading zeros and misspelt literals, and its errors
// do not say what to do. In this file, scanJSON checks a line against RFC 8259, and jsonMembers
// and jsonElements walk through a checked value. unquoteJSON (text.go) decodes a string.

// maxDepth is how deeply arrays and objects may be nested.
const maxDepth = 200

// A jsonValue is the range of bytes of a JSON value in its line.
type jsonValue struct{ Start, End int }

// A fault says what is wrong with a text, and where.
type fault struct {
	At    int    // byte offset in the text
	Field string // where it is, if it has a name
	Msg   string
}

// scanJSON checks that text is exactly one JSON value, with white space around it.
func scanJSON(text []byte) (jsonValue, *fault) {
	s := scanner{text: text}
	s.space()
	v := jsonValue{Start: s.pos}
	if err := s.value(0); err != nil {
		return jsonValue{}, err
	}
	v.End = s.pos
	if s.space(); s.pos < len(text) {
		return jsonValue{}, s.fail("more text after the end of the object; write one JSON object a line")
	}
	return v, nil
}

// A scanner walks through JSON text. pos is the offset of the next byte.
type scanner struct {
	text []byte
	pos  int
}

func (s *scanner) fail(format string, args ...any) *fault {
	return &fault{At: s.pos, Msg: "not JSON: " + fmt.Sprintf(format, args...)}
}

const endsEarly = "the line ends in the middle of the object; write each object on one line"

func (s *scanner) space() {
	for s.pos < len(s.text) && isSpace(s.text[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

func (s *scanner) value(depth int) *fault {
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '{' || c == '[':
		if depth == maxDepth {
			return s.fail("more than %d levels of nesting", maxDepth)
		}
		if c == '{' {
			return s.object(depth)
		}
		return s.array(depth)
	case c == '-' || isDigit(c):
		return s.number()
	case s.pos == len(s.text):
		return s.fail(endsEarly)
	}
	return s.literal()
}

func (s *scanner) object(depth int) *fault {
	s.pos++
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		if s.peek() != '"' {
			return s.expected(`a key in double quotes`)
		}
		key := jsonValue{Start: s.pos}
		if err := s.str(); err != nil {
			return err
		}
		key.End = s.pos
		if s.peek() != ':' {
			return s.expected("a colon after the key")
		}
		s.pos++
		if err := s.value(depth + 1); err != nil {
			name, _ := unquoteJSON(s.text[key.Start:key.End])
			err.Field = strings.TrimSuffix(name+"."+err.Field, ".")
			return err
		}
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return nil
		default:
			return s.expected("a comma or } after the value")
		}
	}
}

func (s *scanner) array(depth int) *fault {
	s.pos++
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(depth + 1); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return nil
		default:
			return s.expected("a comma or ] after the value")
		}
	}
}

func (s *scanner) expected(what string) *fault {
	if s.pos == len(s.text) {
		return s.fail(endsEarly)
	}
	r, _ := utf8.DecodeRune(s.text[s.pos:])
	return s.fail("expected %s, not %q", what, r)
}

// str skips a string. It allows escaped surrogates and U+0000, as JSON does; unquoteJSON
// checks them.
func (s *scanner) str() *fault {
	for i := s.pos + 1; i < len(s.text); i++ {
		c := s.text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		if c == '"' {
			s.pos = i + 1
			return nil
		}
		if c == '\\' {
			if i+1 == len(s.text) {
				break
			}
			if i++; s.text[i] != 'u' {
				if bytes.IndexByte([]byte(`"\/bfnrt`), s.text[i]) < 0 {
					s.pos = i - 1
					return s.fail(`there is no escape \%c; write a backslash as \\`, firstRune(s.text[i:]))
				}
				continue
			}
			if _, ok := hex4(s.text[i+1:]); !ok {
				s.pos = i - 1
				return s.fail(`\u needs four hexadecimal digits`)
			}
			i += 4
			continue
		}
		s.pos = i
		if c == 0 {
			return s.fail("a text has the character U+0000, which cannot be stored; remove it")
		}
		return s.fail(`control character U+%04X in a text; write it as \u%04x`, c, c)
	}
	s.pos = len(s.text)
	return s.fail("the line ends in the middle of a text; write a line break as \\n, and each object on one line")
}

func firstRune(b []byte) rune {
	r, _ := utf8.DecodeRune(b)
	return r
}

func (s *scanner) number() *fault {
	digits := func() bool {
		start := s.pos
		for s.pos < len(s.text) && isDigit(s.text[s.pos]) {
			s.pos++
		}
		return s.pos > start
	}
	at := func(set string) bool {
		return s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0
	}
	if at("-") {
		s.pos++
	}
	zero := at("0")
	first := s.pos
	if bytes.HasPrefix(s.text[s.pos:], []byte("Infinity")) {
		return s.fail("there is no -Infinity; write null or leave the key out")
	}
	if !digits() {
		return s.expected("a digit")
	}
	if zero && s.pos > first+1 {
		s.pos = first
		return s.fail("a number has no leading zero; write it in double quotes if it is a name")
	}
	if at(".") {
		if s.pos++; !digits() {
			return s.expected("a digit")
		}
	}
	if at("eE") {
		s.pos++
		if at("+-") {
			s.pos++
		}
		if !digits() {
			return s.expected("a digit")
		}
	}
	return nil
}

func (s *scanner) literal() *fault {
	rest := s.text[s.pos:]
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			s.pos += len(word)
			return nil
		}
	}
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(rest, []byte(word)) {
			return s.fail("there is no %s; write null or leave the key out", word)
		}
	}
	return s.expected("a value")
}

// jsonKind returns the first byte of v ({ [ " t f n), or '0' for a number.
func jsonKind(text []byte, v jsonValue) byte {
	c := text[v.Start]
	if c == '-' || isDigit(c) {
		return '0'
	}
	return c
}

// jsonMembers yields the ranges of each key and its value in an object that scanJSON has checked.
func jsonMembers(text []byte, v jsonValue) iter.Seq2[jsonValue, jsonValue] {
	return func(yield func(key, val jsonValue) bool) {
		s := scanner{text: text, pos: v.Start + 1}
		for c := s.peek(); c == '"' || c == ','; c = s.peek() {
			if c == ',' {
				s.pos++
				s.space()
			}
			key := jsonValue{Start: s.pos}
			s.str()
			key.End = s.pos
			s.peek() // the colon
			s.pos++
			if !yield(key, s.next()) {
				return
			}
		}
	}
}

// jsonElements yields the ranges of the elements of an array that scanJSON has checked.
func jsonElements(text []byte, v jsonValue) iter.Seq[jsonValue] {
	return func(yield func(jsonValue) bool) {
		s := scanner{text: text, pos: v.Start + 1}
		for c := s.peek(); c != ']'; c = s.peek() {
			if c == ',' {
				s.pos++
			}
			if !yield(s.next()) {
				return
			}
		}
	}
}

// next skips a value that scanJSON has checked and returns its range.
func (s *scanner) next() jsonValue {
	s.space()
	v := jsonValue{Start: s.pos}
	s.value(0)
	v.End = s.pos
	return v
}
