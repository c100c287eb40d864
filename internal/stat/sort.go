package stat

import (
	"math"
	"slices"
)

// A Placed is a value with its place in the slice that it comes from.
type Placed struct {
	Value float64
	Place int32
}

// Sorted returns the values with their places, lowest first. No value may be NaN.
func Sorted(x []float64) []Placed {
	out := make([]Placed, len(x))
	for i, v := range x {
		out[i] = Placed{v, int32(i)}
	}
	if len(x) < byDigits {
		slices.SortFunc(out, func(a, b Placed) int { return Order(a.Value, b.Value) })
		return out
	}
	return sortedByDigits(out)
}

// byDigits is the least number of values that are sorted faster by digits than by comparing.
const byDigits = 512

// sortedByDigits sorts values by each byte of their bits, the lowest first (radix sort). Equal values keep their order.
// It changes items and returns them or another slice.
func sortedByDigits(items []Placed) []Placed {
	var counts [8][256]int32
	for _, x := range items {
		bits := sortable(x.Value)
		for d := range counts {
			counts[d][byte(bits>>(8*d))]++
		}
	}
	to := make([]Placed, len(items))
	for d := range counts {
		at := &counts[d]
		if int(at[byte(sortable(items[0].Value)>>(8*d))]) == len(items) {
			continue // all have the same digit
		}
		next := int32(0)
		for digit, n := range at {
			at[digit] = next
			next += n
		}
		for _, x := range items {
			digit := byte(sortable(x.Value) >> (8 * d))
			to[at[digit]] = x
			at[digit]++
		}
		items, to = to, items
	}
	return items
}

// sortable returns a number for each value, in the order of the values. It returns the same number for both zeros.
func sortable(x float64) uint64 {
	bits := math.Float64bits(x + 0)
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}
