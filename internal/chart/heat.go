package chart

import "math"

// A HeatStep is one step of the scale of r in heatmaps. Each has a colour of the palette,
// which is darker (on dark pages lighter) for a higher r.
type HeatStep struct {
	Number int     // from 0 for the lowest
	From   float64 // r is at least this
	Range  string
	Word   string
}

// HeatScale lists the steps from the highest to the lowest. The gate's usual threshold,
// 0.7, begins a step.
var HeatScale = []HeatStep{
	{5, 0.9, "0.90 to 1", "very strong"},
	{4, 0.7, "0.70 to 0.89", "strong"},
	{3, 0.5, "0.50 to 0.69", "moderate"},
	{2, 0.3, "0.30 to 0.49", "weak"},
	{1, 0, "0 to 0.29", "hardly any"},
	{0, -1, "below 0", "opposed"},
}

// HeatStepOf returns the step of r in [-1, 1], rounded to two decimals: 0.698 is in the
// step from 0.7.
func HeatStepOf(r float64) HeatStep {
	r = math.Round(r*100) / 100
	for _, s := range HeatScale {
		if r >= s.From {
			return s
		}
	}
	return HeatScale[len(HeatScale)-1]
}
