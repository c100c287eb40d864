package templates

import (
	"cmp"
	"net/url"
	"time"
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
	Page
	Clock
	Users  []UserRow    // by login
	Links  []SignInLink // made just now
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
}

// A UserForm holds what is typed into the form that adds a user.
type UserForm struct{ Login, Name, Role string }

func userRoles() []Option {
	return []Option{
		{"member", "member", "takes part in campaigns"},
		{"admin", "admin", "sees all campaigns, makes campaigns and accounts"},
	}
}

func (f UserForm) role() string { return cmp.Or(f.Role, "member") }

func userPath(login, sub string) string { return "/users/" + url.PathEscape(login) + "/" + sub }
