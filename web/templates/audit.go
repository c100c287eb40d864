package templates

import (
	"net/url"

	"annotate/internal/readmodel"
)

// An AuditView is the log of what was done in a campaign, the latest first. Its form
// asks for act, person and text; page is the number of the page.
type AuditView struct {
	Page
	Clock
	Paging  // Total: the lines that match
	Entries []readmodel.AuditEntry
	Act     string // the filter; empty fields choose all
	Person  string // login, or [CommandLine]
	Text    string
	Acts    []string // that are in the log
	People  []string // logins in the log
}

// CommandLine stands for who did something without signing in.
const CommandLine = "-"

func (v AuditView) filtered() bool { return v.Act != "" || v.Person != "" || v.Text != "" }

func (v AuditView) query() url.Values {
	return queryOf("act", v.Act, "person", v.Person, "text", v.Text)
}

func (v AuditView) lead() string {
	return "Who did what and why, the latest first. Times are in " + v.zone() + "."
}

// csvPath is the address of the lines that match, all of them, as CSV.
func (v AuditView) csvPath() string { return pageAddress(v.Campaign.Path("audit.csv"), v.query(), 1) }

// peopleOptions are everybody, the command line, or one person.
func (v AuditView) peopleOptions() []Option {
	return append(optionsOf("anybody", v.People), Option{Value: CommandLine, Label: "command line"})
}
