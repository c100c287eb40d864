package campaign

import (
	"fmt"
	"math"

	"annotate/internal/wording"
)

// A FlagKind names one thing that a lead should know of an annotator.
type FlagKind string

// The kinds of flags, in the order in which they are shown. [Settings.Flags] says
// when each is raised.
const (
	FlagLowAgreement FlagKind = "low_agreement"
	FlagConstant     FlagKind = "constant"
	FlagFast         FlagKind = "fast"
	FlagBias         FlagKind = "bias"
	FlagDrift        FlagKind = "drift"
	FlagChecks       FlagKind = "checks"
	FlagIdle         FlagKind = "idle"
)

// FlagKinds lists every kind in the order in which flags are shown.
var FlagKinds = []FlagKind{FlagLowAgreement, FlagConstant, FlagFast, FlagBias, FlagDrift, FlagChecks, FlagIdle}

// How much an annotator must have done before a flag is raised.
const (
	flagSegments = 5  // low_agreement: segments in which r is defined
	flagRatings  = 20 // constant, fast and bias: ratings
	// DriftRatings is the size of each of the two windows that drift compares.
	DriftRatings = 50
	// IdleDays is after how many days without any work an annotator is idle.
	IdleDays = 3
)

// A Conduct holds the figures that decide which flags one annotator has. Undefined
// figures are NaN. Scores are gate scores in points; higher is better.
type Conduct struct {
	// SegmentR is the mean, over segments and other annotators, of Pearson's r between
	// this annotator and another one in a segment, in [-1, 1]. Each pair is compared in
	// the latest round that both submitted. RSegments is the number of segments in which
	// at least one such r is defined.
	SegmentR  float64
	RSegments int

	// Texts is the number of ratings of different texts: of each segment the annotator's
	// latest round, and equal translations of a segment once. In a protocol without
	// entered scores, a translation counts only if another annotator of the round marked
	// an error in it whose weight is not 0. SameScore is the most frequent score of these
	// ratings, and Same is the number of ratings that have it.
	Texts, Same int
	SameScore   float64
	// SameAnswer is the label of the answer that SameScore stands for. It is empty if the gate compares scores.
	SameAnswer string

	// Timed is the number of ratings, of all rounds, whose active time is known. Seconds
	// is the median of their active times, to two significant digits. AllSeconds is the
	// median over all annotators.
	Timed               int
	Seconds, AllSeconds float64

	// Compared is the number of ratings of translations that others rated in the same
	// round, in the latest round of the segment that at least two annotators submitted.
	// Difference is the mean, over these ratings, of own score minus the mean score of
	// the others. Deviation is the population standard deviation of the gate scores of
	// all annotators, each in their latest round of a segment.
	Compared              int
	Difference, Deviation float64

	// Last is Difference over the latest compared ratings alone, and Before is
	// Difference over those before them. See [Windows].
	Last, Before Window

	// Checks is the result of the checks that decides over the flag; see [DecidingChecks]. It is
	// zero without checks.
	Checks CheckResult

	// Idle is the number of days since the annotator's last activity. It is 0 for an
	// annotator who has no work, has left, is set aside or has not begun.
	Idle float64
}

// NewConduct returns the conduct of an annotator without ratings: counts are 0, and
// figures are NaN.
func NewConduct() Conduct {
	nan := math.NaN()
	none := Window{Mean: nan}
	return Conduct{SegmentR: nan, SameScore: nan, Seconds: nan, AllSeconds: nan, Difference: nan, Deviation: nan, Last: none, Before: none}
}

// A Flag is one thing that a lead should know of an annotator, in words with the
// numbers that raised it.
type Flag struct {
	Kind  FlagKind
	Label string // "agrees little", for a badge
	Text  string // "mean segment r with the others is 0.12 over 9 segments, below 0.3"
}

// Answer names the act that answers a flag, for the lead.
func (k FlagKind) Answer() string {
	switch k {
	case FlagLowAgreement:
		return "Look at the segments where they differ, talk, and set the work aside if the scores mean nothing."
	case FlagConstant:
		return "Look at the latest submissions. If the texts differ in quality, talk, or set the work aside."
	case FlagFast:
		return "Look at the latest submissions. If they were not read, talk, or set the work aside."
	case FlagBias:
		return "Compare with the others on the same segments, and talk about the scale. z-scores take out a steady difference."
	case FlagDrift:
		return "Compare the latest submissions with earlier ones, and talk about the scale."
	case FlagChecks:
		return "Look at the failed checks, and at the latest submissions beside them. Then talk to the annotator: a careful person fails checks too, though rarely so many."
	case FlagIdle:
		return "Ask whether they go on. Replace them where second looks wait for them."
	}
	return ""
}

// flagSlack keeps rounding errors from raising a flag when a figure equals the threshold.
const flagSlack = 1e-12

