package campaign

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"annotate/internal/codepoint"
)

// The smallest and largest share of the words of a text that [Degrade] damages. So much is damaged
// that an annotator who reads the text can't give it nearly the score of the original.
const leastDamage, mostDamage = 0.4, 0.6

// Degrade damages a translation: a stretch of about half of its words is dropped, swapped for words of
// others, or, at the end, cut off. others are further translations of the document in the same
// language. The same arguments always give the same text.
//
// The result differs from text in more than blanks. Words are those of UAX #29, so that ideographs and
// the letters of scripts without blanks are words of their own, and no grapheme cluster is cut apart.
// A single word is swapped, or loses letters. ok is false, and nothing is made, for a text without any
// visible character, and for one whose only character can't be swapped.
func Degrade(seed int64, text string, others []string) (degraded string, ok bool) {
	r := rand.New(rand.NewPCG(uint64(seed), 0x6465677261646564))
	if own := split(text); own.len() >= 2 {
		damages := []func(*rand.Rand, tokens, []string) string{drop, swap, cut}
		for _, i := range r.Perm(len(damages)) {
			if made := damages[i](r, own, others); differs(made, text) {
				return made, true
			}
		}
	}
	if made := swap(r, split(text), others); differs(made, text) {
		return made, true
	}
	made := halve(text)
	return made, differs(made, text)
}

// differs reports whether a damaged text is not blank, and differs from the original in more than
// blanks.
func differs(made, text string) bool {
	made = visible(made)
	return made != "" && made != visible(text)
}

// visible is a text without its blanks and control characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
}

// tokens are the words of a text. Each has what stands between it and the next word.
type tokens struct {
	before string   // what stands before the first word
	word   []string // the words
	after  []string // what follows each word
}

func (t tokens) len() int { return len(t.word) }

// split finds the words of a text. If it has no letters and digits, each visible character counts as a
// word.
func split(text string) tokens {
	var t tokens
	add := func(part string, isWord bool) {
		switch {
		case isWord:
			t.word, t.after = append(t.word, part), append(t.after, "")
		case len(t.word) == 0:
			t.before += part
		default:
			t.after[len(t.after)-1] += part
		}
	}
	for part, isWord := range codepoint.Parts(text) {
		add(part, isWord)
	}
	if len(t.word) == 0 {
		t.before = ""
		for g := range codepoint.Graphemes(text) {
			add(g, visible(g) != "")
		}
	}
	return t
}

// stretch chooses a stretch of about half of n words: those from start up to end.
func stretch(r *rand.Rand, n int) (start, end int) {
	share := leastDamage + (mostDamage-leastDamage)*r.Float64()
	size := min(n-1, max(1, int(share*float64(n)+0.5)))
	start = r.IntN(n - size + 1)
	return start, start + size
}

// join writes the words from start up to end with what follows each.
func (t tokens) join(start, end int) string {
	var b strings.Builder
	for i := start; i < end; i++ {
		b.WriteString(t.word[i])
		b.WriteString(t.after[i])
	}
	return b.String()
}

// drop leaves a stretch out. The characters behind the last word of the text stay, so that the text still ends
// like a sentence.
func drop(r *rand.Rand, t tokens, _ []string) string {
	start, end := stretch(r, t.len())
	if end < t.len() {
		return t.before + t.join(0, start) + t.join(end, t.len())
	}
	return t.before + t.join(0, start-1) + t.word[start-1] + t.after[t.len()-1]
}

// cut leaves the end of the text out.
func cut(r *rand.Rand, t tokens, _ []string) string {
	start, end := stretch(r, t.len())
	keep := t.len() - (end - start)
	return t.before + t.join(0, keep-1) + t.word[keep-1]
}

// swap puts a stretch of another text in the place of one. It returns an empty text if there is no
// other text with words.
func swap(r *rand.Rand, t tokens, others []string) string {
	if t.len() == 0 {
		return ""
	}
	start, end := 0, 1
	if t.len() > 1 {
		start, end = stretch(r, t.len())
	}
	var pool []tokens
	for _, text := range others {
		if o := split(text); o.len() > 0 {
			pool = append(pool, o)
		}
	}
	for _, i := range r.Perm(len(pool)) {
		o := pool[i]
		size := min(end-start, o.len())
		from := r.IntN(o.len() - size + 1)
		if slices.Equal(o.word[from:from+size], t.word[start:end]) {
			continue
		}
		return t.before + t.join(0, start) + o.join(from, from+size-1) + o.word[from+size-1] + t.after[end-1] + t.join(end, t.len())
	}
	return ""
}

// halve keeps the first half of the visible characters of a text.
func halve(text string) string {
	var parts []string
	for g := range codepoint.Graphemes(text) {
		if visible(g) != "" {
			parts = append(parts, g)
		}
	}
	return strings.Join(parts[:len(parts)/2], "")
}
