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

// Judged is the part of a judgement that agreement is computed from.
type Judged struct {
	System string
	Judge  string  // name
	Score  float64 // higher is better; NaN if there is none
	// Scores has the judge's other scores that annotators enter too, by name. It is nil if
	// annotators enter at most one score.
	Scores map[string]float64
	Marks  bool             // the judge marks errors
	Spans  []agreement.Span // nil if the judge marks no errors or found none
}

// JudgedOf reduces a judgement of a system's translation under a protocol. If the judgement has no
// score of its own but every score that annotators enter, its score is the gate score of these.
func JudgedOf(p *protocol.Protocol, system string, j Judgement) Judged {
	out := Judged{System: system, Judge: j.Judge, Score: math.NaN(), Marks: j.Spans != nil, Spans: AgreementSpans(j.Spans)}
	entered := map[string]float64{}
	for _, s := range p.Scores {
		if x, ok := j.Scores[s.Name]; ok {
			entered[s.Name] = x
		}
	}
	if len(p.Scores) > 1 {
		out.Scores = entered
	}
	if j.Score != nil {
		out.Score = *j.Score
	} else if len(p.Scores) > 0 && len(entered) == len(p.Scores) {
		if x, ok := p.GateScore(protocol.Rating{Scores: entered}); ok {
			out.Score = x
		}
	}
	return out
}

// A JudgeAgreement says how far judges agree with annotators and with each other. The ratings of an
// annotator are those of the annotator's latest round of each segment. No figure about annotators
// includes judges.
type JudgeAgreement struct {
	Judges []string // names of the judges that have a judgement, in byte order
	// Pairs has each judge with each annotator, and then with each judge after it, in byte
	// order. It leaves out pairs that share no translation.
	Pairs []JudgePair
}

// A JudgePair says how far a judge agrees with an annotator or with another judge.
type JudgePair struct {
	Judge      string
	Other      string // login of an annotator, or name of a judge
	OtherJudge bool   // Other is a judge
	// Score compares the judge's score with the annotator's gate score or the other judge's
	// score.
	Score ScoreAgreement
	// Scores compares the scores that annotators enter, in the order of the protocol. It has
	// the scores that both parties gave, and is empty if annotators enter at most one score.
	Scores []ScoreAgreement
	// Spans compares the errors of the judge (A) with those of the other party (B) in the
	// translations in which both mark errors.
	Spans           agreement.Spans
	SpansBySeverity agreement.Spans
	// The intervals of both, which [AgreementWithIntervals] alone sets.
	SpanIntervals, SeverityIntervals agreement.SpanIntervals
}

// A ScoreAgreement says how far two parties agree in one score. A correlation is NaN where it is
// undefined.
type ScoreAgreement struct {
	Name         string  // of the entered score; empty for the gate score
	Segments     int     // number of segments in which both parties scored a translation
	Translations int     // number of translations that both parties scored
	SystemLevel  float64 // Pearson's r, as in [agreement.Matrices.SystemLevel]
	SegmentLevel float64 // Pearson's r, as in [agreement.Matrices.SegmentLevel]
	TauB         float64 // Kendall's tau-b over these translations; [AgreementOfJudges] leaves it NaN
	// Intervals are set by [AgreementWithIntervals] alone.
	Intervals struct{ SystemLevel, SegmentLevel, TauB stat.Interval }
}

// AgreementOfJudges computes how far judges agree with annotators and with each other. It does not
// compute tau-b or compare spans. If gold is set, it uses only segments in gold. Its memory grows
// with the number of pairs and not with the number of segments.
func AgreementOfJudges(p *protocol.Protocol, segments iter.Seq2[Rated, error], gold bool) (JudgeAgreement, error) {
	b := newJudgeBuilder(p, false)
	for s, err := range segments {
		if err != nil {
			return JudgeAgreement{}, err
		}
		b.note(s)
		if !gold || s.Status.InGold() {
			b.add(s, 0)
		}
	}
	return b.report(), nil
}

// A party is an annotator or a judge.
type party struct {
	name  string
	judge bool
}

// key identifies a party among annotators and judges. An annotator can have the same name as a
// judge. The keys of annotators come before those of judges in byte order.
func (p party) key() string {
	if p.judge {
		return "judge " + p.name
	}
	return "annotator " + p.name
}

// An opinion is the rating or the judgement that a party gave one translation.
type opinion struct {
	system string
	score  float64            // NaN if there is none
	scores map[string]float64 // entered scores; used if annotators enter several
	marks  bool               // the party marks errors
	spans  []agreement.Span
}

