package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"annotate/internal/agreement"
	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// A rated campaign has the ratings of three annotators. The first two are the pair.
type rated struct {
	document []int
	scores   [][]float64           // by translation and annotator, on a continuous scale
	spans    [][2][]agreement.Span // by translation and annotator of the pair
}

// annotators draws the ratings of a campaign. Quality differs by document and system as in draw. Annotators add an
// opinion of each document and noise. An error is marked by each annotator of the pair with probability 0.6, and not
// always from the same character; both mark some that the other cannot find.
func (p population) annotators(random *rand.Rand, documents int) (r rated) {
	for document := range documents {
		difficulty := random.NormFloat64()
		opinions := [3]float64{.4 * random.NormFloat64(), .4 * random.NormFloat64(), .4 * random.NormFloat64()}
		for system := range p.systems {
			copes := random.NormFloat64()
			for range p.segments {
				quality := p.quality(system) + .5*difficulty + .5*copes + .5*random.NormFloat64()
				scores := make([]float64, 3)
				for i := range scores {
					scores[i] = quality + opinions[i] + .5*random.NormFloat64()
				}
				var spans [2][]agreement.Span
				for start := 0; start < 120; start += 30 {
					real := random.Float64() < .25+.15*math.Tanh(difficulty)
					for i := range spans {
						chance := .03
						if real {
							chance = .6
						}
						if random.Float64() < chance {
							from := start + random.IntN(4)
							spans[i] = append(spans[i], agreement.Span{Start: from, End: from + 5 + random.IntN(5)})
						}
					}
				}
				r.document, r.scores, r.spans = append(r.document, document), append(r.scores, scores), append(r.spans, spans)
			}
		}
	}
	return r
}

// points are the scores of a translation on a scale from 0 to 4.
func points(scores []float64) []float64 {
	out := make([]float64, len(scores))
	for i, v := range scores {
		out[i] = min(4, max(0, math.Round(v+1.2)))
	}
	return out
}

// agreementNames are the statistics that values and intervals list.
var agreementNames = []string{
	"alpha, interval", "alpha, ordinal", "alpha, nominal", "quadratic κ of a pair", "mean difference from the others",
	"r with the mean of the others", "presence of spans", "F1 of characters",
	"F1 of matching spans", "Kendall's τ of a pair",
}

// values are the statistics of agreement.
func (r rated) values() []float64 {
	coarse := make([][]float64, len(r.scores))
	var own, others, x, y []float64
	var spans agreement.Spans
	for i, scores := range r.scores {
		coarse[i] = points(scores)
		own, others = append(own, scores[0]), append(others, stat.Mean(scores[1:]))
		x, y = append(x, coarse[i][0]), append(y, coarse[i][1])
		spans.Add(r.spans[i][0], r.spans[i][1])
	}
	_, _, f1 := spans.Matches()
	return []float64{
		agreement.Alpha(r.scores, agreement.Interval).Alpha, agreement.Alpha(coarse, agreement.Ordinal).Alpha,
		agreement.Alpha(coarse, agreement.Nominal).Alpha,
		agreement.Kappa(x, y, 0, 4), agreement.MeanDifference(own, others), agreement.LeaveOneOut(own, others), spans.Presence(),
		spans.CharF1(), f1,
		stat.TauB(x, y),
	}
}

// intervals are those of values.
func (r rated) intervals(o options) ([]stat.Interval, error) {
	b := stat.Bootstrap{Resamples: o.resamples, Seed: o.seed, Level: metaeval.Level}
	ctx := context.Background()
	alphas := []*agreement.AlphaTotals{agreement.NewAlphaTotals(agreement.Interval), agreement.NewAlphaTotals(agreement.Ordinal),
		agreement.NewAlphaTotals(agreement.Nominal)}
	var kappa agreement.KappaTotals
	var others agreement.OthersTotals
	var spans agreement.SpanTotals
	var tau stat.TauTotals
	for i, scores := range r.scores {
		d, coarse := r.document[i], points(scores)
		alphas[0].Add(d, scores)
		alphas[1].Add(d, coarse)
		alphas[2].Add(d, coarse)
		kappa.Add(d, coarse[:1], coarse[1:2])
		tau.Add(d, coarse[:1], coarse[1:2])
		others.Add(d, scores[0], stat.Mean(scores[1:]))
		var one agreement.Spans
		one.Add(r.spans[i][0], r.spans[i][1])
		spans.Add(d, one)
	}
	var out []stat.Interval
	for _, a := range alphas {
		in, err := a.Interval(ctx, b)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	k, err := kappa.Interval(ctx, b)
	if err != nil {
		return nil, err
	}
	corr, difference, err := others.Intervals(ctx, b)
	if err != nil {
		return nil, err
	}
	s, err := spans.Intervals(ctx, b)
	if err != nil {
		return nil, err
	}
	ranks, err := tau.Interval(ctx, b)
	return append(out, k, difference, corr, s.Presence, s.CharF1, s.F1, ranks), err
}

// runAgreement measures the intervals of agreement.
func runAgreement(o options) error {
	p := o.population()
	random := rand.New(rand.NewPCG(o.seed, 2))
	return simulate(o, newCounts(agreementNames, p.annotators(random, o.truth).values()), func() ([]stat.Interval, error) {
		return p.annotators(random, o.documents).intervals(o)
	})
}

// simulate draws campaigns, counts which of their intervals contain the value in the population, and prints the counts.
func simulate(o options, c *counts, draw func() ([]stat.Interval, error)) error {
	for range o.draws {
		in, err := draw()
		if err != nil {
			return err
		}
		for i := range in {
			c.add(i, in[i])
		}
	}
	c.print(o)
	return nil
}

// counts count the intervals that contain the value in the population.
type counts struct {
	names          []string
	truths, widths []float64
	covered, below []int // the intervals that contain the value, and those that end below it
}

func newCounts(names []string, truths []float64) *counts {
	return &counts{names, truths, make([]float64, len(names)), make([]int, len(names)), make([]int, len(names))}
}

func (c *counts) add(i int, in stat.Interval) {
	switch {
	case in.Low <= c.truths[i] && c.truths[i] <= in.High:
		c.covered[i]++
	case in.High < c.truths[i]:
		c.below[i]++
	}
	c.widths[i] += in.High - in.Low
}

func (c *counts) print(o options) {
	fmt.Printf("%d campaigns of %d documents with %d segments by %d systems; %d resamples\n\n", o.draws, o.documents, o.segments,
		o.systems, o.resamples)
	fmt.Println("| statistic | in the population | mean width | intervals that contain it | that end below it |\n|---|---|---|---|---|")
	for i, name := range c.names {
		share := float64(c.covered[i]) / float64(o.draws)
		fmt.Printf("| %s | %.3f | %.3f | %.1f %% ± %.1f | %.1f %% |\n", name, c.truths[i], c.widths[i]/float64(o.draws), 100*share,
			196*math.Sqrt(share*(1-share)/float64(o.draws)), 100*float64(c.below[i])/float64(o.draws))
	}
}
