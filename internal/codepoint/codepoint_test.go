package codepoint

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOffsets holds this package to the cases of testdata/offsets.json, to which web/jstest holds the browser's code as
// well. Their texts are in many scripts, with emoji, marks, controls and line breaks of all kinds.
func TestOffsets(t *testing.T) {
	file, err := os.ReadFile("testdata/offsets.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Text   string
		CodePoints   int `json:"code_points"`
		UTF16, Bytes int
		Graphemes    []int // boundaries, in code points
		Spans        []struct {
			Start, End int
			UTF16Start int `json:"utf16_start"`
			UTF16End   int `json:"utf16_end"`
			Words      string
		}
	}
	if err := json.Unmarshal(file, &cases); err != nil || len(cases) < 70 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		check(t, c.Text)
		units := func(n int) int { // and back
			u, ok := ToUTF16(c.Text, n)
			if back, there := FromUTF16(c.Text, u); !ok || !there || back != n {
				t.Errorf("%s: %d code points are %d units, %t, which are %d code points, %t", c.Name, n, u, ok, back, there)
			}
			return u
		}
		if UTF16Len(c.Text) != c.UTF16 {
			t.Errorf("%s: UTF16Len = %d, want %d", c.Name, UTF16Len(c.Text), c.UTF16)
		}
		if Len(c.Text) != c.CodePoints || len(c.Text) != c.Bytes || units(c.CodePoints) != c.UTF16 {
			t.Errorf("%s: the text has %d code points, %d bytes and %d units", c.Name, Len(c.Text), len(c.Text), units(c.CodePoints))
		}
		bounds := []int{0}
		for cluster := range Graphemes(c.Text) {
			bounds = append(bounds, bounds[len(bounds)-1]+Len(cluster))
		}
		if !slices.Equal(bounds, c.Graphemes) {
			t.Errorf("%s: the grapheme clusters end at %v, want %v", c.Name, bounds, c.Graphemes)
		}
		for _, s := range c.Spans {
			if text, ok := Slice(c.Text, s.Start, s.End); text != s.Words || !ok {
				t.Errorf("%s: [%d, %d) covers %+q, want %+q", c.Name, s.Start, s.End, text, s.Words)
			}
			if units(s.Start) != s.UTF16Start || units(s.End) != s.UTF16End {
				t.Errorf("%s: [%d, %d) is [%d, %d) in units", c.Name, s.Start, s.End, units(s.Start), units(s.End))
			}
		}
	}
}

// check compares an index of a text, and the offsets of its words, with what counting one by one gives.
func check(t *testing.T, text string) {
	t.Helper()
	starts := make([]int, 0, len(text)+1)
	for b := range text {
		starts = append(starts, b)
	}
	starts = append(starts, len(text))
	n := len(starts) - 1
	x := NewIndex(text)
	if x.Len() != n || Len(text) != n {
		t.Fatalf("%+q: Len = %d and %d, want %d", text, x.Len(), Len(text), n)
	}
	for i, b := range starts {
		if x.Byte(i) != b {
			t.Fatalf("%+q: Byte(%d) = %d, want %d", text, i, x.Byte(i), b)
		}
		if rest, ok := Slice(text, i, n); rest != text[b:] || !ok {
			t.Fatalf("%+q: Slice(%d, %d) = %q, %t", text, i, n, rest, ok)
		}
	}
}

// TestAroundPoints tries lengths around those at which an index keeps an offset, and bytes that belong to no text.
func TestAroundPoints(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 127, 128, 129, 192} {
		for _, of := range []string{"a", "ä", "語", "🚀", "a🚀", "\xff"} {
			check(t, strings.Repeat(of, n))
		}
	}
}

func TestOutside(t *testing.T) {
	for _, s := range [][2]int{{-1, 1}, {2, 1}, {0, 4}, {4, 4}, {-1, -1}} {
		if w, ok := Slice("a🚀b", s[0], s[1]); ok {
			t.Errorf("Slice(%d, %d) = %q, want none", s[0], s[1], w)
		}
	}
	for text, i := range map[string]int{"ab": -1, "abc": 4, "ä": 2} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Byte(%d) of %q does not panic", i, text)
				}
			}()
			NewIndex(text).Byte(i)
		}()
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n\t… – !": 0, "don't go, 3 of 4.5 m": 6, "Straße\u00adn-bahn": 2, "这波操作": 4, "مرحبا بالعالم": 2, "שלום, עולם!": 2, "👏 well": 1,
	} {
		if got := Words(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
}

// TestOutsideUTF16 converts offsets that no code point of the text has.
func TestOutsideUTF16(t *testing.T) {
	if n, ok := FromUTF16("a😀b", 2); n != 1 || !ok {
		t.Errorf("the second unit of the emoji is code point %d, %t; want 1", n, ok)
	}
	for _, units := range []int{-1, 5} {
		if n, ok := FromUTF16("a😀b", units); ok {
			t.Errorf("unit %d is code point %d", units, n)
		}
	}
	for _, i := range []int{-1, 4} {
		if n, ok := ToUTF16("a😀b", i); ok {
			t.Errorf("code point %d is unit %d", i, n)
		}
	}
}

func TestInvalid(t *testing.T) {
	for text, want := range map[string]int{"": -1, "aé\ufffd🙂": -1, "\xff": 0, "aé\xc3": 3, "🙂\xed\xa0\x80b": 4} {
		if got := Invalid([]byte(text)); got != want {
			t.Errorf("%q is invalid at %d, want %d", text, got, want)
		}
	}
}
