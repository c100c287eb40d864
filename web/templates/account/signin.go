package account

import "annotate/web/templates"

// A SignInView is the page a stranger is led to. It posts login, password and
// next to /sign-in. Page.Error says why signing in failed, in the same words
// for an unknown login and a wrong password.
type SignInView struct {
	templates.Page
	Login string // as typed before
	Next  string // where to go afterwards; a path of this site, or empty
	// Provider is the name of a provider by which people can sign in; empty: there is none.
	Provider  string
	SendsMail bool   // somebody who has forgotten the password can get a link by mail
	Wait      string // how long until another attempt is taken, in words; empty: now
}

// A LinkView is the page behind a sign-in link. Looking at it changes nothing,
// so that a mail scanner can't use the link up; the button posts to Action.
type LinkView struct {
	templates.Page
	Name   string // of the account the link is for
	Action string // address the form posts to
	// SignedInAs names the account that is signed in here; empty: none. Same tells that
	// the link is for that account.
	SignedInAs string
	Same       bool
	Problem    string // "used", "expired" or "unknown"; empty: the link is good
}

func (v LinkView) linkProblem() string {
	switch v.Problem {
	case "used":
		return "This sign-in link has been used already"
	case "expired":
		return "This sign-in link has expired"
	}
	return "This sign-in link is not known here"
}

// quiet is the page without its error, which stands beside the form instead.
func (v SignInView) quiet() templates.Page {
	p := v.Page
	p.Error = ""
	return p
}

// providerPath is where a sign-in by the provider begins.
func (v SignInView) providerPath() string {
	return templates.WithQuery("/sign-in/oidc", templates.QueryOf("next", v.Next).Encode())
}
