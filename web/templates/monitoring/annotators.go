package monitoring

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An AnnotatorsView is what each annotator of a campaign has done. Its form asks
// for text and show; sort and order stand in the heads of the table.
type AnnotatorsView struct {
	templates.Page
	templates.Clock
	templates.Paging // Total: the annotators that match
	Version          int64
	Annotators       []AnnotatorRow // in the order of Sort
	Sum              AnnotatorRow   // of all that match
	All              int            // annotators of the campaign
	Text             string         // the filter; empty fields choose all
	Show             string
	Sort             string      // one of [AnnotatorColumns]
	Down             bool        // the largest first
	Quota            int         // ratings a day; 0: no limit
	IdleSeconds      int         // active time stops after so long without input
	IdleDays         int         // who has not worked for longer counts as idle
	Behind           []BehindRow // annotators who are behind the plan
	Checks           []readmodel.AnnotatorChecks
}

// An AnnotatorRow is one annotator in a table.
type AnnotatorRow readmodel.Annotator

// An AnnotatorColumn is what annotators can be sorted by.
type AnnotatorColumn struct {
	ID    string // in addresses
	Label string
	Help  string // what it counts
	Text  bool   // sorted from A to Z at first; numbers and times from the largest
}

// AnnotatorColumns are the columns of the annotators' table, in their order.
var AnnotatorColumns = []AnnotatorColumn{
	{"login", "Annotator", "", true},
	{"ratings", "Ratings", "Translations judged in submitted segments, second looks counted again.", false},
	{"segments", "Submissions", "Segments submitted, second looks counted again.", false},
	{"pace", "Per rating", "Active time divided by ratings.", false},
	{"hourly", "Per hour", "Ratings per hour of active time.", false},
	{"seconds", "Active time", "", false},
	{"mean", "Mean", "Mean gate score (higher is better) of the latest round of each segment.", false},
	{"spread", "Spread", "Population standard deviation of these scores.", false},
	{"difference", "To the others", "Mean difference to the mean of the others’ scores of the same translations. Above 0: milder than they.", false},
	{"r", "r with their mean", "Pearson’s r with the mean of the others’ scores of the same translations.", false},
	{"drift", "Drift", "By how much “To the others” has moved: over the last 50 such ratings against the 50 before them (whole segments, so some more). Unknown below 100.", false},
	{"today", "Today", "", false},
	{"second", "Second looks", "Segments that wait for a second look.", false},
	{"seen", "Last at work", "", false},
}

// ShowOptions are the filters of the annotators' table.
func ShowOptions(idleDays int) []templates.Option {
	return []templates.Option{
		{Value: "", Label: "all annotators"},
		{Value: "working", Label: "at work today"},
		{Value: "idle", Label: "idle for " + wording.Counted(idleDays, "day")},
		{Value: "waiting", Label: "not begun"},
		{Value: "flagged", Label: "flagged"},
		{Value: "low_agreement", Label: "flagged: low agreement"},
		{Value: "constant", Label: "flagged: constant scores"},
		{Value: "fast", Label: "flagged: fast"},
		{Value: "bias", Label: "flagged: bias"},
		{Value: "drift", Label: "flagged: drift"},
		{Value: "quota", Label: "quota reached"},
		{Value: "second", Label: "second looks waiting"},
		{Value: "aside", Label: "set aside"},
		{Value: "removed", Label: "removed"},
	}
}

// Shows reports whether a row passes a filter of [ShowOptions].
func (a AnnotatorRow) Shows(show string, clock templates.Clock, quota, idleDays int) bool {
	switch show {
	case "working":
		return a.Today > 0
	case "idle":
		return a.idle(clock, idleDays)
	case "flagged":
		return len(a.Flags) > 0
	case "low_agreement", "constant", "fast", "bias", "drift":
		return a.flagged(campaign.FlagKind(show))
	case "waiting":
		return !a.out() && a.Ratings == 0 && a.LastSeen.IsZero()
	case "quota":
		return a.reached(quota)
	case "second":
		return a.Second > 0
	case "aside":
		return a.SetAside
	case "removed":
		return a.Removed
	}
	return true
}

