package chart

import (
	"math"
	"strconv"
)

// Coordinate writes a place in a drawing, with at most two digits behind the point.
func Coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// nice returns the least product of a multiple and a power of ten that is at least x.
// The multiples ascend from 1 and are below 10. It is 1 if x is not a positive finite
// number.
func nice(x float64, multiples ...float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range multiples {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// A scale maps values to places.
type scale struct {
	low, high float64
	from, to  float64 // in pixels
	step      float64
	decimals  int
}

// newScale returns a scale that covers the values, in whole steps, or the fixed limits.
func newScale(axis Axis, low, high, from, to float64) scale {
	if axis.Min != 0 || axis.Max != 0 {
		low, high = axis.Min, axis.Max
	}
	if !(high > low) { // also if no value is defined
		if math.IsInf(low, 0) || math.IsNaN(low) {
			low = 0
		}
		high = low + 1
	}
	step := nice((high-low)/5, 1, 2, 5)
	s := scale{low: low, high: high, from: from, to: to, step: step}
	if axis.Min == 0 && axis.Max == 0 {
		s.low, s.high = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
	}
	for p := step; s.decimals < 6 && math.Abs(p-math.Round(p)) > 1e-9; p *= 10 {
		s.decimals++
	}
	return s
}

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*(v-s.low)/(s.high-s.low)
}

func (s scale) ticks() (out []float64) {
	for i := math.Ceil(s.low/s.step - 1e-9); i*s.step <= s.high+s.step*1e-9; i++ {
		out = append(out, i*s.step)
	}
	return out
}

// limits are the least and the greatest of the defined values.
func limits(low, high float64, values ...float64) (float64, float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}
