package segments

import (
	"slices"
	"strconv"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A roundHistory is all that happened to a segment in a round.
type roundHistory struct {
	Round   int
	Current *campaign.Decision  // nil: none
	Before  []campaign.Decision // that held once, the latest first
	Turns   []readmodel.Turn    // by login
	Look    *readmodel.LeadAct  // the act that asked for the round; nil: it is an ordinary one
	Wanted  bool                // it is judged or under way, or its ratings count
	Places  int                 // how many annotators it takes at least; 0: those who have a turn
}

// history is what happened by round, from the first.
func (v SegmentView) history() []roundHistory {
	var out []roundHistory
	at := func(round int) *roundHistory {
		for len(out) < round {
			out = append(out, roundHistory{Round: len(out) + 1})
		}
		return &out[round-1]
	}
	for _, t := range v.Turns {
		r := at(max(t.Round, 1))
		r.Turns = append(r.Turns, t)
	}
	for i := range v.Decisions {
		r := at(max(v.Decisions[i].Round, 1))
		if v.Decisions[i].Superseded {
			r.Before = slices.Insert(r.Before, 0, v.Decisions[i])
		} else {
			r.Current = &v.Decisions[i]
		}
	}
	for i, a := range v.Acts {
		if a.Kind == campaign.AnotherLook && a.Round <= len(out) {
			out[a.Round-1].Look = &v.Acts[i]
		}
	}
	for i := range out {
		counts := slices.ContainsFunc(out[i].Turns, func(t readmodel.Turn) bool { return t.Counts })
		out[i].Wanted = counts || out[i].Current != nil || v.undecided() && v.Segment.Round == out[i].Round
	}
	if len(out) > 0 {
		out[0].Places = v.Settings.Redundancy
	}
	return out
}

// actor names who did an act, as the subject of a sentence.
func actor(a readmodel.LeadAct) string {
	switch {
	case a.ByLogin == "" && a.Reason == "": // from before acts had their reasons and authors
		return "a lead"
	case a.ByLogin == "":
		return "the command line"
	}
	return a.ByLogin
}

// actWords says in a sentence what an act did.
func actWords(a readmodel.LeadAct) string {
	round := "round " + strconv.Itoa(a.Round)
	what := map[campaign.ActKind]string{
		campaign.AnotherLook:        "asked " + strings.Join(a.Annotators, ", ") + " for another look, " + round,
		campaign.AcceptMean:         "accepted the mean of " + round + " (" + strings.Join(a.Annotators, ", ") + ")",
		campaign.Adjudicate:         "adjudicated the segment by a rating of their own",
		campaign.Discard:            "discarded the segment",
		campaign.Withdraw:           "withdrew the segment",
		campaign.FurtherAnnotator:   "asked " + strings.Join(a.Annotators, ", ") + " for ratings of " + round,
		campaign.Replace:            "let nobody take the place of " + a.From + " from " + round,
		campaign.AskForAdjudication: "asked for adjudication",
		campaign.Restore:            "took a decision back",
		campaign.NewText:            "took over the new text of the campaign before; it replaced “" + a.Replaced + "”",
		campaign.NewSource:          "took over the new source of the campaign before; it replaced “" + a.Replaced + "”",
		campaign.LookedAt:           "looked at the ratings that came after the decision",
	}[a.Kind]
	if a.Kind == campaign.AskForAdjudication && len(a.Annotators) > 0 {
		what += ", which " + strings.Join(a.Annotators, ", ") + " may do, too"
	}
	if a.Entered() {
		what = "entered scores as gold; what was not entered is the mean of " + round
	}
	if a.Kind == campaign.Replace && a.To != "" {
		what = "let " + a.To + " take the place of " + a.From + " from " + round
	}
	return actor(a) + " " + what
}

// title says what came of a round.
func (r roundHistory) title() string {
	t := "Round " + strconv.Itoa(r.Round)
	if r.Look != nil {
		t += ", another look that a lead asked for"
	}
	if r.Current != nil {
		return t + ": " + outcome(*r.Current)
	}
	if !r.Wanted {
		if !r.rated() {
			return t + ": not needed now"
		}
		return t + ": counts nowhere now"
	}
	done, counted := 0, 0
	for _, x := range r.Turns {
		if x.State == campaign.Submitted {
			done++
		}
		if awaited(x) {
			counted++
		}
	}
	return t + ": not complete, " + wording.Count(done) + " of " + wording.Count(max(counted, r.Places)) + " submitted"
}

// rated reports whether somebody has submitted ratings of the round.
func (r roundHistory) rated() bool {
	return slices.ContainsFunc(r.Turns, func(t readmodel.Turn) bool {
		return t.State == campaign.Submitted || t.SetAside == campaign.Submitted
	})
}

// unjudged says why a round has no decision that holds, and what becomes of it.
func (v SegmentView) unjudged(r roundHistory) string {
	without, kept := "The segment does not need this round now.", "Drafts are kept, and the annotators get it back if the round is wanted again."
	switch {
	case r.Wanted && v.undecided() && r.Round != v.Segment.Round:
		return "Another look decides without it."
	case r.Wanted && v.undecided():
		return "It is judged as soon as it is complete."
	case r.Wanted:
		return "Nobody is asked for it, since the segment is decided."
	case !v.undecided():
		without = "The segment is decided without this round."
	}
	if r.rated() {
		kept = "Its ratings are kept, and count again if the round is wanted again."
	}
	return without + " " + kept
}

// awaited reports whether the round has the ratings of a turn or waits for them. It does
// not where the annotator was replaced or set aside, or gave up a place of the first round.
func awaited(t readmodel.Turn) bool {
	return t.SetAside == "" && !t.Replaced && (t.State == campaign.Submitted || t.Round > 1 || t.State != campaign.Released)
}

// outcome says what followed from a decision.
func outcome(d campaign.Decision) string {
	switch d.Status {
	case campaign.Agreed:
		return "agreed"
	case campaign.Reannotate:
		return "did not agree, sent back for a second look"
	case campaign.Discarded:
		return "did not agree, discarded"
	case campaign.BelowThreshold:
		return "did not agree; kept, since the gate only reports"
	case campaign.Ungated:
		if len(d.Pairs) == 0 {
			return "not judged, since there is nothing of two annotators that the gate could compare"
		}
		return "not judged, since the gate is off"
	}
	return d.Status.Words()
}

// inputs says what a decision was formed from.
func (v SegmentView) inputs(d campaign.Decision) string {
	s := "gate " + d.Gate
	if v.Protocol != nil && v.Protocol.Gate == "" {
		s = "no gate"
	}
	if len(d.Pairs) > 0 && v.heeds("threshold") {
		s += ", threshold " + templates.Short(d.Threshold)
	}
	if len(d.Pairs) > 0 && v.heeds("tolerance") {
		s += ", tolerance " + templates.Short(d.Tolerance)
	}
	if d.Annotators > 0 {
		s = "from " + wording.Counted(d.Annotators, "annotator") + "; " + s
	}
	return s
}

// pairHeads are the heads of the table of pairs. Answers have no r and no difference.
func (v SegmentView) pairHeads() []templates.Head {
	out := []templates.Head{templates.ColumnHead("Annotators")}
	if v.heeds("threshold") {
		out = append(out, templates.NumHead("r"))
	}
	if v.heeds("tolerance") {
		out = append(out, templates.NumHead("Mean difference"))
	}
	if !v.Segment.RatedItself() {
		out = append(out, templates.NumHead("Translations"))
	}
	return append(out, templates.ColumnHead("Verdict"))
}

// heeds reports whether a setting has an effect in the campaign.
func (v SegmentView) heeds(key string) bool { return v.Protocol == nil || v.Protocol.Heeds(key) }

// pairReason says why a pair passed or failed, by the numbers as they stood.
func pairReason(p campaign.Pair, d campaign.Decision) string {
	threshold, tolerance := templates.Short(d.Threshold), templates.Short(d.Tolerance)
	switch {
	case p.Reason == agreement.Different:
		return "their answers differ"
	case p.Reason == agreement.Agreed && p.R == nil:
		return "their answers are equal"
	}
	switch p.Reason {
	case agreement.Agreed:
		return "r reaches the threshold of " + threshold
	case agreement.BelowThreshold:
		return "r is below the threshold of " + threshold
	case agreement.NoVarianceClose:
		return "one of them gave all the same score; the scores lie within the tolerance of " + tolerance
	case agreement.NoVarianceFar:
		return "one of them gave all the same score; the scores lie further apart than the tolerance of " + tolerance
	case agreement.TooFewClose:
		return "too few translations for r; the scores lie within the tolerance of " + tolerance
	case agreement.TooFewFar:
		return "too few translations for r; the scores lie further apart than the tolerance of " + tolerance
	}
	return string(p.Reason)
}

// pairR is r of a pair as its cell of the table has it.
func pairR(p campaign.Pair, threshold float64) string {
	if p.R == nil {
		return "–"
	}
	return strings.TrimPrefix(rText(p, threshold), "r = ")
}

// rText is r to two digits, and to more where two would read like the other
// side of the threshold.
func rText(p campaign.Pair, threshold float64) string {
	if p.R == nil {
		return "r undefined"
	}
	digits := 2
	for ; digits < 6; digits++ {
		rounded, err := strconv.ParseFloat(strconv.FormatFloat(*p.R, 'f', digits, 64), 64)
		if err == nil && (rounded >= threshold) == p.Passed {
			break
		}
		if (*p.R >= threshold) != p.Passed { // within the gate's slack, or another threshold
			return "r = " + wording.Decimal(*p.R, 2)
		}
	}
	return "r = " + wording.Decimal(*p.R, digits)
}

func pairDifference(p campaign.Pair) string {
	if p.MeanAbsDiff == nil {
		return "–"
	}
	return wording.Decimal(*p.MeanAbsDiff, 2)
}

// stateOf says how far a turn has come and whether it counts.
func stateOf(t readmodel.Turn) string {
	switch {
	case t.SetAside == campaign.Submitted:
		return "set aside after submitting"
	case t.SetAside != "":
		return "set aside"
	case t.Replaced && t.State == campaign.Submitted:
		return "replaced: what they submitted does not count"
	case t.Replaced:
		return "replaced: not waited for"
	}
	return turnState(t.State, t.Work, t.Begun)
}

// kindOf is the kind of the badge that shows stateOf.
func kindOf(t readmodel.Turn) string {
	if t.SetAside != "" || t.Replaced {
		return "plain"
	}
	return turnKind(t.State, t.Work)
}

// turnState says how far a turn has come. One that is not submitted is only waited for
// where the segment asks for it: not once a lead has decided, or the round is not wanted.
func turnState(s campaign.AssignmentState, work campaign.Work, begun bool) string {
	switch s {
	case campaign.InWork:
		switch {
		case unneeded(work) && begun:
			return "not needed now, drafts kept"
		case unneeded(work):
			return "not needed now"
		case work == campaign.WorkLate && begun:
			return "in work, not waited for"
		case work == campaign.WorkLate:
			return "not waited for"
		case !begun:
			return "waiting"
		}
		return "in work"
	case campaign.Submitted:
		return "submitted"
	case campaign.Released:
		return "released, its place is free"
	case campaign.Reported:
		return "reported a problem"
	}
	return string(s)
}

// unneeded reports whether nobody is asked for a turn that is not submitted.
func unneeded(w campaign.Work) bool { return w == campaign.WorkKept || w == campaign.WorkOver }

func turnKind(s campaign.AssignmentState, work campaign.Work) string {
	switch s {
	case campaign.InWork:
		if unneeded(work) {
			return "plain"
		}
		return "info"
	case campaign.Submitted:
		return "good"
	case campaign.Reported:
		return "bad"
	}
	return "plain"
}
