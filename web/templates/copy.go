package templates

import "annotate/internal/wording"

// A CopyView is the form that makes a campaign of another one. It posts title, slug,
// source_lang, target_lang and member (logins) to …/copy.
type CopyView struct {
	Page
	Form     CampaignForm
	Members  []MemberChoice
	OwnGuide bool // the campaign has a guide of its own
	// Instructions reports whether the campaign has instructions to accept.
	Instructions bool
	Errors       map[string]string // by field; "" is about the whole form
}

// A MemberChoice is a member of a campaign who can be copied.
type MemberChoice struct {
	MemberRow
	Chosen bool
}

// copies says what is copied.
func (v CopyView) copies() string {
	parts := []string{"the protocol " + v.Campaign.Protocol, "all settings"}
	if v.OwnGuide {
		parts = append(parts, "the guide")
	}
	if v.Instructions {
		parts = append(parts, "the instructions")
	}
	return "The new campaign gets " + wording.List(parts) + " of " + v.Campaign.Title + ". It gets no segments, ratings or reports."
}

// A CopyMembersView chooses members of another campaign. It posts from and member (logins)
// to …/members/copy.
type CopyMembersView struct {
	Page
	From    Campaign
	Members []MemberChoice // those who are not members here
	There   int            // how many are members here already
	Errors  map[string]string
}

// already says how many members are not to be chosen.
func (v CopyMembersView) already() string {
	if v.There == 0 {
		return "They keep the roles that they have there."
	}
	return "They keep the roles that they have there. " + wording.Counted(v.There, "member") + " of it " + wording.Choose(v.There, "is", "are") + " in this campaign already."
}

// about says which role a member has, and if they can't sign in.
func (m MemberChoice) about() string {
	text := string(m.Role)
	if m.Adjudicates {
		text += " and adjudicator"
	}
	if !m.CanSignIn {
		text += ", has no way to sign in"
	}
	return text
}
