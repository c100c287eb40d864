package stat

import (
	"math"
	"math/bits"
)

// Pairs counts the pairs of scored items by how the human score and the metric order
// them. Kendall's tau and its variants are functions of these numbers (Deutsch et al.
// 2023, "Ties Matter", section 3).
type Pairs struct {
	Concordant int // ordered alike
	Discordant int // ordered oppositely
	TiesHuman  int // tied in the human score alone
	TiesMetric int // tied in the metric alone
	TiesBoth   int
	Items      int
}

// Count counts the pairs of the items that have both scores (neither is NaN), in O(n log n). It panics if the lengths
// differ.
func Count(human, metric []float64) Pairs {
	if len(human) <= oneByOne {
		return CountWithin(human, metric, 0)
	}
	human, metric = Complete(human, metric)
	return CountOrdered(NewOrdering(human), NewOrdering(metric))
}

// CountOrdered is [Count] of scores whose orderings are known. It panics if the numbers of scores differ.
//
// It reads the items by metric, lowest first, and counts for each the higher human scores that it has read, which are
// discordant with it (Knight 1966, "A Computer Method for Calculating Kendall's Tau with Ungrouped Data", with a tree in
// place of a merge sort).
func CountOrdered(human, metric Ordering) Pairs {
	n := len(human.places)
	if n != len(metric.places) {
		panic("stat: slice length mismatch")
	}
	p := Pairs{Items: n}
	tiesHuman, tiesMetric := 0, 0
	for from := 0; from < n; {
		ties := human.equal(from)
		tiesHuman += Choose2(ties)
		from += ties
	}
	read := newClassTree(human.classes)  // the items with a lower metric score
	tied := make([]int32, human.classes) // by human score: the items with the same metric score
	for from := 0; from < n; {
		to := from + metric.equal(from)
		for _, place := range metric.places[from:to] {
			class := human.class[place]
			p.Discordant += read.above(class)
			p.TiesBoth += int(tied[class])
			tied[class]++
		}
		for _, place := range metric.places[from:to] {
			read.add(human.class[place])
			tied[human.class[place]] = 0
		}
		tiesMetric += Choose2(to - from)
		from = to
	}
	p.TiesHuman = tiesHuman - p.TiesBoth
	p.TiesMetric = tiesMetric - p.TiesBoth
	p.Concordant = Choose2(n) - p.Discordant - p.TiesHuman - p.TiesMetric - p.TiesBoth
	return p
}

// A classTree counts items by class. It is a complete binary tree whose leaves are the classes; each node has the number of
// items below it. Unlike [prefixSums] it takes as many steps for each class, which processors predict.
type classTree []int

func newClassTree(classes int) classTree {
	return make(classTree, 2<<bits.Len(uint(max(classes, 1)-1)))
}

// add adds an item.
func (t classTree) add(class int32) {
	for node := len(t)/2 + int(class); node > 0; node /= 2 {
		t[node]++
	}
}

// above returns the number of items of higher classes.
func (t classTree) above(class int32) (n int) {
	for node := len(t)/2 + int(class); node > 1; node /= 2 {
		n += t[node|1] & (node&1 - 1) // the right sibling of a left node
	}
	return n
}

// Alike counts the pairs that both scores order alike. A pair that is tied in both counts,
// and one that is tied in one of them does not. No score may be missing. It panics if the
// lengths differ.
func Alike(human, metric []float64) (pairs int) {
	if len(human) > oneByOne {
		p := Count(human, metric)
		return p.Concordant + p.TiesBoth
	}
	if len(human) != len(metric) {
		panic("stat: slice length mismatch")
	}
	for i, h := range human {
		m := metric[i]
		for j, other := range human[:i] {
			// No branch depends on the scores, since it would often be mispredicted.
			higher, lower := (h > other) == (m > metric[j]), (h < other) == (m < metric[j])
			pairs += one(higher) & one(lower)
		}
	}
	return pairs
}

// oneByOne is the number of items up to which it is fastest to compare pairs one by one.
const oneByOne = 32

// CountWithin is [Count], but two items are tied in the metric if their scores differ
// by at most epsilon. It takes quadratic time.
func CountWithin(human, metric []float64, epsilon float64) Pairs {
	if len(human) != len(metric) {
		panic("stat: slice length mismatch")
	}
	var p Pairs
	for i := range human {
		if !Defined(human[i], metric[i]) {
			continue
		}
		p.Items++
		for j := range i {
			if !Defined(human[j], metric[j]) {
				continue
			}
			h, m := Order(human[i], human[j]), Order(metric[i], metric[j])
			if math.Abs(metric[i]-metric[j]) <= epsilon {
				m = 0
			}
			switch {
			case h == 0 && m == 0:
				p.TiesBoth++
			case h == 0:
				p.TiesHuman++
			case m == 0:
				p.TiesMetric++
			case h == m:
				p.Concordant++
			default:
				p.Discordant++
			}
		}
	}
	return p
}

// All is the number of pairs.
func (p Pairs) All() int {
	return p.Concordant + p.Discordant + p.TiesHuman + p.TiesMetric + p.TiesBoth
}

// TauB is Kendall's tau-b (Kendall 1945, "The Treatment of Ties in Ranking
// Problems"; scipy.stats.kendalltau):
//
//	(C − D) / √((C+D+Th) · (C+D+Tm))
//
// where C and D are the concordant and discordant pairs, and Th and Tm the pairs tied
// only in the human score and only in the metric. It is NaN if a score is constant or
// there are fewer than two items.
func (p Pairs) TauB() float64 {
	human := p.Concordant + p.Discordant + p.TiesMetric // pairs that are not tied in the human score
	metric := p.Concordant + p.Discordant + p.TiesHuman
	if human == 0 || metric == 0 {
		return math.NaN()
	}
	tau := float64(p.Concordant-p.Discordant) / math.Sqrt(float64(human)) / math.Sqrt(float64(metric))
	return max(-1, min(1, tau))
}

// Acc23 is acc_eq of Deutsch et al. (2023), section 6: the share of the pairs that the
// metric orders as the human score does, where a tie is right if both tie. It is NaN
// without pairs.
func (p Pairs) Acc23() float64 { return Ratio(p.Concordant+p.TiesBoth, p.All()) }

// TauB is [Pairs.TauB] of x and y.
func TauB(x, y []float64) float64 { return Count(x, y).TauB() }

// Choose2 returns the number of pairs of n items.
func Choose2(n int) int { return n * (n - 1) / 2 }

// one is 1 if a condition holds, else 0.
func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}
