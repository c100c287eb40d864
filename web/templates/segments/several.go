package segments

import (
	"slices"

	"annotate/internal/protocol"
	"annotate/web/templates"
)

// Several is the form under a list of segments that does one act on those chosen, all
// of them or none. It posts segment (row ids), do, login, own and reason to the list's own
// address.
type Several struct {
	Chosen []string // row ids, in a form that is shown again
	Do     string
	Login  string
	Own    bool // who annotated a segment may adjudicate it
	Reason string
	Errors map[string]string // by field; "" is about the act as a whole
	Active []Candidate       // annotators who can be asked
}

var severalActs = map[string]templates.Option{
	ActAccept: {Value: ActAccept, Label: "Accept the means", Help: "Gold is the mean of the last complete round. Nobody is asked to rate them any more."},
	ActAsk: {
		Value: ActAsk,
		Label: "Ask for adjudication",
		Help:  "An adjudicator is to judge them, beside the annotators’ ratings as A, B, C. Their status stays until then.",
	},
	ActLook: {
		Value: ActLook,
		Label: "Ask for another look",
		Help:  "The annotators of the last complete round look again, in a round of its own that alone decides. They read your reason.",
	},
	ActFurther: {Value: ActFurther, Label: "Ask a further annotator", Help: "One more annotator rates the current round. Nobody waits for them."},
	ActSeen:    {Value: ActSeen, Label: "Note as looked at", Help: "The decisions stand. The desk names the segments again only if further ratings come."},
	ActDiscard: {Value: ActDiscard, Label: "Discard", Help: "Out of gold, whatever the gate says later."},
	ActRestore: {Value: ActRestore, Label: "Take the decision back", Help: "What was decided before, or what follows from the ratings, holds again."},
}

// severalOptions are the acts with some ids that segments of a protocol can have.
func severalOptions(p *protocol.Protocol, ids ...string) (out []templates.Option) {
	for _, id := range ids {
		if id != ActAccept || hasMean(p) {
			out = append(out, severalActs[id])
		}
	}
	return out
}

// nominal reports whether the gate of a protocol compares answers that are not numbers. p may be nil.
func nominal(p *protocol.Protocol) bool {
	if p == nil {
		return false
	}
	_, yes := p.NominalGate()
	return yes
}

// hasMean reports whether ratings under a protocol have a mean to accept: they have none if the gate compares answers that are
// not numbers, or if there is no score, as where terms are marked. p may be nil.
func hasMean(p *protocol.Protocol) bool {
	return p == nil || !nominal(p) && len(p.Scores)+len(p.Derived) > 0
}

func (v Several) activeOptions() []templates.Option { return candidateOptions("Choose …", v.Active) }

// asksFurther reports whether one of the acts is asking a further annotator, who is to be
// chosen.
func asksFurther(acts []templates.Option) bool {
	return slices.ContainsFunc(acts, func(o templates.Option) bool { return o.Value == ActFurther })
}

func (v Several) chosen(id string) bool { return slices.Contains(v.Chosen, id) }
