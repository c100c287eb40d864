package campaign

import "math"

// A CheckRule says when a check counts, and when it is passed. Figures are in points of the gate score.
type CheckRule struct {
	Margin    float64 // a degraded text must be rated lower by so much; see [Rule.Passes]
	Tolerance float64 // a repeat or a known text may be rated at most so much differently
	Low, High float64 // the least and the highest score that can be given; Low is -Inf if there is none
	Step      float64 // distance of neighbouring scores; 0 if they have none
	// Errors says that the score is a sum over errors: High without errors, and lower with each of them.
	Errors bool
}

// A CheckItem is one check that an annotator has taken. Scores are gate scores in points, higher is better.
type CheckItem struct {
	Kind    CheckKind
	Score   float64 // of the check
	Against float64 // see [Rule.Passes]
	// Document is the id of the document that the check was made of, Source the source text, and Original the
	// translation.
	Document, Source, Original string
}

// Passes judges the score that an annotator gave in a check. against is the score that it is compared with:
//
//   - of a degraded text, the annotator's own score of the original, or else the mean score of the
//     others who rated the original;
//   - of a repeat, the annotator's own earlier score;
//   - of a known text, the lead's score.
func (r CheckRule) Passes(kind CheckKind, score, against float64) bool {
	if kind == DegradedCheck {
		return score <= r.limit(against)+slack
	}
	return math.Abs(score-against) <= r.Tolerance+slack
}

// limit is the highest score of a degraded text that passes.
//
// On a scale with ends, a degraded text must be rated lower than its original by the margin, or by a third of
// the room below the original if that is less: half of a bad translation is not much worse than the whole. In
// a sum over errors, it must have errors of at least the margin. Its damage costs so much, and the errors of
// the original may be gone with the words that were dropped.
func (r CheckRule) limit(against float64) float64 {
	if r.Errors {
		return r.High - r.Margin
	}
	return against - min(r.Margin, (against-r.Low)/3)
}

// Uncounted says why a check can't tell whether somebody reads. It is empty if the check counts.
//
//   - A degraded text needs room below its original: at least the margin.
//   - In a sum over errors, the original may have errors of at most half of the margin. Two careful
//     annotators differ too much on a translation with more.
//   - A repeat or a known text needs a score that passes and one that does not.
func (r CheckRule) Uncounted(kind CheckKind, against float64) string {
	switch {
	case r.Errors && against < r.High-r.Margin/2-slack:
		return "errors in the original weigh too much"
	case kind == DegradedCheck && (r.Errors && r.Low > r.limit(against)+slack || against-r.Low < r.Margin-slack):
		return "no room below the original"
	case kind != DegradedCheck && !r.Passes(kind, r.nearest(against), against):
		return "no score passes"
	case kind != DegradedCheck && r.Passes(kind, r.Low, against) && r.Passes(kind, r.High, against):
		return "every score passes"
	}
	return ""
}

// nearest is the score that can be given and lies nearest to x.
func (r CheckRule) nearest(x float64) float64 {
	if r.Step > 0 {
		x = r.Low + r.Step*math.Round((x-r.Low)/r.Step)
	}
	return min(max(x, r.Low), r.High)
}
