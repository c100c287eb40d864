package segments

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// The acts of a lead on segments. On one of them each posts reason to the segment's address
// followed by its id; on several see [Several].
const (
	ActAdjudicate = "adjudicate" // and score-N, N being the place of the translation
	ActAccept     = "accept"     // of several only
	ActFurther    = "further"    // and login
	ActReplace    = "replace"    // and login, by
	ActLook       = "look"       // and annotator, repeated
	ActRestore    = "restore"
	ActAsk        = "ask-adjudication"
	ActSeen       = "looked-at"
	ActNewText    = "new-text"
	ActUndo       = "undo" // and act, segments (how many), without a reason
	ActDiscard    = "discard"
	ActWithdraw   = "withdraw"
)

// A Candidate is an annotator who could be given the segment.
type Candidate struct {
	Login, Name string
	Had         string // what they had of it already, in words; empty: nothing
}

func (c Candidate) label() string {
	label := c.Login
	if c.Name != "" {
		label = c.Name + " (" + c.Login + ")"
	}
	if c.Had != "" {
		label += ", " + c.Had
	}
	return label
}

// An act is something the lead can do to the segment now.
type act struct {
	ID     string
	Title  string
	Text   string // what will happen
	Button string
	Danger bool
}

// acts lists what the lead can do to the segment now.
func (v SegmentView) acts() []act {
	var out []act
	s, n := v.Segment.Status, v.Segment.Complete
	asks := v.DecidingAct == nil || v.DecidingAct.Kind.Asks() // the segment can get ratings
	ending := ""
	if v.undecided() {
		ending = " Nobody is asked to rate it any more; drafts are kept."
	}
	if n > 0 && hasMean(v.Protocol) {
		a := act{
			ActAdjudicate,
			"Accept the mean or enter scores",
			"Gold is the mean of round " + strconv.Itoa(n) + ", or what you enter, whatever later ratings and settings say." + ending,
			"Decide",
			false,
		}
		if s == campaign.Adjudicated {
			a.Title, a.Text, a.Button = "Decide again", "This takes the place of what was decided. "+a.Text, "Decide again"
		}
		out = append(out, a)
	}
	if v.newText() {
		out = append(
			out,
			act{
				ActNewText,
				"Take over the new text",
				"The source or the reference is replaced by the one that the campaign before gives now. If the segment was rated, its annotators look at it again, in a round of its own that alone decides, and with a new reference they begin anew; if they have left, it goes to others. The earlier text and ratings stay in the history.",
				"Take over the new text",
				false,
			},
		)
	}
	if v.Overtaken {
		out = append(
			out,
			act{
				ActSeen,
				"Note the later ratings as looked at",
				"The decision stands. The desk does not name the segment any more, unless further ratings come.",
				"Note as looked at",
				false,
			},
		)
	}
	if s != campaign.Adjudicated && s != campaign.Withdrawn && !v.askedForAdjudication() {
		out = append(
			out,
			act{
				ActAsk,
				"Ask for adjudication",
				"An adjudicator is to judge the segment, beside the annotators’ ratings as A, B, C, without names or systems. The status stays until they do.",
				"Ask for adjudication",
				false,
			},
		)
	}
	if asks && len(v.Candidates) > 0 {
		out = append(out, act{ActFurther, "Ask a further annotator", "One more annotator gets the segment in round " + strconv.Itoa(max(v.Segment.Round, 1)) +
			", before anything new. Nobody waits for them. Once they submit, their ratings count in the round like any other: they cannot make a failed round pass.", "Ask the annotator", false})
	}
	if asks && len(v.replaceable()) > 0 {
		out = append(out, act{ActReplace, "Replace an annotator", "In round " + strconv.Itoa(v.Segment.Round) +
			" and the rounds after it somebody takes this person’s place, or nobody does. What the person submits in these rounds does not count.", "Replace", false})
	}
	if len(v.lookers()) >= v.Settings.LookersNeeded() &&
		!(v.DecidingAct != nil && v.DecidingAct.Kind == campaign.AnotherLook && v.undecided()) {
		out = append(
			out,
			act{
				ActLook,
				"Ask for another look",
				"The annotators you choose look at the segment again, in a round of its own that alone decides. They read your reason.",
				"Ask for another look",
				false,
			},
		)
	}
	// With a new text the ratings before it are about another one; undoing the act brings both back.
	if v.DecidingAct != nil && !slices.ContainsFunc(v.Acts, func(a readmodel.LeadAct) bool { return a.Kind.ReplacesText() && a.Batch == v.DecidingAct.Batch }) {
		out = append(
			out,
			act{
				ActRestore,
				"Take the decision back",
				"The segment is " + v.heldWords() + ". Taken back, what was decided before it holds again: an earlier act of a lead, or what follows from the ratings.",
				"Take it back",
				false,
			},
		)
	}
	if v.DecidingAct == nil || v.DecidingAct.Kind != campaign.Discard && v.DecidingAct.Kind != campaign.Withdraw {
		out = append(
			out,
			act{ActDiscard, "Discard", "The segment stays out of gold, whatever the gate says of it now or later." + ending, "Discard the segment", true},
		)
	}
	if v.undecided() {
		out = append(
			out,
			act{
				ActWithdraw,
				"Withdraw",
				"The segment leaves the campaign before it is decided, and stays out of gold and of every share." + ending,
				"Withdraw the segment",
				true,
			},
		)
	}
	return out
}

