package codepoint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/clipperhouse/uax29/v2/words"

	"annotate/internal/codepoint"
)

// The cases that the browser's code is held to as well, by web/jstest.
const offsets = "testdata/offsets.json"

type offsetCase struct {
	Name       string       `json:"name"`
	Text       string       `json:"text"`
	CodePoints int          `json:"code_points"`
	UTF16      int          `json:"utf16"`
	Bytes      int          `json:"bytes"`
	Graphemes  []int        `json:"graphemes"` // boundaries, in code points
	Spans      []offsetSpan `json:"spans"`
}

type offsetSpan struct {
	Start      int    `json:"start"` // in code points
	End        int    `json:"end"`
	UTF16Start int    `json:"utf16_start"`
	UTF16End   int    `json:"utf16_end"`
	Words      string `json:"words"`
	SnapStart  int    `json:"snap_start"` // in code points
	SnapEnd    int    `json:"snap_end"`

	// Moved to whole words; absent where a dictionary says what a word is.
	WordSnap *[2]int `json:"word_snap,omitempty"`
}

type named struct{ name, text string }

// texts are the texts of the cases.
func texts() []named {
	list := []named{
		{"empty", ""},
		{"one letter", "a"},
		{"a sentence", "The cat sat on the mat."},
		{"blanks at both ends", "  two  blanks  "},
		{"umlauts", "Der süße Käse läuft über."},
		{"an emoji before", "🚀 rocket word"},
		{"a line break", "One.\nTwo word"},
		{"an emoji and a line break", "🚀\nTwo words 🚀"},
		{"CRLF", "One.\r\nTwo.\r\n"},
		{"CR, LF, CRLF", "a\rb\nc\r\nd\n\re"},
		{"line and paragraph separators", "a\u2028b\u2029c\u0085d"},
		{"tabs and hard spaces", "a\tb\u00A0c\u202Fd\u3000e"},
		{"composed and decomposed", "caf\u00E9 cafe\u0301"},
		{"stacked marks", "Z\u0351\u036B\u0343a\u0335\u031E\u0301l\u0308\u0323go"},
		{"a mark at the start", "\u0301a"},
		{"a mark after a line break", "a\n\u0301b"},
		{"Vietnamese, decomposed", "Tie\u0302\u0301ng Vie\u0323\u0302t"},
		{"a family", "The 👨‍👩‍👧‍👦 family"},
		{"skin colours", "👍🏽 👩🏾‍🚀👩🏻‍❤️‍💋‍👨🏿"},
		{"flags", "🇩🇪🇫🇷🇯🇵 and 🇺"},
		{"flags without an end", "🇩🇪🇫🇷🇯"},
		{"a flag in tags", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F Scotland"},
		{"keycaps", "press 1️⃣ or #️⃣"},
		{"text and emoji style", "❤\uFE0E and ❤\uFE0F, ☺ ©️"},
		{"a joiner without a partner", "👨\u200D a\u200Db \u200D👩"},
		{"Chinese", "你好，世界！今天天气很好。"},
		{"Chinese with emoji", "我喜欢🍜和👨‍🍳。"},
		{"Chinese beyond the first plane", "𠮷野家で𩸽を食べる"},
		{"ideographs with variations", "葛\U000E0100城市と葛\U000E0101飾区"},
		{"Japanese", "カタカナとひらがな、漢字。"},
		{"Japanese, decomposed", "か\u3099き\u3099は\u309A ﾊﾟﾋﾟ"},
		{"Korean", "안녕하세요 세계"},
		{"Korean in jamo", "\u1112\u1161\u11AB\u1100\u116E\u11A8 \uD558\u11AB"},
		{"Thai", "สวัสดีชาวโลก น้ำ"},
		{"Lao and Khmer", "ສະບາຍດີ សួស្តី"},
		{"Burmese", "မြန်မာ"},
		{"Hindi", "नमस्ते दुनिया, क्षत्रिय"},
		{"Hindi with joiners", "क्\u200Dष क्\u200Cष"},
		{"Bengali", "আমি বাংলায় কথা বলি"},
		{"Tamil", "தமிழ் க்ஷ ஸ்ரீ"},
		{"Malayalam and Telugu", "മലയാളം ക്ഷ తెలుగు క్ష"},
		{"Arabic", "مرحبا بالعالم"},
		{"Arabic with marks", "مَرْحَبًا بِالعَالَمِ ﷺ"},
		{"Arabic, lengthened and joined", "مـــرحبا لا\u200Cلا"},
		{"Hebrew", "שלום עולם"},
		{"Hebrew with points", "בְּרֵאשִׁית בָּרָא"},
		{"Persian", "می\u200Cخواهم کتاب\u200Cها"},
		{"right-to-left with Latin and emoji", "אני אוהב JavaScript 🚀 מאוד"},
		{"bidi controls", "a\u202Eb\u202C \u2066c\u2069 \u200Ed\u200F\u061Ce"},
		{"a prefixed number", "\u0600\u0661\u0662 \u06DD\u0663"},
		{"Greek and Cyrillic", "Ελληνικά́ и\u0306 й Ѐ"},
		{"mathematics", "𝒜 ⊂ 𝔹, 𝑥₁ ≠ x̸"},
		{"music and hieroglyphs", "𝄞𝅘𝅥𝅮 𓀀𓂋"},
		{"replacement characters", "a\uFFFDb \uFFFD\u0301 \uFFFD"},
		{"private use and not a character", "\uE000 \U000F0000\U0010FFFF"},
		{"invisible", "a\u200Bb\u2060c\u00ADd\uFEFFe"},
		{"quotes and markup", `<b>"it's" & \u0041</b>`},
		{"longer than a step of the index", strings.Repeat("aä語🚀", 40)},
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 6 {
		var b strings.Builder
		for range 10 + 20*i {
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
		list = append(list, named{fmt.Sprintf("at random %d", i+1), b.String()})
	}
	for i := range 14 {
		var b strings.Builder
		for range 6 + 2*i {
			b.WriteString(bits[r.IntN(len(bits))])
		}
		list = append(list, named{fmt.Sprintf("words at random %d", i+1), b.String()})
	}
	return list
}

// bits are words, blanks and signs as texts have them, of all kinds but those of
// which only a dictionary knows where a word ends.
var bits = []string{" ", " ", " ", " ", "The", "cat’s", "don't", "3,50", "1.234", "€", ", ", ". ", " – ", "“Stop!”", "(", ")", "\n", "\r\n", "\t",
	"süß", "cafe\u0301", "Tie\u0302\u0301ng", "שלום", "בְּרֵאשִׁית", "مَرْحَبًا", "و", "(٣ أيام)", "می\u200Cخواهم", "JavaScript", "नमस्ते", "क्\u200Dष", "Ελλάδα", "\u200F", "\u2068", "\u2069",
	"👨‍👩‍👧", "👍🏽", "🇩🇪", "🇫🇷", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "1️⃣", "❤\uFE0F", "𝒜𝑥", "𝄞", "a_b", "x@y"}

// wordSnap is the rule by which the browser marks whole words, told another way: without
// blanks at its ends, unless it is nothing else, and then outward to the ends of the words
// that the stretch touches, a word being a segment with more in it than punctuation, blanks
// and controls. An empty stretch becomes the word it lies in or ends at. nil where the rules
// of UAX #29 do not say what a word is.
func wordSnap(text string, start, end int) *[2]int {
	type segment struct {
		start, end int
		word       bool
	}
	var all []segment
	at := 0
	for w := words.FromString(text); w.Next(); {
		n := codepoint.Len(w.Value())
		word := strings.ContainsFunc(w.Value(), func(r rune) bool { return !unicode.In(r, unicode.P, unicode.Z, unicode.C) })
		all = append(all, segment{at, at + n, word})
		at += n
	}
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			return nil
		}
	}
	runes := []rune(text)
	if strings.TrimFunc(string(runes[start:end]), isBlank) != "" {
		for isBlank(runes[start]) {
			start++
		}
		for isBlank(runes[end-1]) {
			end--
		}
	}
	out := [2]int{start, end}
	for _, s := range all {
		touched := s.start < end && start < s.end
		if start == end {
			// Of two words that meet there, the one after it.
			touched = s.start <= start && start <= s.end
		}
		if !s.word || !touched {
			continue
		}
		if start == end {
			out = [2]int{s.start, s.end}
			continue
		}
		out = [2]int{min(out[0], s.start), max(out[1], s.end)}
	}
	out[0], out[1] = snap(text, out[0], out[1])
	return &out
}

// isBlank is what JavaScript takes for white space.
func isBlank(r rune) bool { return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r) }

