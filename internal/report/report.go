// Package report computes the report of a campaign: tables and figures as plain values, with sentences about
// them. [LaTeX], [Markdown] and [CSV] write tables, and [SVG] draws figures. These only round, align and
// escape. Packages web/templates/monitoring and web show the same values as a page and as a file.
//
// Start at [Compute]. It reads a campaign's segments once and takes the evaluation of metrics ([Evaluation])
// from package metaeval. A [Report] has the sections data, agreement, systems, metrics, errors and methods,
// in this order. There are further sections for chains, for terms, and for comparisons of campaigns. A
// [Section] without data says so in a sentence.
//
// # Numbers
//
// Values have full precision, and [Column] says how many decimals to write. Undefined
// values are NaN, never 0, and are written "–". All human scores are higher-is-better,
// so scores that count errors are negative.
//
// In LaTeX the best value of a column is bold, the second underlined and the third italic.
// Markdown cannot underline, so there the second is bold and italic. A legend below the
// table explains the marks. CSV has full precision and no marks.
//
// A report has no pointers to its input and no interfaces, so encoding/gob can store
// it. (encoding/json has no NaN.)
package report

import (
	"slices"
	"time"

	"annotate/internal/campaign"
)

// A Report is the report of a campaign.
type Report struct {
	Title    string // the title of the campaign
	Stamp    Stamp
	Sections []Section
}

// The ids of sections, in their order.
const (
	DataSection      = "data"
	ChainSection     = "chain" // only if the campaign follows another one, or rates segments
	AgreementSection = "agreement"
	SystemsSection   = "systems"
	BesideSection    = "beside" // only if campaigns share translations
	MetricsSection   = "metrics"
	TermsSection     = "terms" // only if the protocol is about terms
	ErrorsSection    = "errors"
	MethodsSection   = "methods"
)

// Section returns the section with the given id.
func (r Report) Section(id string) (Section, bool) {
	for _, s := range r.Sections {
		if s.ID == id {
			return s, true
		}
	}
	return Section{}, false
}

// Tables returns all tables of the report in their order, without the tables of
// figures.
func (r Report) Tables() (out []Table) {
	for _, s := range r.Sections {
		out = append(out, s.Tables...)
	}
	return out
}

// Figures returns all figures of the report in their order.
func (r Report) Figures() (out []Figure) {
	for _, s := range r.Sections {
		out = append(out, s.Figures...)
	}
	return out
}

// IDs lists the ids that [Report.Only] takes: of each section, then of its tables and figures.
func (r Report) IDs() (ids []string) {
	for _, s := range r.Sections {
		ids = append(ids, s.ID)
		for _, t := range s.Tables {
			ids = append(ids, t.ID)
		}
		for _, f := range s.Figures {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Only returns the report with the sections, tables and figures that ids name, in the order of the report. If
// ids name a table or a figure but not its section, the section keeps its note and loses its text. Without
// ids Only returns the whole report. unknown lists the ids that the report does not have.
func (r Report) Only(ids []string) (part Report, unknown []string) {
	if len(ids) == 0 {
		return r, nil
	}
	found := map[string]bool{}
	named := func(id string) bool {
		is := slices.Contains(ids, id)
		found[id] = found[id] || is
		return is
	}
	part = r
	part.Sections = nil
	for _, s := range r.Sections {
		whole := named(s.ID)
		tables := slices.DeleteFunc(slices.Clone(s.Tables), func(t Table) bool { return !named(t.ID) })
		figures := slices.DeleteFunc(slices.Clone(s.Figures), func(f Figure) bool { return !named(f.ID) })
		switch {
		case whole:
			part.Sections = append(part.Sections, s)
		case len(tables)+len(figures) > 0:
			s.Paragraphs, s.Tables, s.Figures = nil, tables, figures
			part.Sections = append(part.Sections, s)
		}
	}
	return part, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id] })
}

// A Section is a part of a report: text, then tables, then figures.
type Section struct {
	ID         string // [DataSection], [AgreementSection] and so on; unique in the report
	Title      string
	Paragraphs []string // plain text, whole sentences; at least one
	// Note names the data and the rules of the section, and says what is undefined.
	Note    string
	Tables  []Table
	Figures []Figure
}

// A Stamp identifies the data and the parameters of a report, so that a reader can
// check and repeat the computation.
type Stamp struct {
	Program      string    // the program and its version
	ComputedAt   time.Time // UTC
	State        string    // identifies the state of the data; it changes with the data
	Seed         uint64    // the seed of permutations and resamples
	Permutations int       // the number of permutations of soft pairwise accuracy and significance tests
	Resamples    int       // the number of resamples of confidence intervals
	Level        float64   // the level of confidence intervals, such as 0.95
	Campaign     CampaignStamp
}

// Pseudonyms reports whether the report names people by pseudonyms.
func (s Stamp) Pseudonyms() bool {
	return slices.Contains(s.Campaign.Settings, Setting{"pseudonyms", "yes"})
}

// Computed is the time of the computation, with the campaign's time zone. Without a campaign the zone is
// UTC.
func (s Stamp) Computed() string {
	zone := time.UTC
	for _, x := range s.Campaign.Settings {
		if x.Key == "timezone" {
			zone = campaign.Settings{Timezone: x.Value}.Location()
		}
	}
	return s.ComputedAt.In(zone).Format("2006-01-02 15:04:05") + " " + zone.String()
}

// A CampaignStamp describes the campaign at the time of the computation.
type CampaignStamp struct {
	Slug, Title  string
	Protocol     string // id
	LanguagePair string // such as "zh-en"; empty if unknown
	Licence      string // as the lead wrote it; may be empty
	Settings     []Setting
	Counts       Counts
}

// A Setting is one of the campaign's settings as text.
type Setting struct{ Key, Value string }

// Counts are the sizes of a campaign.
type Counts struct {
	Documents, Segments, Systems, Translations, Domains, Annotators int
	Ratings                                                         int // submitted ratings of all rounds
	GoldSegments                                                    int // segments in gold
	GoldRatings                                                     int // ratings that gold is formed from
	Spans                                                           int // errors marked in GoldRatings and in adjudications that are gold
	Rounds                                                          int // the highest round with a rating
	Entered                                                         int // gold values that a lead entered
	Adjudicated                                                     int // gold values that adjudicators gave
	MeansAccepted                                                   int // segments whose mean a lead accepted
}
