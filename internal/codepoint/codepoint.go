// Package codepoint converts offsets into a text. No other package does.
//
// Stored offsets count Unicode code points from 0, and a range of text is half open: [start, end).
// Strings in Go count bytes. Browsers and most outside formats count UTF-16 units. People see grapheme
// clusters: an emoji with joiners looks like one character, but consists of several code points. An
// [Index] converts between bytes, UTF-16 units and code points. [Graphemes] and [Snap] find grapheme
// clusters.
//
// Texts are valid UTF-8, which the readers of outside formats check. In any other text, each invalid
// byte counts as U+FFFD: as one code point and one UTF-16 unit, of one byte. So the conversions are
// still consistent, and Slice returns the stored bytes.
package codepoint

import (
	"fmt"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// Len is the length of a text in code points.
func Len(text string) int { return utf8.RuneCountInString(text) }

// Slice returns the code points [start, end) of a text. It is false unless 0 <= start <= end <=
// Len(text). For many slices of one text, use [Index.Slice].
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

// step is the number of code points between two points of an index. A conversion walks over less than
// step code points. An index takes 16 bytes of memory per step.
const step = 64

// An Index converts offsets into one text. For ASCII text it takes no memory, and a conversion takes
// constant time. For other texts a conversion walks over less than 64 code points; FromByte and
// FromUTF16 do a binary search before. An Index does not change, so several goroutines may use it.
type Index struct {
	text   string
	n      int     // number of code points
	units  int     // number of UTF-16 units
	points []point // offsets of the code points 0, step, 2*step …; nil if every code point is one byte
}

// A point is the offset of a code point in bytes and in UTF-16 units.
type point struct{ byte, unit int }

// NewIndex makes an index of a text. It reads the text once.
func NewIndex(text string) *Index {
	x := &Index{text: text, n: Len(text)}
	if x.n == len(text) {
		x.units = x.n
		return x
	}
	x.points = make([]point, 0, x.n/step+1)
	var p point
	for i := range x.n {
		if i%step == 0 {
			x.points = append(x.points, p)
		}
		p = x.next(p)
	}
	if x.n%step == 0 {
		x.points = append(x.points, p)
	}
	x.units = p.unit
	return x
}

// next is the point after the code point at p.
func (x *Index) next(p point) point {
	r, size := utf8.DecodeRuneInString(x.text[p.byte:])
	return point{p.byte + size, p.unit + utf16.RuneLen(r)}
}

// Len is the length of the text in code points.
func (x *Index) Len() int { return x.n }

// Byte returns the offset in bytes of code point i. For i = Len it is the length in bytes. It panics
// unless 0 <= i <= Len.
func (x *Index) Byte(i int) int { return x.point(i).byte }

// UTF16 returns the offset in UTF-16 units of code point i. For i = Len it is the length in units. It
// panics unless 0 <= i <= Len.
func (x *Index) UTF16(i int) int { return x.point(i).unit }

// point returns the offsets of code point i.
func (x *Index) point(i int) point {
	if i < 0 || i > x.n {
		panic(fmt.Sprintf("codepoint: offset %d is outside a text of %d code points", i, x.n))
	}
	if x.points == nil {
		return point{i, i}
	}
	p := x.points[i/step]
	for range i % step {
		p = x.next(p)
	}
	return p
}

// FromByte returns the offset of the code point that begins at byte b, or Len at the end of the text. It
// is false if b is inside a code point or outside the text.
func (x *Index) FromByte(b int) (int, bool) {
	return x.find(b, len(x.text), func(p point) int { return p.byte })
}

// FromUTF16 returns the offset of the code point that begins at UTF-16 unit u, or Len at the end of the
// text. It is false if u is inside a surrogate pair or outside the text.
func (x *Index) FromUTF16(u int) (int, bool) {
	return x.find(u, x.units, func(p point) int { return p.unit })
}

// find returns the code point whose offset, in the unit that in selects, is v. length is the length of
// the text in that unit.
func (x *Index) find(v, length int, in func(point) int) (int, bool) {
	if v < 0 || v > length {
		return 0, false
	}
	if x.points == nil {
		return v, true
	}
	k := sort.Search(len(x.points), func(k int) bool { return in(x.points[k]) > v }) - 1
	i, p := k*step, x.points[k]
	for in(p) < v {
		p = x.next(p)
		i++
	}
	if in(p) != v {
		return 0, false
	}
	return i, true
}

// Slice returns the code points [start, end) of the text. It is false unless 0 <= start <= end <= Len.
func (x *Index) Slice(start, end int) (string, bool) {
	if start < 0 || end < start || end > x.n {
		return "", false
	}
	return x.text[x.Byte(start):x.Byte(end)], true
}
