package main

import (
	"math"
	"testing"
)

// At the limits of the interval, the binomial chance of a result as far away as the observed one is 2.5 %.
func TestInterval(t *testing.T) {
	atMost := func(k, n int, p float64) (sum float64) {
		for i := range k + 1 {
			choose := 1.0
			for j := range i {
				choose *= float64(n-j) / float64(j+1)
			}
			sum += choose * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
		}
		return sum
	}
	for _, all := range []int{1, 5, 18, 60} {
		for n := range all + 1 {
			low, high := interval(n, all)
			if n == 0 && low != 0 || n > 0 && math.Abs(1-atMost(n-1, all, low)-0.025) > 1e-9 {
				t.Errorf("%d of %d: the lower limit is %v", n, all, low)
			}
			if n == all && high != 1 || n < all && math.Abs(atMost(n, all, high)-0.025) > 1e-9 {
				t.Errorf("%d of %d: the upper limit is %v", n, all, high)
			}
		}
	}
	if got := intervalWords(0, 18); got != "0–19%" { // 1 - 0.025^(1/18) = 0.185
		t.Errorf("nobody of 18 is %s", got)
	}
}
