package segments

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"annotate/internal/agreement"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A QueueView lists segments that were sent back and are not settled, or that are
// discarded. Its address has show and sort; its form is that of [Several].
type QueueView struct {
	templates.Page
	templates.Paging
	Show     string // one of the ids of [QueueTabs]
	Sort     string // one of the ids of [QueueOrders]
	Counts   map[string]int
	Rows     []readmodel.QueueEntry
	Settings campaign.Settings
	Protocol *protocol.Protocol
	Source   templates.Lang
	Version  int64
	// Rejected are the first RowsPerPage settled segments that later campaigns have rejected, and AllRejected is the number of all.
	Rejected    []readmodel.Rejection
	AllRejected int
	Several
}

// A QueueTab is a part of the queue.
type QueueTab struct {
	ID, Label string
	Text      string // what its segments wait for
	Empty     string // what it means that there are none
	Decided   bool   // its segments are discarded, not under way
}

// QueueTabs are the parts of the queue in their order; the first one is shown where
// none is chosen.
var QueueTabs = []QueueTab{
	{
		"",
		"All second looks",
		"Segments that annotators look at again, since they did not agree or a lead asked for it.",
		"No segment is waiting for a second look.",
		false,
	},
	{
		"waiting",
		"Under way",
		"They wait for annotators who can go on; nothing needs to be done.",
		"No second look is under way with annotators who can go on.",
		false,
	},
	{
		"stranded",
		"Nobody can go on",
		"Nobody who can work in this campaign is asked for them: somebody left, can’t sign in or is set aside. Open one to replace that person, or decide here.",
		"Every second look has somebody who can go on.",
		false,
	},
	{
		"late",
		"Waiting long",
		"Somebody who is asked for them has not touched them for longer than the setting release_hours. Remind them, or open a segment to replace them.",
		"No second look has been left untouched for longer than the setting release_hours.",
		false,
	},
	{
		"stuck",
		"Nobody left to rate",
		"First looks that need more ratings than the annotators who can work are able to give: each of them has had the segment, or the plan gives it to nobody else. Invite somebody, change the plan, lower the redundancy, or decide here.",
		"Every segment that waits for ratings has somebody who can give them.",
		false,
	},
	{
		"held",
		"Problem reported",
		"An annotator could not judge them and told you why, in the first round or later. Answer under Messages, or decide here.",
		"No segment has a reported problem that waits for you.",
		false,
	},
	{
		"failed",
		"Failed the last round",
		"They failed their last round, and the gate has discarded them. They stay out of gold unless you choose another act, below or on their pages.",
		"No segment has failed its last round without a decision of yours.",
		true,
	},
	{
		"asked",
		"Waits for an adjudicator",
		"A lead has asked an adjudicator to decide, or annotators’ answers differ and none has a majority. Until an adjudicator decides, a segment keeps its status, and nothing follows from such answers.",
		"No segment waits for an adjudicator.",
		true,
	},
	{
		"overtaken",
		"Rated after a decision",
		"Ratings came after a lead had decided. The decision stands until you take it back or decide again. After you note the ratings as looked at, the overview no longer names the segment.",
		"No rating came after a decision of a lead, or all of them were looked at.",
		true,
	},
	{
		"left",
		"Left out",
		"A lead has discarded or withdrawn them. They stay out of gold until that is taken back.",
		"No segment was discarded or withdrawn by a lead.",
		true,
	},
}

// QueueOrders are the orders of the queue; the first one holds where none is chosen.
var QueueOrders = []templates.Option{
	{Value: "since", Label: "longest waiting first"},
	{Value: "lowest", Label: "lowest r first"},
	{Value: "position", Label: "in the order of import"},
}

func (v QueueView) tab() QueueTab {
	return QueueTabs[max(slices.IndexFunc(QueueTabs, func(t QueueTab) bool { return t.ID == v.Show }), 0)]
}

func (v QueueView) order() string {
	return QueueOrders[max(slices.IndexFunc(QueueOrders, func(o templates.Option) bool { return o.Value == v.Sort }), 0)].Label
}

// query is the address's own, but for the page.
func (v QueueView) query() url.Values {
	if v.Sort == QueueOrders[0].Value {
		v.Sort = ""
	}
	return templates.QueryOf("show", v.Show, "sort", v.Sort)
}

