package templates

import (
	"net/url"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A JudgesView lists the judges of a campaign.
type JudgesView struct {
	Page
	Judges []JudgeRow
	Marks  bool   // errors are marked in the campaign, so that they can be suggested
	Wrong  string // what was wrong with the latest act; empty: nothing
}

// A JudgeRow is a judge and how far it is.
type JudgeRow struct {
	campaign.Judge
	State, Reason string
	Running       bool
	Open          int   // translations that a judge that was run here has not judged
	Calls, Tokens int64 // 0 for one that was imported
}

// leads reports whether the reader may stop judges and make suggestions.
func (v JudgesView) leads() bool { return v.Campaign != nil && v.Campaign.Role == "lead" }

// A TraceView shows the calls that led to a judgement.
type TraceView struct {
	Page
	SegmentID     string // row id
	Judge, System string
	Calls         []campaign.TraceCall
}

// tracePath is the address of the trace of a judgement.
func (v SegmentView) tracePath(system, judge string) string {
	return withQuery(v.Campaign.segmentPath(v.ID)+"/trace", url.Values{"system": {system}, "judge": {judge}}.Encode())
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

// judgeScore is the score of a judgement, or a dash.
func judgeScore(j campaign.Judgement) string {
	if j.Score == nil {
		return "–"
	}
	return wording.Decimal(*j.Score, 2)
}

// errorKind is what a judge says of an error beside its words.
func errorKind(severity, category, subcategory string) string {
	kind := severity
	for _, more := range []string{category, subcategory} {
		switch {
		case more == "":
		case kind == "":
			kind = more
		default:
			kind += ", " + more
		}
	}
	return kind
}
