package monitoring

import (
	"math"
	"net/url"
	"slices"
	"time"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A GateSummary is what the gate has made of a campaign so far.
type GateSummary struct {
	readmodel.Standing
	Settings campaign.Settings
	Ordinal  bool // alpha counts steps of a scale; else differences, unless
	Nominal  bool // it counts answers that differ
}

// gateLine says what the gate does with a segment that fails.
func (g GateSummary) gateLine() string {
	switch {
	case g.Settings.NoGate:
		return "The protocol has no gate: no segment is judged, and nothing is sent back."
	case g.Settings.Gate == "on":
		return "The gate is on: a segment whose annotators do not agree comes back to them."
	case g.Settings.Gate == "report":
		return "The gate only reports: nothing is sent back."
	}
	return "The gate is off: what would fail is counted, nothing is sent back."
}

// alphaKind names the differences that alpha counts.
func (g GateSummary) alphaKind() string {
	switch {
	case g.Nominal:
		return "nominal"
	case g.Ordinal:
		return "ordinal"
	}
	return "interval"
}

func (g GateSummary) tiles(here templates.Campaign, elsewhere bool) []templates.Tile {
	judged := g.FirstAgreed + g.FirstFailed
	reasons := "#reasons-title"
	if elsewhere {
		reasons = here.Path("agreement") + reasons
	}
	agreed := templates.Tile{
		Label: "Agreed in round 1",
		Value: wording.PercentTenths(g.FirstAgreed, judged),
		Note:  wording.Count(g.FirstAgreed) + " of " + wording.Count(judged) + " judged",
	}
	if judged == 0 {
		agreed.Note = "no pair judged yet"
	}
	failed := templates.Tile{
		Label: "Failed in round 1",
		Value: wording.PercentTenths(g.FirstFailed, judged),
		Note:  wording.Count(g.FirstFailed) + " of " + wording.Count(judged) + " judged",
	}
	if g.FirstFailed > 0 {
		failed.Href = reasons
	}
	back, waiting := g.SentBack.Total(), g.SentBack[campaign.Reannotate]
	second := templates.Tile{Label: "Second looks", Value: wording.Count(back), Note: "none waits"}
	if waiting > 0 {
		second.Note, second.Href = wording.Count(waiting)+" "+wording.Choose(waiting, "waits", "wait"), here.SegmentsPath(campaign.Reannotate, "")
	}
	discarded := g.Segments[campaign.Discarded]
	out := templates.Tile{Label: "Discarded",
		Value: wording.PercentTenths(discarded, g.Segments.Total()), Note: wording.Count(discarded) + " of all"}
	if over := g.SentBack.Settled(); over > 0 {
		out.Note += "; " + wording.PercentTenths(g.SentBack[campaign.Discarded], over) + " of " + wording.Count(over) + " second looks"
	}
	if discarded > 0 {
		out.Href = here.SegmentsPath(campaign.Discarded, "")
	}
	alpha := templates.Tile{Label: "Krippendorff’s alpha", Value: wording.Decimal(g.Alpha, 2), Note: g.alphaKind()}
	if math.IsNaN(g.Alpha) {
		alpha.Note = "undefined so far"
	}
	return []templates.Tile{agreed, failed, second, out, alpha}
}

// reasonText says why a pair failed.
func (g GateSummary) reasonText(r agreement.Reason) string {
	switch r {
	case agreement.BelowThreshold:
		return "r below " + templates.Short(g.Settings.Threshold)
	case agreement.NoVarianceFar:
		return "r undefined, since one of them gave all the same score, and the scores lie more than " + templates.Short(g.Settings.Tolerance) + " apart"
	case agreement.TooFewFar:
		return "r undefined for fewer than 3 translations, and the scores lie more than " + templates.Short(g.Settings.Tolerance) + " apart"
	case agreement.Different:
		return "their answers differ"
	}
	return string(r)
}

// A MatricesView is both heatmaps of a campaign.
type MatricesView struct {
	System, Segment templates.Heatmap
	Nominal         bool // the score of the gate is an answer, which has no r
}

// empty reports whether no two annotators, and no judge and another party, share a segment.
func (m MatricesView) empty() bool { return m.Segment.Pairs() == 0 }

// Wide reports whether both heatmaps do not fit side by side. They have so many cells then that their links are most
// of a page, which should have each of them once at most.
func (m MatricesView) Wide() bool { return len(m.System.Names)+len(m.System.Judges) > 12 }

// An AgreementView is how far annotators agree, and where not.
type AgreementView struct {
	templates.Page
	Gold       bool // only segments in gold
	Gate       GateSummary
	Matrices   MatricesView
	Judges     []campaign.JudgeAbout // in byte order of their names
	JudgesAsOf time.Time             // time of the rows of judges if they are older than the page; zero if not
}

func (v AgreementView) words() string {
	return wording.Counted(v.Gate.Ratings, "rating") + ", " + wording.PercentTenths(v.Gate.FirstAgreed,
		v.Gate.FirstAgreed+v.Gate.FirstFailed) + " agreed in round 1"
}

func (v AgreementView) definitions() []templates.Pair {
	out := v.ofAnnotators()
	if len(v.Matrices.Segment.Judges) > 0 {
		out = append(
			out,
			templates.Pair{
				Term: "Judges",
				Text: "The score of each judge is compared with the gate score of each annotator, in the annotator’s latest round of each segment, and with the scores of the other judges. r does not depend on the scale of a score. Judges count in nothing else on this page: not in the gate, not in alpha, and in no figure about annotators.",
			},
		)
		for _, j := range v.Judges {
			out = append(out, templates.Pair{Term: j.Judge, Text: j.About})
		}
	}
	return out
}

func (v AgreementView) ofAnnotators() []templates.Pair {
	scores := "gate scores (higher is better, whatever the protocol)"
	var levels []templates.Pair
	if !v.Gate.Nominal { // answers have no r
		levels = []templates.Pair{
			{
				Term: "Segment level",
				Text: "For each segment that two annotators share, r over its translations; the cell is the mean over the segments where r is defined. It says whether the two order the translations of one source alike.",
			},
			{
				Term: "System level",
				Text: "For each system, each annotator’s scores are added up over the shared segments (averaged, where the numbers of translations differ); the cell is r of the two rows of sums. It says whether the two would rank the systems alike. Undefined for fewer than 3 systems.",
			},
		}
	}
	return slices.Concat([]templates.Pair{
		{Term: "Gate", Text: v.gateText(scores)},
		{Term: "Agreed in round 1", Text: "Of the segments whose first decision compared at least one pair, the share that passed."},
		{Term: "Failed in round 1", Text: "Of the segments with a first decision, the share that failed."},
	}, levels, []templates.Pair{
		{
			Term: "Which ratings",
			Text: "A table takes, of each shared segment, the latest round that both submitted and that counts, whatever the status of the segment; “in gold only” leaves out what is not in gold.",
		},
		{
			Term: "Krippendorff’s alpha",
			Text: "1 − observed / expected disagreement, over all translations that at least two annotators rated in the latest round of the segment; 1 is perfect, 0 is what chance would give. " + v.alphaText(),
		},
		{
			Term: "Second looks",
			Text: "Segments that were given a second look at any time. The share of discarded segments counts only those whose last look is over.",
		},
	})
}

// gateText says how the gate compares two annotators. scores says what their scores are.
func (v AgreementView) gateText(scores string) string {
	s := v.Gate.Settings
	if v.Gate.Nominal {
		return "When a round of a segment is complete, each two of its annotators are compared: their answers have to be equal. One pair whose answers differ fails the segment."
	}
	return "When a round of a segment is complete, each two of its annotators are compared over the translations both rated: Pearson’s r of their " + scores + " has to reach " + templates.Short(s.Threshold) + ". One pair below it fails the segment. Where r is undefined (one of them gave all the same score, or they share fewer than 3 translations), the mean difference of their scores has to be at most " + templates.Short(s.Tolerance) + "."
}

func (v AgreementView) alphaText() string {
	switch {
	case v.Gate.Nominal:
		return "Nominal: two answers are equal or not."
	case v.Gate.Ordinal:
		return "Ordinal: scores count by their order, so that 0 and 1 may be closer than 3 and 4."
	}
	return "Interval: a disagreement counts by the square of the difference."
}

// A PairView lists the segments behind a cell of a heatmap.
type PairView struct {
	templates.Page
	templates.Paging
	Version        int64
	Gold           bool
	A, B           templates.HeatName
	LoginA, LoginB string
	System         float64 // r; NaN: undefined
	SegmentR       float64 // mean r of the segments where it is defined
	Gate           GateSummary
	Source         templates.Lang
	Segments       []readmodel.PairSegment // lowest r first, undefined last
}

func (v PairView) tiles() []templates.Tile {
	shared := templates.Tile{Label: "Shared segments", Value: wording.Count(v.Paging.Total)}
	if v.Gate.Settings.Nominal { // answers have no r
		return []templates.Tile{shared}
	}
	return []templates.Tile{
		shared,
		{Label: "Segment level", Value: wording.Decimal(v.SegmentR, 2), Note: rWord(v.SegmentR)},
		{Label: "System level", Value: wording.Decimal(v.System, 2), Note: rWord(v.System)},
	}
}

func rWord(r float64) string {
	if math.IsNaN(r) {
		return "undefined"
	}
	return chart.HeatStepOf(r).Word
}

// verdict says what the gate makes of the two, in a few words, with the kind of
// its badge.
func (v PairView) verdict(r readmodel.PairSegment) (kind, text string) {
	reason := r.Reason(v.Gate.Settings.Rule())
	switch reason {
	case agreement.Agreed:
		return "good", "agree"
	case agreement.BelowThreshold:
		return "bad", "r below " + templates.Short(v.Gate.Settings.Threshold)
	case agreement.NoVarianceClose:
		return "good", "one score throughout, close"
	case agreement.NoVarianceFar:
		return "bad", "one score throughout, far apart"
	case agreement.TooFewClose:
		return "good", "too few for r, close"
	case agreement.TooFewFar:
		return "bad", "too few for r, far apart"
	case agreement.Different:
		return "bad", "different answers"
	}
	return "plain", string(reason)
}

func (v PairView) lead() string {
	s := "Segments that both rated, the lowest r first; where r is undefined, last."
	if v.Gold {
		s = "Segments in gold that both rated, the lowest r first; where r is undefined, last."
	}
	return s
}

// pairSub is the rest of the page's address behind that of the agreement page.
func (v PairView) pairSub() string {
	return "/pairs/" + url.PathEscape(v.LoginA) + "/" + url.PathEscape(v.LoginB)
}

func (v PairView) noneText() string {
	if v.Gold {
		return "No segment in gold has ratings of both."
	}
	return "No segment has ratings of both in one round."
}
