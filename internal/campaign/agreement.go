package campaign

import (
	"iter"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/protocol"
)

// A Rated segment is what agreement is computed from: where it stands, how its
// rounds were decided, and what was given to its translations.
type Rated struct {
	DocID, SegmentID string
	Status           Status
	Round            int        // as in [Segment]
	Decisions        []Decision // those that hold, by round
	Given            []Given    // ratings that count, of all rounds, in any order
}

// Given is what agreement looks at in a submitted rating.
type Given struct {
	System    string
	Annotator string // login
	Round     int
	Score     float64          // the gate score
	Spans     []agreement.Span // marked errors
	At        time.Time        // of the submission; zero: not known
}

// RatedSegment lays out a segment that was read with its ratings. A rating without
// a gate score is left out. Its decisions are to be added by who knows them.
func RatedSegment(p *protocol.Protocol, s Segment) Rated {
	out := Rated{DocID: s.DocID, SegmentID: s.SegmentID, Status: s.Status, Round: s.Round}
	for _, t := range s.Translations {
		for _, r := range t.Ratings {
			if score, ok := p.GateScore(r.Rating); ok {
				out.Given = append(out.Given, Given{t.System, r.Annotator, r.Round, score, AgreementSpans(r.Spans), r.SubmittedAt})
			}
		}
	}
	return out
}

// AgreementSpans are the places of marked errors; nil for none.
func AgreementSpans(spans []protocol.ErrorSpan) []agreement.Span {
	var out []agreement.Span
	for _, s := range spans {
		out = append(out, agreement.Span{Side: string(s.Side), Severity: s.Severity, Start: s.Start, End: s.End})
	}
	return out
}

// First is how round 1 is judged by the ratings that count now; nil while it is not
// complete, and where the segment is withdrawn.
func (r Rated) First() *Decision {
	if r.Status == Withdrawn || len(r.Decisions) == 0 || r.Decisions[0].Round != 1 {
		return nil
	}
	return &r.Decisions[0]
}

// Decided is the last decision that holds, which the status follows from unless a
// lead decided; nil where no round is complete.
func (r Rated) Decided() *Decision {
	if len(r.Decisions) == 0 {
		return nil
	}
	return &r.Decisions[len(r.Decisions)-1]
}

// An AgreementReport is how far the annotators of a campaign agree. What is
// undefined is NaN.
type AgreementReport struct {
	Annotators []string           // logins of who submitted a rating, in byte order
	Segments   []SegmentAgreement // in the order of import
	Statuses   map[Status]int     // numbers of segments
	// FirstFailRate is the share of segments whose round 1 fails by the ratings that
	// count now, of those, not withdrawn, whose round 1 is complete and has a pair.
	FirstFailRate float64

	// What follows is computed over all segments, or over those in gold.
	SystemLevel  []agreement.Cell // every pair of annotators once, by A, then B
	SegmentLevel []agreement.Cell
	Metric       agreement.Metric // of Alpha
	Alpha        agreement.Result // its units are translations
	Pairs        []PairAgreement  // of annotators who share a segment, by A, then B
	Each         []OneAgreement   // each annotator against the others, in the order of Annotators
	Deviation    float64          // population standard deviation of all gate scores
}

// SegmentAgreement is how a segment's last decided round was judged.
type SegmentAgreement struct {
	DocID, SegmentID string
	Round            int // 1 if none was decided
	Status           Status
	Pairs            []Pair // empty if none was decided, or nobody shares a translation
}

// PairAgreement is how far two annotators agree over all translations that both
// rated.
type PairAgreement struct {
	A, B            string // A < B in byte order
	Translations    int
	TauB            float64
	Kappa           float64         // quadratic weights, over the whole scale; NaN but for sqm
	Spans           agreement.Spans // of protocols that mark errors
	SpansBySeverity agreement.Spans
}

// OneAgreement is how far an annotator agrees with the mean of the others over the
// translations that others rated too.
type OneAgreement struct {
	Annotator   string
	Ratings     int     // submitted, of the latest round of each segment
	Mean        float64 // of their gate scores
	Compared    int     // ratings of translations that others rated too
	LeaveOneOut float64 // Pearson's r
	Difference  float64 // mean of own score - mean of the others'
}

// Agreement computes how far the annotators of a campaign agree. Two annotators
// share a segment in the latest round that both submitted, whatever its status;
// with gold, only segments in gold count. Alpha, and each annotator against the
// others, run over the latest round of a segment that at least two submitted.
//
// Memory grows with the ratings, not with the texts.
func Agreement(c Campaign, segments iter.Seq2[Rated, error], gold bool) (AgreementReport, error) {
	g := newGathering(c)
	for s, err := range segments {
		if err != nil {
			return AgreementReport{}, err
		}
		g.segment(s)
		if !gold || s.Status.InGold() {
			g.add(s)
		}
	}
	return g.report(), nil
}
