package setup

import (
	"net/url"

	"annotate/internal/readmodel"
	"annotate/web/templates"
)

// An AuditView is the log of what was done in a campaign, the latest first. Its form
// asks for act, person and text; page is the number of the page.
type AuditView struct {
	templates.Page
	templates.Clock
	templates.Paging // Total: the lines that match
	Entries          []readmodel.AuditEntry
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

func (v AuditView) lead() string {
	return "Who did what and why, the latest first. Times are in " + v.Zone() + "."
}

// csvPath is the address of the lines that match, all of them, as CSV.
func (v AuditView) csvPath() string {
	return templates.PageAddress(v.Campaign.Path("audit.csv"), v.query(), 1)
}

// peopleOptions are everybody, the command line, or one person.
func (v AuditView) peopleOptions() []templates.Option {
	return append(templates.OptionsOf("anybody", v.People), templates.Option{Value: CommandLine, Label: "command line"})
}
