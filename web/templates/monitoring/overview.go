package monitoring

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/chart"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An OverviewView is the lead's desk: what needs a decision, and how far the
// campaign has come.
type OverviewView struct {
	templates.Page
	readmodel.Standing
	readmodel.Waiting
	OfSegments bool // segments are rated, not translations
	GivenTerms bool // annotators judge terms that are given
	Settings   campaign.Settings
	Annotators []AnnotatorRow // by login
	IdleDays   int            // who has not worked for longer is named; 0: nobody is
	Gate       GateSummary
	Matrices   MatricesView     // of the annotators who have submitted
	Scores     chart.Histograms // by annotator
	Behind     []BehindRow      // annotators who are behind the plan
	Trainees   []string         // annotators who wait for a decision about their training
}

// forecast says when the open ratings will be given at the pace of late: about 6 days at
// 240 ratings a day.
func forecast(p readmodel.Standing, unsettled int, href string) templates.Tile {
	t := templates.Tile{Label: "Forecast", Href: href}
	open, days := wording.Counted(p.Open, "rating")+" to go", p.DaysLeft()
	switch {
	case p.Open == 0 && unsettled > 0:
		t.Value, t.Note = "–", "nobody is asked for "+wording.Choose(
			unsettled, "the segment that is", "the "+wording.Count(unsettled)+" segments that are",
		)+" not settled"
		return t
	case p.Open == 0:
		t.Value, t.Note = "done", "no rating is open"
		return t
	case math.IsNaN(days):
		t.Value, t.Note = "–", "known after a day’s work in the last 7 days; "+open
		return t
	case days < 1:
		t.Value = "under a day"
	case math.Round(days) == 1:
		t.Value = "about 1 day"
	default:
		t.Value = "about " + wording.Count(int(math.Round(days))) + " days"
	}
	perDay := wording.Count(int(math.Round(p.RatingsPerDay)))
	if p.RatingsPerDay < 10 {
		perDay = wording.Decimal(p.RatingsPerDay, 1)
	}
	t.Note = "at " + perDay + " a day; " + open
	return t
}

// words are what is said when the numbers change.
func (v OverviewView) words() string {
	return wording.Counted(v.Ratings,
		"rating") + ", " + wording.Count(v.Segments.Settled()) + " of " + wording.Counted(v.Segments.Total(), "segment") + " settled"
}

// A decision is something that waits for the lead, with a link to the rows
// behind it.
type decision struct {
	Kind  string // of the [Badge]: warn, bad, info
	What  string // the number or the name of the thing
	Text  string
	Short string // What and Text in a few words, for the list of campaigns
	Href  string // may be empty
	Link  string // text of the link
}