// Flags returns the flags of an annotator, in the order of [FlagKinds]. An undefined
// figure raises no flag.
func (s Settings) Flags(c Conduct) []Flag {
	var out []Flag
	add := func(raised bool, kind FlagKind, label, format string, args ...any) {
		if raised {
			out = append(out, Flag{kind, label, fmt.Sprintf(format, args...)})
		}
	}
	add(c.RSegments >= flagSegments && c.SegmentR < s.FlagLowAgreement-flagSlack, FlagLowAgreement, "agrees little",
		"mean segment r with the others is %s over %d segments, below %s", wording.Decimal(c.SegmentR, 2), c.RSegments, twoDecimals(s.FlagLowAgreement))
	label, same := "same score", "the score "+twoDecimals(c.SameScore)
	if c.SameAnswer != "" {
		label, same = "same answer", "the answer "+wording.Quote(c.SameAnswer)
	}
	add(!s.NoGate && c.Texts >= flagRatings && float64(c.Same) >= s.FlagConstant*float64(c.Texts)-flagSlack, FlagConstant, label,
		"%d of %d ratings of different texts have %s, at least %s %%", c.Same, c.Texts, same, twoDecimals(100*s.FlagConstant))
	add(
		c.Timed >= flagRatings && c.Seconds < s.FlagFast*c.AllSeconds-flagSlack, FlagFast, "very fast",
		"the median active time is %s s a rating over %d ratings, below %s of everybody's %s s", twoDecimals(c.Seconds), c.Timed,
		twoDecimals(s.FlagFast), twoDecimals(c.AllSeconds),
	)
	limit := s.FlagBias * c.Deviation
	add(
		c.Compared >= flagRatings && c.Deviation > 0 && math.Abs(c.Difference) > limit+flagSlack, FlagBias, biasLabel(c.Difference),
		"%s points to the others on the same %d translations, beyond ±%.2f (%s standard deviations)", wording.Signed(c.Difference, 2), c.Compared,
		limit, twoDecimals(s.FlagBias),
	)
	limit = s.FlagDrift * c.Deviation
	full := c.Last.Ratings >= DriftRatings && c.Before.Ratings >= DriftRatings
	add(full && c.Deviation > 0 && math.Abs(c.Drift()) > limit+flagSlack, FlagDrift, "drifts",
		"the difference to the others went from %s to %s over the last %d ratings, by more than %.2f (%s standard deviations)",
		wording.Signed(c.Before.Mean, 2), wording.Signed(c.Last.Mean, 2), c.Last.Ratings, limit, twoDecimals(s.FlagDrift))
	add(c.Checks.Flag, FlagChecks, "fails checks", "%s", checksText(c.Checks))
	add(c.Idle > IdleDays, FlagIdle, "idle", "no work for %d days", int(c.Idle))
	return out
}

// checksText says what the flag of the checks rests on.
func checksText(r CheckResult) string {
	what := "check"
	if r.Kind == DegradedCheck {
		what = "degraded text"
	}
	return fmt.Sprintf(
		"%d of %s in %d of %s are passed; somebody who does not read passes as many documents with %s, and somebody who reads with care as few with %s",
		r.Passed, wording.Counted(r.Taken, what), r.DocumentsPassed, wording.Counted(r.Documents, "document"), pText(r.P), pText(r.Careful),
	)
}

// pText writes the probability of a result.
func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + wording.Decimal(p, 3)
}

// biasLabel says whether a biased annotator scores higher or lower than the others.
func biasLabel(difference float64) string {
	if difference > 0 {
		return "milder"
	}
	return "stricter"
}

// twoDecimals formats a number with at most two decimals and without trailing zeros.
func twoDecimals(x float64) string {
	return wording.Plain(math.Round(100*x) / 100)
}

// Drift is the mean of Last minus the mean of Before, in points. It is NaN unless both
// windows hold at least [DriftRatings] ratings.
func (c Conduct) Drift() float64 {
	if c.Last.Ratings < DriftRatings || c.Before.Ratings < DriftRatings {
		return math.NaN()
	}
	return c.Last.Mean - c.Before.Mean
}

// A Window is the mean difference of an annotator to the others over some ratings.
type Window struct {
	Ratings int
	Mean    float64 // NaN without ratings
}

// A ComparedTurn compares what an annotator submitted of one segment with the others who
// rated the same translations in the same round.
type ComparedTurn struct {
	Ratings    int     // number of translations that others rated too
	Difference float64 // mean of (own score - mean of the others), in points
}

// Windows averages an annotator's compared turns, given with the latest first, over the
// last [DriftRatings] ratings and over as many before them. A window takes whole turns, so
// it may hold a few more ratings.
func Windows(turns []ComparedTurn) (last, before Window) {
	windows := [2]Window{{Mean: math.NaN()}, {Mean: math.NaN()}}
	at := 0
	for i := range windows {
		sum := 0.0
		for ; at < len(turns) && windows[i].Ratings < DriftRatings; at++ {
			windows[i].Ratings += turns[at].Ratings
			sum += float64(turns[at].Ratings) * turns[at].Difference
		}
		if windows[i].Ratings > 0 {
			windows[i].Mean = sum / float64(windows[i].Ratings)
		}
	}
	return windows[0], windows[1]
}
