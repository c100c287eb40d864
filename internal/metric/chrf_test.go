package metric

import (
	"strings"
	"testing"
)

func TestCHRF(t *testing.T) {
	for _, c := range []struct {
		name        string
		m           CHRF
		translation string
		references  []string
		want        float64
	}{
		// Characters: 2 of 2 and of 3; pairs: 1 of 1 and of 2; no triple to count.
		// P = 1, R = (2/3 + 1/2)/2 = 7/12, 5PR/(4P + R) = 35/55.
		{"by hand", CHRF{}, "ab", []string{"abc"}, 100 * 7.0 / 11},
		// And 0 of 1 words: P = 2/3, R = 7/18, 5PR/(4P + R) = 70/165.
		{"with words", CHRF{WordOrder: 2}, "ab", []string{"abc"}, 100 * 14.0 / 33},
		{"nothing matches", CHRF{}, "ab", []string{"cd"}, 0},
		{"the better reference", CHRF{}, "ab", []string{"xyz", "abc"}, 100 * 7.0 / 11},
		{"spaces do not count", CHRF{}, "a\u3000b ", []string{" ab"}, 100},
		{"case counts", CHRF{}, "A", []string{"a"}, 0},
		{"full width is not ASCII", CHRF{}, "Ａ", []string{"A"}, 0},
		{"emoji", CHRF{WordOrder: 2}, "😀", []string{"😀"}, 100},
		// One of two code points and of one; no pair in the reference.
		// P = 1/2, R = 1, 5PR/(4P + R) = 5/6.
		{"a combining mark is a character", CHRF{}, "e\u0301", []string{"e"}, 100 * 5.0 / 6},
	} {
		if got := segment(t, c.m, c.translation, c.references...); !close(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCHRFOfSystem: counts are summed before anything is divided: 3 of 4
// characters of each side, 1 of 2 pairs.
func TestCHRFOfSystem(t *testing.T) {
	if got, want := system(t, CHRF{}, []string{"ab", "cd"}, []string{"ab", "ce"}), 100*(3.0/4+1.0/2)/2; !close(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPunctuated(t *testing.T) {
	for text, want := range map[string]string{
		"(hi) hi, ¡hola! !":    "(hi|)|hi|,|¡hola|!|!",
		"'tis don't dogs'":     "'|tis|don't|dogs|'",
		"... -- “so” 3.5% é.":  "..|.|-|-|“so”|3.5|%|é|.",
		"\u00a0a\u2003b\n\x1c": "a|b",
		"，你好。 、":               "，你好。|、", // marks of other scripts stay
		"":                     "",
	} {
		if got := strings.Join(splitPunctuation(text), "|"); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