// decisions lists what waits for the lead, the most pressing first, for the overview and for the list of
// campaigns.
func (v OverviewView) decisions() []decision {
	var out []decision
	add := func(d decision) { out = append(out, d) }
	c := *v.Campaign
	if v.OpenProblems > 0 {
		text := "wait for an answer; their segments are set aside until then."
		if v.OpenProblems == 1 {
			text = "waits for an answer; its segment is set aside until then."
		}
		d := decision{"bad", wording.Counted(v.OpenProblems, "problem"), text, wording.Counted(v.OpenProblems, "problem") + " open", "", ""}
		if v.Leads() {
			d.Href, d.Link = c.Path("messages?show=problems"), "Answer"
		}
		add(d)
	}
	if n := c.ToAnswer - v.OpenProblems; n > 0 {
		add(
			decision{
				"warn",
				wording.Counted(n, "question"),
				wording.Choose(n, "of an annotator waits for an answer.", "of annotators wait for an answer."),
				wording.Counted(n, "question") + " to answer",
				c.Path("messages?show=open"),
				"Answer",
			},
		)
	}
	if n := len(v.Behind); n > 0 {
		names := make([]string, n)
		for i, b := range v.Behind {
			names[i] = templates.Isolated(b.Name)
		}
		add(
			decision{
				"warn",
				wording.Counted(n, "annotator"),
				wording.Choose(n, "is", "are") + " behind the plan: " + wording.ListUpTo(names, 5) + ".",
				wording.Counted(n, "annotator") + " behind the plan",
				c.Path("annotators#behind-title"),
				"See",
			},
		)
	}
	if n := len(v.Trainees); n > 0 {
		names := make([]string, n)
		for i, name := range v.Trainees {
			names[i] = templates.Isolated(name)
		}
		d := decision{"warn", wording.Counted(n, "annotator"), wording.Choose(n, "has", "have") + " no attempt at the training left and " + wording.Choose(n, "waits", "wait") + " for a decision: " + wording.ListUpTo(names, 5) + ".", wording.Counted(n, "annotator") + " without an attempt left", "", ""}
		if v.Leads() {
			d.Href, d.Link = c.Path("training"), "Decide"
		}
		add(d)
	}
	working, second := 0, 0
	var reached, idle, waiting []string
	for _, a := range v.Annotators {
		second += a.Second
		if a.out() {
			continue
		}
		working++
		if a.LastSeen.IsZero() && a.Ratings == 0 && v.Ratings > 0 {
			waiting = append(waiting, templates.Isolated(a.called()))
		}
		if a.reached(v.Settings.Quota) {
			reached = append(reached, templates.Isolated(a.called()))
		}
		if v.isIdle(a) {
			idle = append(idle, templates.Isolated(a.called()))
		}
	}
	closed := c.State == string(campaign.Closed) || c.Archived // nobody works, so that nobody is waited for
	if n := v.Segments[campaign.Reannotate]; n > 0 && second > 0 {
		text := wording.Choose(n, "waits in annotators' work; it comes", "wait in annotators' work; they come") + " before new segments."
		if v.Held > 0 {
			text += " A problem that an annotator reported holds " + wording.Choose(n, "it", wording.Count(v.Held)+" of them") + " back."
		}
		if c.State != string(campaign.Open) {
			text = wording.Choose(n, "is", "are") + " not complete, and cannot be while the campaign is " + c.State + "."
		}
		add(decision{"warn", wording.Counted(n, "second look"), text, wording.Counted(n, "second look") + " to come", c.QueuePath("", ""), "Queue"})
	}
	if v.Stranded > 0 && !closed {
		add(decision{"bad", wording.Counted(v.Stranded, "second look"), "can’t be completed by annotators who can work. Replace somebody, let somebody back in, or decide.", wording.Counted(v.Stranded, "second look") + " that nobody can complete", c.QueuePath("stranded", ""), "Queue"})
	}
	if v.Late > 0 && c.State == string(campaign.Open) {
		add(decision{"warn", wording.Counted(v.Late, "second look"), "untouched for more than " + wording.Decimal(v.Settings.ReleaseHours, 0) + " h. Remind the annotators, or let somebody else take over.", wording.Counted(v.Late, "second look") + " waiting long", c.QueuePath("late", ""), "Queue"})
	}
	if v.Stuck > 0 && !closed && slices.ContainsFunc(v.Annotators, func(a AnnotatorRow) bool { return !a.out() }) { // that there are too few annotators is told below
		add(decision{"bad", wording.Counted(v.Stuck, "segment"), wording.Choose(v.Stuck, "has", "have") + " nobody left to rate " + wording.Choose(v.Stuck, "it", "them") + " now: every annotator who can work has had " + wording.Choose(v.Stuck, "it", "them") + ", or the plan gives " + wording.Choose(v.Stuck, "it", "them") + " to nobody else. Invite somebody, let somebody back in, change the plan, or decide.", wording.Counted(v.Stuck, "segment") + " that nobody can rate", c.QueuePath("stuck", ""), "Queue"})
	}
	if v.Overtaken > 0 {
		add(decision{"info", wording.Counted(v.Overtaken, "segment"), wording.Choose(v.Overtaken, "was", "were") + " rated after a lead had decided " + wording.Choose(v.Overtaken, "it", "them") + ". The decision stands until you change it. Note the ratings as looked at, or decide again.", wording.Counted(v.Overtaken, "segment") + " rated after a decision", c.QueuePath("overtaken", ""), "Queue"})
	}
	if v.ToAdjudicate > 0 {
		add(decision{"info", wording.Counted(v.ToAdjudicate, "segment"), wording.Choose(v.ToAdjudicate, "waits", "wait") + " for an adjudicator; " + v.adjudicating() + ".", wording.Counted(v.ToAdjudicate, "segment") + " to adjudicate", c.QueuePath("asked", ""), "Queue"})
	}
	if n := v.Rejected; n > 0 {
		d := decision{"warn", wording.Counted(n, "segment"), wording.Choose(n, "was", "were") + " rejected in a later campaign.",
			wording.Counted(n, "segment") + " rejected in a later campaign", "", ""}
		if v.Leads() {
			d.Text += " Give " + wording.Choose(n, "it", "them") + " another look, or decide otherwise."
			d.Href, d.Link = c.QueuePath("", ""), "Queue"
		}
		add(d)
	}
	toImport := func(n int, text, short string) {
		if n == 0 {
			return
		}
		d := decision{"bad", wording.Counted(n, "segment"), text, wording.Counted(n, "segment") + " " + short, "", ""}
		if v.Leads() {
			d.Href, d.Link = c.Path("import"), "Import"
		}
		add(d)
	}
	toImport(v.NotReady, wording.Choose(v.NotReady, "is", "are")+" not handed out, because "+wording.Choose(v.NotReady, "it has", "they have")+" no "+v.lacks()+" yet.", "without "+v.lacks())
	toImport(v.Unreferenced, wording.Choose(v.Unreferenced, "has", "have")+" no reference, and annotators are asked about it. Import references, or undo the take-over and let the segments bring them.", "without a reference")
	if n := v.LeftOut; n > 0 {
		d := decision{"info", wording.Counted(n, "segment"), wording.Choose(n, "is", "are") + " not handed out: the filter " + v.Settings.Filter + " leaves " + wording.Choose(n, "it", "them") + " out.", wording.Counted(n, "segment") + " left out by the filter", "", ""}
		if v.Leads() {
			d.Href, d.Link = c.Path("settings#filter"), "Settings"
		}
		add(d)
	}
	unsettled := v.unsettled()
	if n := v.Failed; n > 0 {
		add(
			decision{
				"warn",
				wording.Counted(n, "segment"),
				"failed the last round and " + wording.Choose(n, "is", "are") + " left out of gold, unless somebody decides otherwise.",
				wording.Counted(n, "segment") + " failed",
				c.QueuePath("failed", ""),
				"Queue",
			},
		)
	}
	out = append(out, v.flagDecisions()...)
	if len(idle) > 0 && unsettled > 0 && c.State == string(campaign.Open) {
		add(
			decision{
				"warn",
				wording.Counted(len(idle), "annotator"),
				"did nothing for " + wording.Counted(v.IdleDays, "day") + " or more: " + sentence(wording.ListUpTo(idle, 6)),
				wording.Counted(len(idle), "annotator") + " idle",
				c.AnnotatorsPath("idle"),
				"Annotators",
			},
		)
	}
	if v.Segments.Total() > 0 && unsettled > 0 && !closed && working < v.Settings.Redundancy {
		d := decision{
			"bad",
			"Too few annotators",
			"Each segment needs " + strconv.Itoa(v.Settings.Redundancy) + "; the campaign has " + strconv.Itoa(working) + ". No segment can be finished.",
			"too few annotators",
			"",
			"",
		}
		if v.Leads() {
			d.Href, d.Link = c.Path("members"), "Invite"
		}
		add(d)
	}
	if len(reached) > 0 && unsettled > 0 && !closed {
		add(
			decision{
				"info",
				"Quota reached",
				"today by " + wording.ListUpTo(reached, 6) + " (" + wording.Count(v.Settings.Quota) + " ratings).",
				"quota reached by " + wording.Counted(len(reached), "annotator"),
				c.AnnotatorsPath("quota"),
				"Annotators",
			},
		)
	}
	if len(waiting) > 0 && unsettled > 0 && !closed {
		add(
			decision{
				"info",
				"Not begun",
				"by " + sentence(wording.ListUpTo(waiting, 6)),
				wording.Counted(len(waiting), "annotator") + " not begun",
				c.AnnotatorsPath("waiting"),
				"Annotators",
			},
		)
	}
	if v.Segments.Total() > 0 && unsettled == 0 && v.ToAdjudicate == 0 && v.OpenProblems == 0 && !closed {
		add(
			decision{
				"good",
				"All segments are settled",
				"Nothing is left to rate. Close the campaign, or import more.",
				"all segments settled",
				c.Path("export"),
				"Export",
			},
		)
	}
	return out
}

