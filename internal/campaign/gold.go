package campaign

import (
	"slices"

	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// Mean is the exact mean of scores, rounded once ([protocol.Mean]). It is false if there are no scores.
func Mean(scores []float64) (float64, bool) {
	if len(scores) == 0 {
		return 0, false
	}
	return protocol.Mean(scores), true
}

// GoldScore is the gold of a translation, given the gate scores of those who count: their mean or, if the gate
// scores of p stand for answers, the one that more than half of them gave. It is false if there are no scores, if no answer
// has a majority, and if p has no gate.
func GoldScore(p *protocol.Protocol, scores []float64) (float64, bool) {
	if p.Gate == "" {
		return 0, false
	}
	if _, nominal := p.NominalGate(); !nominal {
		return Mean(scores)
	}
	return majority(scores)
}

// majority is the value of more than half of a list; false if there is none.
func majority[T comparable](list []T) (value T, ok bool) {
	counts := map[T]int{}
	for _, x := range list {
		if counts[x]++; 2*counts[x] > len(list) {
			return x, true
		}
	}
	return value, false
}

// GoldAnswer is the gold of the answer to a question of p, which is no number, about a translation of s. If an
// adjudicator rated the translation, it is their answer. Otherwise it follows from [GoldRatings] with an answer to
// the question, if more than half of [GoldRatings] were asked it: what more than half of them answered; of several answers, each that
// more than half gave; of a text, the text that all gave identically.
//
// ok is false, and gold undefined, if s is not in gold, no more than half were asked, nobody answered, or there is no
// such answer. In the last case the question is among [Undecided].
func GoldAnswer(p *protocol.Protocol, q protocol.Question, s Segment, t Translation) (gold protocol.Answer, ok bool) {
	if t.Adjudication != nil && s.Status.InGold() {
		gold, ok = t.Adjudication.Answers[q.Name]
		return gold, ok
	}
	return goldOf(q, answersTo(p, q, s, t))
}

// A GoldBasis says from whom a gold answer comes.
type GoldBasis string

// The bases of gold answers.
const (
	GoldOfOne         GoldBasis = "one"         // one annotator answered the question
	GoldOfAll         GoldBasis = "all"         // several annotators gave the same answer
	GoldOfMajority    GoldBasis = "majority"    // more than half of the annotators gave it, or each of its parts
	GoldOfAdjudicator GoldBasis = "adjudicator" // an adjudicator gave it
)

// GoldBasisOf says from whom the gold of an answer comes, which [GoldAnswer] must have given.
func GoldBasisOf(p *protocol.Protocol, q protocol.Question, s Segment, t Translation) GoldBasis {
	if t.Adjudication != nil {
		return GoldOfAdjudicator
	}
	answers := answersTo(p, q, s, t)
	switch {
	case len(answers) == 1:
		return GoldOfOne
	case slices.ContainsFunc(answers, func(a protocol.Answer) bool { return !a.Equal(answers[0]) }):
		return GoldOfMajority
	}
	return GoldOfAll
}

// Undecided lists the names of the questions of p about a translation of s that have answers and no gold, in the order
// of p. A segment with such a question waits for an adjudicator, and until then its answers have no effect. The list is
// nil if s is not in gold or an adjudicator rated the translation.
func Undecided(p *protocol.Protocol, s Segment, t Translation) (names []string) {
	for _, q := range p.Asks() {
		answers := answersTo(p, q, s, t)
		if _, ok := goldOf(q, answers); !ok && len(answers) > 0 {
			names = append(names, q.Name)
		}
	}
	return names
}

// UndecidedText says in a sentence that annotators answered questions of p differently.
func UndecidedText(p *protocol.Protocol, names []string) string {
	labels := make([]string, len(names))
	for i, name := range names {
		q, _ := p.Question(name)
		labels[i] = "“" + q.Label + "”"
	}
	return "The annotators’ answers to " + wording.List(labels) + " differ, and no answer has a majority."
}

// answersTo are the answers of [GoldRatings] to a question. There are none if at most half of the ratings were asked
// it.
func answersTo(p *protocol.Protocol, q protocol.Question, s Segment, t Translation) (answers []protocol.Answer) {
	ratings, asked := GoldRatings(s, t), 0
	for _, r := range ratings {
		if !p.Asked(q, r.Rating) {
			continue
		}
		asked++
		if a, given := r.Answers[q.Name]; given {
			answers = append(answers, a)
		}
	}
	if 2*asked <= len(ratings) {
		return nil
	}
	return answers
}

// goldOf is the gold of answers to a question; false if there is none.
func goldOf(q protocol.Question, answers []protocol.Answer) (gold protocol.Answer, ok bool) {
	texts := make([]string, len(answers))
	votes := map[string]int{}
	for i, a := range answers {
		texts[i] = a.Text
		for _, value := range a.Several {
			votes[value]++
		}
	}
	switch {
	case len(texts) == 0:
		return gold, false
	case q.Several:
		gold.Several = []string{}
		for _, o := range q.Options {
			if 2*votes[o.Value] > len(texts) {
				gold.Several = append(gold.Several, o.Value)
			}
		}
		return gold, true
	case q.Kind == protocol.Text:
		same := !slices.ContainsFunc(texts, func(text string) bool { return text != texts[0] })
		return protocol.Answer{Text: texts[0]}, same
	}
	gold.Text, ok = majority(texts)
	return gold, ok
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

// RoundRatings returns the ratings of a translation in one round, which are next to each other. They share the memory of
// t.Ratings, so that the caller must not change them.
func RoundRatings(t Translation, round int) []Rating {
	from := 0
	for from < len(t.Ratings) && t.Ratings[from].Round != round {
		from++
	}
	to := from
	for to < len(t.Ratings) && t.Ratings[to].Round == round {
		to++
	}
	if to == from {
		return nil
	}
	return t.Ratings[from:to:to]
}

// GoldRatings returns the ratings whose mean is the gold of a translation of s: those of
// the round that settled s. If a lead accepted a mean, only the annotators of that mean
// count. There are none if s is not in gold or an adjudicator rated the translation. The caller must not change them.
func GoldRatings(s Segment, t Translation) []Rating {
	if !s.Status.InGold() || t.Adjudication != nil {
		return nil
	}
	out := RoundRatings(t, CompleteRound(s))
	if s.MeanOf == nil {
		return out
	}
	return slices.DeleteFunc(slices.Clone(out), func(r Rating) bool { return !slices.Contains(s.MeanOf, r.Annotator) })
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
