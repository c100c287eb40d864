package account

import (
	"net/url"

	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// An AuditView is the log of what was done in a campaign or on the site, the latest first. Its form
// asks for act, person and text; page is the number of the page.
type AuditView struct {
	templates.Page
	templates.Paging // Total: the lines that match
	Entries          []readmodel.AuditEntry
	Site             bool   // the log is that of the site
	Act              string // the filter; empty fields choose all
	Person           string // login, or [CommandLine]
	Text             string
	Acts             []string // that are in the log
	People           []string // logins in the log
}

// CommandLine stands for who did something without signing in.
const CommandLine = "-"

func (v AuditView) filtered() bool { return v.Act != "" || v.Person != "" || v.Text != "" }

func (v AuditView) query() url.Values {
	return templates.QueryOf("act", v.Act, "person", v.Person, "text", v.Text)
}

func (v AuditView) title() string {
	if v.Site {
		return "Audit log of the site"
	}
	return "Audit log"
}

func (v AuditView) lead() string {
	if v.Site {
		return "Who signed in, and who did what to accounts, roles and links, the latest first. Times are in " + v.Clock.Zone() + ". Each campaign has an audit log of its own."
	}
	return "Who did what and why, the latest first. Times are in " + v.Clock.Zone() + "."
}

// at is the address of the page, or of the lines that match, all of them, with the ending .csv.
func (v AuditView) at(ending string) string {
	if v.Site {
		return "/audit" + ending
	}
	return v.Campaign.Path("audit" + ending)
}

// textLabel says what the filter looks for texts in.
func (v AuditView) textLabel() string {
	if v.Site {
		return "Login, act, campaign or address"
	}
	return "Words of the reason, or what it is about"
}

// peopleOptions are everybody, the command line, or one person.
func (v AuditView) peopleOptions() []templates.Option {
	return append(templates.OptionsOf("anybody", v.People), templates.Option{Value: CommandLine, Label: "command line"})
}

// nothing says what an empty log will have.
func (v AuditView) nothing() string {
	if v.Site {
		return "Sign-ins and changes of accounts are listed here."
	}
	return "Changes to the campaign, its members and its segments are listed here."
}

// class is that of the table.
func (v AuditView) class() string {
	if v.Site {
		return "log site-log"
	}
	return "log"
}

// heads are those of the table.
func (v AuditView) heads() []templates.Head {
	heads := []templates.Head{templates.ColumnHead("When").Down(), templates.ColumnHead("Who"), templates.ColumnHead("What"),
		templates.ColumnHead("About")}
	if v.Site {
		return append(heads, templates.ColumnHead("Detail"), templates.ColumnHead("Address"), templates.ColumnHead("Request"))
	}
	return append(heads, templates.ColumnHead("Why"))
}
