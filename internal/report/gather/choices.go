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
}

// maxBeside is how many campaigns can stand beside one.
const maxBeside = 12

// ParseChoices reads choices from a query: human, preset, significance=yes,
// gold=yes, and beside, which may be repeated. What is wrong is a
// *[campaign.InvalidError]; other names are nobody's and left alone.
func ParseChoices(q url.Values) (Choices, error) {
	c := Choices{Human: q.Get("human"), Significance: q.Get("significance") == "yes", Gold: q.Get("gold") == "yes"}
	if p := q.Get("preset"); p != "" {
		var err error
		if c.Preset, err = metaeval.ParsePreset(p); err != nil {
			return c, campaign.Invalid("preset", err.Error())
		}
	}
	for _, slug := range q["beside"] {
		if slug = strings.TrimSpace(slug); slug != "" && !slices.Contains(c.Beside, slug) {
			c.Beside = append(c.Beside, slug)
		}
	}
	slices.Sort(c.Beside)
	if len(c.Beside) > maxBeside {
		return c, campaign.Invalid("beside", fmt.Sprintf("at most %d campaigns can stand side by side with this one", maxBeside))
	}
	if len(c.Human) > 200 {
		return c, campaign.Invalid("human", "there is no score of that name")
	}
	return c, nil
}

// Key is the query of the choices in one form: equal choices have equal keys; the
// empty one is that of nothing chosen.
func (c Choices) Key() string {
	q := url.Values{}
	for name, value := range map[string]string{"human": c.Human, "preset": string(c.Preset)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, yes := range map[string]bool{"significance": c.Significance, "gold": c.Gold} {
		if yes {
			q.Set(name, "yes")
		}
	}
	for _, slug := range c.Beside {
		q.Add("beside", slug)
	}
	return q.Encode()
}
