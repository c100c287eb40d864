package campaign

import (
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
	"annotate/internal/stat"
)

// A Rated segment holds what agreement is computed from: its ids, its status, the
// decisions on its rounds and the ratings of its translations.
type Rated struct {
	DocID, SegmentID string
	Status           Status
	Round            int        // as in [Segment]
	Decisions        []Decision // without superseded ones, by round
	Given            []Given    // ratings that count, of all rounds, in any order
	Judged           []Judged   // judgements, in any order
}

// SentBack reports whether the segment was sent back for another round, by the data that counts
// now: such a round is under way, a decision that holds sent the segment back, or a round above
// the first was judged or has ratings that count. A lead may have ended that round before it was
// complete.
func (r Rated) SentBack() bool {
	return r.Status == Reannotate ||
		slices.ContainsFunc(r.Decisions, func(d Decision) bool { return d.Round > 1 || d.Status == Reannotate }) ||
		slices.ContainsFunc(r.Given, func(g Given) bool { return g.Round > 1 })
}

// Given is the part of a submitted rating that agreement is computed from.
type Given struct {
	System    string
	Annotator string // login
	Round     int
	Score     float64 // the gate score
	// Scores has the entered scores by name. It may be nil if the segment has no judgements or
	// annotators enter at most one score.
	Scores map[string]float64
	Spans  []agreement.Span // marked errors
	At     time.Time        // of the submission; zero: not known
}

// GivenOf reduces a rating of a system's translation under a protocol. gate is its gate score, which is ignored without a gate.
func GivenOf(p *protocol.Protocol, system string, r Rating, gate float64) Given {
	g := Given{System: system, Annotator: r.Annotator, Round: r.Round, Score: gate, Scores: r.Scores,
		Spans: AgreementSpans(r.Spans), At: r.SubmittedAt}
	if p.Spans.OfTerms() {
		g.Spans = AgreementTerms(r.Spans)
	}
	if p.Gate == "" {
		g.Score = math.NaN()
	}
	return g
}

// AgreementSpans converts error spans; nil for none.
func AgreementSpans(spans []protocol.ErrorSpan) []agreement.Span {
	if len(spans) == 0 {
		return nil
	}
	out := make([]agreement.Span, 0, len(spans))
	for _, s := range spans {
		out = append(out, agreement.Span{Side: string(s.Side), Severity: s.Severity, Start: s.Start, End: s.End})
	}
	return out
}

// AgreementTerms is [AgreementSpans] for terms. Their categories take the place of severities.
func AgreementTerms(terms []protocol.ErrorSpan) []agreement.Span {
	out := AgreementSpans(terms)
	for i, t := range terms {
		out[i].Severity = t.Category
	}
	return out
}

// First is the decision on round 1 by the ratings that count now. It is nil if round 1 is
// not complete or the segment is withdrawn.
func (r Rated) First() *Decision {
	if r.Status == Withdrawn || len(r.Decisions) == 0 || r.Decisions[0].Round != 1 {
		return nil
	}
	return &r.Decisions[0]
}

// Decided is the decision on the last complete round; nil if no round is complete. The
// status of the segment follows from it unless a lead decided the segment.
func (r Rated) Decided() *Decision {
	if len(r.Decisions) == 0 {
		return nil
	}
	return &r.Decisions[len(r.Decisions)-1]
}

