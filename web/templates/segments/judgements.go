package segments

import (
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A TraceView shows the calls that led to a judgement.
type TraceView struct {
	templates.Page
	SegmentID     string // row id
	Judge, System string
	About         string // the line about the judge; empty if the campaign does not have the judge
	Calls         []campaign.TraceCall
}

// tracePath returns the address of the trace of a judgement.
func (v SegmentView) tracePath(system, judge string) string {
	return v.Campaign.TracePath(v.ID, system, judge)
}

// aboutJudges returns the line about each judge that has judged a translation of the segment.
func (v SegmentView) aboutJudges() (out []templates.Pair) {
	for _, j := range v.Judges {
		has := func(t campaign.Translation) bool {
			return slices.ContainsFunc(t.Judgements, func(x campaign.Judgement) bool { return x.Judge == j.Judge })
		}
		if slices.ContainsFunc(v.Segment.Translations, has) {
			out = append(out, templates.Pair{Term: j.Judge, Text: j.About})
		}
	}
	return out
}

// judged reports whether a judge has judged a translation of the segment.
func (v SegmentView) judged() bool {
	for _, t := range v.Segment.Translations {
		if len(t.Judgements) > 0 {
			return true
		}
	}
	return false
}

// lead says what the page shows.
func (v TraceView) lead() string {
	if v.System == "" {
		return "Every call that led to the judgement of the source."
	}
	return "Every call that led to the judgement of the translation by " + v.System + "."
}

// short reports whether the prompt of a call is short enough to be shown unfolded.
func (v TraceView) short(call campaign.TraceCall) bool { return len(call.Prompt) < 600 }

// judgeScore returns the score of a judgement in words, or a dash if it has none.
func judgeScore(j campaign.Judgement) string {
	if j.Score == nil {
		return "–"
	}
	return wording.Decimal(*j.Score, 2)
}
