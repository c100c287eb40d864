package templates

import "time"

// An AccountView is the user's own account. Its forms post name to
// /account/name; current, password to /account/password; nothing to
// /account/sessions/{id}/end and /account/sessions/end.
type AccountView struct {
	Page
	Name          string // as typed, or as it is
	NameError     string
	HasPassword   bool   // otherwise no current password is asked for
	CurrentError  string // about the current password
	PasswordError string // about the new one
	Sessions      []Session
}

// A Session is one browser the user is signed in with.
type Session struct {
	ID      string
	Agent   string // in words, e.g. "Firefox on Linux"
	Begun   time.Time
	Seen    time.Time
	Current bool
}