// Figure is what a row is sorted by in a column of numbers; NaN where undefined.
func (a AnnotatorRow) Figure(column string) float64 {
	undefined := math.NaN()
	switch column {
	case "ratings":
		return float64(a.Ratings)
	case "segments":
		return float64(a.Segments)
	case "pace":
		if a.Ratings > 0 && a.Seconds > 0 {
			return a.Seconds / float64(a.Ratings)
		}
	case "hourly":
		if a.Ratings > 0 && a.Seconds > 0 {
			return 3600 * float64(a.Ratings) / a.Seconds
		}
	case "seconds":
		return a.Seconds
	case "mean":
		if a.Ratings > 0 {
			return a.Mean
		}
	case "spread":
		if a.Ratings > 0 {
			return a.Deviation
		}
	case "difference":
		if a.Compared > 0 {
			return a.Difference
		}
	case "r":
		if a.Compared > 0 {
			return a.LeaveOneOut
		}
	case "drift":
		if a.Compared > 0 {
			return a.Drift
		}
	case "today":
		return float64(a.Today)
	case "second":
		return float64(a.Second)
	case "seen":
		if !a.LastSeen.IsZero() {
			return float64(a.LastSeen.UnixMicro())
		}
	}
	return undefined
}

func (a AnnotatorRow) called() string { return cmp.Or(a.Name, a.Login) }

// out reports that the annotator does not count among those at work.
func (a AnnotatorRow) out() bool { return a.Removed || a.SetAside }

// idle reports whether an annotator at work has not been seen for so many days.
func (a AnnotatorRow) idle(clock templates.Clock, days int) bool {
	return days > 0 && !clock.Now.IsZero() && !a.out() && !a.LastSeen.IsZero() &&
		clock.Now.Sub(a.LastSeen) > time.Duration(days)*24*time.Hour
}

// reached reports whether the quota of the day hands the annotator nothing new. Checks count towards it.
func (a AnnotatorRow) reached(quota int) bool { return quota > 0 && a.Today+a.Checked >= quota }

// today is "40 of 100", or the number alone without a quota.
func (a AnnotatorRow) today(quota int) string {
	if quota == 0 {
		return wording.Count(a.Today)
	}
	return wording.Count(a.Today) + a.ofQuota(quota)
}

// ofQuota is " of 100", or " and 3 of checks, of 100".
func (a AnnotatorRow) ofQuota(quota int) string {
	if a.Checked > 0 {
		return " and " + wording.Count(a.Checked) + " of checks, of " + wording.Count(quota)
	}
	return " of " + wording.Count(quota)
}

func (a AnnotatorRow) mean() string        { return wording.Decimal(a.Figure("mean"), 2) }
func (a AnnotatorRow) spread() string      { return wording.Decimal(a.Figure("spread"), 2) }
func (a AnnotatorRow) difference() string  { return wording.Signed(a.Figure("difference"), 2) }
func (a AnnotatorRow) leaveOneOut() string { return wording.Decimal(a.Figure("r"), 2) }
func (a AnnotatorRow) drift() string       { return wording.Signed(a.Figure("drift"), 2) }

// hourly is the ratings per hour of active time.
func (a AnnotatorRow) hourly() string {
	if x := a.Figure("hourly"); !math.IsNaN(x) {
		return wording.Count(int(math.Round(x)))
	}
	return "–"
}

// Add adds what another annotator has done; means and correlations do not add up.
func (a *AnnotatorRow) Add(b AnnotatorRow) {
	a.Segments += b.Segments
	a.Ratings += b.Ratings
	a.Seconds += b.Seconds
	a.Open += b.Open
	a.Second += b.Second
	a.Today += b.Today
}

func sumOf(rows []AnnotatorRow) (sum AnnotatorRow) {
	for _, a := range rows {
		sum.Add(a)
	}
	return sum
}

func (v AnnotatorsView) filtered() bool { return v.Text != "" || v.Show != "" }

// query are the fields of the page's address but for the page.
func (v AnnotatorsView) query() url.Values {
	q := templates.QueryOf("text", v.Text, "show", v.Show)
	if v.Sort != "login" || v.Down {
		q.Set("sort", v.Sort)
		q.Set("order", order(v.Down))
	}
	return q
}

func order(down bool) string {
	if down {
		return "down"
	}
	return "up"
}

// sortPath is the address sorted by a column; by the one it is sorted by already,
// the other way round.
func (v AnnotatorsView) sortPath(c AnnotatorColumn) string {
	q, down := v.query(), !c.Text
	if c.ID == v.Sort {
		down = !v.Down
	}
	q.Set("sort", c.ID)
	q.Set("order", order(down))
	return templates.PageAddress(v.Campaign.Path("annotators"), q, 1)
}

