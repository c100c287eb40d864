package campaign

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// An AgreementBuilder collects the ratings that an [AgreementReport] is computed from. It is
// [AgreementWithIntervals] for segments that come one by one, and leaves out AgreementReport.Segments.
type AgreementBuilder struct {
	gold            bool // only segments in gold count
	bootstrap       stat.Bootstrap
	judges          *judgeBuilder
	out             AgreementReport
	scale           protocol.Score // the scale of the gate score if it is ordinal
	kappa           bool           // the gate score is ordinal or nominal, so kappa is computed
	spans           bool           // the protocol has error spans
	decided, failed int            // segments whose round 1 was judged, and those that failed it
	matrices        agreement.Matrices
	pairs           map[[2]string]*pairScores // by the two logins
	byAnnotator     map[string]*annotatorScores
	units           [][]float64 // of Krippendorff's alpha: the scores of one translation each
	block           []float64   // the memory that units are taken from

	// Of intervals; documents is nil without them, and all sums are then empty.
	documents     map[string]int // their numbers
	document      int            // that of the segment
	alpha         *agreement.AlphaTotals
	marks, severe agreement.SpanTotals // of all pairs
}

// A pairScores holds the scores that two annotators gave to the same translations.
type pairScores struct {
	PairAgreement
	scores        stat.TauTotals
	kappa         agreement.KappaTotals
	marks, severe agreement.SpanTotals
}

// An annotatorScores holds the scores of one annotator.
type annotatorScores struct {
	latest   []float64 // in the latest round of each segment
	compared []compared
	totals   agreement.OthersTotals
}

// compared is a score, and the mean of the others' scores of the same translation.
type compared struct{ own, others float64 }

// NewAgreementBuilder returns a builder for a campaign, without segments.
func NewAgreementBuilder(c Campaign, gold bool, bootstrap stat.Bootstrap) *AgreementBuilder {
	b := &AgreementBuilder{
		gold:        gold,
		bootstrap:   bootstrap.Kept(),
		judges:      newJudgeBuilder(c.Rules, true),
		out:         AgreementReport{Statuses: map[Status]int{}, Metric: agreement.Interval},
		pairs:       map[[2]string]*pairScores{},
		byAnnotator: map[string]*annotatorScores{},
	}
	if b.scale, b.kappa = c.Rules.OrdinalGate(); b.kappa {
		b.out.Metric = agreement.Ordinal
	}
	if _, nominal := c.Rules.NominalGate(); nominal {
		b.out.Metric, b.kappa = agreement.Nominal, true
	}
	b.spans = c.Rules.Spans != nil && c.Rules.Given == ""
	if bootstrap.Resamples > 0 {
		b.documents, b.alpha = map[string]int{}, agreement.NewAlphaTotals(b.out.Metric)
	}
	return b
}

// Add adds a segment.
func (b *AgreementBuilder) Add(s Rated) {
	b.addDecisions(s)
	b.judges.note(s)
	if !b.gold || s.Status.InGold() {
		b.addRatings(s)
		b.judges.add(s, b.document)
	}
}

// Report computes the report, once. The error is that of ctx.
func (b *AgreementBuilder) Report(ctx context.Context) (AgreementReport, error) {
	out := b.report()
	out.Judges = b.judges.report()
	return out, b.addIntervals(ctx, &out)
}

// addDecisions counts the status of a segment and how its rounds were decided.
func (b *AgreementBuilder) addDecisions(s Rated) {
	b.out.Statuses[s.Status]++
	if first := s.First(); first != nil && len(first.Pairs) > 0 {
		b.decided++
		if !first.Passed {
			b.failed++
		}
	}
	for _, r := range s.Given {
		if b.byAnnotator[r.Annotator] == nil {
			b.byAnnotator[r.Annotator] = &annotatorScores{}
		}
	}
}

// An annotatorRound holds the ratings of one annotator in one round, in byte order of the
// systems.
type annotatorRound struct {
	annotator string
	round     int
	given     []Given
}

// Who implements [agreement.Turn].
func (r annotatorRound) Who() (annotator string, round int) { return r.annotator, r.round }

// addRatings adds the ratings of a segment.
func (b *AgreementBuilder) addRatings(s Rated) {
	if b.documents != nil {
		number, known := b.documents[s.DocID]
		if !known {
			number = len(b.documents)
			b.documents[s.DocID] = number
		}
		b.document = number
	}
	rounds := roundsOf(s.Given)
	for _, r := range agreement.LatestOfEach(rounds) {
		of := b.byAnnotator[r.annotator]
		for _, g := range r.given {
			of.latest = append(of.latest, g.Score)
		}
	}
	for i, j := range agreement.LatestShared(rounds) {
		b.addPair(rounds[i], rounds[j])
	}
	b.addRound(agreement.LatestOfTwo(rounds))
}

