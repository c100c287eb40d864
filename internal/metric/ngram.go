package metric

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A symbol is an element of the sequences whose n-grams are counted: the code
// point of a character, or the number of a word in a vocabulary.
type symbol int32

// unknown stands for a word that is in no reference. No n-gram with it matches.
const unknown symbol = -1

// A vocabulary numbers words.
type vocabulary map[string]symbol

// add returns the numbers of the words. Words that have no number yet get one.
func (v vocabulary) add(words []string) []symbol {
	symbols := make([]symbol, len(words))
	for i, w := range words {
		s, ok := v[w]
		if !ok {
			s = symbol(len(v))
			v[w] = s
		}
		symbols[i] = s
	}
	return symbols
}

// symbols returns the numbers of the words, unknown for words that have none.
func (v vocabulary) symbols(words []string) []symbol {
	symbols := make([]symbol, len(words))
	for i, w := range words {
		s, ok := v[w]
		if !ok {
			s = unknown
		}
		symbols[i] = s
	}
	return symbols
}

// A tree holds the n-grams of references up to an order. A node is an n-gram, and its
// children are the n-grams that are one symbol longer. So one walk counts n-grams of
// all orders, and it ends early if the references have no longer n-gram.
type tree struct {
	order  int
	edges  edges
	counts []int32 // by node: how often its n-gram occurs in the reference where it is most frequent
}

// A node is the index of an n-gram. 0 is the root, the empty n-gram.
type node int32

func newTree(order int) *tree {
	return &tree{order: order, counts: []int32{0}}
}

// add counts the n-grams of one reference.
func (t *tree) add(symbols []symbol) {
	most := len(t.counts) + t.order*len(symbols)
	t.edges.reserve(most)
	here := make([]int32, len(t.counts), most)
	for i := range symbols {
		at := node(0)
		for _, s := range symbols[i:min(i+t.order, len(symbols))] {
			e := t.edges.find(at, s)
			if e.to == 0 {
				*e = edge{at, s, node(len(here))}
				here = append(here, 0)
			}
			at = e.to
			here[at]++
		}
	}
	for i, n := range t.counts {
		here[i] = max(here[i], n)
	}
	t.counts = here
}

// match sets, for each order, the number of n-grams of a translation and how many of
// them match. An n-gram matches at most as often as a reference has it.
func (t *tree) match(symbols []symbol, orders []gramCount) {
	for n := range orders {
		orders[n].translation = max(0, len(symbols)-n)
	}
	left := slices.Clone(t.counts)
	for i := range symbols {
		at := node(0)
		for n, s := range symbols[i:min(i+t.order, len(symbols))] {
			at = t.edges.find(at, s).to
			if at == 0 {
				break
			}
			if left[at] > 0 {
				left[at]--
				orders[n].matched++
			}
		}
	}
}

// edges is a hash table with open addressing. Most of the time of a metric is spent
// building trees: with a map instead, chrF took 2.7 times as long.
type edges struct {
	slots []edge // the number of slots is a power of two, at least 1.5 times the number of edges
	shift int    // a 64-bit hash shifted right by it is the number of a slot
}

// An edge leads from an n-gram to the n-gram that is longer by one symbol. In an empty
// slot to is 0, since no edge leads to the root.
type edge struct {
	from node
	by   symbol
	to   node
}

// multiplier is random, so that nobody can write a text whose hashes collide.
var multiplier = rand.Uint64() | 1

// find returns the slot of an edge, or the empty slot for it.
func (t *edges) find(from node, by symbol) *edge {
	key := uint64(from)<<32 | uint64(uint32(by))
	for i := int(key * multiplier >> t.shift); ; i++ {
		e := &t.slots[i&(len(t.slots)-1)]
		if e.to == 0 || e.from == from && e.by == by {
			return e
		}
	}
}

// reserve makes room for n edges.
func (t *edges) reserve(n int) {
	size := bits.Len(uint(n + n/2))
	if 1<<size <= len(t.slots) {
		return
	}
	old := t.slots
	t.slots, t.shift = make([]edge, 1<<size), 64-size
	for _, e := range old {
		if e.to != 0 {
			*t.find(e.from, e.by) = e
		}
	}
}
