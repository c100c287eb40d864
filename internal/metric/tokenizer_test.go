package metric

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// substitutions is the tokenisation of mteval-v13a in the form of its authors: regular
// expressions, one after the other. split must give the same result.
var substitutions = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile("([{-~\\[-` -&(-+:-@/])"), " $1 "}, // ASCII punctuation but ' - . ,
	{regexp.MustCompile(`([^0-9])([.,])`), "$1 $2 "},       // period and comma unless after a digit
	{regexp.MustCompile(`([.,])([^0-9])`), " $1 $2"},       // and unless before one
	{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},           // dash after a digit
}

func bySubstitution(t Tokenizer, text string) []string {
	switch t {
	case Tok13a:
		text = strings.TrimRightFunc(text, isSpace)
		for _, r := range [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
			text = strings.ReplaceAll(text, r[0], r[1])
		}
		text = " " + text + " "
	case TokZh:
		text = strings.TrimFunc(text, isSpace)
		var b strings.Builder
		for _, r := range text {
			if isChineseByStrings(r) {
				b.WriteString(" " + string(r) + " ")
			} else {
				b.WriteRune(r)
			}
		}
		text = b.String()
	case TokChar:
		return strings.FieldsFunc(strings.Join(strings.Split(text, ""), " "), isSpace)
	case TokNone:
		return strings.FieldsFunc(text, isSpace)
	}
	for _, s := range substitutions {
		text = s.re.ReplaceAllString(text, s.by)
	}
	return strings.FieldsFunc(text, isSpace)
}

// isChineseByStrings compares strings, as the reference implementation does, so that the
// bounds of two characters have the same effect.
func isChineseByStrings(r rune) bool {
	for _, b := range [][2]string{
		{"\u3400", "\u4db5"}, {"\u4e00", "\u9fa5"}, {"\u9fa6", "\u9fbb"}, {"\uf900", "\ufa2d"},
		{"\ufa30", "\ufa6a"}, {"\ufa70", "\ufad9"}, {"\u2000" + "0", "\u2a6d" + "6"},
		{"\u2f80" + "0", "\u2fa1" + "d"}, {"\uff00", "\uffef"}, {"\u2e80", "\u2eff"}, {"\u3000", "\u303f"},
		{"\u31c0", "\u31ef"}, {"\u2f00", "\u2fdf"}, {"\u2ff0", "\u2fff"}, {"\u3100", "\u312f"},
		{"\u31a0", "\u31bf"}, {"\ufe10", "\ufe1f"}, {"\ufe30", "\ufe4f"}, {"\u2600", "\u26ff"},
		{"\u2700", "\u27bf"}, {"\u3200", "\u32ff"}, {"\u3300", "\u33ff"},
	} {
		if c := string(r); b[0] <= c && c <= b[1] {
			return true
		}
	}
	return false
}

func TestChinese(t *testing.T) {
	for r := range utf8.MaxRune + 1 {
		if got, want := isChinese(r), isChineseByStrings(r); got != want && utf8.ValidRune(r) {
			t.Errorf("%U: got %v, want %v", r, got, want)
		}
	}
}

