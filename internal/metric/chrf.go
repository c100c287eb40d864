package metric

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// CHRF is chrF, the F-score of character n-grams, and with WordOrder 2 chrF++, the
// F-score of character and word n-grams (Popović 2015, "chrF: Character n-gram
// F-score for Automatic MT Evaluation"; Popović 2017, "chrF++: Words Helping Character
// n-grams"):
//
//	chrF_β = 100 · (1 + β²) · P · R / (β² · P + R)
//
// where P and R are precision and recall, each averaged over all orders (of
// characters and of words) that both translation and reference are long enough for.
// Characters are code points. If there are several references, the one with the
// highest score counts. If several have it, the first counts. A system score sums the counts of all
// segments before dividing.
//
// The zero value is chrF. CHRF{WordOrder: 2} is chrF++.
type CHRF struct {
	WordOrder int // length of the longest word n-grams; 0: no word n-grams
}

// As in sacreBLEU, chrF counts character n-grams of up to charOrder code points without
// white space, and recall weighs beta times as much as precision. Who changes one of them
// changes scores, and so [Version] too.
const (
	charOrder = 6
	beta      = 2
)

// Name returns "chrF" with the value of β and a "+" for each word order: "chrF2",
// "chrF2++".
func (m CHRF) Name() string {
	return fmt.Sprintf("chrF%d%s", beta, strings.Repeat("+", m.WordOrder))
}

// Signature returns a signature such as
// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:annotate-1". It is the same
// at both levels.
func (m CHRF) Signature(_ Level, references int) string {
	return fmt.Sprintf("nrefs:%s|case:mixed|eff:yes|nc:%d|nw:%d|space:no|version:%s",
		nrefs(references), charOrder, m.WordOrder, Version)
}

// Against prepares the references of a segment; see [Metric].
func (m CHRF) Against(references ...string) (Comparison, error) {
	var texts []*chrfReference
	for _, reference := range references {
		if reference != "" {
			texts = append(texts, m.prepare(reference))
		}
	}
	if len(texts) == 0 {
		return nil, ErrNoReference
	}
	return func(translation string) Counts {
		chars := codePoints(translation)
		var words []string
		if m.WordOrder > 0 {
			words = splitPunctuation(translation)
		}
		best := m.count(texts[0], chars, words)
		if len(texts) == 1 {
			return best
		}
		score := fScore(best)
		for _, text := range texts[1:] {
			counts := m.count(text, chars, words)
			if s := fScore(counts); s > score {
				best, score = counts, s
			}
		}
		return best
	}, nil
}

// part returns the counts of m, given the counts that a CHRF with longer word n-grams made of the same texts.
func (m CHRF) part(longer Counts) Counts {
	return Counts{orders: longer.orders[:charOrder+m.WordOrder]}
}

// A chrfReference is a reference with its n-grams.
type chrfReference struct {
	chars      *tree
	charLength int
	words      *tree
	wordLength int
	vocabulary vocabulary
}

func (m CHRF) prepare(text string) *chrfReference {
	chars := codePoints(text)
	r := &chrfReference{chars: newTree(charOrder), charLength: len(chars)}
	r.chars.add(chars)
	if m.WordOrder > 0 {
		r.vocabulary = vocabulary{}
		words := r.vocabulary.add(splitPunctuation(text))
		r.words, r.wordLength = newTree(m.WordOrder), len(words)
		r.words.add(words)
	}
	return r
}

// count compares a translation's characters and words with one reference.
func (m CHRF) count(r *chrfReference, chars []symbol, words []string) Counts {
	c := Counts{orders: make([]gramCount, charOrder+m.WordOrder)}
	ofChars, ofWords := c.orders[:charOrder], c.orders[charOrder:]
	r.chars.match(chars, ofChars)
	setReference(ofChars, r.charLength)
	if m.WordOrder > 0 {
		r.words.match(r.vocabulary.symbols(words), ofWords)
		setReference(ofWords, r.wordLength)
	}
	return c
}

// setReference sets the number of n-grams of a reference with the given length. For
// orders that the reference is too short for, the n-grams of the translation do not
// count.
func setReference(orders []gramCount, length int) {
	for i := range orders {
		orders[i].reference = max(0, length-i)
		if orders[i].reference == 0 {
			orders[i].translation = 0
		}
	}
}

// codePoints returns those of a text without white space.
func codePoints(text string) []symbol {
	chars := make([]symbol, 0, len(text))
	for _, r := range text {
		if !isSpace(r) {
			chars = append(chars, symbol(r))
		}
	}
	return chars
}

// splitPunctuation splits a text into words at white space. It also splits one ASCII
// punctuation mark off the end of each word, or, if there is none, off its beginning.
// "(hi)" becomes "(hi" and ")", as in all implementations of chrF++.
func splitPunctuation(text string) []string {
	fields := strings.FieldsFunc(text, isSpace)
	words := make([]string, 0, len(fields)+len(fields)/4)
	for _, w := range fields {
		last := len(w) - 1
		switch {
		case utf8.RuneCountInString(w) == 1:
			words = append(words, w)
		case isPunctuation(w[last]):
			words = append(words, w[:last], w[last:])
		case isPunctuation(w[0]):
			words = append(words, w[:1], w[1:])
		default:
			words = append(words, w)
		}
	}
	return words
}

// isPunctuation reports whether a byte is an ASCII punctuation mark or symbol. Bytes
// of multi-byte characters are not.
func isPunctuation(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}

// Segment is the score of one segment's counts.
func (m CHRF) Segment(c Counts) float64 { return fScore(c) }

// System is the score of the summed counts of a system's segments.
func (m CHRF) System(c Counts) float64 { return fScore(c) }

func fScore(c Counts) float64 {
	if len(c.orders) == 0 {
		return math.NaN()
	}
	var precision, recall, orders float64
	for _, n := range c.orders {
		if n.translation > 0 && n.reference > 0 {
			precision += float64(n.matched) / float64(n.translation)
			recall += float64(n.matched) / float64(n.reference)
			orders++
		}
	}
	if precision+recall == 0 {
		return 0
	}
	precision, recall = precision/orders, recall/orders
	return 100 * ((1 + beta*beta) * precision * recall / (beta*beta*precision + recall))
}