// offsetCases are counted naively, but for the grapheme clusters.
func offsetCases() []offsetCase {
	r := rand.New(rand.NewPCG(5, 6))
	var cases []offsetCase
	for _, t := range texts() {
		runes := []rune(t.text)
		n := len(runes)
		units := func(i int) int { return len(utf16.Encode(runes[:i])) }
		c := offsetCase{Name: t.name, Text: t.text, CodePoints: n, UTF16: units(n), Bytes: len(t.text), Graphemes: graphemeBounds(t.text)}
		spans := [][2]int{{0, n}}
		if n > 0 {
			at := r.IntN(n + 1)
			spans = append(spans, [2]int{at, at})
			for range 3 {
				a, b := r.IntN(n+1), r.IntN(n+1)
				spans = append(spans, [2]int{min(a, b), max(a, b)})
			}
		}
		slices.SortFunc(spans, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		for _, s := range slices.Compact(spans) {
			from, to := snap(t.text, s[0], s[1])
			c.Spans = append(c.Spans, offsetSpan{s[0], s[1], units(s[0]), units(s[1]), string(runes[s[0]:s[1]]), from, to, wordSnap(t.text, s[0], s[1])})
		}
		cases = append(cases, c)
	}
	return cases
}

// write puts a case, and each of its spans, on a line of its own. What cannot
// be seen, or would change how the line is shown, is escaped.
func write(cases []offsetCase) []byte {
	var b bytes.Buffer
	line := func(v any) string {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSuffix(out.String(), "\n")
	}
	b.WriteString("[\n")
	for i, c := range cases {
		if i > 0 {
			b.WriteString(",\n")
		}
		spans := c.Spans
		c.Spans = nil
		b.WriteString(strings.TrimSuffix(line(c), "null}") + "[")
		for j, s := range spans {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n  " + line(s))
		}
		b.WriteString("]}")
	}
	b.WriteString("\n]\n")

	var out bytes.Buffer
	for _, r := range b.String() {
		if r == '\n' || unicode.IsPrint(r) && !unicode.IsMark(r) {
			out.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, u)
		}
	}
	return out.Bytes()
}

// Run with UPDATE=1 to write the file.
func TestOffsets(t *testing.T) {
	cases := offsetCases()
	want := write(cases)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(offsets, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(offsets)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s is not current; run UPDATE=1 go test ./internal/codepoint -run Offsets", offsets)
	}

	var read []offsetCase
	if err := json.Unmarshal(got, &read); err != nil {
		t.Fatal(err)
	}
	for i, c := range read {
		if c.Text != cases[i].Text {
			t.Fatalf("%s: text was not kept by the file: %+q", c.Name, c.Text)
		}
		x := codepoint.NewIndex(c.Text)
		if x.Len() != c.CodePoints || x.Byte(x.Len()) != c.Bytes {
			t.Errorf("%s: %d code points, %d bytes, want %d, %d", c.Name, x.Len(), x.Byte(x.Len()), c.CodePoints, c.Bytes)
		}
		for _, s := range c.Spans {
			if text, ok := codepoint.Slice(c.Text, s.Start, s.End); text != s.Words || !ok {
				t.Errorf("%s: [%d, %d) covers %+q, want %+q", c.Name, s.Start, s.End, text, s.Words)
			}
		}
	}
}
