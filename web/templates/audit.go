package templates

import "time"

// An AuditView is the log of what was done in a campaign, the latest first.
type AuditView struct {
	Page
	Clock
	Paging
	Entries []AuditRow
}

// An AuditRow is one line of the audit log.
type AuditRow struct {
	At      time.Time
	Login   string // empty: the command line
	Act     string
	Subject string
	Reason  string
}
