package account

import (
	"cmp"
	"net/url"
	"time"

	"annotate/web/templates"
)

// A UsersView lists all accounts, for admins. Its forms post
//
//	/users                 login, name, role (admin or member)
//	/users/{login}/link    nothing
//	/users/{login}/disable nothing
//	/users/{login}/enable  nothing
//	/users/{login}/role    role
//	/users/{login}/sessions/end nothing
type UsersView struct {
	templates.Page
	templates.Clock
	Users  []UserRow              // by login
	Links  []templates.SignInLink // made just now
	Form   UserForm
	Errors map[string]string
}

// A UserRow is one account.
type UserRow struct {
	Login    string
	Name     string // may be empty
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
type UserForm struct{ Login, Name, Role string }

func userRoles() []templates.Option {
	return []templates.Option{
		{Value: "member", Label: "member", Help: "takes part in campaigns"},
		{Value: "admin", Label: "admin", Help: "sees all campaigns, makes campaigns and accounts"},
	}
}

func (f UserForm) role() string { return cmp.Or(f.Role, "member") }

func userPath(login, sub string) string { return "/users/" + url.PathEscape(login) + "/" + sub }
