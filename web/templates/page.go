// Package templates has what all pages share: the layout, fields, tables, charts, marks on texts, and the addresses of a
// campaign's pages. The pages stand in the packages below it, one for each group: account, annotating, monitoring,
// segments, setup and training. They import this package and never each other.
//
// Pages turn plain view structs into HTML. They ask nothing of a database, a request or a clock: whatever a page shows is
// in its view struct. Every page has a struct that embeds [Page] and a component of the same name without "View", so that
// server code reads
//
//	annotating.MyWork(annotating.MyWorkView{Page: page, Campaigns: …})
//
// [Layout] frames a page; the annotate page frames itself, since it needs the
// whole window. The building blocks (fields, notices, badges, tables …) are
// listed at the top of web/static/css/components.css.
package templates

import (
	"cmp"
	"time"

	"annotate/internal/campaign"
)

// A Page is what every page needs, whatever it is about.
type Page struct {
	Title    string    // of the window; the product's name is added
	Static   string    // prefix of static files, "/static/<hash>"
	User     *User     // nil for strangers
	Campaign *Campaign // nil outside a campaign
	Here     string    // id of the current entry of the navigation, e.g. "segments"
	Flash    string    // what just happened, in words
	Error    string    // what went wrong, in words
	Clock    Clock     // in the time zone of the campaign; UTC outside one
}

// A User is who is signed in.
type User struct {
	Login string
	Name  string // may be empty
	Admin bool
	Leads bool // leads a campaign, and so may make more
}

// Called is how the page speaks of the user.
func (u User) Called() string { return cmp.Or(u.Name, u.Login) }

// Archived is the name of the state of an archived campaign on pages.
const Archived = "archived"

// A Campaign is the campaign that a page belongs to.
type Campaign struct {
	Slug       string
	Title      string
	Protocol   string // as people say it, e.g. "SQM"
	SourceLang string // empty until known
	TargetLang string
	State      string // open, paused, closed or archived
	Archived   bool   // the campaign can only be read
	Leads      bool   // the user leads the campaign, even if it can only be read
	// Adjudicates: the user may adjudicate here, be it beside another role.
	Adjudicates bool
	Role        string // of the user: lead, annotator, researcher; "lead" for an admin who is no member
	ToAnswer    int    // number of conversations that wait for an answer; 0 for users who may not see them
	Failed      int    // number of segments that failed their last round and that a lead has not decided; 0 for users who do not lead
	Timezone    string // in which its pages write times; empty: UTC
}

func (p Page) Timezone() string {
	if p.Campaign == nil {
		return "UTC"
	}
	return p.Campaign.timezone()
}

// timezone names the time zone of the times on the campaign's pages.
func (c Campaign) timezone() string { return cmp.Or(c.Timezone, "UTC") }

// Path is the address of the campaign's page named sub, or of the campaign
// itself if sub is empty.
func (c Campaign) Path(sub string) string {
	if sub == "" {
		return "/campaigns/" + c.Slug
	}
	return "/campaigns/" + c.Slug + "/" + sub
}

// Languages is "zh → en", or empty until the languages are known.
func (c Campaign) Languages() string {
	if c.SourceLang == "" || c.TargetLang == "" {
		return ""
	}
	return c.SourceLang + " → " + c.TargetLang
}

// windowTitle is the title with what tells two windows apart.
func (p Page) windowTitle() string {
	title := p.Title
	if p.Campaign != nil && p.Campaign.Title != p.Title {
		title += " · " + p.Campaign.Title
	}
	if title == "" {
		return "annotate"
	}
	return title + " · annotate"
}

func (p Page) Asset(path string) string { return p.Static + "/" + path }

// MachineTime is a time as <time datetime> wants it.
func MachineTime(t time.Time) string { return t.Format(time.RFC3339) }

// Leads reports whether the user may change the campaign.
func (p Page) Leads() bool { return p.Campaign != nil && p.Campaign.Role == string(campaign.Lead) }

// IsUser reports whether a login is that of the user who looks at the page.
func (p Page) IsUser(login string) bool { return p.User != nil && p.User.Login == login }

// A Lang is a language and the direction it is written in.
type Lang struct {
	Lang string // BCP 47
	Dir  string // ltr, rtl or auto
}
