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

// An AnnotatorColumn is a column of the tables of annotators: its head, its cells and what stands below them.
type AnnotatorColumn struct {
	ID     string // in addresses
	Label  string
	Help   string                     // what it counts
	Figure func(AnnotatorRow) float64 // what a row is sorted by; NaN if it is undefined; nil for the names
	Write  func(float64) string       // writes a figure; nil for the names and for times
	Counts bool                       // of a figure of 0, the cell steps back
	Sums   bool                       // the figure of all annotators together stands below
}

func count(x float64) string   { return wording.Count(int(math.Round(x))) }
func decimal(x float64) string { return wording.Decimal(x, 2) }
func signed(x float64) string  { return wording.Signed(x, 2) }
func pace(x float64) string    { return templates.PerRating(x, 1) }

// AnnotatorColumns are the columns of the annotators' table, in their order.
var AnnotatorColumns = []AnnotatorColumn{
	{ID: "login", Label: "Annotator"},
	{ID: "ratings", Label: "Ratings", Help: "Translations judged in submitted segments, second looks counted again.",
		Write: count, Counts: true, Sums: true,
		Figure: func(a AnnotatorRow) float64 { return float64(a.Ratings) }},
	{ID: "segments", Label: "Submissions", Help: "Segments submitted, second looks counted again.", Write: count, Counts: true, Sums: true,
		Figure: func(a AnnotatorRow) float64 { return float64(a.Segments) }},
	{ID: "pace", Label: "Per rating", Help: "Active time divided by ratings.", Write: pace, Sums: true,
		Figure: func(a AnnotatorRow) float64 {
			return a.known(a.Ratings > 0 && a.Seconds > 0, a.Seconds/float64(a.Ratings))
		}},
	{ID: "hourly", Label: "Per hour", Help: "Ratings per hour of active time.", Write: count, Sums: true,
		Figure: func(a AnnotatorRow) float64 {
			return a.known(a.Ratings > 0 && a.Seconds > 0, 3600*float64(a.Ratings)/a.Seconds)
		}},
	{ID: "seconds", Label: "Active time", Write: templates.Hours, Sums: true,
		Figure: func(a AnnotatorRow) float64 { return a.Seconds }},
	{ID: "mean", Label: "Mean", Help: "Mean gate score (higher is better) of the latest round of each segment.", Write: decimal,
		Figure: func(a AnnotatorRow) float64 { return a.known(a.Ratings > 0, a.Mean) }},
	{ID: "spread", Label: "Spread", Help: "Population standard deviation of these scores.", Write: decimal,
		Figure: func(a AnnotatorRow) float64 { return a.known(a.Ratings > 0, a.Deviation) }},
	{
		ID:     "difference",
		Label:  "To the others",
		Help:   "Mean difference to the mean of the others’ scores of the same translations. Above 0: milder than they.",
		Write:  signed,
		Figure: func(a AnnotatorRow) float64 { return a.known(a.Compared > 0, a.Difference) },
	},
	{ID: "r", Label: "r with their mean", Help: "Pearson’s r with the mean of the others’ scores of the same translations.", Write: decimal,
		Figure: func(a AnnotatorRow) float64 { return a.known(a.Compared > 0, a.LeaveOneOut) }},
	{ID: "drift", Label: "Drift", Write: signed,
		Help:   "By how much “To the others” has moved: over the last 50 such ratings against the 50 before them (whole segments, so some more). Unknown below 100.",
		Figure: func(a AnnotatorRow) float64 { return a.known(a.Compared > 0, a.Drift) }},
	{ID: "today", Label: "Today", Write: count, Sums: true,
		Figure: func(a AnnotatorRow) float64 { return float64(a.Today) }},
	{ID: "second", Label: "Second looks", Help: "Segments that wait for a second look.", Write: count, Counts: true, Sums: true,
		Figure: func(a AnnotatorRow) float64 { return float64(a.Second) }},
	{ID: "seen", Label: "Last at work",
		Figure: func(a AnnotatorRow) float64 { return a.known(!a.LastSeen.IsZero(), float64(a.LastSeen.UnixMicro())) }},
}

// inWork is a column of the overview alone.
var inWork = AnnotatorColumn{
	ID:     "open",
	Label:  "In work",
	Write:  count,
	Counts: true,
	Sums:   true,
	Figure: func(a AnnotatorRow) float64 { return float64(a.Open) },
}

