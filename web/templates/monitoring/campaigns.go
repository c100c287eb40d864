package monitoring

import (
	"time"

	"annotate/internal/campaign"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A CampaignsView lists the campaigns that the user may look into.
type CampaignsView struct {
	templates.Page
	templates.Clock
	Campaigns []CampaignItem // by slug
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

// A CampaignItem is one campaign of the list.
type CampaignItem struct {
	Campaign     templates.Campaign
	Segments     readmodel.Counts
	Ratings      int // submitted
	Annotators   int // members who annotate, those removed not counted
	OpenProblems int
	Questions    int               // of annotators, without the problems, that wait for an answer
	Trainees     int               // annotators who wait for a decision about their training
	Waiting      readmodel.Waiting // only the segments that an adjudicator or a lead has to decide
	Redundancy   int               // annotators that each segment needs
	Submitted    time.Time         // last submission; zero: none
}

// decisions lists what needs a decision in the campaign.
func (i CampaignItem) decisions() []decision {
	var out []decision
	add := func(n int, kind, what, href string) {
		if n > 0 {
			out = append(out, decision{Kind: kind, What: what, Href: href})
		}
	}
	problems, questions, training := "", "", ""
	if i.Campaign.Role == string(campaign.Lead) {
		problems, questions, training = i.Campaign.Path("messages?show=problems"), i.Campaign.Path("messages?show=open"), i.Campaign.Path("training")
	}
	add(i.OpenProblems, "bad", wording.Counted(i.OpenProblems, "problem")+" open", problems)
	add(i.Questions, "warn", wording.Counted(i.Questions, "question")+" to answer", questions)
	add(i.Trainees, "warn", wording.Counted(i.Trainees, "annotator")+" without an attempt left", training)
	add(i.Waiting.ToAdjudicate, "info", wording.Counted(i.Waiting.ToAdjudicate, "segment")+" to adjudicate", i.Campaign.QueuePath("asked", ""))
	add(i.Waiting.Failed, "warn", wording.Counted(i.Waiting.Failed, "segment")+" failed", i.Campaign.QueuePath("failed", ""))
	if unsettled := i.Segments.Total() - i.Segments.Settled(); unsettled > 0 && i.Annotators < i.Redundancy && i.Campaign.State != string(campaign.Closed) {
		members := ""
		if i.Campaign.Role == string(campaign.Lead) {
			members = i.Campaign.Path("members")
		}
		add(1, "bad", "too few annotators", members)
	}
	return out
}

// href is where an entry of the list leads: annotators have their own pages.
func (i CampaignItem) href() string {
	if i.Campaign.Role == string(campaign.Annotator) {
		return "/work"
	}
	return i.Campaign.Path("")
}
