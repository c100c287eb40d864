package gather

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
)

// Choices are what a reader of a report may choose.
type Choices struct {
	Human        string          // score that metrics are judged by; empty: the campaign's default
	Preset       metaeval.Preset // of the meta score; empty: the campaign's default
	Significance bool            // test differences between metrics
	Gold         bool            // compare annotators over segments in gold alone
	Beside       []string        // slugs of campaigns whose metrics stand beside, in byte order
	Exclude      []string        // systems left out when metrics are judged, in byte order
	Reference    string          // standard reference of the metrics; empty: the first in byte order
	// AllReferences takes the metrics of all references.
	AllReferences bool
	ByGroup       bool // divide the table of metrics by their groups
	// Pseudonyms is "yes" where people leave under pseudonyms, "no" where they leave
	// under their logins though the campaign's settings say otherwise; empty: as these
	// say. See [Choices.For].
	Pseudonyms string
}

// For are the choices with what the settings of a campaign decide, so that a report
// with logins never stands for one with pseudonyms.
func (c Choices) For(of campaign.Campaign) Choices {
	switch {
	case c.Pseudonyms == "" && of.Settings.Pseudonyms:
		c.Pseudonyms = "yes"
	case c.Pseudonyms == "no" && !of.Settings.Pseudonyms:
		c.Pseudonyms = ""
	}
	return c
}

// maxBeside is how many campaigns can stand beside one.
const maxBeside = 12

// Bounds of what an address can ask for.
const (
	maxName     = 200 // bytes
	maxExcluded = 200
)

// ParseChoices reads choices from a query: human, preset, significance=yes,
// gold=yes, reference, all-references=yes, by-group=yes, pseudonyms=yes|no, and beside and exclude-system, which may be repeated. What is wrong is a
// *[campaign.InvalidError]; other names are nobody's and left alone.
func ParseChoices(q url.Values) (Choices, error) {
	c := Choices{Human: q.Get("human"), Significance: q.Get("significance") == "yes", Gold: q.Get("gold") == "yes", Reference: q.Get("reference"), AllReferences: q.Get("all-references") == "yes", ByGroup: q.Get("by-group") == "yes"}
	if p := q.Get("preset"); p != "" {
		var err error
		if c.Preset, err = metaeval.ParsePreset(p); err != nil {
			return c, campaign.Invalid("preset", err.Error())
		}
	}
	if c.Pseudonyms = q.Get("pseudonyms"); c.Pseudonyms != "" && c.Pseudonyms != "yes" && c.Pseudonyms != "no" {
		return c, campaign.Invalid("pseudonyms", "use yes or no")
	}
	c.Beside, c.Exclude = distinct(q["beside"]), distinct(q["exclude-system"])
	if len(c.Beside) > maxBeside {
		return c, campaign.Invalid("beside", fmt.Sprintf("at most %d campaigns can stand side by side with this one", maxBeside))
	}
	if len(c.Human) > maxName {
		return c, campaign.Invalid("human", "there is no score of that name")
	}
	if len(c.Reference) > maxName {
		return c, campaign.Invalid("reference", "there is no reference of that name")
	}
	if c.Reference != "" && c.AllReferences {
		return c, campaign.Invalid("reference", "a standard reference and all references exclude each other; choose one")
	}
	if len(c.Exclude) > maxExcluded {
		return c, campaign.Invalid("exclude-system", fmt.Sprintf("at most %d systems can be left out", maxExcluded))
	}
	return c, nil
}

// distinct are the values that are not empty, each once, in byte order.
func distinct(values []string) (out []string) {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// Key is the query of the choices in one form: equal choices have equal keys; the
// empty one is that of nothing chosen.
func (c Choices) Key() string {
	q := url.Values{}
	for name, value := range map[string]string{"human": c.Human, "preset": string(c.Preset), "reference": c.Reference, "pseudonyms": c.Pseudonyms} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, yes := range map[string]bool{"significance": c.Significance, "gold": c.Gold, "all-references": c.AllReferences, "by-group": c.ByGroup} {
		if yes {
			q.Set(name, "yes")
		}
	}
	for _, slug := range c.Beside {
		q.Add("beside", slug)
	}
	for _, system := range c.Exclude {
		q.Add("exclude-system", system)
	}
	return q.Encode()
}
