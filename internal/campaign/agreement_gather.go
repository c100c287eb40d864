package campaign

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// A gathering collects what the report is formed from.
type gathering struct {
	out           AgreementReport
	scale         protocol.Score // of kappa
	kappa, spans  bool
	decided, fail int // segments whose round 1 is judged, and fails
	matrices      agreement.Matrices
	pairs         map[[2]string]*pairScores
	each          map[string]*annotatorScores
	units         [][]float64
	block         []float64 // that units are cut from
}

type pairScores struct {
	PairAgreement
	x, y []float64
}

// An annotatorScores holds what an annotator gave.
type annotatorScores struct {
	latest   []float64 // in the latest round of each segment
	compared []compared
}

// compared is a score beside the mean of the others'.
type compared struct{ own, others float64 }

func newGathering(c Campaign) *gathering {
	g := &gathering{out: AgreementReport{Statuses: map[Status]int{}, Metric: agreement.Interval}, pairs: map[[2]string]*pairScores{}, each: map[string]*annotatorScores{}}
	if g.scale, g.kappa = c.Rules.OrdinalGate(); g.kappa {
		g.out.Metric = agreement.Ordinal
	}
	g.spans = c.Rules.Spans != nil
	return g
}

// segment takes down how a segment was decided.
func (g *gathering) segment(s Rated) {
	g.out.Statuses[s.Status]++
	if first := s.First(); first != nil && len(first.Pairs) > 0 {
		g.decided++
		if !first.Passed {
			g.fail++
		}
	}
	out := SegmentAgreement{DocID: s.DocID, SegmentID: s.SegmentID, Round: 1, Status: s.Status}
	if d := s.Decided(); d != nil {
		out.Round, out.Pairs = d.Round, d.Pairs
	}
	g.out.Segments = append(g.out.Segments, out)
	for _, r := range s.Given {
		if g.each[r.Annotator] == nil {
			g.each[r.Annotator] = &annotatorScores{}
		}
	}
}

// A turn is what an annotator gave in one round, by system.
type turn struct {
	annotator string
	round     int
	given     []Given
}

// add counts the ratings of a segment.
func (g *gathering) add(s Rated) {
	turns := turnsOf(s.Given)
	last := map[string]turn{}
	for _, t := range turns {
		last[t.annotator] = t
	}
	for name, t := range last {
		for _, r := range t.given {
			g.each[name].latest = append(g.each[name].latest, r.Score)
		}
	}
	names := slices.Sorted(maps.Keys(last))
	for i, a := range names {
		for _, b := range names[i+1:] {
			if x, y, ok := latestBoth(turns, a, b); ok {
				g.pair(x, y)
			}
		}
	}
	g.round(latestOfTwo(turns))
}

// turnsOf divides ratings by round, then annotator, each turn in byte order of the
// systems.
func turnsOf(given []Given) (out []turn) {
	given = slices.Clone(given)
	slices.SortFunc(given, func(a, b Given) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Annotator, b.Annotator), cmp.Compare(a.System, b.System))
	})
	for from := 0; from < len(given); {
		to := from + 1
		for to < len(given) && given[to].Round == given[from].Round && given[to].Annotator == given[from].Annotator {
			to++
		}
		out = append(out, turn{given[from].Annotator, given[from].Round, given[from:to]})
		from = to
	}
	return out
}

// latestBoth are the turns of two annotators in the latest round that both
// submitted.
func latestBoth(turns []turn, a, b string) (x, y turn, ok bool) {
	for _, t := range slices.Backward(turns) {
		switch t.annotator {
		case a:
			x = t
		case b:
			y = t
		}
		if x.round == y.round && x.round > 0 {
			return x, y, true
		}
	}
	return x, y, false
}

// latestOfTwo are the turns of the latest round that at least two submitted; none
// if there is no such round.
func latestOfTwo(turns []turn) []turn {
	for to := len(turns); to > 0; {
		from := to - 1
		for from > 0 && turns[from-1].round == turns[from].round {
			from--
		}
		if to-from > 1 {
			return turns[from:to]
		}
		to = from
	}
	return nil
}