// A partyTurn has the opinions of one party on a segment, in byte order of the systems.
type partyTurn struct {
	party
	opinions []opinion
}

// A judgeBuilder collects the data from which a [JudgeAgreement] is computed.
type judgeBuilder struct {
	// ofSources is set if judges score sources. Their scores and the answers of annotators are different things, so nothing is compared.
	ofSources bool
	details   bool     // compute tau-b and compare spans
	spans     bool     // the protocol has error spans
	scores    []string // names of the compared scores: "" for the gate score, then the entered scores if there are several
	judges    map[string]bool
	matrices  []agreement.Matrices // by index in scores
	pairs     map[[2]party]*judgedPair
}

// A judgedPair is a pair whose first party is a judge.
type judgedPair struct {
	JudgePair
	scores []stat.TauTotals // by index in judgeBuilder.scores: the scores of the translations that both scored; empty without details
	n      []int            // by index in judgeBuilder.scores: the number of these translations

	marks, severe agreement.SpanTotals
}

func newJudgeBuilder(p *protocol.Protocol, details bool) *judgeBuilder {
	b := &judgeBuilder{ofSources: p.OfSegments(), details: details, spans: p.MarksErrors(), scores: []string{""},
		judges: map[string]bool{}, pairs: map[[2]party]*judgedPair{}}
	if len(p.Scores) > 1 {
		for _, s := range p.Scores {
			b.scores = append(b.scores, s.Name)
		}
	}
	b.matrices = make([]agreement.Matrices, len(b.scores))
	return b
}

// note collects the names of the judges of a segment.
func (b *judgeBuilder) note(s Rated) {
	if b.ofSources {
		return
	}
	for _, j := range s.Judged {
		b.judges[j.Judge] = true
	}
}

// add compares the judges of a segment with its annotators and with each other. document is the number of its document, for
// intervals.
func (b *judgeBuilder) add(s Rated, document int) {
	if len(s.Judged) == 0 || b.ofSources {
		return
	}
	annotators, judges := b.annotatorTurns(s.Given), judgeTurns(s.Judged)
	for i, judge := range judges {
		for _, other := range annotators {
			b.compare(judge, other, document)
		}
		for _, other := range judges[i+1:] {
			b.compare(judge, other, document)
		}
	}
}

// annotatorTurns returns the opinions of each annotator in the annotator's latest round.
func (b *judgeBuilder) annotatorTurns(given []Given) (out []partyTurn) {
	for _, r := range agreement.LatestOfEach(roundsOf(given)) {
		turn := partyTurn{party: party{name: r.annotator}}
		for _, g := range r.given {
			turn.opinions = append(turn.opinions, opinion{g.System, g.Score, g.Scores, b.spans, g.Spans})
		}
		out = append(out, turn)
	}
	return out
}

func judgeTurns(judged []Judged) (out []partyTurn) {
	judged = slices.Clone(judged)
	slices.SortFunc(judged, func(a, b Judged) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.System, b.System))
	})
	for _, j := range judged {
		if n := len(out); n == 0 || out[n-1].name != j.Judge {
			out = append(out, partyTurn{party: party{j.Judge, true}})
		}
		turn := &out[len(out)-1]
		turn.opinions = append(turn.opinions, opinion{j.System, j.Score, j.Scores, j.Marks, j.Spans})
	}
	return out
}

// compare compares a judge's opinions of a segment with those of another party.
func (b *judgeBuilder) compare(judge, other partyTurn, document int) {
	shared := make([]agreement.Shared, len(b.scores))
	var p *judgedPair
	marks, severe := agreement.Spans{}, agreement.Spans{BySeverity: true}
	for x, y := range inCommon(judge.opinions, other.opinions, func(o opinion) string { return o.system }) {
		for k, name := range b.scores {
			u, v := x.of(name), y.of(name)
			if math.IsNaN(u) || math.IsNaN(v) {
				continue
			}
			shared[k].Systems = append(shared[k].Systems, x.system)
			shared[k].X, shared[k].Y = append(shared[k].X, u), append(shared[k].Y, v)
		}
		if b.details && x.marks && y.marks {
			marks.Add(x.spans, y.spans)
			severe.Add(x.spans, y.spans)
		}
	}
	if marks.Translations > 0 {
		p = b.pair(judge.party, other.party)
		p.Spans.Merge(marks)
		p.SpansBySeverity.Merge(severe)
		p.marks.Add(document, marks)
		p.severe.Add(document, severe)
	}
	for k, s := range shared {
		if len(s.Systems) == 0 {
			continue
		}
		p = b.pair(judge.party, other.party)
		p.n[k] += len(s.Systems)
		if b.details {
			p.scores[k].Add(document, s.X, s.Y)
		}
		s.A, s.B, s.Document = judge.key(), other.key(), document
		b.matrices[k].Add(s)
	}
}

