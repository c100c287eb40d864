package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"annotate/internal/protocol"
)

// kinds are the kinds of annotators.
var kinds = []string{
	"careful",  // reads every text, with errors of judgement
	"careless", // reads one text in five like a careful annotator, and rates the others by habit
	"random",   // rates at random
	"constant", // gives 80 % of the scale, or no error, to everything
	"copying",  // gives what a careful annotator gave to the original, without reading
}

// severities are those of errors, from light to grave.
var severities = []string{"minor", "major", "critical"}

// The standard deviations of the scores of careful annotators, and of how mild they are, in percent of the
// scale.
const scoreError, habitError = 8, 4

// How careful annotators mark errors: the chance to miss an error of each severity, to give it a lighter one
// and to give it a graver one, and the mean number of minor errors that are none.
var missed, lighter, graver = []float64{0.3, 0.1, 0.05}, []float64{0, 0.2, 0.4}, []float64{0.15, 0.05, 0}

const invented = 0.3

// A person is an annotator.
type person struct {
	kind  string
	habit float64 // how mild a careful annotator is, in percent of the scale
}

// A desk is where people rate.
type desk struct {
	rules    *protocol.Protocol
	standard standard
	rand     *rand.Rand
}

// rate is the rating that a person gives to a text. copied is what those who copy give.
func (d desk) rate(p person, t text, copied protocol.Rating) protocol.Rating {
	switch p.kind {
	case "careless":
		if d.rand.IntN(5) > 0 {
			habitual := func(int) float64 { return d.standard.quality - 5 + 15*d.rand.NormFloat64() }
			return d.rating(habitual, d.flaws(poisson(d.rand, d.standard.flaws), 0.8, 0.2))
		}
	case "random":
		return d.rating(func(int) float64 { return 100 * d.rand.Float64() }, d.flaws(d.rand.IntN(6), 0.5, 0.4, 0.1))
	case "constant":
		return d.rating(func(int) float64 { return 80 }, nil)
	case "copying":
		return copied
	}
	read := func(scale int) float64 {
		quality := t.meaning
		if scale > 0 {
			quality = t.fluency
		}
		return quality + p.habit + scoreError*d.rand.NormFloat64()
	}
	return d.rating(read, d.noticed(t))
}

// flaws are so many errors at random, of severities with these chances.
func (d desk) flaws(n int, chances ...float64) []flaw {
	out := make([]flaw, n)
	for i := range out {
		out[i].severity = drawn(d.rand, chances...)
	}
	return out
}

// noticed is what a careful annotator marks of the errors of a text.
func (d desk) noticed(t text) (out []flaw) {
	for _, f := range t.flaws {
		x := d.rand.Float64()
		switch {
		case d.rand.Float64() < missed[f.severity]:
			continue
		case x < lighter[f.severity]:
			f.severity--
		case x > 1-graver[f.severity]:
			f.severity++
		}
		out = append(out, f)
	}
	return append(out, make([]flaw, poisson(d.rand, invented))...)
}

// rating is a rating with the scores that the protocol asks for, each given in percent by its place, or else
// with errors: the gravest, as many as the campaign allows.
func (d desk) rating(score func(scale int) float64, flaws []flaw) protocol.Rating {
	if len(d.rules.Scores) > 0 {
		out := protocol.Rating{Scores: map[string]float64{}}
		for i, s := range d.rules.Scores {
			low, high := float64(s.Min), float64(s.Max)
			out.Scores[s.Name] = math.Round(low + within(score(i), 0, 100)/100*(high-low))
		}
		return out
	}
	slices.SortStableFunc(flaws, func(a, b flaw) int { return b.severity - a.severity })
	if most := d.rules.Spans.MaxErrors; most > 0 {
		flaws = flaws[:min(most, len(flaws))]
	}
	out := protocol.Rating{NoErrors: len(flaws) == 0}
	for i, f := range flaws {
		out.Spans = append(
			out.Spans,
			protocol.ErrorSpan{ID: strconv.Itoa(i + 1), Side: protocol.Target, Severity: d.severity(f), Category: "Accuracy", Subcategory: "Mistranslation"},
		)
	}
	return out
}

// severity is the id of that of an error, or of the gravest that is offered.
func (d desk) severity(f flaw) string {
	for i := f.severity; i > 0; i-- {
		if _, offered := d.rules.Spans.Severity(severities[i]); offered {
			return severities[i]
		}
	}
	return severities[0]
}
