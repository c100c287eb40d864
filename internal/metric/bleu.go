package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// bleuOrder is the length of the longest n-grams that BLEU counts. It is fixed, since
// signatures have no field for it.
const bleuOrder = 4

// BLEU is the geometric mean of the n-gram precisions p_1 … p_4 times a penalty
// for translations shorter than their references (Papineni et al. 2002, "BLEU: a
// Method for Automatic Evaluation of Machine Translation"):
//
//	BLEU = 100 · BP · (p_1 · p_2 · p_3 · p_4)^(1/4)
//	BP   = 1 if c ≥ r, else e^(1 − r/c)
//
// where c is the number of words of the translation and r that of the reference with
// the closest length. If two are equally close, r is the shorter. An n-gram matches
// at most as often as it occurs in the reference where it is most frequent. A system
// score sums the counts of all segments before dividing.
//
// Without any match at all the score is 0. A segment score uses the
// effective order: the mean is over the orders that the translation is long enough
// for. A system score uses all four orders, and is 0 if no segment has four words.
//
// An order without matches would make the score 0. Instead the first such order gets
// 1/2 match, the next 1/4 and so on (exponential smoothing: method 3 of Chen and Cherry,
// "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU", WMT 2014).
type BLEU struct {
	Tokenizer Tokenizer // "": Tok13a
}

// Name is "BLEU".
func (BLEU) Name() string { return "BLEU" }

// Signature returns a signature such as
// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:annotate-1".
func (b BLEU) Signature(level Level, references int) string {
	return fmt.Sprintf("nrefs:%s|case:mixed|eff:%s|tok:%s|smooth:exp|version:%s",
		nrefs(references), yesNo(level == SegmentLevel), b.tokenizer(), Version)
}

func (b BLEU) tokenizer() Tokenizer { return cmp.Or(b.Tokenizer, Tok13a) }

// Against prepares the references of a segment; see [Metric].
func (b BLEU) Against(references ...string) (Comparison, error) {
	tokenizer := b.tokenizer()
	words := vocabulary{}
	tree := newTree(bleuOrder)
	var lengths []int
	for _, reference := range references {
		if reference == "" {
			continue
		}
		symbols := words.add(tokenizer.Split(reference))
		lengths = append(lengths, len(symbols))
		tree.add(symbols)
	}
	if len(lengths) == 0 {
		return nil, ErrNoReference
	}
	return func(translation string) Counts {
		symbols := words.symbols(tokenizer.Split(translation))
		counts := Counts{
			length:    len(symbols),
			reference: closest(len(symbols), lengths),
			orders:    make([]gramCount, bleuOrder),
		}
		tree.match(symbols, counts.orders)
		return counts
	}, nil
}

// closest returns the length closest to n. If two are equally close, it returns the
// smaller.
func closest(n int, lengths []int) int {
	best := lengths[0]
	for _, l := range lengths[1:] {
		near, nearest := max(n-l, l-n), max(n-best, best-n)
		if near < nearest || near == nearest && l < best {
			best = l
		}
	}
	return best
}

// Segment is the score of one segment's counts, with the effective order.
func (b BLEU) Segment(c Counts) float64 { return b.score(c, true) }

// System is the score of the summed counts of a system's segments.
func (b BLEU) System(c Counts) float64 { return b.score(c, false) }

func (b BLEU) score(c Counts, effectiveOrder bool) float64 {
	if len(c.orders) == 0 {
		return math.NaN()
	}
	p, orders := precisions(c)
	if !effectiveOrder {
		orders = len(p) // orders that no translation is long enough for have precision 0
	}
	if orders == 0 {
		return 0
	}
	sum := 0.0
	for _, p := range p[:orders] {
		sum += math.Log(p) // -Inf for p = 0, which makes the score 0
	}
	// Rounding in Log and Exp may exceed 100 in the 14th digit.
	return min(100, brevityPenalty(c)*math.Exp(sum/float64(orders)))
}

// precisions returns the smoothed n-gram precisions in percent, and the number of
// orders that the translation is long enough for. Without any match all are 0.
func precisions(c Counts) (p [bleuOrder]float64, orders int) {
	if !slices.ContainsFunc(c.orders, func(n gramCount) bool { return n.matched > 0 }) {
		return p, 0
	}
	halved := 1.0
	for i, n := range c.orders {
		matched, total := float64(n.matched), float64(n.translation)
		if total == 0 {
			break
		}
		if p[i] = 100 * matched / total; matched == 0 {
			halved *= 2
			p[i] = 100 / (halved * total)
		}
		orders = i + 1
	}
	return p, orders
}

// brevityPenalty is BP, in [0, 1].
func brevityPenalty(c Counts) float64 {
	switch {
	case c.length >= c.reference:
		return 1
	case c.length == 0:
		return 0
	}
	return math.Exp(1 - float64(c.reference)/float64(c.length))
}