// pair compares two annotators' turns at a segment.
func (g *gathering) pair(a, b turn) {
	shared := agreement.Shared{A: a.annotator, B: b.annotator}
	var p *pairScores
	for i, j := 0, 0; i < len(a.given) && j < len(b.given); {
		x, y := a.given[i], b.given[j]
		switch cmp.Compare(x.System, y.System) {
		case -1:
			i++
			continue
		case 1:
			j++
			continue
		}
		i, j = i+1, j+1
		if p == nil {
			p = g.scoresOf(a.annotator, b.annotator)
		}
		shared.Systems = append(shared.Systems, x.System)
		shared.X, shared.Y = append(shared.X, x.Score), append(shared.Y, y.Score)
		if g.spans {
			p.Spans.Add(x.Spans, y.Spans)
			p.SpansBySeverity.Add(x.Spans, y.Spans)
		}
	}
	if p != nil {
		p.x, p.y = append(p.x, shared.X...), append(p.y, shared.Y...)
		g.matrices.Add(shared)
	}
}

func (g *gathering) scoresOf(a, b string) *pairScores {
	p := g.pairs[[2]string{a, b}]
	if p == nil {
		p = &pairScores{PairAgreement: PairAgreement{A: a, B: b, SpansBySeverity: agreement.Spans{BySeverity: true}}}
		g.pairs[[2]string{a, b}] = p
	}
	return p
}

// round sets the annotators of a round against one another, translation by
// translation.
func (g *gathering) round(turns []turn) {
	given := make([]Given, 0, 16)
	for _, t := range turns {
		given = append(given, t.given...)
	}
	slices.SortStableFunc(given, func(a, b Given) int { return cmp.Compare(a.System, b.System) })
	for from := 0; from < len(given); {
		to := from + 1
		for to < len(given) && given[to].System == given[from].System {
			to++
		}
		if to-from > 1 {
			g.translation(given[from:to])
		}
		from = to
	}
}

// translation takes the ratings that several annotators gave to a translation.
func (g *gathering) translation(given []Given) {
	if len(g.block) < len(given) {
		g.block = make([]float64, max(4096, len(given)))
	}
	unit := g.block[:len(given):len(given)]
	g.block = g.block[len(given):]
	for i, r := range given {
		unit[i] = r.Score
	}
	g.units = append(g.units, unit)
	others := make([]float64, 0, len(given)-1)
	for i, r := range given {
		others = append(append(others[:0], unit[:i]...), unit[i+1:]...)
		mean := stat.Mean(others)
		one := g.each[r.Annotator]
		one.compared = append(one.compared, compared{r.Score, mean})
	}
}

// report computes the figures.
func (g *gathering) report() AgreementReport {
	out := g.out
	out.Annotators = slices.Sorted(maps.Keys(g.each))
	out.FirstFailRate = math.NaN()
	if g.decided > 0 {
		out.FirstFailRate = float64(g.fail) / float64(g.decided)
	}
	out.SystemLevel = g.matrices.SystemLevel(out.Annotators)
	out.SegmentLevel = g.matrices.SegmentLevel(out.Annotators)
	out.Alpha = agreement.Alpha(g.units, out.Metric)
	for _, c := range out.SystemLevel {
		p := g.pairs[[2]string{c.A, c.B}]
		if p == nil {
			continue
		}
		p.Translations, p.TauB, p.Kappa = len(p.x), stat.TauB(p.x, p.y), math.NaN()
		if g.kappa {
			p.Kappa = agreement.Kappa(p.x, p.y, g.scale.Min, g.scale.Max)
		}
		out.Pairs = append(out.Pairs, p.PairAgreement)
	}
	var all []float64
	for _, name := range out.Annotators {
		all = append(all, g.each[name].latest...)
	}
	out.Deviation = stat.Deviation(all)
	for _, name := range out.Annotators {
		out.Each = append(out.Each, g.each[name].against(name))
	}
	return out
}

// against computes the figures of one annotator.
func (o *annotatorScores) against(name string) OneAgreement {
	own, others := make([]float64, len(o.compared)), make([]float64, len(o.compared))
	for i, c := range o.compared {
		own[i], others[i] = c.own, c.others
	}
	return OneAgreement{
		Annotator: name, Ratings: len(o.latest), Mean: stat.Mean(o.latest), Compared: len(own),
		LeaveOneOut: agreement.LeaveOneOut(own, others), Difference: agreement.MeanDifference(own, others),
	}
}
