package templates

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wording"
)

// A CampaignsView lists the campaigns that the user may look into.
type CampaignsView struct {
	Page
	Clock
	Campaigns []CampaignItem // by slug
	MayCreate bool
	Archived  bool // the list is of archived campaigns, else of the others
	Others    int  // how many campaigns the other list has
}

// title names the list.
func (v CampaignsView) title() string {
	if v.Archived {
		return "Archived campaigns"
	}
	return "Campaigns"
}

// A CampaignItem is one campaign of the list.
type CampaignItem struct {
	Campaign     Campaign
	Segments     readmodel.Counts
	Ratings      int // submitted
	Annotators   int // members who annotate, those removed not counted
	OpenProblems int
	Waiting      readmodel.Waiting // only what an adjudicator or a lead has to decide
	Redundancy   int               // annotators that each segment needs
	Submitted    time.Time         // last submission; zero: none
}

// decisions lists what needs a decision in the campaign, in few words.
func (i CampaignItem) decisions() []decision {
	var out []decision
	add := func(n int, kind, what, href string) {
		if n > 0 {
			out = append(out, decision{Kind: kind, What: what, Href: href})
		}
	}
	problems := ""
	if i.Campaign.Role == string(campaign.Lead) {
		problems = i.Campaign.Path("messages?show=problems")
	}
	add(i.OpenProblems, "bad", wording.Counted(i.OpenProblems, "problem")+" open", problems)
	add(i.Waiting.ToAdjudicate, "info", wording.Counted(i.Waiting.ToAdjudicate, "segment")+" to adjudicate", i.Campaign.queuePath("asked"))
	add(i.Waiting.Failed, "warn", wording.Counted(i.Waiting.Failed, "segment")+" failed", i.Campaign.queuePath("failed"))
	if unsettled := i.Segments.Total() - i.Segments.Settled(); unsettled > 0 && i.Annotators < i.Redundancy && i.Campaign.State != string(campaign.Closed) {
		members := ""
		if i.Campaign.Role == string(campaign.Lead) {
			members = i.Campaign.Path("members")
		}
		add(1, "bad", "too few annotators", members)
	}
	return out
}

// A NewCampaignView is the form that creates a campaign. It posts title, slug,
// protocol, source_lang, target_lang, redundancy, quota, gate and threshold to
// /campaigns/new. An empty slug is made from the title, an empty gate is that
// of the protocol.
type NewCampaignView struct {
	Page
	Protocols []*protocol.Protocol
	First     bool     // the site has no campaign yet
	From      []Option // campaigns that the user leads, of which a copy can be made
	Form      CampaignForm
	Errors    map[string]string // by field; "" is about the whole form
}

// A CampaignForm holds what is typed into the form of a new campaign.
type CampaignForm struct {
	Title, Slug, Protocol              string
	SourceLang, TargetLang             string
	Redundancy, Quota, Gate, Threshold string
}

// EmptyCampaignForm is the form before anybody has typed: the settings of a new
// campaign with protocol p.
func EmptyCampaignForm(p *protocol.Protocol) CampaignForm {
	form, s := CampaignForm{Protocol: p.ID}, campaign.DefaultSettings(p)
	for _, k := range campaign.SettingList {
		switch k.Key {
		case "redundancy":
			form.Redundancy = k.Get(s)
		case "quota":
			form.Quota = k.Get(s)
		case "threshold":
			form.Threshold = k.Get(s)
		}
	}
	return form
}

func (v NewCampaignView) protocolOptions() []Option {
	options := make([]Option, len(v.Protocols))
	for i, p := range v.Protocols {
		options[i] = Option{p.ID, p.Name, p.About + " " + asks(p)}
	}
	return options
}

// asks says what is entered under a protocol.
func asks(p *protocol.Protocol) string {
	var scores []string
	for _, s := range p.Scores {
		scores = append(scores, s.Label+" "+strconv.Itoa(s.Min)+"–"+strconv.Itoa(s.Max))
	}
	text := "Scores: " + wording.List(scores) + "."
	switch len(scores) {
	case 1:
		text = strings.Replace(text, "Scores: Score", "Score:", 1)
	case 0:
		text = "No score is entered: it follows from the errors."
	}
	if p.Spans == nil {
		return text + " No errors are marked."
	}
	var severities []string
	for _, s := range p.Spans.Severities {
		if s.Setting == "" {
			severities = append(severities, s.Name)
		}
	}
	text += " Errors: " + wording.List(severities)
	if n := len(p.Spans.Categories); n > 0 {
		text += ", in " + strconv.Itoa(n) + " categories"
	}
	return text + "."
}

// gateDefaults says what the gate does without a choice: "SQM: on; ESA and MQM: report".
func (v NewCampaignView) gateDefaults() string {
	var parts []string
	for _, o := range gateOptions {
		var names []string
		for _, p := range v.Protocols {
			if p.GateByDefault == o.Value {
				names = append(names, p.Name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, wording.List(names)+": "+o.Value)
		}
	}
	return strings.Join(parts, "; ")
}

func (v NewCampaignView) gateOptions() []Option {
	return append([]Option{{Value: "", Label: "as usual for the protocol"}}, gateOptions...)
}

var gateOptions = []Option{
	{Value: "on", Label: "on: a segment that fails is sent back"},
	{Value: "report", Label: "report: agreement is shown, nothing is sent back"},
	{Value: "off", Label: "off: nothing is judged"},
}

// href is where an entry of the list leads: annotators have their own pages.
func (i CampaignItem) href() string {
	if i.Campaign.Role == string(campaign.Annotator) {
		return "/work"
	}
	return i.Campaign.Path("")
}

// segmentsPath is the address of the list of segments of one status or domain.
func (c Campaign) segmentsPath(status campaign.Status, domain string) string {
	return pageAddress(c.Path("segments"), queryOf("status", string(status), "domain", domain), 1)
}

// segmentPath is the address of one segment, by its row id.
func (c Campaign) segmentPath(id string) string { return c.Path("segments/" + url.PathEscape(id)) }

// leads reports whether the user may change the campaign.
func (p Page) leads() bool { return p.Campaign != nil && p.Campaign.Role == string(campaign.Lead) }
