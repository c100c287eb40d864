package evaluation

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"annotate/internal/campaign"
	"annotate/internal/metaeval"
	"annotate/internal/report"
	"annotate/internal/wording"
)

// Choices are the options that a reader of a report can choose.
type Choices struct {
	Human        string          // the human score to judge metrics by; empty: the campaign's default
	Preset       metaeval.Preset // the preset of the meta score; empty: the campaign's default
	Significance bool            // test differences between metrics
	Gold         bool            // compare annotators only over segments in gold
	Beside       []string        // slugs of other campaigns whose metrics the report shows too, in byte order
	Exclude      []string        // systems to leave out of the evaluation of metrics, in byte order
	Include      []string        // references to judge as systems, in byte order
	Reference    string          // the standard reference of the metrics; empty: the first in byte order
	// AllReferences uses the metrics of all references.
	AllReferences bool
	ByGroup       bool // divide the table of metrics by their groups
	Intervals     bool // intervals of the statistics of metrics
	Sensitivity   bool // ranks of the metrics by other presets, by other human scores, and without each system
	// Pseudonyms is "yes" if the report names people by pseudonyms, and "no" if it names
	// logins although the campaign's setting asks for pseudonyms. Empty stands for the
	// campaign's setting. See [Choices.For].
	Pseudonyms string
	Prices     report.Prices // of the annotators' work
	Systems    []report.SystemAbout
	// Only lists the ids of the sections, tables and figures that are shown. Empty: all. The computation does
	// not depend on it, and [Choices.Key] leaves it out.
	Only []string
}

// For returns the choices with Pseudonyms filled in from the campaign's settings. So a
// report with logins and one with pseudonyms never have the same [Choices.Key].
func (c Choices) For(of campaign.Campaign) Choices {
	switch {
	case c.Pseudonyms == "" && of.Settings.Pseudonyms:
		c.Pseudonyms = "yes"
	case c.Pseudonyms == "no" && !of.Settings.Pseudonyms:
		c.Pseudonyms = ""
	}
	return c
}

// texts, switches and lists have the choices of a kind, by their names in an address.
func (c *Choices) texts() map[string]*string {
	return map[string]*string{
		"human": &c.Human, "preset": (*string)(&c.Preset), "reference": &c.Reference, "pseudonyms": &c.Pseudonyms, "currency": &c.Prices.Currency,
	}
}

func (c *Choices) switches() map[string]*bool {
	return map[string]*bool{
		"significance": &c.Significance, "gold": &c.Gold, "all-references": &c.AllReferences, "by-group": &c.ByGroup,
		"intervals": &c.Intervals, "sensitivity": &c.Sensitivity,
	}
}

func (c *Choices) lists() map[string]*[]string {
	return map[string]*[]string{"beside": &c.Beside, "exclude-system": &c.Exclude, "include-reference": &c.Include, "only": &c.Only}
}

// maxBeside is how many other campaigns a report can show.
const maxBeside = 12

// Limits on the choices in an address.
const (
	maxName     = 200 // bytes of a name
	maxExcluded = 200 // number of excluded systems
	maxPrice    = 1_000_000
	maxCurrency = 12
	maxSystems  = 20_000 // bytes of the table of systems
)

// ParseChoices reads choices from a query: human, preset, significance=yes, gold=yes, reference,
// all-references=yes, by-group=yes, intervals=yes, sensitivity=yes, pseudonyms=yes|no, price-hour,
// price-word, currency, about-systems (a CSV table), and beside, exclude-system, include-reference and only,
// which may be repeated. It ignores other names. The error for a wrong value is a *[campaign.InvalidError].
func ParseChoices(q url.Values) (Choices, error) {
	var c Choices
	for name, to := range c.texts() {
		*to = q.Get(name)
	}
	for name, to := range c.switches() {
		*to = q.Get(name) == "yes"
	}
	for name, to := range c.lists() {
		*to = distinct(q[name])
	}
	if c.Preset != "" {
		var err error
		if c.Preset, err = metaeval.ParsePreset(string(c.Preset)); err != nil {
			return c, campaign.Invalid("preset", err.Error())
		}
	}
	if c.Pseudonyms != "" && c.Pseudonyms != "yes" && c.Pseudonyms != "no" {
		return c, campaign.Invalid("pseudonyms", "use yes or no")
	}
	for field, to := range map[string]*float64{"price-hour": &c.Prices.Hour, "price-word": &c.Prices.Word} {
		if q.Get(field) == "" {
			continue
		}
		x, err := strconv.ParseFloat(strings.Replace(q.Get(field), ",", ".", 1), 64)
		if err != nil || !(x >= 0 && x <= maxPrice) {
			return c, campaign.Invalid(field, fmt.Sprintf("use a number from 0 to %d, such as 25 or 0.04", maxPrice))
		}
		*to = x
	}
	c.Prices.Currency = strings.TrimSpace(c.Prices.Currency)
	if len(c.Prices.Currency) > maxCurrency || strings.ContainsFunc(c.Prices.Currency, unicode.IsControl) {
		return c, campaign.Invalid("currency", fmt.Sprintf("use at most %d bytes, such as EUR", maxCurrency))
	}
	if c.Prices.Hour == 0 && c.Prices.Word == 0 {
		c.Prices.Currency = ""
	}
	if len(q.Get("about-systems")) > maxSystems {
		return c, campaign.Invalid("systems",
			fmt.Sprintf("the table of systems is longer than %d bytes; leave out what the report need not say", maxSystems))
	}
	if q.Get("about-systems") != "" {
		var err error
		if c.Systems, err = report.ReadSystems([]byte(q.Get("about-systems")), "systems.csv"); err != nil {
			return c, campaign.Invalid("systems", err.Error())
		}
	}
	if len(c.Only) > maxExcluded {
		return c, campaign.Invalid("only", fmt.Sprintf("at most %d sections, tables and figures can be chosen", maxExcluded))
	}
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
	if len(c.Include) > maxExcluded {
		return c, campaign.Invalid("include-reference", fmt.Sprintf("at most %d references can be judged as systems", maxExcluded))
	}
	return c, nil
}

// distinct returns the different values that are not empty, in byte order.
func distinct(values []string) (out []string) {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// Query encodes the choices with Only, for an address.
func (c Choices) Query() string {
	q, _ := url.ParseQuery(c.Key())
	q["only"] = c.Only
	return q.Encode()
}

// Key encodes the choices that the report is computed by as a query. Equal choices have equal keys. The key of the
// zero value is empty.
func (c Choices) Key() string {
	q := url.Values{}
	price := func(x float64) string {
		if x == 0 {
			return ""
		}
		return wording.Plain(x)
	}
	given := map[string]string{"price-hour": price(c.Prices.Hour), "price-word": price(c.Prices.Word),
		"about-systems": report.SystemsCSV(c.Systems)}
	for name, of := range c.texts() {
		given[name] = *of
	}
	for name, value := range given {
		if value != "" {
			q.Set(name, value)
		}
	}
	for name, of := range c.switches() {
		if *of {
			q.Set(name, "yes")
		}
	}
	for name, of := range c.lists() {
		q[name] = *of
	}
	delete(q, "only")
	return q.Encode()
}
