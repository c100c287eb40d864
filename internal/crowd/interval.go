package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// interval is the exact 95 % interval (Clopper-Pearson) of a share n of all. With nobody at all it is all
// shares. Source: C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the
// case of the binomial, Biometrika 26 (1934).
func interval(n, all int) (low, high float64) {
	const tail = 0.025
	low, high = 0, 1
	if n > 0 {
		low = distuv.Beta{Alpha: float64(n), Beta: float64(all - n + 1)}.Quantile(tail)
	}
	if n < all {
		high = distuv.Beta{Alpha: float64(n + 1), Beta: float64(all - n)}.Quantile(1 - tail)
	}
	return low, high
}

// intervalWords writes the interval of a share, such as "36–83%".
func intervalWords(n, all int) string {
	low, high := interval(n, all)
	return fmt.Sprintf("%.0f–%.0f%%", math.Round(100*low), math.Round(100*high))
}
