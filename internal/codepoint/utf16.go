package codepoint

import "unicode/utf16"

// UTF16Len is the length of a text in UTF-16 units.
func UTF16Len(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// FromUTF16 converts an offset in UTF-16 units into one in code points. An offset between the two units of a
// character is that of the character. It is false unless 0 <= units <= UTF16Len(text).
func FromUTF16(text string, units int) (int, bool) {
	at, n := 0, 0
	for _, r := range text {
		if at >= units {
			break
		}
		if at += utf16.RuneLen(r); at > units {
			return n, true
		}
		n++
	}
	return n, units >= 0 && at == units
}

// ToUTF16 converts an offset in code points into one in UTF-16 units. It is false unless 0 <= i <= Len(text).
func ToUTF16(text string, i int) (int, bool) {
	at, n := 0, 0
	for _, r := range text {
		if n == i {
			return at, true
		}
		at += utf16.RuneLen(r)
		n++
	}
	return at, n == i
}