// unsettled counts the segments that are not settled and that the filter does not leave out.
func (v OverviewView) unsettled() int { return v.Segments.Total() - v.Segments.Settled() - v.LeftOut }

// lacks names what the segments lack that are not ready to be handed out.
func (v OverviewView) lacks() string {
	switch {
	case v.GivenTerms:
		return "terms in the source or no translations"
	case v.OfSegments:
		return "candidates"
	}
	return "translations"
}

// adjudicating says how many of the segments that wait for an adjudicator are in work.
func (v OverviewView) adjudicating() string {
	switch {
	case v.Adjudicating == 0:
		return "nobody has begun"
	case v.ToAdjudicate == 1:
		return "somebody has begun it"
	}
	return wording.Count(v.Adjudicating) + " of them " + wording.Choose(v.Adjudicating, "is", "are") + " begun"
}

// isIdle reports whether an annotator has not worked for more than IdleDays.
func (v OverviewView) isIdle(a AnnotatorRow) bool { return a.idle(v.Clock, v.IdleDays) }

// A step is something to do before ratings come in.
type step struct {
	Done bool
	What string
	Text string
	Href string
	Link string
}

// steps is what a new campaign needs, in order.
func (v OverviewView) steps() []step {
	c := *v.Campaign
	working := 0
	for _, a := range v.Annotators {
		if !a.out() {
			working++
		}
	}
	steps := []step{
		{v.Segments.Total() > 0, "Import segments", v.toImport(), c.Path("import"), "Import"},
		{
			working >= v.Settings.Redundancy,
			"Invite annotators",
			"Each segment needs " + strconv.Itoa(v.Settings.Redundancy) + ". Each annotator gets a link that signs them in.",
			c.Path("members"),
			"Invite",
		},
		{v.Ratings > 0, "First ratings", "Annotators start from their links; what they submit appears here.", "", ""},
	}
	if steps[0].Done {
		steps[0].Text = wording.Counted(v.Segments.Total(), "segment") + "."
		if systems := v.systems(); systems != "" {
			steps[0].Text = wording.Counted(v.Segments.Total(), "segment") + ", " + systems + "."
		}
	}
	if working > 0 {
		steps[1].Text = wording.Counted(working, "annotator") + " so far; each segment needs " + strconv.Itoa(v.Settings.Redundancy) + "."
	}
	return steps
}

