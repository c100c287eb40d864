package main

import (
	"math"
	"math/rand/v2"
)

// A text is what the simulation knows of a translation.
type text struct {
	// Its true quality in the first and in any further score, from 0 to 100.
	meaning, fluency float64
	flaws            []flaw // its errors, which count where errors are summed up
}

// A flaw is an error of a text.
type flaw struct {
	at       float64 // where it stands, from 0 at the beginning of the text to 1 at its end
	severity int     // place in severities
}

// A standard is how well the systems of a campaign translate.
type standard struct {
	name    string
	quality float64 // mean of the best system
	flaws   float64 // mean number of errors in a translation of the best system
}

var standards = []standard{{"good", 90, 0.8}, {"middling", 65, 2.5}, {"poor", 35, 6}}

// text draws a translation of a system, which is place-th best, from 0.
func (s standard) text(r *rand.Rand, place int) text {
	quality := within(s.quality-4*float64(place)+15*r.NormFloat64(), 0, 100)
	t := text{meaning: quality, fluency: quality}
	for range poisson(r, s.flaws*(1+0.2*float64(place))*math.Exp(0.5*r.NormFloat64())) {
		t.flaws = append(t.flaws, flaw{r.Float64(), drawn(r, 0.65, 0.3, 0.05)})
	}
	return t
}

// damaged is a text of which 40 to 60 % are dropped, swapped or cut off. It has 20 to 60 % of the first score
// of the original, and 50 to 100 % of any other. The errors in the damaged words are gone, and the damage is a new
// one.
func (t text) damaged(r *rand.Rand) text {
	out := text{meaning: t.meaning * (0.2 + 0.4*r.Float64()), fluency: t.fluency * (0.5 + 0.5*r.Float64())}
	size := 0.4 + 0.2*r.Float64()
	from := (1 - size) * r.Float64()
	for _, f := range t.flaws {
		if f.at < from || f.at >= from+size {
			out.flaws = append(out.flaws, f)
		}
	}
	out.flaws = append(out.flaws, flaw{from, drawn(r, 0.1, 0.75, 0.15)})
	return out
}

// drawn draws a place of a list with these chances.
func drawn(r *rand.Rand, chances ...float64) int {
	x := r.Float64()
	for i, c := range chances {
		if x -= c; x < 0 {
			return i
		}
	}
	return len(chances) - 1
}

// poisson draws from the Poisson distribution.
func poisson(r *rand.Rand, mean float64) (n int) {
	for p := r.Float64(); p > math.Exp(-mean); n++ {
		p *= r.Float64()
	}
	return n
}

func within(x, low, high float64) float64 { return max(low, min(high, x)) }
