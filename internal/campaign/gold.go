package campaign

import (
	"slices"

	"annotate/internal/protocol"
)

// Mean is the exact sum of scores divided once; false for none.
func Mean(scores []float64) (float64, bool) {
	if len(scores) == 0 {
		return 0, false
	}
	return protocol.Sum(scores) / float64(len(scores)), true
}

// CompleteRound is the round that settled a segment; while a further round is under
// way, and where the segment is withdrawn, the last complete round before that. 0:
// no round is complete.
func CompleteRound(s Segment) int {
	switch s.Status {
	case Pending:
		return 0
	case Reannotate, Withdrawn:
		return s.Complete
	}
	return s.Round
}

// RoundRatings are the ratings of a translation that were given in a round.
func RoundRatings(t Translation, round int) []Rating {
	var out []Rating
	for _, r := range t.Ratings {
		if r.Round == round {
			out = append(out, r)
		}
	}
	return out
}

// GoldRatings are the ratings that the gold of a translation of s is formed from:
// those of the round that settled s, or where a lead accepted a mean those of the
// annotators it was taken over; none where an adjudicator rated it, and while s is not
// in gold.
func GoldRatings(s Segment, t Translation) []Rating {
	if !s.Status.InGold() || t.Adjudication != nil {
		return nil
	}
	out := RoundRatings(t, CompleteRound(s))
	if s.MeanOf == nil {
		return out
	}
	return slices.DeleteFunc(out, func(r Rating) bool { return !slices.Contains(s.MeanOf, r.Annotator) })
}

// GoldSource are the ratings whose error spans are gold: the adjudication, or else
// [GoldRatings].
func GoldSource(s Segment, t Translation) []Rating {
	if t.Adjudication != nil && s.Status.InGold() {
		return []Rating{*t.Adjudication}
	}
	return GoldRatings(s, t)
}

// HumanGold is the gold of one score, entered or derived, of a translation of s,
// higher is better: the mean over the annotators of the last complete round,
// formed from the exact sum divided once. Where an adjudicator rated the translation,
// the gold of every score is that of their rating, and entered is true. Where a lead
// entered the decision, the gold of the gate score is what was entered, and entered is
// true. The other scores keep their mean, for nobody entered them.
//
// It is undefined, ok is false, while s is not in gold and where nobody gave the
// score.
func HumanGold(p *protocol.Protocol, score string, s Segment, t Translation) (gold float64, entered, ok bool) {
	if t.Adjudication != nil && s.Status.InGold() {
		gold, ok = p.Human(score, t.Adjudication.Rating)
		return gold, ok, ok
	}
	var given []float64
	for _, r := range GoldRatings(s, t) {
		if x, ok := p.Human(score, r.Rating); ok {
			given = append(given, x)
		}
	}
	gold, ok = Mean(given)
	if g := t.Gold; g != nil && g.Entered && score == p.Gate && s.Status.InGold() {
		return g.Score, true, true
	}
	return gold, false, ok
}
