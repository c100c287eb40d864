package templates

import (
	"net/url"
	"time"
)

// A SiteLogView is the log of what was done to accounts and by admins, the latest
// first. Its form asks for text; page is the number of the page.
type SiteLogView struct {
	Page
	Clock
	Paging  // Total: the lines that match
	Entries []SiteLogRow
	Text    string // the filter; empty chooses all
}

// A SiteLogRow is one line of the site's log.
type SiteLogRow struct {
	At      time.Time
	Login   string // empty: the command line
	Act     string
	Subject string
	Detail  string
	Address string // empty: the command line
	Request string
}

func (v SiteLogView) query() url.Values {
	q := url.Values{}
	if v.Text != "" {
		q.Set("text", v.Text)
	}
	return q
}
