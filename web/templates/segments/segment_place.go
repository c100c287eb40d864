package segments

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"annotate/web/templates"
)

// A Place is where in a list a segment was opened, so that its page leads to the
// segments before and after it there. The zero Place is no list: before and after
// follow the order of import.
type Place struct {
	List  string     // [InSegments] or [InQueue]
	Query url.Values // the list's own filter and order
	At    int        // from 0
}

// The lists that a [Place] may be in.
const (
	InSegments = "segments"
	InQueue    = "queue"
)

// placeKeys are the fields of an address that a [Place] keeps, by list.
var placeKeys = map[string][]string{
	InSegments: {"status", "domain", "annotator", "text", "step", "metric", "least", "most", "sort", "order"},
	InQueue:    {"show", "sort"},
}

// ParsePlace reads the place from the query of a segment's address.
func ParsePlace(q url.Values) Place {
	keys, known := placeKeys[q.Get("in")]
	if !known {
		return Place{}
	}
	p := Place{List: q.Get("in"), Query: url.Values{}}
	for _, key := range keys {
		if value := q.Get(key); value != "" {
			p.Query.Set(key, value)
		}
	}
	if n, err := strconv.Atoi(q.Get("at")); err == nil && n > 0 {
		p.At = n
	}
	return p
}

// Values is the place as fields of an address.
func (p Place) Values() url.Values {
	q := url.Values{}
	if p.List == "" {
		return q
	}
	for key, values := range p.Query {
		q[key] = values
	}
	q.Set("in", p.List)
	q.Set("at", strconv.Itoa(p.At))
	return q
}

// Path is the address of a segment opened at the place.
func (p Place) Path(path string) string { return templates.PageAddress(path, p.Values(), 1) }

// moved is the place so many rows further on.
func (p Place) moved(rows int) Place {
	p.At = max(p.At+rows, 0)
	return p
}

// Step is the address of another segment, the place of which in the list is at.
func (p Place) Step(path string, at int) string { return p.moved(at - p.At).Path(path) }

// row is the address of the segment in row i of a page of the list.
func (p Place) row(c templates.Campaign, page templates.Paging, i int, id string) templ.SafeURL {
	p.At = (max(page.Number, 1)-1)*page.Size + i
	return templ.SafeURL(p.Path(c.SegmentPath(id)))
}

// back is the address of the list's page that the place is on, and what it is called.
func (p Place) back(c templates.Campaign) (href templ.SafeURL, name string) {
	path, name := c.Path("segments"), "All segments"
	switch {
	case p.List == InQueue:
		path, name = c.Path("queue"), "Queue"
	case len(p.Query) > 0:
		name = "These segments"
	}
	return templ.SafeURL(templates.PageAddress(path, p.Query, p.At/RowsPerPage+1)), name
}
