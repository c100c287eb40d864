package annotating

import (
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/web/templates"
)

// An AdjudicateView lists the segments that wait for an adjudicator. It has no place
// for the name of a system, for a login or for a rating.
type AdjudicateView struct {
	templates.Page
	Source templates.Lang
	Items  []readmodel.ToAdjudicate // the longest waiting first
	Asks   bool                     // the protocol asks questions that are not numbers
	Open   bool                     // the campaign is open, so that segments can be opened
}

// lead says what the page lists, and what an adjudicator does.
func (v AdjudicateView) lead() string {
	if v.Asks {
		return "Segments that a lead asks an adjudicator to decide, or about which annotators answered differently. You answer yourself, beside the annotators’ ratings as A, B, C, and can take an answer of theirs; what you submit becomes gold. You never annotate a segment that you have opened here."
	}
	return "Segments that a lead asks an adjudicator to decide. You judge them yourself, beside the annotators’ ratings as A, B, C, and your rating becomes gold. You never annotate a segment that you have opened here."
}

func (v AdjudicateView) emptyText() string {
	if v.Asks {
		return "Once annotators answer a question differently, or a lead asks for an adjudicator, the segment appears here."
	}
	return "Once a lead asks for one, the segment appears here."
}

// peerMarking is what an annotator marked on a card, to be drawn beside it.
func (v AnnotateView) peerMarking(c Card, r readmodel.PeerRating) templates.Marking {
	return templates.NewMarking(v.Protocol, r.Letter, c.id()+"-peer-"+r.Letter+"-", r.Spans)
}

// takes reports whether the adjudicator can take from the annotators' ratings.
func (v AnnotateView) takes() bool { return v.Adjudicates && v.ReadOnly == "" }

// statePeers are the annotators' ratings of a card.
func (v AnnotateView) statePeers(c Card) *[]wire.Peer {
	out := make([]wire.Peer, len(c.Peers))
	for i, r := range c.Peers {
		out[i] = wire.Peer{Letter: r.Letter, Scores: map[string]float64{}, Answers: AnswersOf(r.Answers)}
		for _, s := range v.Protocol.Scores {
			if x, ok := r.Scores[s.Name]; ok {
				out[i].Scores[s.Name] = x
			}
		}
		listed := v.peerMarking(c, r).Marks
		spans := make([]protocol.ErrorSpan, len(listed))
		for k, m := range listed {
			spans[k] = m.ErrorSpan
			spans[k].Suggestion = ""
		}
		out[i].Spans = MarksOf(v.Protocol, spans, false, nil).Spans
	}
	return &out
}

// peerScore is a score as an annotator gave it.
func peerScore(r readmodel.PeerRating, name string) string { return Card{Scores: r.Scores}.given(name) }

// adjudicationHelp says what an adjudicator judges, and where the annotators' ratings are.
func (v AnnotateView) adjudicationHelp() string {
	if v.itself() && v.Protocol.Spans != nil {
		return "Mark the terms yourself; below stand those that the annotators marked, which you can take and change."
	}
	if v.itself() {
		return "Answer the questions yourself; below them stand the annotators' answers, which you can take."
	}
	return "Judge the translations yourself; below each one stand the annotators' ratings, from which you can take marks and scores."
}

// peersLabel names the annotators' ratings of a card for those who can't see where they stand.
func (v AnnotateView) peersLabel(c Card) string {
	if v.itself() {
		return "Ratings of the segment by annotators"
	}
	return "Ratings of translation " + c.Name + " by annotators"
}

// noPeers says that a card has no rating to take from.
func (v AnnotateView) noPeers() string {
	if v.itself() {
		return "No annotator's rating of this segment counts."
	}
	return "No annotator's rating of this translation counts."
}

// peersMark reports whether annotators could mark errors.
func (v AnnotateView) peersMark() bool { return v.Protocol.Spans != nil }
