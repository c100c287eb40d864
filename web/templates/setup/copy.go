package setup

import (
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A CopyView is the form that copies a campaign. It posts title, slug, source_lang, target_lang,
// member (logins) and plan to …/copy.
type CopyView struct {
	templates.Page
	Form     CampaignForm
	Members  []MemberChoice
	OwnGuide bool // the campaign has a guide of its own
	// Instructions reports whether the campaign has instructions to accept.
	Instructions bool
	Trained      int               // training segments
	Planned      bool              // the plan has something that can be copied
	TakesPlan    bool              // it is chosen
	Errors       map[string]string // by field; "" is about the whole form
}

// A MemberChoice is a member of a campaign who can be copied.
type MemberChoice struct {
	MemberRow
	Chosen bool
}

// copies says which properties the copy takes from the campaign.
func (v CopyView) copies() string {
	parts := []string{"the protocol " + v.Campaign.Protocol, "all settings"}
	if v.OwnGuide {
		parts = append(parts, "the guide")
	}
	if v.Instructions {
		parts = append(parts, "the instructions")
	}
	text := "The new campaign gets " + wording.List(parts) + " of " + v.Campaign.Title + ". It gets no segments, ratings or reports."
	if v.Trained > 0 {
		text += " If its languages are the same, it also gets the training set of " + wording.Counted(v.Trained, "segment") + "."
	}
	return text
}

// A CopyMembersView chooses members of another campaign. It posts from and member (logins)
// to …/members/copy.
type CopyMembersView struct {
	templates.Page
	From    templates.Campaign
	Members []MemberChoice // those who are not members here
	There   int            // number of those who are members here already
	Errors  map[string]string
}

// already says how many members the page does not offer, because they are members already.
func (v CopyMembersView) already() string {
	const roles = "Members get the roles that they have in the other campaign."
	if v.There == 0 {
		return roles
	}
	return roles + " " + wording.Counted(v.There, "member") + " of it " + wording.Choose(v.There, "is", "are") + " in this campaign already."
}

// about returns the role of a member, and says so if the member can't sign in.
func (m MemberChoice) about() string {
	text := string(m.Role)
	if m.Adjudicates {
		text += " and adjudicator"
	}
	if !m.CanSignIn {
		text += ", can't sign in"
	}
	return text
}
