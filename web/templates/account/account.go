package account

import (
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An AccountView is the user's own account. Its forms post name to
// /account/name; current, password to /account/password; nothing to
// /account/sessions/{id}/end; here (yes: in this browser, too) to
// /account/sessions/end.
type AccountView struct {
	templates.Page
	Name          string // as typed, or as it is
	NameError     string
	HasPassword   bool
	FreshLink     bool   // signed in with a link just now: no current password is asked for
	Minutes       int    // for how long after that
	Days          int    // after which everybody has to sign in again
	CurrentError  string // about the current password
	PasswordError string // about the new one
	Sessions      []readmodel.Session
	Tokens        TokensView
	SecondFactor  bool   // the user has one
	OffersFactor  bool   // there is a page to set one up or to turn it off
	SendsMail     bool   // the server does
	Mail          string // address; empty: none
}

// forgotten says what to do without the current password.
func (v AccountView) forgotten() string {
	return "If you have forgotten it, sign in with a new sign-in link and set another one within " + wording.Counted(v.Minutes, "minute") + "."
}

// firstPassword says how to set a password for the first time.
func (v AccountView) firstPassword() string {
	return "You have no password. To set one, sign in with a new sign-in link and come back here within " + wording.Counted(v.Minutes,
		"minute") + ". The person who made your first link can make another one."
}

// sessionLimit says when and how sessions and links end.
func (v AccountView) sessionLimit() string {
	return "Everybody has to sign in again after " + wording.Counted(v.Days,
		"day") + ". Signing out everywhere also ends sign-in links that nobody has used."
}
