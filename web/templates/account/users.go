package account

import (
	"cmp"
	"net/url"
	"time"

	"annotate/web/templates"
)

// A UsersView lists all accounts, for admins. Its forms post
//
//	/users                 login, name, mail, role (admin or member)
//	/users/{login}/link    nothing
//	/users/{login}/disable nothing
//	/users/{login}/enable  nothing
//	/users/{login}/role    role
//	/users/{login}/sessions/end nothing
//	/users/{login}/mail    mail
//	/users/{login}/subjects/unbind issuer, subject
type UsersView struct {
	templates.Page
	Users     []UserRow              // by login
	SendsMail bool                   // the server does
	Subjects  []SubjectRow           // by login
	Links     []templates.SignInLink // made just now
	Form      UserForm
	Errors    map[string]string
}

// A UserRow is one account.
type UserRow struct {
	Login    string
	Name     string // may be empty
	Mail     string // address; empty: none
	Admin    bool
	Disabled bool
	SignedIn bool      // has signed in at any time
	LastSeen time.Time // zero: no session is left
	// SecondFactor says that signing in takes a code.
	SecondFactor bool
}

// unseen says why it is not known when the account was last used: sessions keep the time, and none is left.
func (u UserRow) unseen() string {
	if u.SignedIn {
		return "signed out"
	}
	return "never"
}

// A UserForm holds what is typed into the form that adds a user.
type UserForm struct{ Login, Name, Mail, Role string }

// A SubjectRow is who the person of an account is at a provider of OpenID Connect.
type SubjectRow struct {
	Login, Issuer, Subject string
	BoundAt                time.Time
}

func userRoles() []templates.Option {
	return []templates.Option{
		{Value: "member", Label: "member", Help: "takes part in campaigns"},
		{Value: "admin", Label: "admin", Help: "sees all campaigns, makes campaigns and accounts"},
	}
}

func (f UserForm) role() string { return cmp.Or(f.Role, "member") }

func userPath(login, sub string) string { return "/users/" + url.PathEscape(login) + "/" + sub }
