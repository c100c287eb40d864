package templates

import (
	"net/url"
	"strconv"

	"annotate/internal/campaign"
)

// A SegmentsView lists the segments of a campaign. Its form asks for status,
// domain and text; page is the number of the page.
type SegmentsView struct {
	Page
	Paging                     // Total: the segments that match
	Segments   []SegmentRow    // in the order of import
	All        int             // segments of the campaign
	Status     campaign.Status // the filter; empty fields choose all
	Domain     string
	Text       string
	Domains    []string // of the campaign, without the empty one
	Source     Lang
	Redundancy int
}

// A SegmentRow is a segment in a list.
type SegmentRow struct {
	ID        string // row id, in addresses
	DocID     string
	SegmentID string
	Domain    string
	Source    string
	Status    campaign.Status
	Round     int
	Taken     int // places of the first round
	Submitted int // of the round under way
	Held      bool
}

func (v SegmentsView) filtered() bool { return v.Status != "" || v.Domain != "" || v.Text != "" }

func (v SegmentsView) query() url.Values {
	q := url.Values{}
	for key, value := range map[string]string{"status": string(v.Status), "domain": v.Domain, "text": v.Text} {
		if value != "" {
			q.Set(key, value)
		}
	}
	return q
}

func (v SegmentsView) lead() string {
	if v.All == 0 {
		return ""
	}
	s := counted(v.Paging.Total, "segment")
	if v.filtered() {
		s = count(v.Paging.Total) + " of " + counted(v.All, "segment")
		if v.Paging.Total == 1 {
			s += " matches"
		} else {
			s += " match"
		}
	}
	return s + ", in the order of import."
}

func statusOptions() []Option {
	options := []Option{{Value: "", Label: "any status"}}
	for _, s := range campaign.Statuses {
		options = append(options, Option{Value: string(s), Label: StatusWord(s)})
	}
	return options
}

// places is "1 of 2 places taken" as numbers.
func (r SegmentRow) places(redundancy int) string {
	return strconv.Itoa(r.Taken) + " of " + strconv.Itoa(redundancy)
}
