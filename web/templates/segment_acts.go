package templates

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// The acts of a lead on one segment. Each posts reason to the segment's address
// followed by its id.
const (
	ActAdjudicate = "adjudicate" // and score-N, N being the place of the translation
	ActAdd        = "add"        // and login
	ActReplace    = "replace"    // and login, by
	ActReopen     = "reopen"
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
	s, ruled := v.Segment.Status, v.Ruling != ""
	if v.Complete > 0 {
		a := act{ActAdjudicate, "Adjudicate", "You decide the segment: gold is the mean of round " + strconv.Itoa(v.Complete) + ", or what you enter. ", "Adjudicate", false}
		if s == campaign.Adjudicated {
			a.Title, a.Text, a.Button = "Decide again", "What is adjudicated is replaced: gold is the mean of round "+strconv.Itoa(v.Complete)+", or what you enter. ", "Decide again"
		}
		if v.undecided() {
			a.Text += "The second look under way ends; drafts are kept. "
		}
		a.Text += "The segment leaves every queue, and no change of the gate touches it."
		out = append(out, a)
	}
	if !ruled && len(v.Candidates) > 0 {
		text := "One more annotator gets the segment in round " + strconv.Itoa(max(v.Segment.Round, 1)) + ", before anything new."
		if !v.undecided() {
			text += " The round is open again until they submit, and is then decided with their ratings."
		}
		out = append(out, act{ActAdd, "Add an annotator", text, "Add the annotator", false})
	}
	if len(v.replaceable()) > 0 {
		out = append(out, act{ActReplace, "Replace or drop an annotator", "Round " + strconv.Itoa(v.Segment.Round) +
			" waits for this person no more. It is decided when all the others have submitted. Should they submit after all, they count again.", "Replace or drop", false})
	}
	if ruled || !v.undecided() {
		text := "The annotators of round " + strconv.Itoa(v.Segment.Round) + " get the segment once more, in round " + strconv.Itoa(v.Segment.Round+1) + "; until then it is out of gold."
		if ruled {
			text = "What a lead decided is taken back, scores that were entered with it, and the segment is decided anew from its ratings. What was in work then goes on."
		}
		out = append(out, act{ActReopen, "Reopen", text, "Reopen the segment", false})
	}
	if v.Ruling != campaign.Discarded && v.Ruling != campaign.Withdrawn {
		text := "The segment stays out of gold, whatever the gate says of it now or later."
		if s == campaign.Discarded {
			text = "It stays discarded, even if a change of the gate would let it pass."
		}
		if v.undecided() {
			text += " Nobody is given it any more; drafts are kept."
		}
		out = append(out, act{ActDiscard, "Discard", text, "Discard the segment", true})
	}
	if v.undecided() {
		out = append(out, act{ActWithdraw, "Withdraw", "The segment leaves the campaign before it is decided: nobody is given it any more, and it stays out of gold. Drafts are kept.", "Withdraw the segment", true})
	}
	return out
}

// replaceable are those whom the second look under way waits for.
func (v SegmentView) replaceable() []Turn {
	if v.Segment.Status != campaign.Reannotate {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.Turns), func(t Turn) bool {
		return t.Round != v.Segment.Round || t.State == campaign.Submitted || t.SetAside != "" || t.Replaced
	})
}

// typed is what was typed into a field of the act whose form is shown again.
func (v SegmentView) typed(act, field string) string {
	if act != v.Act {
		return ""
	}
	return v.Typed[field]
}

// wrong is what is wrong with a field of an act.
func (v SegmentView) wrong(act, field string) string {
	if act != v.Act {
		return ""
	}
	return v.Errors[field]
}

// options are the choices of an annotator who takes part.
func (v SegmentView) candidateOptions(nobody string) []Option {
	var out []Option
	if nobody != "" {
		out = append(out, Option{Label: nobody})
	}
	for _, c := range v.Candidates {
		out = append(out, Option{Value: c.Login, Label: c.label()})
	}
	return out
}

func (v SegmentView) replaceOptions() []Option {
	var out []Option
	for _, t := range v.replaceable() {
		o := Option{Value: t.Login, Label: t.Login + ", nothing saved yet"}
		if t.Begun {
			o.Label = t.Login + ", begun"
		}
		out = append(out, o)
	}
	return out
}

// decided are the columns of the round that is decided last.
func (v SegmentView) decided() []column {
	return slices.DeleteFunc(v.columns(), func(c column) bool { return c.Round != v.Complete })
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
	return short(x)
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
	return protocol.Sum(xs) / float64(len(xs)) // 0/0 is NaN
}

func meanText(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return decimal(x, 2)
}

// ScoreField is the name of the field for the score of the translation at a place.
func ScoreField(place int) string { return "score-" + strconv.Itoa(place+1) }

// A ScoreRange is what a gate score can be. An end may be infinite.
type ScoreRange struct{ Min, Max float64 }

// RangeOf is the range of a protocol's gate scores: that of its scale; for a mean
// of scores that of them all; for what errors cost from minus infinity to 0.
func RangeOf(p *protocol.Protocol) ScoreRange {
	if s, ok := p.Score(p.Gate); ok {
		return ScoreRange{float64(s.Min), float64(s.Max)}
	}
	for _, d := range p.Derived {
		switch {
		case d.Name != p.Gate:
		case len(d.Mean) > 0:
			r := ScoreRange{math.Inf(1), math.Inf(-1)}
			for _, name := range d.Mean {
				if s, ok := p.Score(name); ok {
					r = ScoreRange{min(r.Min, float64(s.Min)), max(r.Max, float64(s.Max))}
				}
			}
			return r
		case d.LowerIsBetter:
			return ScoreRange{math.Inf(-1), 0}
		default:
			return ScoreRange{0, math.Inf(1)}
		}
	}
	return ScoreRange{math.Inf(-1), math.Inf(1)}
}

// Text says the range in words.
func (r ScoreRange) Text() string {
	switch {
	case math.IsInf(r.Min, 0) && math.IsInf(r.Max, 0):
		return "any number"
	case math.IsInf(r.Min, 0):
		return short(r.Max) + " or less; 0 is without an error, −6 are six points of errors"
	case math.IsInf(r.Max, 0):
		return short(r.Min) + " or more"
	}
	return "from " + short(r.Min) + " to " + short(r.Max)
}

// ParseScore reads a score as people type it: with a point or a comma, with a
// hyphen or a minus. A number out of the range is not read.
func (r ScoreRange) ParseScore(text string) (float64, bool) {
	text = strings.NewReplacer("−", "-", ",", ".").Replace(strings.TrimSpace(text))
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x < r.Min || x > r.Max || strings.ContainsAny(text, "xXpP_") {
		return 0, false
	}
	return x, true
}

// decisionTyped is what the field of a decision holds: what was typed, or what a lead
// has entered before.
func (v SegmentView) decisionTyped(place int, t campaign.Translation) string {
	if v.Act == ActAdjudicate {
		return v.Typed[ScoreField(place)]
	}
	if t.Gold != nil && t.Gold.Entered {
		return short(t.Gold.Score)
	}
	return ""
}
