// Package report computes what a campaign's report says: the numbers of a results
// section, laid out as plain tables and figures with sentences written from them.
// It draws and formats nothing; writers of pages, LaTeX, Markdown, CSV and SVG are
// built on its values.
//
// Start at [Compute], which reads a campaign's segments once, and takes the
// judgement of metrics ([Evaluation]) as metaeval made it. A [Report] has one
// [Section] for each of: data, agreement, systems, metrics, errors, in this order;
// one that has nothing to report says so in words.
//
// # Numbers
//
// Values have full precision; [Column] says how many decimals to write. What is
// undefined is NaN, never 0, and is written "–". All scores of people are human
// scores: higher is better, so those that count errors are negative.
//
// A report has no pointers to what it was computed from and no interfaces in it,
// so that encoding/gob can keep it as it is (encoding/json has no NaN).
package report

import (
	"slices"
	"time"
)

// A Report is what there is to say about a campaign.
type Report struct {
	Title    string // of the campaign
	Stamp    Stamp
	Sections []Section
}

// The ids of sections, in their order.
const (
	DataSection      = "data"
	AgreementSection = "agreement"
	SystemsSection   = "systems"
	MetricsSection   = "metrics"
	ErrorsSection    = "errors"
)

// Section finds a section by its id.
func (r Report) Section(id string) (Section, bool) {
	for _, s := range r.Sections {
		if s.ID == id {
			return s, true
		}
	}
	return Section{}, false
}

// Tables are all tables of the report in their order, without those behind
// figures.
func (r Report) Tables() (out []Table) {
	for _, s := range r.Sections {
		out = append(out, s.Tables...)
	}
	return out
}

// Figures are all figures of the report in their order.
func (r Report) Figures() (out []Figure) {
	for _, s := range r.Sections {
		out = append(out, s.Figures...)
	}
	return out
}

// A Section is a part of a report: text, then tables, then figures.
type Section struct {
	ID         string // of [DataSection] and so on; unique in the report
	Title      string
	Paragraphs []string // plain text, whole sentences; at least one
	// Note says from what the section was computed, by which rule, and what is
	// undefined.
	Note    string
	Tables  []Table
	Figures []Figure
}

// A Stamp says what a report was computed from, so that a reader can tell
// whether it is theirs, and compute it again.
type Stamp struct {
	Program      string    // version
	ComputedAt   time.Time // UTC
	State        string    // of the data, as whoever reads them counts it; equal if nothing changed
	Seed         uint64    // of permutations and resamplings
	Permutations int       // of spa and of significance tests
	Resamples    int       // of confidence intervals
	Level        float64   // of confidence intervals, such as 0.95
	Campaign     CampaignStamp
}

// Pseudonyms reports whether people stand under pseudonyms in the report.
func (s Stamp) Pseudonyms() bool {
	return slices.Contains(s.Campaign.Settings, Setting{"pseudonyms", "yes"})
}

// A CampaignStamp is a campaign as it was read.
type CampaignStamp struct {
	Slug, Title  string
	Protocol     string // id
	LanguagePair string // "zh-en"; empty while unknown
	Licence      string // as the lead wrote it; may be empty
	Settings     []Setting
	Counts       Counts
}

// A Setting is one of the campaign's settings as text.
type Setting struct{ Key, Value string }

// Counts are how much of what there is.
type Counts struct {
	Documents, Segments, Systems, Translations, Domains, Annotators int
	Ratings                                                         int // submitted, of all rounds
	GoldSegments                                                    int
	GoldRatings                                                     int // that gold is formed from
	Spans                                                           int // errors marked in GoldRatings
	Rounds                                                          int // the highest round with a rating
	Entered                                                         int // gold values that a lead entered
	Adjudicated                                                     int // gold values that adjudicators gave
	MeansAccepted                                                   int // segments whose mean a lead accepted
}
