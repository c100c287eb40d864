package stat

import (
	"math"
	"slices"
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

// Count counts the pairs of the items that have both scores (neither is NaN), in O(n log n)
// (Knight 1966, "A Computer Method for Calculating Kendall's Tau with Ungrouped
// Data"). It panics if the lengths differ.
func Count(human, metric []float64) Pairs {
	if len(human) != len(metric) {
		panic("stat: slice length mismatch")
	}
	items := make([]scored, 0, len(human))
	for i := range human {
		if Defined(human[i], metric[i]) {
			items = append(items, scored{human[i], metric[i]})
		}
	}
	return count(items)
}

// A scored item has a human score and a metric score.
type scored struct{ human, metric float64 }

// sorted gives the items by human score, and by metric score where that is equal. It may change their order.
func sorted(items []scored) []scored {
	if len(items) < byDigits {
		slices.SortFunc(items, func(a, b scored) int {
			if a.human != b.human {
				return Order(a.human, b.human)
			}
			return Order(a.metric, b.metric)
		})
		return items
	}
	places := make([]Placed, len(items))
	for i, x := range items {
		places[i] = Placed{x.metric, int32(i)}
	}
	places = sortedByDigits(places)
	for i, p := range places {
		places[i].Value = items[p.Place].human
	}
	out := make([]scored, len(items))
	for i, p := range sortedByDigits(places) {
		out[i] = items[p.Place]
	}
	return out
}

// count counts pairs. It may change the order of the items.
func count(items []scored) Pairs {
	items = sorted(items)
	p := Pairs{Items: len(items)}
	all := Choose2(len(items))
	tiesHuman := runs(items, func(a, b scored) bool { return a.human == b.human })
	p.TiesBoth = runs(items, func(a, b scored) bool { return a == b })
	// Items with equal human scores are in ascending order of the metric. So a pair
	// in the wrong order has different human scores: it is discordant.
	p.Discordant = inversions(items, make([]scored, len(items)))
	tiesMetric := runs(items, func(a, b scored) bool { return a.metric == b.metric })
	p.TiesHuman = tiesHuman - p.TiesBoth
	p.TiesMetric = tiesMetric - p.TiesBoth
	p.Concordant = all - p.Discordant - p.TiesHuman - p.TiesMetric - p.TiesBoth
	return p
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
	for i := range human {
		for j := range i {
			if Order(human[i], human[j]) == Order(metric[i], metric[j]) {
				pairs++
			}
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

// runs counts the pairs within runs of equal neighbours.
func runs(items []scored, equal func(a, b scored) bool) (pairs int) {
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && equal(items[from], items[to]) {
			to++
		}
		pairs += Choose2(to - from)
		from = to
	}
	return pairs
}

// inversions sorts items by metric and counts the pairs that were in the wrong order.
// buf is scratch space for len(items) items.
func inversions(items, buf []scored) int {
	n := len(items)
	if n <= 16 {
		return insertions(items)
	}
	left, right := items[:n/2], items[n/2:]
	found := inversions(left, buf) + inversions(right, buf)
	merged := buf[:0]
	i, j := 0, 0
	for i < len(left) && j < len(right) {
		if left[i].metric <= right[j].metric {
			merged = append(merged, left[i])
			i++
		} else {
			found += len(left) - i
			merged = append(merged, right[j])
			j++
		}
	}
	merged = append(append(merged, left[i:]...), right[j:]...)
	copy(items, merged)
	return found
}

// insertions is inversions by insertion sort, which is faster for few items.
func insertions(items []scored) (found int) {
	for i := 1; i < len(items); i++ {
		v := items[i]
		j := i
		for ; j > 0 && items[j-1].metric > v.metric; j-- {
			items[j] = items[j-1]
		}
		items[j] = v
		found += i - j
	}
	return found
}
