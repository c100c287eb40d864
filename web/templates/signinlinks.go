package templates

import (
	"slices"

	"annotate/internal/wording"
)

// A SignInLink is what a person is sent so that they can sign in, or join a campaign.
type SignInLink struct {
	Login string
	Name  string // may be empty
	URL   string // with scheme and host; empty: the account existed and has joined
	Join  bool   // a join link, with which nobody can sign in
	// Locked: the account can't be signed in to without a new link.
	Locked bool
	// Mailed: the link is also sent to the account's e-mail address, if it has one.
	Mailed bool
}

// LinkDays is how many days a sign-in link is good for, as pages say it.
const LinkDays = 14

var LinkLifetime = wording.Counted(LinkDays, "day")

// made counts the links among those invited, and the join links among them.
func made(links []SignInLink) (all, join int) {
	for _, l := range links {
		if l.URL != "" {
			all++
		}
		if l.Join {
			join++
		}
	}
	return all, join
}

// toPassOn is the heading above links.
func toPassOn(links []SignInLink) string {
	switch all, join := made(links); join {
	case 0:
		return "Pass on " + wording.Counted(all, "sign-in link")
	case all:
		return "Pass on " + wording.Counted(all, "join link")
	default:
		return "Pass on " + wording.Counted(all, "link")
	}
}

// howLinksWork says what the links that were made do.
func howLinksWork(links []SignInLink) string {
	all, join := made(links)
	text := "Shown only now: copy what you need before you leave this page."
	if all > join {
		text += " A sign-in link works once, for " + LinkLifetime + ", and signs in whoever has it."
	}
	if slices.ContainsFunc(links, func(l SignInLink) bool { return l.Mailed }) {
		text += " Links of people with an e-mail address are also on their way there."
	}
	if join > 0 {
		text += " A join link is for somebody who has an account: they sign in as always and open it within " + LinkLifetime + ". Nothing changes for them before they agree."
	}
	return text
}
