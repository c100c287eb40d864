package metric

import (
	"math"
	"testing"
)

func TestBLEU(t *testing.T) {
	const short = "the the the the the the the"
	// Papineni et al. (2002), section 2.1: "the" counts twice, as in the first
	// reference; the second is as long as the translation, so BP is 1. The
	// orders without match have 6, 5 and 4 n-grams.
	papineni := []string{"the cat is on the mat", "there is a cat on the mat"}
	root := func(p ...float64) float64 {
		product := 1.0
		for _, p := range p {
			product *= p
		}
		return 100 * math.Pow(product, 1/float64(len(p)))
	}
	for _, c := range []struct {
		name            string
		m               BLEU
		translation     string
		references      []string
		segment, system float64
	}{
		{"exp", BLEU{}, short, papineni, root(2.0/7, 1.0/2/6, 1.0/4/5, 1.0/8/4), root(2.0/7, 1.0/2/6, 1.0/4/5, 1.0/8/4)},
		{"nothing matches", BLEU{}, "a b", []string{"c d"}, 0, 0},
		// Too short for all orders: those it has count for a segment.
		{"two words", BLEU{}, "a b", []string{"a b"}, 100, 0},
		{"too short", BLEU{}, "a b c d", []string{"a b c d e"}, 100 * math.Exp(1-5.0/4), 100 * math.Exp(1-5.0/4)},
		{"of 3 and 5 words equally near the shorter", BLEU{}, "a b c d", []string{"a b c d e", "a b c"}, 100, 100},
		{"too long", BLEU{}, "a b c d e", []string{"a b c d"}, root(4.0/5, 3.0/4, 2.0/3, 1.0/2), root(4.0/5, 3.0/4, 2.0/3, 1.0/2)},
		// Each n-gram as often as the reference that has it most often: a b from
		// the first, c d from the second, b c from none.
		{"matches from several references", BLEU{}, "a b c d", []string{"a b x x", "x x c d"}, root(4.0/4, 2.0/3, 1.0/2/2, 1.0/4/1), root(4.0/4, 2.0/3, 1.0/2/2, 1.0/4/1)},
		{"case counts", BLEU{}, "A b", []string{"a B"}, 0, 0},
		{"full width is not ASCII", BLEU{Tokenizer: TokZh}, "ＡＢ", []string{"AB"}, 0, 0},
		{"a combining mark is a character", BLEU{Tokenizer: TokChar}, "e\u0301", []string{"\u00e9"}, 0, 0},
	} {
		n := counts(t, c.m, c.translation, c.references...)
		if got := c.m.Segment(n); !close(got, c.segment) {
			t.Errorf("%s: segment %v, want %v", c.name, got, c.segment)
		}
		if got := c.m.System(n); !close(got, c.system) {
			t.Errorf("%s: system %v, want %v", c.name, got, c.system)
		}
	}
}

// TestBLEUOfSystem: counts are summed before anything is divided.
func TestBLEUOfSystem(t *testing.T) {
	hyps, refs := []string{"a b", "c d"}, []string{"a b", "c e"}
	if got := system(t, BLEU{}, hyps, refs); got != 0 {
		t.Errorf("got %v, want 0: no segment has four words", got)
	}
	hyps, refs = []string{"a b c d", "e f"}, []string{"a b c d", "e g"}
	// 5 of 6 words, 3 of 4 pairs, 2 of 2 triples, 1 of 1 quadruple.
	if got, want := system(t, BLEU{}, hyps, refs), 100*math.Pow(5.0/6*3/4, 0.25); !close(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