// toImport says what a file of segments has.
func (v OverviewView) toImport() string {
	if v.OfSegments {
		return "A file with the texts, or the segments of another campaign."
	}
	return "A file with sources and each system's translations."
}

// lead says in a line how the campaign works.
func (v OverviewView) lead() string {
	s := wording.Counted(v.Settings.Redundancy, "annotator") + " per segment · "
	least := " at r ≥ " + templates.Short(v.Settings.Threshold)
	if v.Settings.Nominal {
		least = ": answers must be equal"
	}
	switch {
	case v.Settings.NoGate:
		s += "no gate"
	case v.Settings.Gate == "on":
		s += "gate on" + least
	case v.Settings.Gate == "report":
		s += "gate reported" + least
	default:
		s += "gate off"
	}
	if v.Settings.Quota > 0 {
		s += " · at most " + wording.Counted(v.Settings.Quota, "rating") + " a day"
	}
	return s
}

// systems counts the systems. It is empty if segments are rated themselves, which hang on a system without a name.
func (v OverviewView) systems() string {
	if slices.Equal(v.Systems, []string{""}) {
		return ""
	}
	return wording.Counted(len(v.Systems), "system")
}

func (v OverviewView) tiles() []templates.Tile {
	seconds, today := 0.0, 0
	for _, a := range v.Annotators {
		seconds += a.Seconds
		today += a.Today
	}
	all := v.Segments.Total()
	perRating := ""
	if v.Ratings > 0 {
		perRating = templates.PerRating(seconds, v.Ratings) + " a rating"
	}
	return []templates.Tile{
		{Label: "Segments", Value: wording.Count(all), Note: v.systems(), Href: v.Campaign.Path("segments")},
		{Label: "Settled", Value: wording.Percent(v.Segments.Settled(), all),
			Note: wording.Count(v.Segments.Settled()) + " of " + wording.Count(all)},
		{
			Label: "In gold",
			Value: wording.Percent(v.Segments.InGold(), all),
			Note:  wording.Counted(v.Segments.InGold(), "segment"),
			Href:  v.Campaign.Path("export"),
		},
		{Label: "Ratings", Value: wording.Count(v.Ratings), Note: wording.Count(today) + " today", Href: v.Campaign.Path("annotators")},
		{Label: "Active time", Value: templates.Hours(seconds), Note: perRating, Href: v.Campaign.Path("annotators")},
		forecast(v.Standing, v.unsettled(), v.Campaign.SegmentsPath(campaign.Pending, "")),
	}
}

