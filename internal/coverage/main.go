// Command coverage measures by simulation how often 95 % intervals contain the value that they are about. It draws
// many campaigns from one population of documents, computes the intervals of packages metaeval or agreement in each,
// and prints the share that contains the value in the population as a Markdown table. docs/fidelity.md shows its
// output.
//
//	go run ./internal/coverage
//	go run ./internal/coverage -agreement
//	go run ./internal/coverage -beside
//	go run ./internal/coverage -parts
//
// In the population, systems differ in quality, documents differ in difficulty, and systems differ in how they cope
// with a document. Human scores add noise to the quality of a translation. A metric adds more noise, errors that it
// repeats in a document, and a preference for some systems.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"annotate/internal/metaeval"
	"annotate/internal/stat"
)

// A population is what campaigns are drawn from.
type population struct {
	systems  int
	segments int // of each document
	apart    float64
	prefers  float64
}

// quality is the quality of a system, which is the same in all campaigns.
func (p population) quality(system int) float64 { return p.apart * float64(system) }

// preference is what the metric adds to the quality of a system.
func (p population) preference(system int) float64 { return p.prefers * math.Sin(3*float64(system)) }

// draw draws a campaign of some documents.
func (p population) draw(random *rand.Rand, documents int) metaeval.Data {
	human, metric := metaeval.Scores{Name: "human", Segment: map[string][]float64{}}, metaeval.Scores{Name: "metric",
		Segment: map[string][]float64{}}
	d := metaeval.Data{LanguagePair: "en-de", Segments: documents * p.segments}
	for system := range p.systems {
		d.Systems = append(d.Systems, fmt.Sprint("system ", system))
	}
	for document := range documents {
		difficulty := random.NormFloat64()
		for system, name := range d.Systems {
			copes, mistaken := random.NormFloat64(), random.NormFloat64()
			for range p.segments {
				quality := p.quality(system) + .5*difficulty + .5*copes + .5*random.NormFloat64()
				human.Segment[name] = append(human.Segment[name], quality+.5*random.NormFloat64())
				metric.Segment[name] = append(metric.Segment[name], quality+p.preference(system)+.3*mistaken+.8*random.NormFloat64())
			}
		}
		for range p.segments {
			d.Documents = append(d.Documents, fmt.Sprint("document ", document))
		}
	}
	d.Humans, d.Metrics = []metaeval.Scores{human}, []metaeval.Scores{metric}
	return d
}

// A statistic is one whose intervals are measured.
type statistic struct {
	name  string
	value func(r metaeval.Report, d metaeval.Data) float64
	in    func(r metaeval.Report, d metaeval.Data, o options) stat.Interval
}

type options struct {
	draws, resamples, documents, segments, systems, truth int
	seed                                                  uint64
	apart                                                 float64 // the difference in quality of two systems that follow each other
	// the largest preference of the metric, or of the second campaign, for a system
	prefers float64
}

func (o options) population() population {
	return population{o.systems, o.segments, o.apart, o.prefers}
}

// ofMetric is a statistic of the metric. column is its place in the table of [metaeval.Result.Intervals].
func ofMetric(name string, column int, value func(metaeval.Result) float64) statistic {
	return statistic{name, func(r metaeval.Report, _ metaeval.Data) float64 { return value(r.Metrics[0]) },
		func(r metaeval.Report, _ metaeval.Data, _ options) stat.Interval {
			return r.Metrics[0].Intervals[column]
		}}
}

