package monitoring

import "annotate/web/templates"

// A CampaignsView lists the campaigns that the user may look into.
type CampaignsView struct {
	templates.Page
	Campaigns []OverviewView // by slug, without agreement and scores
	MayCreate bool
	Archived  bool // the list has the archived campaigns, and otherwise the others
	Others    int  // number of campaigns in the other list
}

// title returns the title of the list.
func (v CampaignsView) title() string {
	if v.Archived {
		return "Archived campaigns"
	}
	return "Campaigns"
}
