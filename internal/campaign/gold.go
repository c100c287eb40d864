package campaign

import (
	"slices"

	"annotate/internal/protocol"
)

// Mean is the mean of scores: their exact sum, rounded once, divided by their number. It is
// false if there are no scores.
func Mean(scores []float64) (float64, bool) {
	if len(scores) == 0 {
		return 0, false
	}
	return protocol.Sum(scores) / float64(len(scores)), true
}

// CompleteRound is the round that settled a segment. While a further round is under way,
// and if the segment is withdrawn, it is the last complete round. It is 0 if no round is
// complete.
func CompleteRound(s Segment) int {
	switch s.Status {
	case Pending:
		return 0
	case Reannotate, Withdrawn:
		return s.Complete
	}
	return s.Round
}

// RoundRatings returns the ratings of a translation in one round.
func RoundRatings(t Translation, round int) []Rating {
	var out []Rating
	for _, r := range t.Ratings {
		if r.Round == round {
			out = append(out, r)
		}
	}
	return out
}

// GoldRatings returns the ratings whose mean is the gold of a translation of s: those of
// the round that settled s. If a lead accepted a mean, only the annotators of that mean
// count. There are none if s is not in gold or an adjudicator rated the translation.
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

// GoldSource returns the ratings whose error spans are gold: the adjudication if there is
// one, otherwise [GoldRatings].
func GoldSource(s Segment, t Translation) []Rating {
	if t.Adjudication != nil && s.Status.InGold() {
		return []Rating{*t.Adjudication}
	}
	return GoldRatings(s, t)
}

// ContributingRatings returns the ratings that the gold of a translation of s under p is made
// of: those of [GoldSource]. If a lead entered the only score, and p has no error spans, there
// are none.
func ContributingRatings(p *protocol.Protocol, s Segment, t Translation) []Rating {
	if t.Adjudication == nil && t.Gold != nil && t.Gold.Entered && p.Spans == nil && len(p.Scores)+len(p.Derived) == 1 {
		return nil
	}
	return GoldSource(s, t)
}

// HumanGold is the gold of one score of a translation of s, by the score's name; higher is
// better. The score is entered by annotators or derived from their error spans. Its gold is
// the mean over [GoldRatings]. If an adjudicator rated the translation, the gold of every
// score is that of their rating, and entered is true. If a lead entered a gate score, the
// gold of the gate score is that value, and entered is true; the other scores keep their
// mean.
//
// ok is false, and gold undefined, if s is not in gold or no rating has the score.
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
