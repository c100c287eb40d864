package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// A twice holds the ratings of the same translations in two campaigns.
type twice struct {
	document, system []int
	scores           [2][]float64
	seconds          []float64 // of the first campaign, as the two below
	clean            []float64 // 1 if the rating has no error
	rare             []float64 // 1 if the document has an error that one of fifty documents has
}

// twice draws two campaigns over the same translations. Quality differs by document and system as in draw, each
// campaign has an opinion of each document, and the second prefers some systems. Times are log-normal, longer in
// difficult documents. A rating of good quality tends to have no error.
func (p population) twice(random *rand.Rand, documents int) (t twice) {
	for document := range documents {
		difficulty := random.NormFloat64()
		rare := 0.0
		if random.IntN(50) == 0 {
			rare = 1
		}
		opinions := [2]float64{.4 * random.NormFloat64(), .4 * random.NormFloat64()}
		for system := range p.systems {
			copes := random.NormFloat64()
			for range p.segments {
				quality := p.quality(system) + .5*difficulty + .5*copes + .5*random.NormFloat64()
				t.document, t.system = append(t.document, document), append(t.system, system)
				for i := range t.scores {
					t.scores[i] = append(t.scores[i], quality+opinions[i]+float64(i)*p.preference(system)+.5*random.NormFloat64())
				}
				t.seconds = append(t.seconds, math.Exp(3.5-.3*difficulty+.7*random.NormFloat64()))
				clean := 0.0
				if random.Float64() < .5+.4*math.Tanh(quality-1) {
					clean = 1
				}
				t.clean, t.rare = append(t.clean, clean), append(t.rare, rare)
			}
		}
	}
	return t
}

// besideNames are the statistics that values lists.
var besideNames = []string{
	"share of ratings without errors", "mean time (s)", "standard deviation of scores", "r of translations between two campaigns",
	"ρ of systems between two campaigns",
	"τ of systems between two campaigns", "difference of a system between two campaigns", "share of ratings with a rare error",
	"median time (s)",
}

// totals are the sums that of takes, by column.
func (p population) totals(t twice) *stat.Totals {
	var totals stat.Totals
	for i, document := range t.document {
		x, y := t.scores[0][i], t.scores[1][i]
		for column, v := range []float64{1, t.clean[i], t.seconds[i], x, x * x, y, y * y, x * y, t.rare[i]} {
			totals.Add(document, column, v)
		}
		for column, v := range []float64{1, x, y} {
			totals.Add(document, 9+3*t.system[i]+column, v)
		}
	}
	return &totals
}

// of computes the statistics from totals.
func (p population) of(s []float64) []float64 {
	var x, y []float64
	for system := range p.systems {
		of := s[9+3*system:]
		x, y = append(x, of[1]/of[0]), append(y, of[2]/of[0])
	}
	mean := s[3] / s[0]
	return []float64{
		s[1] / s[0], s[2] / s[0], math.Sqrt(s[4]/s[0] - mean*mean), stat.PearsonOf(s[0], s[3], s[5], s[4], s[6], s[7]),
		stat.Spearman(x, y), stat.TauB(x, y), y[p.systems/2] - x[p.systems/2], s[8] / s[0],
	}
}

// runBeside measures the intervals of shares, means and campaigns side by side.
func runBeside(o options) error {
	p := o.population()
	random := rand.New(rand.NewPCG(o.seed, 3))
	b := stat.Bootstrap{Resamples: o.resamples, Seed: o.seed, Level: metaeval.Level}.Kept()
	whole := p.twice(random, o.truth)
	// The second campaign has no preference for the first system, so that p of its difference is below 0.05 in 5 % of campaigns.
	significant := 0
	defer func() {
		fmt.Printf("\nthe difference of a system without one: p below 0.05 in %.1f %%\n", 100*float64(significant)/float64(o.draws))
	}()
	return simulate(o, newCounts(besideNames, append(p.of(p.totals(whole).All()), stat.Median(whole.seconds))), func() ([]stat.Interval, error) {
		t := p.twice(random, o.documents)
		sums := make([]float64, o.documents)
		for i, document := range t.document {
			if t.system[i] == 0 {
				sums[document] += t.scores[1][i] - t.scores[0][i]
			}
		}
		test, _, err := metaeval.PairedDifferences(context.Background(), [][]float64{sums}, 1000, o.seed)
		if err != nil {
			return nil, err
		}
		if test[0] < 0.05 {
			significant++
		}
		totals := p.totals(t)
		in, err := totals.Intervals(context.Background(), b, p.of)
		if err != nil {
			return nil, err
		}
		deviation, err := totals.SkewedJackknife(context.Background(), b, func(s []float64) float64 { return math.Log(p.of(s)[2]) })
		if err != nil {
			return nil, err
		}
		in[2].Low, in[2].High = math.Exp(deviation.Low), math.Exp(deviation.High)
		rare := &in[len(in)-1]
		*rare = rare.Shown(true, metaeval.Level)
		var times stat.QuantileTotals
		for i, document := range t.document {
			times.Add(document, t.seconds[i])
		}
		_, median, err := times.Interval(context.Background(), b, 0.5)
		return append(in, median), err
	})
}