// roundsOf groups ratings by annotator, then by round.
func roundsOf(given []Given) (out []annotatorRound) {
	given = slices.Clone(given)
	slices.SortFunc(given, func(a, b Given) int {
		return cmp.Or(cmp.Compare(a.Annotator, b.Annotator), cmp.Compare(a.Round, b.Round), cmp.Compare(a.System, b.System))
	})
	for from := 0; from < len(given); {
		to := from + 1
		for to < len(given) && given[to].Round == given[from].Round && given[to].Annotator == given[from].Annotator {
			to++
		}
		out = append(out, annotatorRound{given[from].Annotator, given[from].Round, given[from:to]})
		from = to
	}
	return out
}

// inCommon yields the pairs of items of two lists that have the same key. Each list must be in
// ascending order of its keys and have each key at most once.
func inCommon[T any](a, b []T, key func(T) string) iter.Seq2[T, T] {
	return func(yield func(x, y T) bool) {
		for i, j := 0, 0; i < len(a) && j < len(b); {
			switch cmp.Compare(key(a[i]), key(b[j])) {
			case -1:
				i++
			case 1:
				j++
			default:
				if !yield(a[i], b[j]) {
					return
				}
				i, j = i+1, j+1
			}
		}
	}
}

// addPair compares the ratings of two annotators in one round of a segment.
func (b *AgreementBuilder) addPair(first, second annotatorRound) {
	shared := agreement.Shared{Document: b.document, A: first.annotator, B: second.annotator}
	var p *pairScores
	marks, severe := agreement.Spans{}, agreement.Spans{BySeverity: true}
	for x, y := range inCommon(first.given, second.given, func(g Given) string { return g.System }) {
		if p == nil {
			p = b.pair(first.annotator, second.annotator)
		}
		shared.Systems = append(shared.Systems, x.System)
		shared.X, shared.Y = append(shared.X, x.Score), append(shared.Y, y.Score)
		if b.spans {
			marks.Add(x.Spans, y.Spans)
			severe.Add(x.Spans, y.Spans)
		}
	}
	if p == nil {
		return
	}
	p.scores.Add(b.document, shared.X, shared.Y)
	b.matrices.Add(shared)
	p.Spans.Merge(marks)
	p.SpansBySeverity.Merge(severe)
	if b.documents == nil {
		return
	}
	if b.kappa {
		p.kappa.Add(b.document, shared.X, shared.Y)
	}
	if b.spans {
		p.marks.Add(b.document, marks)
		p.severe.Add(b.document, severe)
		b.marks.Add(b.document, marks)
		b.severe.Add(b.document, severe)
	}
}

// pair returns the scores of a pair of annotators; it adds the pair if it is new.
func (b *AgreementBuilder) pair(first, second string) *pairScores {
	p := b.pairs[[2]string{first, second}]
	if p == nil {
		p = &pairScores{
			PairAgreement: PairAgreement{A: first, B: second, SpansBySeverity: agreement.Spans{BySeverity: true}},
			kappa:         agreement.KappaTotals{Nominal: b.out.Metric == agreement.Nominal},
		}
		b.pairs[[2]string{first, second}] = p
	}
	return p
}

// addRound groups the ratings of a round by translation, and adds each translation that
// at least two annotators rated.
func (b *AgreementBuilder) addRound(round []annotatorRound) {
	given := make([]Given, 0, 16)
	for _, r := range round {
		given = append(given, r.given...)
	}
	slices.SortStableFunc(given, func(a, b Given) int { return cmp.Compare(a.System, b.System) })
	for from := 0; from < len(given); {
		to := from + 1
		for to < len(given) && given[to].System == given[from].System {
			to++
		}
		if to-from > 1 {
			b.addTranslation(given[from:to])
		}
		from = to
	}
}

// addTranslation adds the ratings that several annotators gave to one translation.
func (b *AgreementBuilder) addTranslation(given []Given) {
	if len(b.block) < len(given) {
		b.block = make([]float64, max(4096, len(given)))
	}
	unit := b.block[:len(given):len(given)]
	b.block = b.block[len(given):]
	for i, r := range given {
		unit[i] = r.Score
	}
	b.units = append(b.units, unit)
	if b.alpha != nil {
		b.alpha.Add(b.document, unit)
	}
	others := make([]float64, 0, len(given)-1)
	for i, r := range given {
		others = append(append(others[:0], unit[:i]...), unit[i+1:]...)
		mean := stat.Mean(others)
		one := b.byAnnotator[r.Annotator]
		one.compared = append(one.compared, compared{r.Score, mean})
		if b.documents != nil {
			one.totals.Add(b.document, r.Score, mean)
		}
	}
}

