package campaign

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"annotate/internal/codepoint"
)

// texts are sentences of scripts with and without blanks, and texts that are hard to damage.
var texts = []string{
	"That move was unreal, the whole chat just froze.", "Yes.", "No", "a", "aa", "ha ha ha ha", "1 1", "…", "!!", "👏", "👏👏👏", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
	"这波操作真绝了，全群都看呆了。", "好", "好好", "これは本当にすごいですね。", "ภาษาไทยไม่มีช่องว่างระหว่างคำ", "هذا النص مكتوب بالعربية.", "זה טקסט בעברית.",
	"यह हिन्दी का वाक्य है।", "한국어 문장입니다.", "e\u0301e\u0301 e\u0301", "Straße\u00adn-bahn", "one\ntwo\r\n\r\nthree\tfour", "\u200fabc\u200e", "  leading and trailing  ",
	"3.14 2,718 50 %", "<v>Good day.</v>", strings.Repeat("word ", 500), "\ufeffa b",
}

func TestDegrade(t *testing.T) {
	others := []string{"Another sentence of the same document.", "另一句话", ""}
	for _, text := range texts {
		for seed := range int64(50) {
			got, ok := Degrade(seed, text, others)
			if !ok {
				t.Fatalf("%q can't be damaged", text)
			}
			checkDegraded(t, text, got, others)
			if again, _ := Degrade(seed, text, others); again != got {
				t.Fatalf("seed %d makes %q of %q, then %q", seed, got, text, again)
			}
		}
	}
	for _, blank := range []string{"", " \n\t", "\u200b", "\u3000", "\ufeff"} {
		if got, ok := Degrade(1, blank, others); ok {
			t.Errorf("%q was damaged to %q", blank, got)
		}
	}
	for _, text := range []string{"a", "好", "👏"} {
		if got, ok := Degrade(1, text, []string{text, " "}); ok {
			t.Errorf("%q was damaged to %q without any other word", text, got)
		}
	}
}

// checkDegraded fails the test unless a damaged text can stand in the place of the original.
func checkDegraded(t *testing.T, text, got string, others []string) {
	t.Helper()
	if visible(got) == visible(text) || visible(got) == "" {
		t.Fatalf("%q was damaged to %q", text, got)
	}
	if !utf8.ValidString(got) || strings.Contains(got, "\x00") {
		t.Fatalf("%q was damaged to %q, which can't be stored", text, got)
	}
	for _, r := range got {
		if !strings.ContainsRune(text+strings.Join(others, ""), r) {
			t.Fatalf("%q was damaged to %q, which has the new character %q", text, got, r)
		}
	}
}

// Every damage takes away much of a long text.
func TestDegradeDamagesHalf(t *testing.T) {
	const text = "one two three four five six seven eight nine ten"
	made := map[string]bool{}
	for seed := range int64(300) {
		got, _ := Degrade(seed, text, []string{"alpha beta gamma delta epsilon zeta eta theta"})
		kept := 0
		for _, w := range strings.Fields(got) {
			if strings.Contains(text, w) {
				kept++
			}
		}
		if kept < 4 || kept > 6 {
			t.Errorf("%d of 10 words are left in %q", kept, got)
		}
		switch {
		case strings.Contains(got, "ta"): // a letter of the other text
			made["swapped"] = true
		case strings.HasPrefix(text, got):
			made["cut"] = true
		default:
			made["dropped"] = true
		}
		if n := codepoint.Words(got); n < 4 || n > 10 {
			t.Errorf("%q has %d words", got, n)
		}
	}
	if len(made) != 3 {
		t.Errorf("only these damages were done: %v", made)
	}
}

// Texts of random characters of all of Unicode.
func TestDegradeRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		runes := make([]rune, r.IntN(30))
		for i := range runes {
			for {
				c := rune(r.IntN(0x2ff) + 1)
				if r.IntN(2) == 0 {
					c = rune(r.IntN(utf8.MaxRune-1) + 1)
				}
				if r.IntN(5) == 0 {
					c = ' '
				}
				if utf8.ValidRune(c) {
					runes[i] = c
					break
				}
			}
		}
		return string(runes)
	}
	for range 5_000 {
		text, others := random(), []string{random(), random()}
		got, ok := Degrade(r.Int64(), text, others)
		if ok {
			checkDegraded(t, text, got, others)
			continue
		}
		if n := len([]rune(visible(text))); n > 1 && codepoint.Words(text) > 1 {
			t.Fatalf("%q can't be damaged", text)
		}
	}
}