var statistics = []statistic{
	{"mean human score of a system", func(_ metaeval.Report, d metaeval.Data) float64 { return stat.Mean(d.Humans[0].Segment[d.Systems[0]]) },
		func(_ metaeval.Report, d metaeval.Data, o options) stat.Interval {
			return bootstrap(d, o, func(segments []int) float64 { return mean(d.Humans[0].Segment[d.Systems[0]], segments) })
		}},
	{"difference of two systems", func(_ metaeval.Report, d metaeval.Data) float64 {
		return stat.Mean(d.Humans[0].Segment[d.Systems[1]]) - stat.Mean(d.Humans[0].Segment[d.Systems[0]])
	}, func(_ metaeval.Report, d metaeval.Data, o options) stat.Interval {
		return bootstrap(d, o, func(segments []int) float64 {
			return mean(d.Humans[0].Segment[d.Systems[1]], segments) - mean(d.Humans[0].Segment[d.Systems[0]], segments)
		})
	}},
	ofMetric("meta score (wmt23)", 0, func(r metaeval.Result) float64 { return r.Meta }),
	ofMetric("pairwise accuracy of systems", 1, func(r metaeval.Result) float64 { return r.System.Acc }),
	ofMetric("Pearson's r of systems", 2, func(r metaeval.Result) float64 { return r.System.Pearson }),
	ofMetric("acc_t of segments", 6, func(r metaeval.Result) float64 { return r.Segment.AccT }),
	ofMetric("Pearson's r of segments", 8, func(r metaeval.Result) float64 { return r.Segment.Pearson }),
	ofMetric("Spearman's ρ of segments", 9, func(r metaeval.Result) float64 { return r.Segment.Spearman }),
	ofMetric("Kendall's τ of segments", 10, func(r metaeval.Result) float64 { return r.Segment.Kendall }),
}

// bootstrap is the interval of a statistic of segments. Documents are drawn, as in the report.
func bootstrap(d metaeval.Data, o options, of func(segments []int) float64) stat.Interval {
	units := metaeval.ResamplingUnits(d.Documents)
	values, _ := stat.Resample(context.Background(), len(units), o.resamples, o.seed, func(sample []int) float64 {
		var segments []int
		for _, unit := range sample {
			segments = append(segments, units[unit]...)
		}
		return of(segments)
	})
	return stat.PercentileInterval(values, stat.ExpandedLevel(metaeval.Level, len(units)))
}

func mean(row []float64, segments []int) float64 {
	sum := 0.0
	for _, k := range segments {
		sum += row[k]
	}
	return sum / float64(len(segments))
}

func main() {
	o := options{}
	flag.IntVar(&o.draws, "draws", 2000, "how many campaigns are drawn")
	flag.IntVar(&o.resamples, "resamples", 1000, "resamples of each interval")
	flag.IntVar(&o.documents, "documents", 40, "documents of a campaign")
	flag.IntVar(&o.segments, "segments", 5, "segments of a document")
	flag.IntVar(&o.systems, "systems", 6, "systems")
	flag.IntVar(&o.truth, "truth", 20_000, "documents of the campaign that stands for the population")
	flag.Float64Var(&o.apart, "apart", .3, "the difference in quality of two systems that follow each other")
	flag.Float64Var(&o.prefers, "prefers", .5, "the largest preference of the metric, or of the second campaign, for a system")
	flag.Uint64Var(&o.seed, "seed", 4, "seed of all random numbers")
	ofAgreement := flag.Bool("agreement", false, "measure the intervals of the agreement of annotators, not those of metrics")
	ofBeside := flag.Bool("beside", false, "measure the intervals of shares, means and campaigns side by side")
	ofParts := flag.Bool("parts", false,
		"measure the intervals of metrics by domain, class and length, of their errors, and over two campaigns")
	flag.Parse()
	measure := run
	switch {
	case *ofAgreement:
		measure = runAgreement
	case *ofBeside:
		measure = runBeside
	case *ofParts:
		measure = runParts
	}
	if err := measure(o); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	p := o.population()
	random := rand.New(rand.NewPCG(o.seed, 1))
	evaluate := func(d metaeval.Data, intervals int) (metaeval.Report, error) {
		// Soft pairwise accuracy is not measured here, and its permutations would take most of the time.
		return metaeval.Evaluate(context.Background(), d,
			metaeval.Task{Preset: metaeval.WMT23, Intervals: intervals, Seed: o.seed, Permutations: 1})
	}
	all := p.draw(random, o.truth)
	whole, err := evaluate(all, 0)
	if err != nil {
		return err
	}
	names, truths := make([]string, len(statistics)), make([]float64, len(statistics))
	for i, s := range statistics {
		names[i], truths[i] = s.name, s.value(whole, all)
	}
	c := newCounts(names, truths)
	for range o.draws {
		d := p.draw(random, o.documents)
		r, err := evaluate(d, o.resamples)
		if err != nil {
			return err
		}
		for i, s := range statistics {
			c.add(i, s.in(r, d, o))
		}
	}
	c.print(o)
	return nil
}