// newText reports whether the segment can take over a text that has changed in the campaign before.
func (v SegmentView) newText() bool {
	n := len(v.Lineage.Stages)
	return n > 0 && v.Lineage.Stages[n-1].NewText
}

// offers reports whether an act is among those that the lead can do now.
func (v SegmentView) offers(id string) bool {
	return id == ActUndo && v.Undo != nil || slices.ContainsFunc(v.acts(), func(a act) bool { return a.ID == id })
}

// heldWords says by which act of a lead the segment is decided.
func (v SegmentView) heldWords() string {
	switch v.DecidingAct.Kind {
	case campaign.AnotherLook:
		return "decided by another look, which a lead asked for"
	case campaign.AcceptMean:
		return "adjudicated by the mean of round " + strconv.Itoa(v.DecidingAct.Round)
	case campaign.Adjudicate:
		if v.DecidingAct.Entered() {
			return "decided by scores that " + actor(*v.DecidingAct) + " entered"
		}
		return "adjudicated by " + actor(*v.DecidingAct)
	}
	return string(v.Segment.Status) + " by a lead"
}

// goldWord says where gold comes from that is not simply what annotators gave: an
// adjudication, scores that a lead entered, or a mean that a lead accepted. It is empty
// otherwise.
func (v SegmentView) goldWord(g *campaign.Gold) string {
	switch {
	case g == nil || !g.Adjudicated:
		return ""
	case !g.Entered:
		return "mean accepted"
	case v.DecidingAct != nil && v.DecidingAct.Entered():
		return "entered by a lead"
	}
	return "adjudicated"
}

func (v SegmentView) askedForAdjudication() bool {
	acts := make([]campaign.Act, len(v.Acts))
	for i, a := range v.Acts {
		acts[i] = a.Act
	}
	return campaign.WaitsForAdjudicator(acts)
}

// undoable is the act that [SegmentView.Undo] is about.
func (v SegmentView) undoable() readmodel.LeadAct {
	return v.Acts[slices.IndexFunc(v.Acts, func(a readmodel.LeadAct) bool { return a.ID == v.Undo.ActID })]
}

func undoAllText(u readmodel.Undo) string {
	if u.Blocked > 0 {
		return "Undo on the " + wording.Count(u.Segments) + " segments without a later act"
	}
	return "Undo on all " + wording.Count(u.Segments) + " segments"
}

// lookers are the logins that can be asked for another look, those who rated the
// last complete round first.
func (v SegmentView) lookers() []templates.Option {
	var rated, others []templates.Option
	for _, c := range v.Active {
		o := templates.Option{Value: c.Login, Label: c.label()}
		if slices.ContainsFunc(v.Turns, func(t readmodel.Turn) bool {
			return t.Login == c.Login && t.Round == max(v.Segment.Complete, 1) && t.State == campaign.Submitted
		}) {
			rated = append(rated, o)
		} else {
			others = append(others, o)
		}
	}
	return append(rated, others...)
}

// looks reports whether a login is chosen for another look: those who rated the last
// complete round are, unless the form is shown again.
func (v SegmentView) looks(login string) bool {
	if v.Act == ActLook {
		return slices.Contains(v.Chosen, login)
	}
	return slices.ContainsFunc(v.Turns, func(t readmodel.Turn) bool {
		return t.Login == login && t.Round == max(v.Segment.Complete, 1) && t.State == campaign.Submitted
	})
}

// replaceable are the turns of the current round that somebody can take over.
func (v SegmentView) replaceable() []readmodel.Turn {
	return slices.DeleteFunc(slices.Clone(v.Turns), func(t readmodel.Turn) bool {
		return t.Round != v.Segment.Round || t.SetAside != "" || t.Replaced || t.Round == 1 && t.State == campaign.Released
	})
}

