package export

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// Ratings writes the submitted ratings under p in the format "ratings". An
// adjudication that is gold is a line with "adjudicated" and without a round, after
// the ratings of its translation.
//
// A link to an error that the file does not contain is left out; the notes say where.
func Ratings(w io.Writer, p *protocol.Protocol, segments Source) (notes []string, err error) {
	out, lost := lines{w: w}, losses{}
	err = out.each(segments, func(s campaign.Segment) {
		for _, t := range bySystem(s.Translations) {
			for _, r := range judgements(t) {
				r = lost.linked(r, false, s, t.System)
				o := out.object()
				o.text("doc_id", s.DocID)
				o.text("segment_id", s.SegmentID)
				o.optional("system", t.System) // a segment that is rated itself has none
				o.text("annotator", r.Annotator)
				if r.Round > 0 {
					o.number("round", float64(r.Round))
				} else {
					o.bool("adjudicated", true)
				}
				o.begin("scores")
				for _, name := range scoreNames(p, r.Scores) {
					o.number(name, r.Scores[name])
				}
				o.end()
				o.answers(p, r.Answers)
				o.spans(r.Spans)
				o.text("comment", r.Comment)
				o.outcomes("suggestions", r.Suggestions)
				o.number("seconds", r.Seconds)
				if !r.SubmittedAt.IsZero() {
					o.text("submitted_at", timeText(r.SubmittedAt))
				}
				o.line()
			}
		}
	})
	return lost.notes(), err
}

// scoreNames lists the scores of a rating: those of p in its order, then any
// others in byte order.
func scoreNames(p *protocol.Protocol, scores map[string]float64) []string {
	names := make([]string, 0, len(scores))
	for _, s := range p.Scores {
		if _, ok := scores[s.Name]; ok {
			names = append(names, s.Name)
		}
	}
	if len(names) == len(scores) {
		return names
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		if _, ok := p.Score(name); !ok {
			names = append(names, name)
		}
	}
	return names
}

// answers writes the answers of a rating in the order of the questions, if p asks any that are no
// numbers.
func (o *object) answers(p *protocol.Protocol, answers map[string]protocol.Answer) {
	asks := p.Asks()
	if len(asks) == 0 {
		return
	}
	o.begin("answers")
	for _, q := range asks {
		a, ok := answers[q.Name]
		switch {
		case !ok:
		case a.Several == nil:
			o.text(q.Name, a.Text)
		default:
			o.key(q.Name)
			o.buf = append(o.buf, '[')
			for i, value := range a.Several {
				if i > 0 {
					o.buf = append(o.buf, ',')
				}
				o.string(value)
			}
			o.buf = append(o.buf, ']')
		}
	}
	o.end()
}

// timeText formats t as RFC 3339 in UTC, with up to six decimals.
func timeText(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// bySystem returns the translations in byte order of their systems. Usually they are
// sorted already.
func bySystem(ts []campaign.Translation) []campaign.Translation {
	return sorted(ts, func(a, b campaign.Translation) int { return cmp.Compare(a.System, b.System) })
}

// byRound returns the ratings sorted by round, then by login.
func byRound(rs []campaign.Rating) []campaign.Rating {
	return sorted(rs, func(a, b campaign.Rating) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Annotator, b.Annotator))
	})
}

// judgements returns the ratings of a translation by round, followed by its adjudication,
// whose round is 0.
func judgements(t campaign.Translation) []campaign.Rating {
	out := byRound(t.Ratings)
	if t.Adjudication != nil {
		out = append(slices.Clip(out), *t.Adjudication)
	}
	return out
}

// settled returns the ratings of a translation for formats without rounds: the
// adjudication, or else the ratings of the last complete round.
func settled(s campaign.Segment, t campaign.Translation) []campaign.Rating {
	if t.Adjudication != nil {
		return []campaign.Rating{*t.Adjudication}
	}
	return byRound(campaign.RoundRatings(t, campaign.CompleteRound(s)))
}

// sorted returns s sorted. It returns s itself if s is sorted, otherwise a copy.
func sorted[T any](s []T, compare func(a, b T) int) []T {
	if slices.IsSortedFunc(s, compare) {
		return s
	}
	s = slices.Clone(s)
	slices.SortStableFunc(s, compare)
	return s
}

// number formats x with the fewest digits that give the same float64.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
