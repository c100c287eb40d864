package segments

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// RowsPerPage is how many segments a page of a list shows.
const RowsPerPage = 50

// A SegmentsView lists the segments of a campaign. Its form asks for status,
// domain, annotator and text; sort and order stand in the heads of the table, and
// page is the number of the page.
type SegmentsView struct {
	templates.Page
	templates.Paging // Total: the segments that match
	Segments         []readmodel.Segment
	All              int             // segments of the campaign
	Status           campaign.Status // the filter; empty fields choose all
	Domain           string
	Annotator        string // login
	Text             string
	Step             string // in a chain, as the desk's filter has it
	Steps            []templates.Option
	Metric           string             // whose score stands in a column
	ScoreHead        string             // of the column
	Metrics          []templates.Option // the metrics, judges and numbers of annotators that the list can have scores of
	Least, Most      string             // limits of the score
	Sort             string             // one of the ids of [SegmentOrders]; empty: the order of import
	Reverse          bool
	Domains          []string // of the campaign, without the empty one
	Annotators       []string // logins of those who can be asked for
	Source           templates.Lang
	Redundancy       int
	Protocol         *protocol.Protocol
	Several
}

// acts lists what can be done to the segments chosen.
func (v SegmentsView) acts() []templates.Option {
	return severalOptions(v.Protocol, ActAccept, ActAsk, ActLook, ActFurther, ActDiscard, ActRestore)
}

// path is the address of this very list, which the form posts to.
func (v SegmentsView) path() string {
	return templates.PageAddress(v.Campaign.Path("segments"), v.query(), v.Paging.Number)
}

// A SegmentOrder is what segments can be sorted by.
type SegmentOrder struct {
	ID, Label string
	Class     string
	Up, Down  string // the order in words
	Falls     bool   // its first way round is from the largest
}

// SegmentOrders are the heads of the table that sort it, from left to right.
var SegmentOrders = []SegmentOrder{
	{"id", "Segment", "", "by document and segment id", "by document and segment id, the other way round", false},
	{"status", "Status", "", "by status", "by status, the other way round", false},
	{"round", "Round", "num", "by round, the first ones first", "by round, the last ones first", false},
	{"lowest", "Lowest r", "num", "by the lowest r of two annotators", "by the lowest r of two annotators, the largest first", false},
	{
		"changed",
		"Last rated or judged",
		"",
		"by when they were last rated or judged otherwise, the latest first",
		"by when they were last rated or judged otherwise, the earliest first",
		true,
	},
	{scoreOrder, "Score", "num", "by score, the lowest first", "by score, the highest first", false},
}

// scoreOrder is the order by the score of a metric, which only lists with such a score have.
const scoreOrder = "score"

func segmentOrder(id string) SegmentOrder {
	for _, o := range SegmentOrders {
		if o.ID == id {
			return o
		}
	}
	return SegmentOrder{"", "", "", "in the order of import", "in the order of import, the last first", false}
}

func (v SegmentsView) filtered() bool {
	return v.Status != "" || v.Domain != "" || v.Text != "" || v.Annotator != "" || v.Step != "" || v.Least != "" || v.Most != ""
}

// sorted says how the list is sorted.
func (v SegmentsView) sorted() string {
	o := segmentOrder(v.Sort)
	if v.Reverse {
		return o.Down
	}
	return o.Up
}

// sortPath is the address sorted by another order; by the present one, the other way
// round.
func (v SegmentsView) sortPath(id string) string {
	v.Reverse = id == v.Sort && !v.Reverse
	v.Sort = id
	return templates.PageAddress(v.Campaign.Path("segments"), v.query(), 1)
}

func (v SegmentsView) heads() []templates.Head {
	sorts := func(id string) templates.Head {
		o := segmentOrder(id)
		h := templates.Head{Label: o.Label, Class: o.Class, Href: v.sortPath(id)}
		if id == v.Sort {
			h = h.Sorted(v.Reverse != o.Falls)
		}
		return h
	}
	var out []templates.Head
	if v.Leads() {
		out = append(out, templates.Head{Cell: templates.SeveralHead()})
	}
	out = append(
		out, sorts("id"), templates.ColumnHead("Source"),
	)
	if v.Metric != "" {
		h := sorts(scoreOrder)
		h.Label = v.ScoreHead
		out = append(out, h)
	}
	out = append(out, templates.ColumnHead("Domain"), sorts("status"), sorts("round"), templates.NumHead("Places"),
		templates.NumHead("Submitted"))
	if v.Protocol.Correlates() {
		out = append(out, sorts("lowest"))
	}
	return append(out, sorts("changed"))
}

func (v SegmentsView) place() Place { return Place{List: InSegments, Query: v.query()} }