// TestSpace: the code points that Python's str.isspace names.
func TestSpace(t *testing.T) {
	const spaces = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
	for r := range utf8.MaxRune + 1 {
		if got, want := isSpace(r), utf8.ValidRune(r) && strings.ContainsRune(spaces, r); got != want {
			t.Errorf("%U: got %v, want %v", r, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		tokenizer  Tokenizer
		text, want string // words with | between them
	}{
		// A period stays in a number and nowhere else.
		{Tok13a, "3.14 a.b 3.a a.3 1,000.5.", "3.14|a|.|b|3|.|a|a|.|3|1,000.5|."},
		{Tok13a, "5.", "5|."},
		{TokZh, "5.", "5."}, // nothing follows it, and nothing is no digit
		{TokZh, ".5", ".5"},
		{Tok13a, ".5", ".|5"},
		{Tok13a, "..5 ...5", ".|.5|.|.|.|5"}, // every second one counts as after a digit
		{Tok13a, "a..5 a...5", "a|.|.5|a|.|.|.|5"},
		{Tok13a, "1..2 1.,2", "1|.|.|2|1|.|,|2"},
		{Tok13a, "10-year-old -5 5-", "10|-|year-old|-5|5|-"},
		{Tok13a, "don't 'quote' l'été", "don't|'quote'|l'été"},
		{Tok13a, "a/b (c) [d] {e} $5 50% #1 x=y a_b", "a|/|b|(|c|)|[|d|]|{|e|}|$|5|50|%|#|1|x|=|y|a|_|b"},
		{Tok13a, "٣.٤ ３.４", "٣|.|٤|３|.|４"}, // only ASCII digits are digits
		{Tok13a, "猫。狗…", "猫。狗…"},
		{Tok13a, "&lt;b&gt; &amp;lt; &amp;quot; &nbsp;", "<|b|>|<|&|quot|;|&|nbsp|;"},
		{TokZh, "&lt;", "&|lt|;"},
		{Tok13a, "<skipped>a <ski<skipped>pped>", "a|<|skipped|>"},
		{Tok13a, "bro-\nken line\nbreak-\n", "broken|line|break-"},
		{TokZh, "bro-\nken", "bro-|ken"},
		{Tok13a, "a\u00a0b\u3000c\u2028d\x1fe\u200bf", "a|b|c|d|e\u200bf"},
		{TokZh, "“引号”—a→b", "“|引|号|”|—|a|→|b"},
		{TokZh, "か가𠀀😀", "か가𠀀😀"},
		{TokZh, "ＡＢ１２，。", "Ａ|Ｂ|１|２|，|。"},
		{TokZh, "第3.5章3-4", "第|3.5|章|3|-|4"},
		{TokZh, "好.5", "好|.|5"},
		{TokChar, "猫 a\u0301😀\n.", "猫|a|\u0301|😀|."},
		{TokChar, "👩‍👧", "👩|\u200d|👧"},
		{TokNone, " a, b\t.\n", "a,|b|."},
		{Tok13a, "", ""}, {TokZh, "", ""}, {TokChar, " ", ""}, {TokNone, "\n", ""},
	} {
		got := strings.Join(c.tokenizer.Split(c.text), "|")
		if got != c.want {
			t.Errorf("%s: %q: got %s, want %s", c.tokenizer, c.text, got, c.want)
		}
		if old := strings.Join(bySubstitution(c.tokenizer, c.text), "|"); old != c.want {
			t.Errorf("%s: %q: by substitution %s, want %s", c.tokenizer, c.text, old, c.want)
		}
	}
}

// TestSplitExhaustively tries every text of up to five characters of the kinds
// that the rules tell apart. Up to six of ten were tried once.
func TestSplitExhaustively(t *testing.T) {
	alphabet := []string{"a", "5", ".", "-", " ", "好"}
	var try func(text string, left int)
	try = func(text string, left int) {
		for _, tokenizer := range []Tokenizer{Tok13a, TokZh} {
			if got, want := tokenizer.Split(text), bySubstitution(tokenizer, text); !slices.Equal(got, want) {
				t.Fatalf("%s: %q: got %q, want %q", tokenizer, text, got, want)
			}
		}
		if left == 0 {
			return
		}
		for _, c := range alphabet {
			try(text+c, left-1)
		}
	}
	try("", 5)
}

func TestTokenizerFor(t *testing.T) {
	for lang, want := range map[string]Tokenizer{
		"zh": TokZh, "zh-Hans": TokZh, "zh_TW": TokZh, "ZH-cn": TokZh, "yue": TokZh, "cmn-Hans": TokZh, "zho_Hant": TokZh, "lzh": TokZh,
		"ja": TokChar, "ja-JP": TokChar, "jpn_Jpan": TokChar, "th": TokChar, "th_TH": TokChar, "tha": TokChar,
		"de": Tok13a, "en-US": Tok13a, "ko": Tok13a, "": Tok13a, "km": Tok13a, "zha": Tok13a, "jav": Tok13a, "tt": Tok13a,
	} {
		if got := TokenizerFor(lang); got != want {
			t.Errorf("%q: got %s, want %s", lang, got, want)
		}
	}
}

func fuzzTokenizer(f *testing.F, tokenizer Tokenizer) {
	for _, c := range readVectors(f).Cases {
		f.Add(c.Hyp)
		f.Add(c.Ref)
	}
	for _, text := range []string{"..5", "5.", "1-2-", "&amp;lt;", "<ski<skipped>pped>-\n", "好.5“", "\x1f.\u2028,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd") // which is what readers let through
		if got, want := tokenizer.Split(text), bySubstitution(tokenizer, text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

func FuzzSplit13a(f *testing.F)  { fuzzTokenizer(f, Tok13a) }
func FuzzSplitZh(f *testing.F)   { fuzzTokenizer(f, TokZh) }
func FuzzSplitChar(f *testing.F) { fuzzTokenizer(f, TokChar) }
func FuzzSplitNone(f *testing.F) { fuzzTokenizer(f, TokNone) }