// known is a figure, or NaN if it is not defined.
func (a AnnotatorRow) known(defined bool, figure float64) float64 {
	if !defined {
		return math.NaN()
	}
	return figure
}

// Column is the column with an id; false if there is none.
func Column(id string) (AnnotatorColumn, bool) {
	i := slices.IndexFunc(AnnotatorColumns, func(c AnnotatorColumn) bool { return c.ID == id })
	if i < 0 {
		return inWork, id == inWork.ID
	}
	return AnnotatorColumns[i], true
}

// Figure is what a row is sorted by in a column; NaN where undefined.
func (a AnnotatorRow) Figure(column string) float64 {
	c, _ := Column(column)
	return c.Figure(a)
}

// text is the figure of a column in words.
func (a AnnotatorRow) text(column string) string {
	c, _ := Column(column)
	return c.text(a)
}

func (c AnnotatorColumn) text(a AnnotatorRow) string {
	if x := c.Figure(a); !math.IsNaN(x) {
		return c.Write(x)
	}
	return "–"
}

// head is the head of the column.
func (c AnnotatorColumn) head() templates.Head {
	h := templates.ColumnHead(c.Label)
	if c.Write != nil {
		h.Class = "num"
	}
	return h
}

// An annotatorTable has a row for each annotator, and one for all of them together.
type annotatorTable struct {
	templates.Table
	templates.Clock
	Here    templates.Campaign
	Columns []AnnotatorColumn
	Heads   []templates.Head
	Rows    []AnnotatorRow
	Sum     AnnotatorRow
	Total   int // of annotators; below 2 there is no row for all of them
	Quota   int
	Acts    bool // each row leads to what a lead can do
}

func (t annotatorTable) withFoot() templates.Table {
	t.Foot = annotatorSums(t)
	return t.Table
}

func (v AnnotatorsView) table() annotatorTable {
	return annotatorTable{
		Table:   templates.Table{Label: "Annotators", Class: "table-wide", Caption: "What each annotator has done, " + v.sorted()},
		Clock:   v.Clock,
		Here:    *v.Campaign,
		Columns: AnnotatorColumns,
		Heads:   v.heads(),
		Rows:    v.Annotators,
		Sum:     v.Sum,
		Total:   v.Paging.Total,
		Quota:   v.Quota,
		Acts:    v.Leads(),
	}
}

// annotators has what a lead looks for first.
func (v OverviewView) annotators() annotatorTable {
	t := annotatorTable{
		Table: templates.Table{Label: "Progress by annotator", Caption: "What each annotator has done, by login", Long: len(v.Annotators) > 12},
		Clock: v.Clock,
		Here:  *v.Campaign,
		Rows:  v.Annotators,
		Total: len(v.Annotators),
		Quota: v.Settings.Quota,
	}
	for _, id := range []string{"login", "ratings", "today", "pace", "open", "second", "mean", "difference", "r", "seen"} {
		c, _ := Column(id)
		t.Columns, t.Heads = append(t.Columns, c), append(t.Heads, c.head())
	}
	t.Heads[0] = t.Heads[0].Up()
	for _, a := range v.Annotators {
		t.Sum.Add(a)
	}
	return t
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

func (a AnnotatorRow) called() string { return cmp.Or(a.Name, a.Login) }

// out reports that the annotator does not count among those at work.
func (a AnnotatorRow) out() bool { return a.Removed || a.Disabled || a.SetAside }

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

// Add adds what another annotator has done; means and correlations do not add up.
func (a *AnnotatorRow) Add(b AnnotatorRow) {
	a.Segments += b.Segments
	a.Ratings += b.Ratings
	a.Seconds += b.Seconds
	a.Open += b.Open
	a.Second += b.Second
	a.Today += b.Today
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
	q, down := v.query(), c.Figure != nil
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
		h := c.head().By(v.sortPath(c))
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
	c, _ := Column(v.Sort)
	switch {
	case c.Figure == nil && v.Down:
		return "sorted by login from Z to A"
	case c.Figure == nil:
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
			text = "Ratings submitted since midnight, " + v.Clock.Zone() + ", and the day’s quota if there is one. Ratings of checks count towards the quota, too."
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

// flagWord says of several annotators what a kind of flag means, in a campaign whose gate compares answers or scores.
func flagWord(kind campaign.FlagKind, answers bool) string {
	if kind == campaign.FlagConstant && answers {
		return "nearly always the same answer"
	}
	return flagWords[kind]
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
