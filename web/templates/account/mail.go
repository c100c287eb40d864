package account

import "annotate/web/templates"

// A MailView is where one gets mail. Its forms post mail, current to /account/mail, and work (yes) to /account/mail/work.
type MailView struct {
	templates.Page
	Address       string // as typed, or as it is
	AddressError  string
	CanChange     bool // with a password, or since a link was used just now
	AsksPassword  bool
	PasswordError string
	Work          bool // mails about work are wanted
}

// A ForgottenView asks for a sign-in link by mail. It posts login to /sign-in/forgotten. What is shown afterwards is the same for an
// unknown login.
type ForgottenView struct {
	templates.Page
	Login string // as typed before
	Sent  bool
	Wait  bool // too many links were asked for
}