// cleared is the address without a filter, sorted as it is.
func (v SegmentsView) cleared() string {
	v.Status, v.Domain, v.Text, v.Annotator, v.Step, v.Least, v.Most = "", "", "", "", "", "", ""
	return templates.PageAddress(v.Campaign.Path("segments"), v.query(), 1)
}

func (v SegmentsView) query() url.Values {
	q := templates.QueryOf(
		"status", string(v.Status), "domain", v.Domain, "text", v.Text, "annotator", v.Annotator, "step", v.Step, "metric",
		v.Metric, "least", v.Least, "most",
		v.Most, "sort", v.Sort,
	)
	if v.Reverse {
		q.Set("order", "back")
	}
	return q
}

func (v SegmentsView) lead() string {
	if v.All == 0 {
		return ""
	}
	s := wording.Counted(v.Paging.Total, "segment")
	if v.filtered() {
		s = wording.Count(v.Paging.Total) + " of " + wording.Counted(v.All, "segment")
		if v.Paging.Total == 1 {
			s += " matches"
		} else {
			s += " match"
		}
	}
	return s + ", " + v.sorted() + "."
}

// annotatorOptions are everybody, or one; somebody asked for who is none stays in the
// list, so that it says what is shown.
func (v SegmentsView) annotatorOptions() []templates.Option {
	options := templates.OptionsOf("anybody", v.Annotators)
	if v.Annotator != "" && !slices.Contains(v.Annotators, v.Annotator) {
		options = append(options, templates.Option{Value: v.Annotator, Label: v.Annotator})
	}
	return options
}

// score writes the score of a segment, which may be a mean, with at most four significant digits.
func score(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return wording.Plain(short)
}

// StepsOf are the steps of a chain that segments of a campaign can be at. filter reports whether the campaign has a filter of sources.
func StepsOf(filter bool, followers []readmodel.Follower) []templates.Option {
	out := []templates.Option{{Value: "", Label: "any step"}}
	if filter {
		out = append(out, templates.Option{Value: campaign.StepFiltered, Label: "filtered out"})
	}
	out = append(
		out, templates.Option{Value: campaign.StepWork, Label: "in work"}, templates.Option{Value: campaign.StepOut, Label: "left out"},
		templates.Option{Value: campaign.StepGold, Label: "settled"},
		templates.Option{Value: campaign.StepFailed, Label: "failed the gate in round 1"},
		templates.Option{Value: campaign.StepSaved, Label: "settled after that"},
	)
	for _, f := range followers {
		for _, s := range []templates.Option{
			{Value: campaign.StepReady, Label: "ready for "}, {Value: campaign.StepBehind,
				Label: "not ready for "}, {Value: campaign.StepTaken, Label: "handed on to "},
		} {
			out = append(out, templates.Option{Value: s.Value + ":" + f.Slug, Label: s.Label + f.Title})
		}
	}
	return out
}

// metricOptions are the metrics, judges and numbers; one that is asked for and is not among them stays in the list.
func (v SegmentsView) metricOptions() []templates.Option {
	options := append([]templates.Option{{Label: "nothing"}}, v.Metrics...)
	if !slices.ContainsFunc(options, func(o templates.Option) bool { return o.Value == v.Metric }) {
		options = append(options, templates.Option{Value: v.Metric, Label: v.Metric})
	}
	return options
}

// stepOptions are the steps; a step that is asked for and is not among them, such as a single reason, stays in the
// list, so that it says what is shown.
func (v SegmentsView) stepOptions() []templates.Option {
	if slices.ContainsFunc(v.Steps, func(o templates.Option) bool { return o.Value == v.Step }) {
		return v.Steps
	}
	_, rest, _ := strings.Cut(v.Step, ":")
	_, why, _ := strings.Cut(rest, ":")
	return append(slices.Clone(v.Steps), templates.Option{Value: v.Step, Label: "not ready: " + why})
}

func statusOptions() []templates.Option {
	options := []templates.Option{{Value: "", Label: "any status"}}
	for _, s := range campaign.Statuses {
		options = append(options, templates.Option{Value: string(s), Label: s.Words()})
	}
	return options
}

// places writes how many places of the first round are taken, such as "1 of 2".
func places(r readmodel.Segment, redundancy int) string {
	return strconv.Itoa(r.Taken) + " of " + strconv.Itoa(redundancy)
}

func (v SegmentsView) noneTitle() string {
	if v.Paging.Total > 0 {
		return "There is no such page"
	}
	return "No segment matches"
}

func (v SegmentsView) noneText() string {
	if v.Paging.Total > 0 {
		return "The list has become shorter, or the address is wrong."
	}
	return "Remove a part of the filter, or change it."
}
