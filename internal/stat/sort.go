package stat

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// A Placed is a value with its place in the slice that it comes from.
type Placed struct {
	Value float64
	Place int32
}

// Sorted returns the values with their places, lowest first. No value may be NaN.
func Sorted(x []float64) []Placed {
	out := make([]Placed, len(x))
	if len(x) >= byDigits {
		for i, place := range placesByDigits(x) {
			out[i] = Placed{x[place], place}
		}
		return out
	}
	for i, v := range x {
		out[i] = Placed{v, int32(i)}
	}
	slices.SortFunc(out, func(a, b Placed) int { return Order(a.Value, b.Value) })
	return out
}

// sortedPlaces returns the places of the values, lowest value first. No value may be NaN.
func sortedPlaces(x []float64) []int32 {
	if len(x) >= byDigits {
		return placesByDigits(x)
	}
	out := make([]int32, len(x))
	for i, p := range Sorted(x) {
		out[i] = p.Place
	}
	return out
}

// byDigits is the least number of values that are sorted faster by digits than by comparing.
const byDigits = 512

// placesByDigits sorts values by each byte of the upper half of their bits, the lowest first (radix sort), and those that
// are equal there by comparing. Equal values keep their order.
func placesByDigits(x []float64) []int32 {
	var space []uint64
	if len(x) > mostSpace {
		space = make([]uint64, 2*len(x))
	} else {
		kept := digitSpace.Get().(*[]uint64)
		defer digitSpace.Put(kept)
		*kept = slices.Grow((*kept)[:0], 2*len(x))[:2*len(x)]
		space = *kept
	}
	items, to := space[:len(x)], space[len(x):] // the upper half of a value, and its place
	var counts [4][256]int32                    // by digit
	for i, v := range x {
		high := sortable(v) >> 32
		items[i] = high<<32 | uint64(i)
		counts[0][byte(high)]++
		counts[1][byte(high>>8)]++
		counts[2][byte(high>>16)]++
		counts[3][byte(high>>24)]++
	}
	for d := range counts {
		shift := 32 + 8*d
		if int(counts[d][byte(items[0]>>shift)]) < len(items) { // otherwise all have the same digit
			scatter(items, to, shift, &counts[d])
			items, to = to, items
		}
	}
	places := make([]int32, len(x))
	for i, item := range items {
		places[i] = int32(uint32(item))
	}
	for from := 0; from < len(items); {
		end, same := from+1, true
		for end < len(items) && items[end]>>32 == items[from]>>32 {
			same = same && x[places[end]] == x[places[from]]
			end++
		}
		if !same {
			slices.SortFunc(places[from:end], func(a, b int32) int { return cmp.Or(Order(x[a], x[b]), cmp.Compare(a, b)) })
		}
		from = end
	}
	return places
}

// mostSpace is the largest number of values whose sort leaves its memory to further ones. More values are sorted rarely, and the collector
// lets the heap grow to twice what is kept.
const mostSpace = 1 << 16

// digitSpace keeps the memory of sorts by digits for further ones.
var digitSpace = sync.Pool{New: func() any { return new([]uint64) }}

// scatter copies the items in the order of a digit of 8 bits. counts has how many have each.
func scatter(items, to []uint64, shift int, counts *[256]int32) {
	next := int32(0)
	for digit, n := range counts {
		counts[digit] = next
		next += n
	}
	for _, item := range items {
		at := &counts[byte(item>>(shift&63))]
		to[*at] = item
		*at++
	}
}

// sortable returns a number for each value, in the order of the values. It returns the same number for both zeros.
func sortable(x float64) uint64 {
	bits := math.Float64bits(x + 0)
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}
