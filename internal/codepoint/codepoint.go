// Package codepoint converts offsets into a text. No other package does.
//
// Stored offsets count Unicode code points from 0, and a range of text is half open: [start, end).
// Strings in Go count bytes. Browsers and some outside formats count UTF-16 units; the code of pages
// converts them too, held to the same cases in testdata as this package.
//
// Texts are valid UTF-8, which the readers of outside formats check. In any other text, each invalid
// byte counts as U+FFFD, as one code point of one byte. So the conversions are still consistent, and
// Slice returns the stored bytes.
package codepoint

import (
	"fmt"
	"unicode/utf8"
)

// Len is the length of a text in code points.
func Len(text string) int { return utf8.RuneCountInString(text) }

// Invalid returns the offset of the first byte of a text that is not UTF-8, or -1 if there is none.
func Invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}

// Slice returns the code points [start, end) of a text. It is false unless 0 <= start <= end <=
// Len(text).
func Slice(text string, start, end int) (string, bool) {
	if start < 0 || end < start {
		return "", false
	}
	first, n := -1, 0 // the byte offset of start, and the number of code points before byte b
	for b := range text {
		if n == start {
			first = b
		}
		if n == end {
			return text[first:b], true
		}
		n++
	}
	switch {
	case end != n:
		return "", false
	case start == n:
		return "", true
	}
	return text[first:], true
}

// step is the number of code points between two offsets that an index keeps, which take 8 bytes each.
const step = 64

// An Index finds code points of one text. For ASCII text it takes no memory, and finding one takes
// constant time. In other texts that walks over less than step code points. An Index does not change,
// so several goroutines may use it.
type Index struct {
	text  string
	n     int   // number of code points
	bytes []int // offsets of the code points 0, step, 2*step …; nil if every code point is one byte
}

// NewIndex makes an index of a text. It reads the text twice.
func NewIndex(text string) *Index {
	x := &Index{text: text, n: Len(text)}
	if x.n == len(text) {
		return x
	}
	i := 0
	for b := range text {
		if i%step == 0 {
			x.bytes = append(x.bytes, b)
		}
		i++
	}
	if i%step == 0 {
		x.bytes = append(x.bytes, len(text))
	}
	return x
}

// Len is the length of the text in code points.
func (x *Index) Len() int { return x.n }

// Byte returns the offset in bytes of code point i. For i = Len it is the length in bytes. It panics
// unless 0 <= i <= Len.
func (x *Index) Byte(i int) int {
	if i < 0 || i > x.n {
		panic(fmt.Sprintf("codepoint: offset %d is outside a text of %d code points", i, x.n))
	}
	if x.bytes == nil {
		return i
	}
	b := x.bytes[i/step]
	for range i % step {
		_, size := utf8.DecodeRuneInString(x.text[b:])
		b += size
	}
	return b
}
