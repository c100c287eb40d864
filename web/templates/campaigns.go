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
	Campaign     Campaign
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

// A NewCampaignView is the form that creates a campaign. It posts the fields of its
// [CampaignForm] and an uploaded definition_file to /campaigns/new, or to
// /campaigns/new/preview for the page that annotators would see. An empty slug is made
// from the title, an empty gate is that of the protocol.
type NewCampaignView struct {
	Page
	// Problems is what is wrong with the file of a protocol. It may be nil.
	Problems  *campaign.Problems
	Protocols []*protocol.Protocol
	First     bool     // the site has no campaign yet
	From      []Option // campaigns that the user leads and can copy
	Form      CampaignForm
	Errors    map[string]string // by field; "" is about the whole form
}

// OwnProtocol is the choice of a protocol from a file in the form of a new campaign.
const OwnProtocol = "own"

// A CampaignForm holds what is typed into the form of a new campaign.
type CampaignForm struct {
	Title, Slug, Protocol              string // Protocol is an id or OwnProtocol
	SourceLang, TargetLang             string
	Redundancy, Quota, Gate, Threshold string
	// Definition is the text of an uploaded protocol that is right, and DefinitionFile the
	// name of its file. The pages send them along, so that nothing is stored before the
	// campaign exists.
	Definition, DefinitionFile string
}

// hidden lists the fields that a page sends along with their values, in the order of the form.
func (f CampaignForm) hidden() []Pair {
	return []Pair{
		{"title", f.Title}, {"slug", f.Slug}, {"protocol", f.Protocol}, {"source_lang", f.SourceLang}, {"target_lang", f.TargetLang},
		{"redundancy", f.Redundancy}, {"quota", f.Quota}, {"gate", f.Gate}, {"threshold", f.Threshold},
		{"definition", f.Definition}, {"definition_name", f.DefinitionFile},
	}
}

// A Preview is the page of a protocol with sample texts, before there is a campaign.
type Preview struct {
	Form CampaignForm
	File string // the name of the protocol's file; empty if the protocol comes with the program
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
	return append(options, Option{OwnProtocol, "A protocol of your own", "Its scores, severities, categories and weights are in a file, which you choose below."})
}

// fileHelp says what to choose as the file of a protocol.
func (f CampaignForm) fileHelp() string {
	if f.DefinitionFile != "" {
		return f.DefinitionFile + " is kept. Choose a file only to replace it."
	}
	return "A JSON object, as the README describes it under “For the researcher”. It is used if you choose one, whatever is selected above."
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
