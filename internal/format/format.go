// Package format names each outside format once: what it is called, what it is for, which
// protocols it fits, and what the pages, the help and the errors say of it. The readers
// are in package ingest and the writers in package export; package transfer names the one
// of each format.
package format

import (
	"slices"

	"annotate/internal/protocol"
)

// The ids of the formats, as commands and addresses have them.
const (
	JSONL       = "jsonl"
	MENT        = "ment"
	Table       = "table" // CSV, TSV or XLSX with a column for each system
	Ratings     = "ratings"
	RATE        = "rate"
	MQM         = "mqm-tsv"
	CSV         = "csv"
	ExactCSV    = "csv-exact" // CSV with texts as they are; a spreadsheet may run some as formulas
	Answers     = "answers"   // CSV with a row for each answer to a question
	Gold        = "gold"
	GoldJSON    = "gold-jsonl"
	MTME        = "mtme" // the one format that is a directory
	Text        = "text" // files with one text a line
	ESA         = "esa"  // tables of ratings, with batches of Appraise
	Scores      = "scores"
	References  = "references"
	Suggestions = "suggestions"
	Terms       = "terms"
	Judgements  = "judgements"
	Checks      = "checks"
	Pearmut     = "pearmut"
	Appraise    = "appraise"
)

// A Format is a kind of file that a campaign is read from, written to, or both.
type Format struct {
	ID     string
	Input  *Input  // nil: it is not imported
	Output *Output // nil: it is not exported
}

// An Input is what is known of a format that can be imported.
type Input struct {
	Name, About string // on the page
	Help        string // of the command
	// Example returns a few lines of a file, as the protocol has them.
	Example  func(p *protocol.Protocol) string
	Segments bool // it brings segments, and names their languages
	Ratings  bool // it may hold ratings, which take as long to place as to read
	Fit      Fit
}

// An Output is what is known of a format that can be exported.
type Output struct {
	Name, About string // on the page
	Help        string // of the command
	Content     Content
	None        string // what a campaign lacks where the file is empty
	Lossy       bool   // it can't carry everything that a campaign may have
	Links       bool   // it has links between errors, but none to an error that it does not contain
	Systems     bool   // a second file says which system is which
	Exact       string // the format with all texts as they are, if this one changes some
	Type        string // content type
	Ending      string // of file names
	Fit         Fit
}

// LeavesOut reports whether the file may lack something of a campaign with protocol p.
func (o Output) LeavesOut(p *protocol.Protocol) bool {
	return o.Lossy || o.Links && p != nil && p.Spans != nil && p.Spans.Links
}

// A Content says what the entries of a file are.
type Content string

// The kinds of entries that a file may have.
const (
	ContentSegments    Content = "segments"
	ContentRatings     Content = "ratings"
	ContentGold        Content = "gold"
	ContentMetrics     Content = "metrics"
	ContentSuggestions Content = "suggestions"
	ContentTerms       Content = "terms"
	ContentJudgements  Content = "judgements"
	ContentChecks      Content = "checks"
)

// A Fit says which protocols a format has a place for. The zero value is all.
type Fit struct {
	Of  func(p *protocol.Protocol) bool
	Why string // the others do not fit
}

// OK reports whether a format fits a protocol. Nil stands for any protocol.
func (f Fit) OK(p *protocol.Protocol) bool { return f.Of == nil || p == nil || f.Of(p) }

// Protocols lists the ids of the built-in protocols that fit.
func (f Fit) Protocols() []string {
	return slices.DeleteFunc(protocol.IDs(), func(id string) bool {
		p, _ := protocol.Lookup(id)
		return !f.OK(p)
	})
}

// Inputs lists the formats that can be imported into a campaign with protocol p, in the
// order in which they are offered. Nil stands for any protocol.
func Inputs(p *protocol.Protocol) []Format {
	return filter(func(f Format) bool { return f.Input != nil && f.Input.Fit.OK(p) })
}

// Outputs lists the formats that a campaign with protocol p can be exported in, in the
// order in which they are offered. Nil stands for any protocol.
func Outputs(p *protocol.Protocol) []Format {
	return filter(func(f Format) bool { return f.Output != nil && f.Output.Fit.OK(p) })
}

// Segments lists the formats of segments alone, which begin a campaign.
func Segments() []string { return []string{JSONL, MENT} }

// Lookup returns the format with an id, and the zero Format if there is none.
func Lookup(id string) Format {
	for _, f := range all {
		if f.ID == id {
			return f
		}
	}
	return Format{}
}

// IDs lists the ids of formats.
func IDs(formats []Format) []string {
	out := make([]string, len(formats))
	for i, f := range formats {
		out[i] = f.ID
	}
	return out
}

func filter(in func(Format) bool) []Format {
	return slices.DeleteFunc(slices.Clone(all), func(f Format) bool { return !in(f) })
}
