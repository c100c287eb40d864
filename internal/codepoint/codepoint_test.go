package codepoint_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"annotate/internal/codepoint"
)

func TestIndex(t *testing.T) {
	// Offsets of the word by hand, as code points and bytes.
	for _, tt := range []struct {
		name, text, word string
		point, byte      int
	}{
		{"ASCII", "a rocket word", "word", 9, 9},
		{"emoji before", "🚀 rocket word", "word", 9, 12},
		{"line break", "One.\nTwo word", "word", 9, 9},
		{"umlaut", "für das Wort", "Wort", 8, 9},
		{"family", "👨‍👩‍👧 word", "word", 6, 19}, // 3 emoji of 2 units and 4 bytes, 2 joiners of 1 and 3
		{"Chinese", "你好世界 word", "word", 5, 13},
		{"Chinese beyond the first plane", "𠮷野家 word", "word", 4, 11},
		{"replacement character", "\uFFFD word", "word", 2, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := codepoint.NewIndex(tt.text)
			if b := x.Byte(tt.point); b != tt.byte {
				t.Errorf("Byte(%d) = %d, want %d", tt.point, b, tt.byte)
			}
			if w, ok := codepoint.Slice(tt.text, tt.point, x.Len()); w != tt.word || !ok {
				t.Errorf("Slice(%d, %d) = %q, %t", tt.point, x.Len(), w, ok)
			}
		})
	}
}

func TestInside(t *testing.T) {
	for _, s := range [][2]int{{-1, 1}, {2, 1}, {0, 4}, {4, 4}, {-1, -1}} {
		if w, ok := codepoint.Slice("a🚀b", s[0], s[1]); ok {
			t.Errorf("Slice(%d, %d) = %q, want none", s[0], s[1], w)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"Byte before":  func() { codepoint.NewIndex("ab").Byte(-1) },
		"Byte after":   func() { codepoint.NewIndex("ab").Byte(3) },
		"Byte after ä": func() { codepoint.NewIndex("ä").Byte(2) },
		"Snap before":  func() { snap("ab", -1, 1) },
		"Snap after":   func() { snap("ab", 0, 3) },
		"Snap turned":  func() { snap("ab", 2, 1) },
		"Snap nowhere": func() { snap("", 1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// check compares every answer about a text with the naive ones.
func check(t *testing.T, text string) {
	t.Helper()
	runes := []rune(text) // a U+FFFD for each byte that does not belong
	var starts []int
	for b := range text {
		starts = append(starts, b)
	}
	starts = append(starts, len(text))
	n := len(runes)

	x := codepoint.NewIndex(text)
	if x.Len() != n || codepoint.Len(text) != n {
		t.Fatalf("%+q: Len = %d and %d, want %d", text, x.Len(), codepoint.Len(text), n)
	}
	for i := range n + 1 {
		if b := x.Byte(i); b != starts[i] {
			t.Fatalf("%+q: Byte(%d) = %d, want %d", text, i, b, starts[i])
		}
	}

	bounds := graphemeBounds(text)
	if bounds[0] != 0 || bounds[len(bounds)-1] != n {
		t.Fatalf("%+q: Graphemes = %v, want 0 to %d", text, bounds, n)
	}
	for i := 1; i < len(bounds); i++ {
		if bounds[i] <= bounds[i-1] {
			t.Fatalf("%+q: Graphemes = %v, not ascending", text, bounds)
		}
	}
}

// checkSpan compares what is said of one stretch with the naive answers.
func checkSpan(t *testing.T, text string, start, end int) {
	t.Helper()
	n := codepoint.Len(text)
	valid := 0 <= start && start <= end && end <= n
	words, ok := codepoint.Slice(text, start, end)
	if ok != valid {
		t.Fatalf("%+q: Slice(%d, %d) = %q, %t; want %t", text, start, end, words, ok, valid)
	}
	if !valid {
		return
	}
	if string([]rune(words)) != string([]rune(text)[start:end]) {
		t.Fatalf("%+q: Slice(%d, %d) = %q", text, start, end, words)
	}
	from, to := snap(text, start, end)
	bounds := graphemeBounds(text)
	wantFrom, wantTo := 0, n
	for _, b := range bounds {
		if b <= start {
			wantFrom = b
		}
	}
	for _, b := range slices.Backward(bounds) {
		if b >= end {
			wantTo = b
		}
	}
	if start == end {
		wantTo = wantFrom
	}
	if from != wantFrom || to != wantTo {
		t.Fatalf("%+q: Snap(%d, %d) = %d, %d, want %d, %d of %v", text, start, end, from, to, wantFrom, wantTo, bounds)
	}
}

// alphabet holds what texts are awkward with, several of a kind.
var alphabet = []rune("ab .,'\n\r\t" + "äßéñ" + "日本語中文字你好，。" + "한국한" + "สวัสดีครับ" + "ノート" +
	"שלוםَُّمرحبا" + "कषत्िि্ক" + "தமிழ்" + "🚀👨👩👧🏽❤☺🇩🇪🇫🇷" + "𠮷𝒜𝄞" +
	"\u0301\u0308\u20E3\uFE0F\u200D\u200C\u200B\u2060" + "\u200E\u200F\u202A\u202B\u202C\u202E\u2066\u2069\u061C" +
	"\u2028\u2029\u0085\u00A0\uFEFF\uFFFD\u0600\U000E0067\U000E007F\U000110BD")

// randomText makes a text of n code points, more than half of them from the alphabet.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch c := rune(r.IntN(0x110000)); {
		case r.IntN(2) == 0 && (c < 0xD800 || c > 0xDFFF):
			b.WriteRune(c)
		default:
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
	}
	return b.String()
}

func TestRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		text := randomText(r, r.IntN(200))
		check(t, text)
		n := codepoint.Len(text)
		for range 10 {
			checkSpan(t, text, r.IntN(n+3)-1, r.IntN(n+3)-1)
		}
	}
}

// Around the points of an index lie the mistakes of one.
func TestAroundPoints(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 127, 128, 129, 192} {
		for _, of := range []string{"a", "ä", "語", "🚀", "a🚀", "\xff"} {
			check(t, strings.Repeat(of, n))
		}
	}
}

func FuzzIndex(f *testing.F) {
	for _, c := range texts() {
		f.Add(c.text, 1, 3)
	}
	f.Add("\xff\xf0\x9f\x9a", 1, 2)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		check(t, text)
		checkSpan(t, text, start, end)
	})
}

// long is a text of 10,000 code points in several scripts.
var long = func() string {
	part := []rune("The naïve 🚀 said: 你好世界, שלום עולם — नमस्ते 👨‍👩‍👧 e\u0301té. ")
	out := make([]rune, 10_000)
	for i := range out {
		out[i] = part[i%len(part)]
	}
	return string(out)
}()

func BenchmarkNewIndex(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		codepoint.NewIndex(long)
	}
}

func BenchmarkByte(b *testing.B) {
	x := codepoint.NewIndex(long)
	for i := 0; b.Loop(); i++ {
		x.Byte(i * 7919 % 9_990)
	}
}

// Slice walks up to the end of the stretch.
func BenchmarkSlice(b *testing.B) {
	for b.Loop() {
		codepoint.Slice(long, 9_000, 9_010)
	}
}
