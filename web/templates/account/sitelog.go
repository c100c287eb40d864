package account

import (
	"net/url"

	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// A SiteLogView is the log of what was done to accounts and by admins, the latest
// first. Its form asks for text; page is the number of the page.
type SiteLogView struct {
	templates.Page
	templates.Clock
	templates.Paging // Total: the lines that match
	Entries          []readmodel.SiteEntry
	Text             string // the filter; empty chooses all
}

func (v SiteLogView) query() url.Values { return templates.QueryOf("text", v.Text) }
