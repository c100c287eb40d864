package templates

import (
	"net/url"

	"annotate/internal/campaign"
)

// SegmentsPath is the address of the list of segments of one status or domain.
func (c Campaign) SegmentsPath(status campaign.Status, domain string) string {
	return PageAddress(c.Path("segments"), QueryOf("status", string(status), "domain", domain), 1)
}

// SegmentPath is the address of one segment, by its row id.
func (c Campaign) SegmentPath(id string) string { return c.Path("segments/" + url.PathEscape(id)) }

func (c Campaign) TracePath(segmentID, system, judge string) string {
	return WithQuery(c.SegmentPath(segmentID)+"/trace", url.Values{"system": {system}, "judge": {judge}}.Encode())
}

// QueuePath is the address of a part of the queue in an order.
func (c Campaign) QueuePath(show, sort string) string {
	return PageAddress(c.Path("queue"), QueryOf("show", show, "sort", sort), 1)
}

// AnnotatorsPath is the address of the annotators that a filter shows.
func (c Campaign) AnnotatorsPath(show string) string {
	return PageAddress(c.Path("annotators"), url.Values{"show": {show}}, 1)
}

// AnnotatorPath is the address of one annotator, by login.
func (c Campaign) AnnotatorPath(login string) string {
	return c.Path("annotators/" + url.PathEscape(login))
}

// AgreementPath is the address of the page, or of its CSV.
func (c Campaign) AgreementPath(sub string, gold bool) string {
	return PageAddress(c.Path("agreement"+sub), GoldQuery(gold), 1)
}

// PairPath is the address of the segments that two annotators share.
func (c Campaign) PairPath(a, b string, gold bool) string {
	return PageAddress(c.Path("agreement/pairs/"+url.PathEscape(a)+"/"+url.PathEscape(b)), GoldQuery(gold), 1)
}

// MemberPath is the address of something about a member.
func (c Campaign) MemberPath(login, sub string) string {
	return c.Path("members/" + url.PathEscape(login) + "/" + sub)
}

// UndoImportPath returns the address of the page that asks whether to undo an import.
func (c Campaign) UndoImportPath(id string) string {
	return c.Path("import/" + url.PathEscape(id) + "/undo")
}

// GoldQuery keeps the switch in addresses.
func GoldQuery(gold bool) url.Values {
	if gold {
		return url.Values{"gold": {"yes"}}
	}
	return nil
}