// successors are the candidates who can take the place of one of the replaceable annotators
// other than themselves.
func (v SegmentView) successors() []Candidate {
	return slices.DeleteFunc(slices.Clone(v.Candidates), func(c Candidate) bool {
		return !slices.ContainsFunc(v.replaceable(), func(t readmodel.Turn) bool { return t.Login != c.Login })
	})
}

// typed is what was typed into a field of the act whose form is shown again.
func (v SegmentView) typed(act, field string) string {
	if act != v.Act {
		return ""
	}
	return v.Typed[field]
}

// reason is what the field for the reason of an act holds: what was typed, or for another look at a rejected segment the
// reasons of its rejection, which the annotator then reads.
func (v SegmentView) reason(act string) string {
	if act == ActNewText && v.Act != ActNewText {
		return "The text was changed after it came here."
	}
	if act != ActLook || v.Act == ActLook {
		return v.typed(act, "reason")
	}
	var reasons []string
	for _, x := range v.Rejected {
		reasons = append(reasons, x.Reasons...)
	}
	return templates.First(strings.Join(strings.Fields(strings.Join(reasons, " ")), " "), campaign.MaxReason-1)
}

// wrong is what is wrong with a field of an act.
func (v SegmentView) wrong(act, field string) string {
	if act != v.Act {
		return ""
	}
	return v.Errors[field]
}

// candidateOptions are the choices of an annotator, after that of nobody.
func candidateOptions(nobody string, candidates []Candidate) []templates.Option {
	out := []templates.Option{{Label: nobody}}
	for _, c := range candidates {
		out = append(out, templates.Option{Value: c.Login, Label: c.label()})
	}
	return out
}

func (v SegmentView) replaceOptions() []templates.Option {
	var out []templates.Option
	for _, t := range v.replaceable() {
		o := templates.Option{Value: t.Login, Label: t.Login + ", nothing saved yet"}
		switch {
		case t.State == campaign.Submitted:
			o.Label = t.Login + ", submitted"
		case t.Begun:
			o.Label = t.Login + ", begun"
		}
		out = append(out, o)
	}
	return out
}

func (v SegmentView) decided() []column {
	return slices.DeleteFunc(v.columns(), func(c column) bool { return c.Round != v.Segment.Complete })
}

func decisionHeads(columns []column) []templates.Head {
	out := []templates.Head{templates.ColumnHead("System")}
	for _, c := range columns {
		out = append(out, templates.NumHead(c.Annotator))
	}
	return append(out, templates.NumHead("Mean"), templates.NumHead("Your score"))
}

// gateScore is what the gate compares of a rating, "–" where there is none.
func (v SegmentView) gateScore(r *campaign.Rating) string {
	if r == nil {
		return "–"
	}
	x, ok := v.Protocol.GateScore(r.Rating)
	if !ok {
		return "–"
	}
	return templates.Short(x)
}

// mean is that of the gate scores of a translation in the round decided last; NaN
// where nobody rated it.
func (v SegmentView) mean(t campaign.Translation) float64 {
	var xs []float64
	for _, c := range v.decided() {
		if r := ratingOf(t, c); r != nil {
			if x, ok := v.Protocol.GateScore(r.Rating); ok {
				xs = append(xs, x)
			}
		}
	}
	return protocol.Mean(xs)
}

func meanText(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return wording.Decimal(x, 2)
}

// ScoreField is the name of the field for the score of the translation at a place.
func ScoreField(place int) string { return "score-" + strconv.Itoa(place+1) }

// RangeText says the range of gate scores in words.
func RangeText(r protocol.Range) string {
	switch {
	case math.IsInf(r.Min, 0) && math.IsInf(r.Max, 0):
		return "any number"
	case math.IsInf(r.Min, 0):
		return templates.Short(r.Max) + " or less; 0 is without an error, −6 are six points of errors"
	case math.IsInf(r.Max, 0):
		return templates.Short(r.Min) + " or more"
	}
	return "from " + templates.Short(r.Min) + " to " + templates.Short(r.Max)
}

// decisionTyped is what the field of a decision holds: what was typed, or what a lead
// has entered before.
func (v SegmentView) decisionTyped(place int, t campaign.Translation) string {
	if v.Act == ActAdjudicate {
		return v.Typed[ScoreField(place)]
	}
	if t.Gold != nil && t.Gold.Entered && v.DecidingAct != nil && v.DecidingAct.Entered() {
		return templates.Short(t.Gold.Score)
	}
	return ""
}

// adjudicable reports whether a lead can adjudicate the segment on the annotate page.
func (v SegmentView) adjudicable() bool {
	return slices.ContainsFunc(v.acts(), func(a act) bool { return a.ID == ActAdjudicate })
}
