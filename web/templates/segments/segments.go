package segments

import (
	"net/url"
	"slices"
	"strconv"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A SegmentsView lists the segments of a campaign. Its form asks for status,
// domain, annotator and text; sort and order stand in the heads of the table, and
// page is the number of the page.
type SegmentsView struct {
	templates.Page
	templates.Clock
	templates.Paging // Total: the segments that match
	Segments         []readmodel.Segment
	All              int             // segments of the campaign
	Status           campaign.Status // the filter; empty fields choose all
	Domain           string
	Annotator        string // login
	Text             string
	Sort             string // one of the ids of [SegmentOrders]; empty: the order of import
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
}

func segmentOrder(id string) SegmentOrder {
	for _, o := range SegmentOrders {
		if o.ID == id {
			return o
		}
	}
	return SegmentOrder{"", "", "", "in the order of import", "in the order of import, the last first", false}
}

func (v SegmentsView) filtered() bool {
	return v.Status != "" || v.Domain != "" || v.Text != "" || v.Annotator != ""
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
	return append(
		out, sorts("id"), templates.ColumnHead("Source"), templates.ColumnHead("Domain"), sorts("status"), sorts("round"),
		templates.NumHead("Places"), templates.NumHead("Submitted"), sorts("lowest"), sorts("changed"),
	)
}

func (v SegmentsView) place() Place { return Place{List: InSegments, Query: v.query()} }

// cleared is the address without a filter, sorted as it is.
func (v SegmentsView) cleared() string {
	v.Status, v.Domain, v.Text, v.Annotator = "", "", "", ""
	return templates.PageAddress(v.Campaign.Path("segments"), v.query(), 1)
}

func (v SegmentsView) query() url.Values {
	q := templates.QueryOf("status", string(v.Status), "domain", v.Domain, "text", v.Text, "annotator", v.Annotator, "sort", v.Sort)
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
	return "Ask for fewer words, another status, another domain or another annotator."
}
