package site

import (
	"annotate/internal/campaign"
)

// People is a set of kinds of people who ask for pages.
type People uint8

// The kinds of people. To a campaign, a person is of one kind. An annotator may be an adjudicator as well.
// To the site, a person with roles in several campaigns may be of several kinds.
const (
	Strangers People = 1 << iota // not signed in
	Outsiders                    // signed in, without a role
	Annotators
	Adjudicators
	Researchers
	Leads
	Admins // of the site, whatever role they have in a campaign

	// Sides is not a kind of people. It says that side campaigns have the page, too.
	Sides

	Managers  = Leads | Admins         // who change a campaign
	Readers   = Researchers | Managers // who read its numbers
	SignedIn  = Outsiders | Annotators | Adjudicators | Readers
	Everybody = Strangers | SignedIn
)

// KindOf is the kind of a person with a role in a campaign.
func KindOf(r campaign.Role) People {
	switch r {
	case campaign.Annotator:
		return Annotators
	case campaign.Adjudicator:
		return Adjudicators
	case campaign.Researcher:
		return Researchers
	case campaign.Lead:
		return Leads
	}
	return Outsiders
}