func (v AnnotatorsView) heads() []templates.Head {
	var out []templates.Head
	for _, c := range AnnotatorColumns {
		h := templates.ColumnHead(c.Label).By(v.sortPath(c))
		if !c.Text && c.ID != "seen" {
			h.Class = "num"
		}
		if c.ID == v.Sort {
			h = h.Sorted(v.Down)
		}
		out = append(out, h)
	}
	if v.Leads() {
		out = append(out, templates.HiddenHead("Acts"))
	}
	return out
}

// sorted says in words how the table is sorted.
func (v AnnotatorsView) sorted() string {
	for _, c := range AnnotatorColumns {
		if c.ID != v.Sort {
			continue
		}
		switch {
		case c.Text && v.Down:
			return "sorted by login from Z to A"
		case c.Text:
			return "sorted by login"
		case v.Sort == "seen" && v.Down:
			return "sorted by last at work, the latest first"
		case v.Sort == "seen":
			return "sorted by last at work, the earliest first"
		case v.Down:
			return "sorted by “" + c.Label + "”, the largest first"
		}
		return "sorted by “" + c.Label + "”, the smallest first"
	}
	return ""
}

func (v AnnotatorsView) lead() string {
	if v.All == 0 {
		return ""
	}
	s := wording.Counted(v.All, "annotator")
	if v.filtered() {
		s = wording.Count(v.Paging.Total) + " of " + wording.Counted(v.All, "annotator")
	}
	return s + ", " + v.sorted() + "."
}

func (v AnnotatorsView) counted() []templates.Pair {
	var out []templates.Pair
	for _, c := range AnnotatorColumns {
		text := c.Help
		switch c.ID {
		case "seconds":
			text = "Time on the cards of submitted segments. It stops while the page is hidden and after " + strconv.Itoa(v.IdleSeconds) + " seconds without input, so breaks do not count; reading before the first key does."
		case "today":
			text = "Ratings submitted since midnight, " + v.Zone() + ", and the day’s quota if there is one. Ratings of checks count towards the quota, too."
		}
		if text != "" {
			out = append(out, templates.Pair{Term: c.Label, Text: text})
		}
	}
	return out
}

// flagged reports whether a flag of a kind is raised of the annotator.
func (a AnnotatorRow) flagged(kind campaign.FlagKind) bool {
	return slices.ContainsFunc(a.Flags, func(f campaign.Flag) bool { return f.Kind == kind })
}

// A flagRow is a flag of an annotator in a list.
type flagRow struct {
	Annotator AnnotatorRow
	campaign.Flag
}

// flagRows lists the flags of annotators, annotator by annotator.
func flagRows(annotators ...AnnotatorRow) []flagRow {
	var out []flagRow
	for _, a := range annotators {
		for _, f := range a.Flags {
			out = append(out, flagRow{a, f})
		}
	}
	return out
}

// text is the flag as a sentence.
func (r flagRow) text() string { return wording.Capital(r.Text) + "." }

// flagWords say of several annotators what each kind of flag means.
var flagWords = map[campaign.FlagKind]string{
	campaign.FlagLowAgreement: "low agreement with the others",
	campaign.FlagConstant:     "nearly always the same score",
	campaign.FlagFast:         "much faster than everybody",
	campaign.FlagBias:         "steadily milder or stricter than the others",
	campaign.FlagDrift:        "drift away from how they scored before",
	campaign.FlagChecks:       "fewer checks passed than by somebody who reads",
	campaign.FlagIdle:         "no work for days",
}

// flagLink is where a lead looks at what raised a flag: the address and the text of the link.
func flagLink(c templates.Campaign, login string, kind campaign.FlagKind) (href, text string) {
	at := c.AnnotatorPath(login)
	switch kind {
	case campaign.FlagLowAgreement:
		return at + "#with-title", "Look at the segments"
	case campaign.FlagConstant, campaign.FlagFast:
		return at + "#last-title", "Look at the latest work"
	case campaign.FlagChecks:
		return c.Path("checks?annotator=" + url.QueryEscape(login)), "Look at the checks"
	case campaign.FlagBias, campaign.FlagDrift:
		return at + "#difference-title", "Look at the differences"
	}
	return at + "#days-title", "Look at the days"
}

// mayEnd reports whether setting the work aside may answer a flag.
func mayEnd(kind campaign.FlagKind) bool {
	return kind == campaign.FlagLowAgreement || kind == campaign.FlagConstant || kind == campaign.FlagFast || kind == campaign.FlagChecks
}
