package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// interval is the exact 95 % interval of a share n of all (Clopper and Pearson 1934, "The Use of Confidence or
// Fiducial Limits Illustrated in the Case of the Binomial"). Of none (all = 0) it is [0, 1].
func interval(n, all int) (low, high float64) {
	const tail = 0.025
	low, high = 0, 1
	if n > 0 {
		low = mathext.InvRegIncBeta(float64(n), float64(all-n+1), tail)
	}
	if n < all {
		high = mathext.InvRegIncBeta(float64(n+1), float64(all-n), 1-tail)
	}
	return low, high
}

// intervalWords writes the interval of a share, such as "36–83%".
func intervalWords(n, all int) string {
	low, high := interval(n, all)
	return fmt.Sprintf("%.0f–%.0f%%", math.Round(100*low), math.Round(100*high))
}
