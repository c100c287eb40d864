package account

import (
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A JoinView is the page of a join link. It posts password to Action, and nothing to Decline.
type JoinView struct {
	templates.Page
	Other         bool   // the link is for another login than that of this session; nothing else is known then
	Campaign      string // title
	By            string // name of the lead who invites
	Role          string
	Archived      bool
	OutOfReach    []string // names of people who may hold a credential, but may not get into the campaign
	Action        string
	Decline       string
	PasswordError string
}

// why says why a new password is needed.
func (v JoinView) why() string {
	n := len(v.OutOfReach)
	return wording.List(v.OutOfReach) + " made a sign-in link of yours and could have used it. " +
		wording.Choose(n, "This person does", "These people do") + " not lead the campaign, but could get into it as you."
}