// of returns a compared score by its name in judgeBuilder.scores, or NaN if there is none.
func (o opinion) of(name string) float64 {
	if name == "" {
		return o.score
	}
	if x, ok := o.scores[name]; ok {
		return x
	}
	return math.NaN()
}

func (b *judgeBuilder) pair(judge, other party) *judgedPair {
	key := [2]party{judge, other}
	p := b.pairs[key]
	if p == nil {
		n := len(b.scores)
		p = &judgedPair{JudgePair: JudgePair{Judge: judge.name, Other: other.name, OtherJudge: other.judge, SpansBySeverity: agreement.Spans{BySeverity: true}},
			scores: make([]stat.TauTotals, n), n: make([]int, n)}
		b.pairs[key] = p
	}
	return p
}

// report computes the agreement in the segments that were added.
func (b *judgeBuilder) report() JudgeAgreement {
	out := JudgeAgreement{Judges: slices.Sorted(maps.Keys(b.judges))}
	var keys []string
	for pair := range b.pairs {
		keys = append(keys, pair[0].key(), pair[1].key())
	}
	system, segment := make([]map[[2]string]agreement.Cell, len(b.scores)), make([]map[[2]string]agreement.Cell, len(b.scores))
	for k := range b.scores {
		system[k], segment[k] = byPair(b.matrices[k].SystemLevel(keys)), byPair(b.matrices[k].SegmentLevel(keys))
	}
	for _, pair := range slices.SortedFunc(maps.Keys(b.pairs), func(x, y [2]party) int {
		return cmp.Or(cmp.Compare(x[0].name, y[0].name), cmp.Compare(x[1].key(), y[1].key()))
	}) {
		p, key := b.pairs[pair], [2]string{pair[0].key(), pair[1].key()}
		if key[0] > key[1] {
			key[0], key[1] = key[1], key[0]
		}
		for k, name := range b.scores {
			s := ScoreAgreement{Name: name, Segments: system[k][key].Shared, Translations: p.n[k],
				SystemLevel: system[k][key].R, SegmentLevel: segment[k][key].R, TauB: math.NaN()}
			if b.details {
				s.TauB = stat.TauB(p.scores[k].Scores())
			}
			switch {
			case k == 0:
				p.Score = s
			case s.Translations > 0:
				p.Scores = append(p.Scores, s)
			}
		}
		out.Pairs = append(out.Pairs, p.JudgePair)
	}
	return out
}

// addIntervals sets the intervals of a report.
func (b *judgeBuilder) addIntervals(ctx context.Context, bootstrap stat.Bootstrap, out *JudgeAgreement) error {
	for i := range out.Pairs {
		p := &out.Pairs[i]
		of := [2]party{{p.Judge, true}, {p.Other, p.OtherJudge}}
		own := b.pairs[of]
		for k, name := range b.scores {
			s := &p.Score
			if k > 0 {
				at := slices.IndexFunc(p.Scores, func(s ScoreAgreement) bool { return s.Name == name })
				if at < 0 {
					continue
				}
				s = &p.Scores[at]
			}
			var err error
			s.Intervals.SystemLevel, s.Intervals.SegmentLevel, err = b.matrices[k].Intervals(ctx, bootstrap, of[0].key(), of[1].key())
			if err != nil {
				return err
			}
			if s.Intervals.TauB, err = own.scores[k].Interval(ctx, bootstrap); err != nil {
				return err
			}
		}
		var err error
		if p.SpanIntervals, err = own.marks.Intervals(ctx, bootstrap); err != nil {
			return err
		}
		if p.SeverityIntervals, err = own.severe.Intervals(ctx, bootstrap); err != nil {
			return err
		}
	}
	return nil
}

func byPair(cells []agreement.Cell) map[[2]string]agreement.Cell {
	out := make(map[[2]string]agreement.Cell, len(cells))
	for _, c := range cells {
		out[[2]string{c.A, c.B}] = c
	}
	return out
}