// An AgreementReport says how far the annotators of a campaign agree. Undefined numbers
// are NaN.
type AgreementReport struct {
	Annotators []string           // logins of those who submitted a rating, in byte order
	Segments   []SegmentAgreement // in the order of import
	Statuses   map[Status]int     // numbers of segments
	// FirstFailRate is the share of segments that fail round 1 by the ratings that count
	// now. The denominator is the number of segments whose round 1 is complete and has a
	// pair. Withdrawn segments are left out.
	FirstFailRate float64

	// The fields below are computed over all segments, or over those in gold alone.
	SystemLevel  []agreement.Cell // every pair of annotators once, by A, then B
	SegmentLevel []agreement.Cell
	Metric       agreement.Metric // of Alpha
	Alpha        agreement.Result // its units are translations
	Pairs        []PairAgreement  // of annotators who share a segment, by A, then B
	Each         []OneAgreement   // each annotator against the others, in the order of Annotators
	Deviation    float64          // population standard deviation of all gate scores

	// AlphaInterval is that of Alpha, and SpanIntervals and SeverityIntervals are those of the spans of all pairs together. They
	// and the intervals of pairs and annotators are set by [AgreementWithIntervals] alone, and have no Resamples otherwise, and with
	// fewer than two documents.
	AlphaInterval                    stat.Interval
	SpanIntervals, SeverityIntervals agreement.SpanIntervals

	// Judges says how far judges agree with annotators. No other field depends on judges.
	Judges JudgeAgreement
}

// SegmentAgreement is the decision on the last complete round of a segment.
type SegmentAgreement struct {
	DocID, SegmentID string
	Round            int // 1 if no round is complete
	Status           Status
	Pairs            []Pair // empty if no round is complete, or no two annotators share a translation
}

func (r Rated) agreement() SegmentAgreement {
	out := SegmentAgreement{DocID: r.DocID, SegmentID: r.SegmentID, Round: 1, Status: r.Status}
	if d := r.Decided(); d != nil {
		out.Round, out.Pairs = d.Round, d.Pairs
	}
	return out
}

// PairAgreement is how far two annotators agree over all translations that both
// rated.
type PairAgreement struct {
	A, B            string // A < B in byte order
	Translations    int
	TauB            float64         // NaN if the gate score is nominal
	Kappa           float64         // Cohen's, with quadratic weights over the whole scale, or without weights if the gate score is nominal; NaN if it is neither
	Spans           agreement.Spans // empty in protocols without error spans
	SpansBySeverity agreement.Spans
	Intervals       PairIntervals
}

// PairIntervals are the intervals of the statistics of two annotators.
type PairIntervals struct {
	SystemLevel, SegmentLevel, TauB, Kappa stat.Interval
	Spans, SpansBySeverity                 agreement.SpanIntervals
}

// OneAgreement is how far an annotator agrees with the mean of the others over the
// translations that others rated too.
type OneAgreement struct {
	Annotator   string
	Ratings     int     // submitted ratings in the latest round of each segment
	Mean        float64 // of their gate scores
	Compared    int     // ratings of translations that others rated too
	LeaveOneOut float64 // Pearson's r between own scores and the means of the others
	Difference  float64 // mean of (own score - mean of the others), in points
	Intervals   struct{ LeaveOneOut, Difference stat.Interval }
}

// Agreement computes how far the annotators of a campaign agree. Two annotators are
// compared in the latest round of a segment that both submitted. Alpha and Each are
// computed over the latest round of a segment that at least two annotators submitted. If
// gold is set, only segments in gold count, otherwise segments of every status.
//
// Memory grows with the ratings, not with the texts.
func Agreement(c Campaign, segments iter.Seq2[Rated, error], gold bool) (AgreementReport, error) {
	return AgreementWithIntervals(context.Background(), c, segments, gold, stat.Bootstrap{})
}

// AgreementWithIntervals is [Agreement] with confidence intervals, for which bootstrap draws documents. Each statistic draws
// those of its own ratings. Without resamples there are no intervals. The error is that of segments or of ctx.
//
// Intervals take memory for each document and pair of annotators in it: some 9 bytes for each system, if scores are whole
// numbers, and 70 bytes for spans.
func AgreementWithIntervals(
	ctx context.Context, c Campaign, segments iter.Seq2[Rated, error], gold bool, bootstrap stat.Bootstrap,
) (AgreementReport, error) {
	b := NewAgreementBuilder(c, gold, bootstrap)
	var each []SegmentAgreement
	for s, err := range segments {
		if err != nil {
			return AgreementReport{}, err
		}
		b.Add(s)
		each = append(each, s.agreement())
	}
	out, err := b.Report(ctx)
	out.Segments = each
	return out, err
}
