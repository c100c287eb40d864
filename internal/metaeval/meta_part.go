package metaeval

import (
	"context"

	"annotate/internal/stat"
)

// A part is one of the statistics whose mean is the meta score. To add one, define a
// variable below and name it in a preset.
type part struct {
	// id names the statistic in a [Test]. It also chooses the random numbers of the test,
	// so a part with another id has other p-values.
	id       string
	ofScores scope
	value    func(Result) float64
	signed   bool // the value is in [-1, 1] and is rescaled to [0, 1] before it enters the mean
	// joint, if set, computes one value from the results of a metric in several reports. It
	// stands for the values of the reports in [Overall].
	joint func(results []Result) float64
	// exchange prepares the permutations of the test between metrics.
	exchange func(ctx context.Context, c comparison) (resampler, error)
}

// A scope says which scores a part is computed from.
type scope int

const (
	ofSystems scope = iota
	ofTranslations
)

// A comparison holds the scores that the test of a part compares.
type comparison struct {
	human   [][]float64   // by system and segment; nil if there are none
	metrics [][][]float64 // by metric; nil if there are none
	// systemHuman and systemMetrics are the scores of the systems with a human score.
	systemHuman   []float64
	systemMetrics [][]float64 // by metric
	results       []Result    // by metric
	draws         int
	seed          uint64
	stream        string // chooses the random numbers
	steps         *share
}

var (
	systemAcc = part{id: "system acc", ofScores: ofSystems, value: func(r Result) float64 { return r.System.Acc },
		exchange: exchangeSystems(func(human, metric []float64) float64 { return stat.Ratio(PairwiseAccuracy(human, metric)) })}
	systemPearson = part{id: "system pearson", ofScores: ofSystems, value: func(r Result) float64 { return r.System.Pearson },
		exchange: exchangeSystems(stat.Pearson)}
	systemSpearman = part{id: "system spearman", ofScores: ofSystems, value: func(r Result) float64 { return r.System.Spearman },
		exchange: exchangeSystems(stat.Spearman)}
	systemSPA = part{id: "system spa", ofScores: ofTranslations, value: func(r Result) float64 { return r.System.SPA },
		exchange: func(ctx context.Context, c comparison) (resampler, error) {
			return newSoftResampler(ctx, c.human, c.metrics, c.draws, c.seed, c.stream)
		}}
	segmentAccT = part{id: "segment acc_t", ofScores: ofTranslations, value: func(r Result) float64 { return r.Segment.AccT },
		exchange: exchangeVerdicts(ByItem, func(r Result) float64 { return r.Segment.Epsilon })}
	segmentPooled = part{id: "segment acc_t_pooled", ofScores: ofTranslations, value: func(r Result) float64 { return r.Segment.AccTPooled },
		exchange: exchangeVerdicts(Pooled, func(r Result) float64 { return r.pooledEpsilon })}
	segmentPearson = part{id: "segment pearson", ofScores: ofTranslations, value: Result.pooledPearson,
		exchange: func(_ context.Context, c comparison) (resampler, error) {
			return newPearsonResampler(newTranslations(c.human, c.metrics), newCoinFlips(c.seed, c.stream)), nil
		}}
	segmentSpearman = part{id: "segment spearman", ofScores: ofTranslations, value: Result.pooledSpearman,
		exchange: func(_ context.Context, c comparison) (resampler, error) {
			return newSpearmanResampler(newTranslations(c.human, c.metrics), newCoinFlips(c.seed, c.stream)), nil
		}}
	// metaScore is the meta score as a statistic to test.
	metaScore = part{id: "meta", ofScores: ofTranslations, value: func(r Result) float64 { return r.Meta }}
)

// exchangeSystems exchanges the scores of systems.
func exchangeSystems(statistic func(human, metric []float64) float64) func(context.Context, comparison) (resampler, error) {
	return func(_ context.Context, c comparison) (resampler, error) {
		return newSystemResampler(c.systemHuman, c.systemMetrics, newCoinFlips(c.seed, c.stream), statistic), nil
	}
}

// exchangeVerdicts exchanges the verdicts on pairs of translations, which depend on the
// tie thresholds of the metrics.
func exchangeVerdicts(by Grouping, epsilon func(Result) float64) func(context.Context, comparison) (resampler, error) {
	return func(ctx context.Context, c comparison) (resampler, error) {
		epsilons := make([]float64, len(c.results))
		for k, r := range c.results {
			epsilons[k] = epsilon(r)
		}
		return newVerdictResampler(ctx, newTranslations(c.human, c.metrics), by, epsilons, c.seed, c.stream, c.draws, c.steps)
	}
}

// pooledPairs is the accuracy over the pairs of systems of all results.
func pooledPairs(results []Result) float64 {
	agree, pairs := 0, 0
	for _, r := range results {
		agree += r.System.Agree
		pairs += r.System.Pairs
	}
	return stat.Ratio(agree, pairs)
}

// pooledPearson is Pearson's r over all translations, also where Segment has an average.
func (r Result) pooledPearson() float64 {
	if r.averaged {
		return r.pooled.pearson
	}
	return r.Segment.Pearson
}

// pooledSpearman is Spearman's ρ over all translations, also where Segment has an average.
func (r Result) pooledSpearman() float64 {
	if r.averaged {
		return r.pooled.spearman
	}
	return r.Segment.Spearman
}

// rescaled returns the part with its value rescaled from [-1, 1] to [0, 1].
func (p part) rescaled() part {
	p.signed = true
	return p
}

// joined returns the part with one value for several reports.
func (p part) joined(joint func(results []Result) float64) part {
	p.joint = joint
	return p
}

// scaled returns a value of the part as it enters the mean.
func (p part) scaled(v float64) float64 {
	if p.signed {
		return (v + 1) / 2
	}
	return v
}

// weigh returns how much a difference in the part changes the mean of that many parts.
func (p part) weigh(difference float64, parts int) float64 {
	if p.signed {
		difference /= 2
	}
	return difference / float64(parts)
}