// domainName is the name a domain is shown by.
func domainName(domain string) string { return cmp.Or(domain, "no domain") }

// flagDecisions names the annotators of whom a flag is raised, one decision for each
// kind. Idle ones are named elsewhere, with those who have not begun.
func (v OverviewView) flagDecisions() []decision {
	var out []decision
	for _, kind := range campaign.FlagKinds {
		var rows []flagRow
		for _, r := range flagRows(v.Annotators...) {
			if r.Kind == kind && kind != campaign.FlagIdle && !r.Annotator.out() {
				rows = append(rows, r)
			}
		}
		switch len(rows) {
		case 0:
		case 1:
			href, link := flagLink(*v.Campaign, rows[0].Annotator.Login, kind)
			out = append(
				out,
				decision{
					"warn",
					templates.Isolated(rows[0].Annotator.called()) + ": " + flagWord(kind, v.Settings.Nominal) + ".",
					rows[0].text(),
					rows[0].Annotator.called() + ": " + flagWord(kind, v.Settings.Nominal),
					href,
					link,
				},
			)
		default:
			var names []string
			for _, r := range rows {
				names = append(names, templates.Isolated(r.Annotator.called()))
			}
			out = append(
				out,
				decision{
					"warn",
					wording.Counted(len(rows), "annotator") + ":",
					flagWord(kind, v.Settings.Nominal) + ": " + sentence(wording.ListUpTo(names, 6)),
					wording.Counted(len(rows), "annotator") + ": " + flagWord(kind, v.Settings.Nominal),
					v.Campaign.AnnotatorsPath(string(kind)),
					"Compare",
				},
			)
		}
	}
	return out
}
