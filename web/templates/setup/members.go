package setup

import (
	"cmp"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A MembersView lists who belongs to a campaign. Its forms post
//
//	…/members                 login, name, role; or people, people_role
//	…/members/{login}/role    role
//	…/members/{login}/link    nothing
//	…/members/{login}/remove  nothing
//	…/members/{login}/join-link, …/withdraw  nothing
type MembersView struct {
	templates.Page
	Members []MemberRow            // by login
	Invited []InvitedRow           // those who have not accepted, by login
	Links   []templates.SignInLink // made just now
	Invite  InviteForm
	From    []templates.Option // campaigns that the user leads and whose members can be copied
	Errors  map[string]string  // by field; "" is about the whole
}

// An InvitedRow is an invitation that the person has not answered.
type InvitedRow struct {
	Login, Role, By string
	At              time.Time
	LinkUntil       time.Time // when its join link ends; zero if it has none
}

// link says in which state the join link of an invitation is, with the kind of the badge.
func (v MembersView) link(i InvitedRow) (kind, text string) {
	switch {
	case i.LinkUntil.IsZero():
		return "warn", "needs a join link"
	case i.LinkUntil.Before(v.Clock.Now):
		return "warn", "join link expired"
	}
	return "info", "has a join link"
}

// A MemberRow is one member of a campaign.
type MemberRow readmodel.Member

// roles are those that a member can be given. Somebody who has annotated stays an
// annotator, and can be an adjudicator beside.
func (m MemberRow) roles() []templates.Option {
	if m.Role != campaign.Annotator {
		return roleOptions()
	}
	var out []templates.Option
	for _, o := range roleOptions() {
		switch {
		case o.Value == string(campaign.Adjudicator):
			out = append(out, templates.Option{Value: o.Value, Label: "annotator and adjudicator", Help: o.Help})
		case !m.Fixed || o.Value == string(campaign.Annotator):
			out = append(out, o)
		}
	}
	return out
}

// chosen is the value of the role that a member has.
func (m MemberRow) chosen() string {
	if m.Adjudicates {
		return string(campaign.Adjudicator)
	}
	return string(m.Role)
}

// roleName is the name of the role that a member has.
func (m MemberRow) roleName() string {
	if m.Role == campaign.Annotator && m.Adjudicates {
		return "annotator and adjudicator"
	}
	return string(m.Role)
}

// An InviteForm holds what is typed into the forms that invite one person or
// several.
type InviteForm struct {
	Login, Name, Role  string
	People, PeopleRole string // "login, name", one a line
}

func roleOptions() []templates.Option {
	return []templates.Option{
		{Value: string(campaign.Annotator), Label: "annotator", Help: "rates; sees neither systems nor other people's ratings"},
		{Value: string(campaign.Lead), Label: "lead", Help: "sees everything and changes everything here"},
		{Value: string(campaign.Researcher), Label: "researcher", Help: "sees everything, exports, changes nothing"},
		{
			Value: string(campaign.Adjudicator),
			Label: "adjudicator",
			Help:  "decides segments that a lead asks for, beside the annotators’ ratings as A, B, C, without seeing systems or names; an annotator stays one and adjudicates beside",
		},
	}
}

// chosenRole is the role a form starts with.
func chosenRole(role string) string { return cmp.Or(role, string(campaign.Annotator)) }

func (v MembersView) lead() string {
	n := map[campaign.Role]int{}
	for _, m := range v.Members {
		if !m.Removed {
			n[m.Role]++
			if m.Adjudicates {
				n[campaign.Adjudicator]++
			}
		}
	}
	var parts []string
	for _, o := range roleOptions() {
		if k := n[campaign.Role(o.Value)]; k > 0 {
			parts = append(parts, wording.Counted(k, o.Label))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ". One person has one role in a campaign, but annotators may be adjudicators beside."
}