func (v QueueView) place() Place { return Place{List: InQueue, Query: v.query()} }

// tabPath keeps the order.
func (v QueueView) tabPath(t QueueTab) string {
	v.Show = t.ID
	return templates.PageAddress(v.Campaign.Path("queue"), v.query(), 1)
}

func (v QueueView) sortPath(order string) string {
	v.Sort = order
	return templates.PageAddress(v.Campaign.Path("queue"), v.query(), 1)
}

// path is the address of this very page, which the form posts to.
func (v QueueView) path() string {
	return templates.PageAddress(v.Campaign.Path("queue"), v.query(), v.Paging.Number)
}

func (v QueueView) heads() []templates.Head {
	sorts := func(h templates.Head, order string) templates.Head {
		if v.Sort == order || v.Sort == "" && order == "since" {
			h = h.Up()
		}
		return h.By(v.sortPath(order))
	}
	var out []templates.Head
	if v.Leads() {
		out = append(out, templates.Head{Cell: templates.SeveralHead()})
	}
	out = append(
		out, sorts(templates.ColumnHead("Segment"), "position"), templates.ColumnHead("Source"),
		sorts(templates.ColumnHead(v.sinceLabel()), "since"),
		templates.NumHead("Round"), templates.ColumnHead("Who"),
	)
	if v.Protocol.Correlates() {
		out = append(out, sorts(templates.NumHead("Lowest r"), "lowest"))
	}
	return append(out, templates.ColumnHead("Pairs that failed"))
}

// anything reports whether any part of the queue has a segment.
func (v QueueView) anything() bool {
	for _, n := range v.Counts {
		if n > 0 {
			return true
		}
	}
	return false
}

// acts lists what can be done to segments of the part that is shown.
func (v QueueView) acts() []templates.Option {
	switch v.Show {
	case "failed":
		return severalOptions(v.Protocol, ActAccept, ActAsk, ActLook, ActFurther, ActDiscard)
	case "asked":
		return severalOptions(v.Protocol, ActAccept, ActFurther, ActDiscard)
	case "overtaken":
		return severalOptions(v.Protocol, ActSeen, ActRestore, ActAccept, ActAsk)
	case "stuck":
		return severalOptions(v.Protocol, ActDiscard)
	case "left":
		return severalOptions(v.Protocol, ActRestore, ActAccept)
	}
	return severalOptions(v.Protocol, ActAccept, ActAsk, ActFurther, ActDiscard)
}

func (v QueueView) lead() string {
	if v.Paging.Total == 0 {
		return v.tab().Text
	}
	return wording.Counted(v.Paging.Total, "segment") + ", " + v.order() + ". " + v.tab().Text
}

// undecided says which answers about a segment of the queue have no gold.
func (v QueueView) undecided(r readmodel.QueueEntry) string {
	labels := make([]string, len(r.Undecided))
	for i, name := range r.Undecided {
		q, _ := v.Protocol.Question(name)
		labels[i] = strings.TrimSuffix(q.Label, "?")
	}
	return "answers differ: " + wording.List(labels)
}

func lowest(r float64) string {
	if math.IsNaN(r) {
		return "–"
	}
	return wording.Decimal(r, 2)
}

func queueTurnState(t readmodel.QueueTurn) string {
	if t.Stranded {
		return "can’t go on"
	}
	return turnState(t.State, t.Work, t.Begun)
}

func queueTurnKind(t readmodel.QueueTurn) string {
	if t.Stranded {
		return "bad"
	}
	if t.State == campaign.InWork && !t.Begun {
		return "plain"
	}
	return turnKind(t.State, t.Work)
}

func failed(p campaign.Pair) string {
	switch {
	case p.Reason == agreement.Different:
		return "their answers differ"
	case p.R != nil:
		return "r " + wording.Decimal(*p.R, 2)
	case strings.HasPrefix(string(p.Reason), "too_few"):
		return "too few for r, difference " + pairDifference(p)
	}
	return "no variance, difference " + pairDifference(p)
}

func (v QueueView) emptyTitle() string {
	if v.Paging.Total > 0 {
		return "There is no such page"
	}
	return "Nothing here"
}

func (v QueueView) sinceLabel() string {
	if v.tab().Decided {
		return "Decided"
	}
	return "Sent back"
}
