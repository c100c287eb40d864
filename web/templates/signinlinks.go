package templates

import "annotate/internal/wording"

// A SignInLink is what a person is sent so that they can sign in.
type SignInLink struct {
	Login string
	Name  string // may be empty
	URL   string // with scheme and host; empty: the account existed
	// Locked: the account can't be signed in to without a new link.
	Locked bool
}

// LinkDays is how many days a sign-in link is good for, as pages say it.
const LinkDays = 14

var LinkLifetime = wording.Counted(LinkDays, "day")

// made counts the links among those invited.
func made(links []SignInLink) int {
	n := 0
	for _, l := range links {
		if l.URL != "" {
			n++
		}
	}
	return n
}
