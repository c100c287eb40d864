package setup

import (
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An ImportView is the page that takes files in. Its form posts file (one or
// more), upload, format, language_pair, leave_out and check to …/import as multipart/form-data.
// upload names files that are kept. They are imported if no other file is chosen.
type ImportView struct {
	templates.Page
	Form     ImportForm
	Errors   map[string]string       // by field: file, format, language_pair; "" is about the whole
	Problems *campaign.Problems      // what is wrong with the files; nothing was stored
	Report   *readmodel.ImportReport // what was stored or, where Form.Check is set, would be
	// Busy is how far the import under way is, beside which there is no form; nil: none is.
	Busy        *wire.Job
	Files       string               // those that Report is about
	Kept        string               // files that were not imported and can be, without being chosen again; empty: none
	Columns     string               // the address of the columns of a kept table, of which a lead has said what they hold; empty: none
	Fits        []string             // ids of the formats that the kept files can have
	Imports     []readmodel.Import   // the latest first
	Undone      string               // files of an import that was undone in the background; empty if there is none
	Ended       string               // files of an import that ended while nobody waited; empty: the answer is to the upload itself
	Interrupted string               // what became of an import that the server did not end, in words; empty: none
	MaxBytes    int64                // largest upload; 0: not said
	Protocol    *protocol.Protocol   // of the campaign; nil: any
	Following   *readmodel.Following // nil: the campaign follows no campaign
	Chain       ChainForm
}

// A ChainForm says which campaign to follow and how, as it was typed.
type ChainForm struct {
	Led   []templates.Option // the campaigns that can be followed
	From  string             // slug
	Where string             // conditions, one a line
	Carry []string
	// NewTexts are the texts that have changed in the followed campaign. They are not known unless Compared is set.
	NewTexts []readmodel.NewText
	Compared bool
	Source   templates.Lang
	Target   templates.Lang
	Reason   string // for taking them over
}

// listedTexts is the largest number of changed texts that the page shows.
const listedTexts = 50

// takeTexts names the button that takes the changed texts over.
func (f ChainForm) takeTexts() string {
	if !f.Compared {
		return "Take over the texts that have changed there"
	}
	return "Take over " + wording.Counted(len(f.NewTexts), "changed text")
}

// carryWords say what each of [campaign.Carries] is.
var carryWords = map[string]string{
	campaign.CarrySource:     "The cleaned source",
	campaign.CarryReference:  "The accepted text, or else the segment’s reference, as the reference",
	campaign.CarryAnswers:    "The answers, as domain and tags",
	campaign.CarryCandidates: "The candidates",
	campaign.CarryTerms:      "The terms, as given terms",
}

// An ImportForm holds what was chosen for an import.
type ImportForm struct {
	Format       string
	LanguagePair string
	LeaveOut     []string // what is left out instead of being refused
	// LowerIsBetter and Group are declared of the metrics in a file of scores.
	LowerIsBetter bool
	Group         string
	Check         bool   // find every problem, store nothing
	Upload        string // the id of files that are kept; empty: none are
}

// leaveOuts are what an import can leave out instead of refusing it.
var leaveOuts = []struct{ ID, Name, About string }{
	{
		"contradictions",
		"Leave out translations that contradict themselves",
		"In an mqm-tsv, rows of one translation may differ in its text, or say both that there is an error and that there is none. Each translation that is left out is named.",
	},
	{"systems", "Leave out systems that the campaign does not have", "In files of metric scores. Each system that is left out is named."},
}

// shownNames is how many names of a list are shown before the rest is folded.
const shownNames = 20

// formats are those the campaign can import.
func (v ImportView) formats() []format.Format { return format.Inputs(v.Protocol) }

// fitting are the formats that the kept files can have. Without kept files they are all formats.
func (v ImportView) fitting() []format.Format {
	return slices.DeleteFunc(v.formats(), func(f format.Format) bool { return len(v.Fits) > 0 && !slices.Contains(v.Fits, f.ID) })
}

// notFitting are the other formats.
func (v ImportView) notFitting() []format.Format {
	return slices.DeleteFunc(v.formats(), func(f format.Format) bool { return len(v.Fits) == 0 || slices.Contains(v.Fits, f.ID) })
}

// format is the one chosen, empty for that which the files show. After a file turned out to be in another
// one, it is the only one that fits, or empty.
func (v ImportView) format() string {
	if len(v.Fits) == 1 {
		return v.Fits[0]
	}
	if v.Problems != nil && slices.ContainsFunc(v.Problems.List, func(p *campaign.Problem) bool { return p.Field == "format" && p.Column == 0 }) {
		return ""
	}
	return v.Form.Format
}

func (v ImportView) fileHelp() string {
	if v.Kept != "" {
		return v.Kept + " is kept. Choose a file only to replace it."
	}
	s := "Spreadsheets, lines of JSON, tables and the files of other programs, also in a zip or tar archive and compressed. Choose all files that belong together. All or nothing: with one problem in one file, nothing is stored."
	if v.MaxBytes > 0 {
		s += " At most " + wording.Count(int(v.MaxBytes>>20)) + " MB in all."
	}
	return s
}

// found says that a check found no problem.
func (v ImportView) found() string {
	if v.Files == "" {
		return "No problem found."
	}
	return "No problem found in " + wording.Files(v.Files) + "."
}

// imported says which files were imported.
func (v ImportView) imported() string {
	if v.Files == "" {
		return "Imported."
	}
	return "Imported " + wording.Files(v.Files) + "."
}

// An importLink leads to a page that shows what was imported, or to what comes next.
type importLink struct{ Href, Text string }

// seenAt lists the pages that show what was imported, and then that which invites annotators.
func (v ImportView) seenAt(r readmodel.ImportReport) []importLink {
	var links []importLink
	add := func(is bool, text, path string) {
		if is {
			links = append(links, importLink{v.Campaign.Path(path), text})
		}
	}
	add(r.Segments+r.Known+r.References+r.Suggestions+r.SuggestedTo > 0, "Segments", "segments")
	add(r.Ratings > 0, "Annotators", "annotators")
	add(r.MetricScores+r.HumanScores > 0, "Report", "report")
	add(r.Judgements > 0, "Judges", "judges")
	add(r.Segments+r.Ratings > 0, "Invite annotators", "members")
	return links
}

func importTiles(r readmodel.ImportReport) []templates.Tile {
	var tiles []templates.Tile
	replaced, suggested := "", "for "+wording.Counted(r.SuggestedTo, "translation")
	if r.Replaced > 0 {
		replaced = wording.Count(r.Replaced) + " in the place of earlier ones"
		suggested += ", " + replaced
	}
	for _, n := range []struct {
		label string
		n     int
		note  string
	}{
		{"Segments", r.Segments, ""}, {"Segments added to", r.Known, ""}, {"Translations", r.Translations, ""}, {"References", r.References, ""},
		{"Human scores", r.HumanScores, ""}, {"Ratings", r.Ratings, ""}, {"Metric scores", r.MetricScores, replaced}, {"Judgements", r.Judgements, replaced}, {"Suggestions", r.Suggestions, suggested}, {"Terms", r.Terms, replaced}, {"Segments decided", r.Decided.Total(), ""},
	} {
		if n.n > 0 {
			tiles = append(tiles, templates.Tile{Label: n.label, Value: wording.Count(n.n), Note: n.note})
		}
	}
	return tiles
}

// shownTexts are the translations of a segment as it was read. Of a segment that is rated itself they are its candidates, by name.
func shownTexts(s campaign.Segment) []campaign.Translation {
	if !s.RatedItself() {
		return s.Translations
	}
	out := make([]campaign.Translation, len(s.Candidates))
	for i, c := range s.Candidates {
		out[i] = campaign.Translation{System: c.Name, Text: c.Text}
	}
	return out
}

// How much of the first segments of an import is shown: code points of a text, and systems.
const shownText, shownSystems = 300, 4
