package templates

import (
	"net/url"
	"strconv"

	"annotate/internal/wording"
)

// Paging says which part of a long list a page shows.
type Paging struct {
	Number int // of the page, from 1
	Size   int // rows on a page
	Total  int // rows of all pages
}

func (p Paging) pages() int {
	if p.Size <= 0 {
		return 1
	}
	return max((p.Total+p.Size-1)/p.Size, 1)
}

// RangeText is "51 to 100 of 340", or "12 in all" on a single page.
func (p Paging) RangeText() string {
	if p.Total == 0 {
		return "0"
	}
	if p.pages() == 1 {
		return wording.Count(p.Total) + " in all"
	}
	from := (max(p.Number, 1)-1)*p.Size + 1
	return wording.Count(from) + " to " + wording.Count(min(from+p.Size-1, p.Total)) + " of " + wording.Count(p.Total)
}

// numbers lists the pages that are linked: the first, the last, and those
// around this one; 0 stands for a gap.
func (p Paging) numbers() []int {
	last := p.pages()
	var out []int
	for n := 1; n <= last; n++ {
		switch {
		case n == 1, n == last, n >= p.Number-2 && n <= p.Number+2:
			out = append(out, n)
		case out[len(out)-1] != 0:
			out = append(out, 0)
		}
	}
	return out
}

// QueryOf is a query of names and their values in turn, without those that are empty.
func QueryOf(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// PageAddress is a path with a query and the number of a page.
func PageAddress(path string, query url.Values, number int) string {
	q := url.Values{}
	for key, values := range query {
		q[key] = values
	}
	if number > 1 {
		q.Set("page", strconv.Itoa(number))
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// WithQuery adds a query, which may be empty, to a path.
func WithQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}
