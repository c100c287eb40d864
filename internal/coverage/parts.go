package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// partNames are the statistics of runParts. The first two depend on the range of the scores of a campaign.
var partNames = []string{
	"MAE", "MSE", "Kendall's τ of short sources", "Spearman's ρ of short sources", "Pearson's r of segments in a domain",
	"acc_t of segments in a domain",
	"Pearson's r of segments among a class", "meta score over two campaigns, other documents",
	"meta score over two campaigns, the same documents",
}

// divided gives the documents of a campaign two domains, two segments of five a short source, and the documents a name.
func divided(d metaeval.Data, p population, name string) metaeval.Data {
	d.Documents = nil
	for k := range d.Segments {
		document := k / p.segments
		d.Documents = append(d.Documents, fmt.Sprint(name, document))
		d.Domains, d.Lengths = append(d.Domains, []string{"news", "talks"}[document%2]), append(d.Lengths, []int{5, 20, 20, 5, 40}[k%5])
	}
	return d
}

// again rates the translations of a campaign anew: other annotators and another metric.
func again(d metaeval.Data, random *rand.Rand) metaeval.Data {
	anew := func(all []metaeval.Scores, noise float64) []metaeval.Scores {
		s := metaeval.Scores{Name: all[0].Name, Segment: map[string][]float64{}}
		for _, system := range d.Systems {
			for _, v := range all[0].Segment[system] {
				s.Segment[system] = append(s.Segment[system], v+noise*random.NormFloat64())
			}
		}
		return []metaeval.Scores{s}
	}
	d.Humans, d.Metrics = anew(d.Humans, .3), anew(d.Metrics, .3)
	return d
}

// rescaledErrors are MAE and MSE of all by the range of one.
func rescaledErrors(all, one metaeval.Data) (mae, mse float64) {
	scale := func(s metaeval.Scores) (low, width float64) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range s.Segment {
			low, high = min(low, slices.Min(row)), max(high, slices.Max(row))
		}
		return low, high - low
	}
	h, hw := scale(one.Humans[0])
	m, mw := scale(one.Metrics[0])
	n := 0.0
	for system, row := range all.Humans[0].Segment {
		for k, v := range row {
			d := (all.Metrics[0].Segment[system][k]-m)/mw - (v-h)/hw
			mae, mse, n = mae+math.Abs(d), mse+d*d, n+1
		}
	}
	return mae / n, mse / n
}

// runParts measures the intervals of metrics by domain, by class and by length, of their errors, and of the meta score over two campaigns.
func runParts(o options) error {
	p := o.population()
	random := rand.New(rand.NewPCG(o.seed, 4))
	// values are the statistics but the errors, with their intervals, of a campaign, of one of other documents, and of one of the same ones.
	values := func(d, other, same metaeval.Data, intervals int) (values []float64, in []stat.Interval, err error) {
		task := metaeval.Task{Preset: metaeval.WMT23, ByDomain: true, Joint: true, Intervals: intervals, Seed: o.seed, Permutations: 1}
		var reports []metaeval.Report
		for i, data := range []metaeval.Data{d, other, same, d} {
			own := task
			own.ByDomain = i == 0
			if i > 0 {
				data.Lengths = nil
			}
			if i == 3 {
				own.Exclude, own.Joint = d.Systems[3:], false
			}
			r, err := metaeval.Evaluate(context.Background(), data, own)
			if err != nil {
				return nil, nil, err
			}
			reports = append(reports, r)
		}
		whole, domain, class := reports[0].Metrics[0], reports[0].Domains[0].Metrics[0], reports[3].Metrics[0]
		over := func(other metaeval.Report) metaeval.OverallResult {
			all, _ := metaeval.Overall([]metaeval.Report{reports[0], other})
			return all[0]
		}
		apart, shared := over(reports[1]), over(reports[2])
		short := whole.Lengths[0]
		values = []float64{short.Kendall, short.Spearman, domain.Segment.Pearson, domain.Segment.AccT, class.Segment.Pearson, apart.Meta,
			shared.Meta}
		if intervals > 0 {
			in = []stat.Interval{whole.MAEInterval, whole.MSEInterval, short.KendallInterval, short.SpearmanInterval, domain.Intervals[8],
				domain.Intervals[6],
				class.Intervals[8], apart.Interval, shared.Interval}
		}
		return values, in, nil
	}
	draw := func(documents int) (d, other, same metaeval.Data) {
		d = divided(p.draw(random, documents), p, "a")
		return d, divided(p.draw(random, documents), p, "b"), again(d, random)
	}
	all, other, same := draw(o.truth)
	truths, _, err := values(all, other, same, 0)
	if err != nil {
		return err
	}
	few, _, _ := draw(min(o.truth, 2000))
	c := newCounts(partNames, append([]float64{0, 0}, truths...))
	sums := [2]float64{}
	for range o.draws {
		d, other, same := draw(o.documents)
		_, in, err := values(d, other, same, o.resamples)
		if err != nil {
			return err
		}
		c.truths[0], c.truths[1] = rescaledErrors(few, d)
		sums[0], sums[1] = sums[0]+c.truths[0], sums[1]+c.truths[1]
		for i := range in {
			c.add(i, in[i])
		}
	}
	c.truths[0], c.truths[1] = sums[0]/float64(o.draws), sums[1]/float64(o.draws)
	c.print(o)
	return nil
}
