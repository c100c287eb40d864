package setup

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A NewCampaignView is the form that creates a campaign. It posts the fields of its
// [CampaignForm] and an uploaded definition_file to /campaigns/new, or to
// /campaigns/new/preview for the page that annotators would see. An empty slug is made
// from the title; an empty gate or redundancy is that of the protocol.
type NewCampaignView struct {
	templates.Page
	// Problems is what is wrong with the file of a protocol. It may be nil.
	Problems  *campaign.Problems
	Protocols []*protocol.Protocol
	First     bool               // the site has no campaign yet
	From      []templates.Option // campaigns that the user leads and can copy
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

// Hidden lists the fields that a page sends along with their values, in the order of the form.
func (f CampaignForm) Hidden() []templates.Pair {
	return []templates.Pair{
		{
			Term: "title",
			Text: f.Title,
		}, {Term: "slug", Text: f.Slug}, {Term: "protocol", Text: f.Protocol}, {Term: "source_lang", Text: f.SourceLang}, {Term: "target_lang", Text: f.TargetLang},
		{Term: "redundancy", Text: f.Redundancy}, {Term: "quota", Text: f.Quota}, {Term: "gate",
			Text: f.Gate}, {Term: "threshold", Text: f.Threshold},
		{Term: "definition", Text: f.Definition}, {Term: "definition_name", Text: f.DefinitionFile},
	}
}

// EmptyCampaignForm is the form before anybody has typed: the settings of a new
// campaign with protocol p. The gate and the annotators per segment are empty, which means those of the protocol that
// is chosen.
func EmptyCampaignForm(p *protocol.Protocol) CampaignForm {
	form, s := CampaignForm{Protocol: p.ID}, campaign.DefaultSettings(p)
	for _, k := range campaign.SettingList {
		switch k.Key {
		case "quota":
			form.Quota = k.Get(s)
		case "threshold":
			form.Threshold = k.Get(s)
		}
	}
	return form
}

func (v NewCampaignView) protocolOptions() []templates.Option {
	options := make([]templates.Option, len(v.Protocols))
	for i, p := range v.Protocols {
		options[i] = templates.Option{Value: p.ID, Label: p.Name, Help: p.About + " " + asks(p)}
	}
	return append(
		options,
		templates.Option{
			Value: OwnProtocol,
			Label: "A protocol of your own",
			Help:  "Its scores, severities, categories and weights are in a file, which you choose below.",
		},
	)
}

// fileHelp says what to choose as the file of a protocol.
func (f CampaignForm) fileHelp() string {
	if f.DefinitionFile != "" {
		return f.DefinitionFile + " is kept. Choose a file only to replace it."
	}
	return "A JSON object, as docs/lead.md describes it under “A protocol of your own”. It is used if you choose one, whatever is selected above."
}

// asks says what is entered under a protocol.
func asks(p *protocol.Protocol) string {
	var scores []string
	for _, s := range p.Scores {
		scores = append(scores, s.Label+" "+strconv.Itoa(s.Min)+"–"+strconv.Itoa(s.Max))
	}
	text := "Scores: " + wording.List(scores) + "."
	switch asks := p.Asks(); {
	case len(asks) > 0:
		labels := make([]string, len(p.Questions))
		for i, q := range p.Questions {
			labels[i] = "“" + q.Label + "”"
		}
		text = "Questions: " + wording.List(labels) + "."
		if p.OfSegments() {
			return text + " They are about the segment; no translation is rated."
		}
	case len(scores) == 1:
		text = strings.Replace(text, "Scores: Score", "Score:", 1)
	case len(scores) == 0:
		text = "No score is entered: it follows from the errors."
	}
	switch {
	case p.Spans == nil:
		return text + " No errors are marked."
	case p.Given != "":
		return "Questions about each given term. No score is entered, and nothing is marked."
	case p.Spans.OfTerms():
		return "Terms are marked, in " + strconv.Itoa(len(p.Spans.Categories)) + " categories. No score is entered."
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

// redundancyDefaults says how many annotators a segment has without a choice: "2; Reference and Review: 1".
func (v NewCampaignView) redundancyDefaults() string {
	usual, others := strconv.Itoa(campaign.UsualRedundancy), map[int][]string{}
	for _, p := range v.Protocols {
		if n := campaign.DefaultSettings(p).Redundancy; n != campaign.UsualRedundancy {
			others[n] = append(others[n], p.Name)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(others)) {
		usual += "; " + wording.List(others[n]) + ": " + strconv.Itoa(n)
	}
	return usual
}

// gateDefaults says what the gate does without a choice: "SQM: on; ESA and MQM: report".
func (v NewCampaignView) gateDefaults() string {
	var parts []string
	for _, o := range gateOptions {
		var names []string
		for _, p := range v.Protocols {
			if p.Gate != "" && p.GateByDefault == o.Value {
				names = append(names, p.Name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, wording.List(names)+": "+o.Value)
		}
	}
	return strings.Join(parts, "; ")
}

func (v NewCampaignView) gateOptions() []templates.Option {
	return append([]templates.Option{{Value: "", Label: "as usual for the protocol"}}, gateOptions...)
}

var gateOptions = []templates.Option{
	{Value: "on", Label: "on: a segment that fails is sent back"},
	{Value: "report", Label: "report: agreement is shown, nothing is sent back"},
	{Value: "off", Label: "off: nothing is judged"},
}