// report computes the report from the ratings that were added.
func (b *AgreementBuilder) report() AgreementReport {
	out := b.out
	out.Annotators = slices.Sorted(maps.Keys(b.byAnnotator))
	out.FirstFailRate = math.NaN()
	if b.decided > 0 {
		out.FirstFailRate = float64(b.failed) / float64(b.decided)
	}
	out.SystemLevel = b.matrices.SystemLevel(out.Annotators)
	out.SegmentLevel = b.matrices.SegmentLevel(out.Annotators)
	out.Alpha = agreement.Alpha(b.units, out.Metric)
	for _, c := range out.SystemLevel {
		p := b.pairs[[2]string{c.A, c.B}]
		if p == nil {
			continue
		}
		x, y := p.scores.Scores()
		p.Translations, p.TauB, p.Kappa = len(x), stat.TauB(x, y), math.NaN()
		switch {
		case out.Metric == agreement.Nominal:
			p.Kappa, p.TauB = agreement.NominalKappa(x, y), math.NaN()
		case b.kappa:
			p.Kappa = agreement.Kappa(x, y, b.scale.Min, b.scale.Max)
		}
		out.Pairs = append(out.Pairs, p.PairAgreement)
	}
	var all []float64
	for _, name := range out.Annotators {
		all = append(all, b.byAnnotator[name].latest...)
	}
	out.Deviation = stat.Deviation(all)
	for _, name := range out.Annotators {
		out.Each = append(out.Each, b.byAnnotator[name].report(name))
	}
	if nan := math.NaN(); out.Metric == agreement.Nominal { // no mean is taken of answers
		out.Deviation = nan
		for i := range out.Each {
			e := &out.Each[i]
			e.Mean, e.LeaveOneOut, e.Difference = nan, nan, nan
		}
	}
	return out
}

// report computes how far the annotator agrees with the others.
func (o *annotatorScores) report(name string) OneAgreement {
	own, others := make([]float64, len(o.compared)), make([]float64, len(o.compared))
	for i, c := range o.compared {
		own[i], others[i] = c.own, c.others
	}
	return OneAgreement{
		Annotator: name, Ratings: len(o.latest), Mean: stat.Mean(o.latest), Compared: len(own),
		LeaveOneOut: agreement.LeaveOneOut(own, others), Difference: agreement.MeanDifference(own, others),
	}
}

// addIntervals sets the intervals of the report. A statistic that is undefined has none.
func (b *AgreementBuilder) addIntervals(ctx context.Context, out *AgreementReport) (err error) {
	if b.documents == nil {
		return nil
	}
	if err = b.judges.addIntervals(ctx, b.bootstrap, &out.Judges); err != nil {
		return err
	}
	if out.AlphaInterval, err = b.alpha.Interval(ctx, b.bootstrap); err != nil {
		return err
	}
	spans := func(plain, severe *agreement.SpanTotals) (x, y agreement.SpanIntervals, err error) {
		if !b.spans {
			return x, y, nil
		}
		if x, err = plain.Intervals(ctx, b.bootstrap); err == nil {
			y, err = severe.Intervals(ctx, b.bootstrap)
		}
		return x, y, err
	}
	if out.SpanIntervals, out.SeverityIntervals, err = spans(&b.marks, &b.severe); err != nil {
		return err
	}
	for i := range out.Pairs {
		p := &out.Pairs[i]
		own := b.pairs[[2]string{p.A, p.B}]
		in := &p.Intervals
		if in.SystemLevel, in.SegmentLevel, err = b.matrices.Intervals(ctx, b.bootstrap, p.A, p.B); err != nil {
			return err
		}
		if !math.IsNaN(p.Kappa) {
			if in.Kappa, err = own.kappa.Interval(ctx, b.bootstrap); err != nil {
				return err
			}
		}
		if !math.IsNaN(p.TauB) {
			if in.TauB, err = own.scores.Interval(ctx, b.bootstrap); err != nil {
				return err
			}
		}
		if in.Spans, in.SpansBySeverity, err = spans(&own.marks, &own.severe); err != nil {
			return err
		}
	}
	if out.Metric == agreement.Nominal { // no mean is taken of answers
		return nil
	}
	for i := range out.Each {
		e := &out.Each[i]
		if e.Intervals.LeaveOneOut, e.Intervals.Difference, err = b.byAnnotator[e.Annotator].totals.Intervals(ctx, b.bootstrap); err != nil {
			return err
		}
	}
	return nil
}
