package templates

import (
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/wire"
	"annotate/internal/wording"
)

// An ImportView is the page that takes files in. Its form posts file (one or
// more), format, language_pair, leave_out and check to …/import as multipart/form-data.
type ImportView struct {
	Page
	Form     ImportForm
	Errors   map[string]string       // by field: file, format, language_pair; "" is about the whole
	Problems *campaign.Problems      // what is wrong with the files; nothing was stored
	Report   *readmodel.ImportReport // what was stored or, where Form.Check is set, would be
	// Busy is how far the import under way is, beside which there is no form; nil: none is.
	Busy *wire.Job
	Clock
	Imports     []readmodel.Import // the latest first
	Undone      string             // files of an import that was undone in the background; empty if there is none
	Ended       string             // files of an import that ended while nobody waited; empty: the answer is to the upload itself
	Interrupted string             // what became of an import that the server did not end, in words; empty: none
	MaxBytes    int64              // largest upload; 0: not said
	Protocol    *protocol.Protocol // of the campaign; nil: any
}

// An ImportForm holds what was chosen for an import.
type ImportForm struct {
	Format       string
	LanguagePair string
	LeaveOut     []string // what is left out instead of being refused
	// LowerIsBetter and Group are declared of the metrics in a file of scores.
	LowerIsBetter bool
	Group         string
	Check         bool // find every problem, store nothing
}

// leaveOuts are what an import can leave out instead of refusing it.
var leaveOuts = []struct{ ID, Name, About string }{
	{"contradictions", "Leave out translations that contradict themselves", "In an mqm-tsv, rows of one translation may differ in its text, or say both that there is an error and that there is none. Each translation that is left out is named."},
	{"systems", "Leave out systems that the campaign does not have", "In files of metric scores. Each system that is left out is named."},
}

// shownNames is how many names of a list are shown before the rest is folded.
const shownNames = 20

// formats are those the campaign can import.
func (v ImportView) formats() []format.Format { return format.Inputs(v.Protocol) }

// format is the one chosen: the first at the beginning, and none after a file turned
// out to be in another one.
func (v ImportView) format() string {
	if v.Problems != nil && slices.ContainsFunc(v.Problems.List, func(p *campaign.Problem) bool { return p.Field == "format" && p.Column == 0 }) {
		return ""
	}
	if formats := v.formats(); v.Form.Format == "" && len(formats) > 0 {
		return formats[0].ID
	}
	return v.Form.Format
}

func (v ImportView) fileHelp() string {
	s := "UTF-8, one JSON object or one row a line. All or nothing: with one problem in one file, nothing is stored."
	if v.MaxBytes > 0 {
		s += " At most " + wording.Count(int(v.MaxBytes>>20)) + " MB in all."
	}
	return s
}

func importTiles(r readmodel.ImportReport) []Tile {
	var tiles []Tile
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
		{"Human scores", r.HumanScores, ""}, {"Ratings", r.Ratings, ""}, {"Metric scores", r.MetricScores, replaced}, {"Judgements", r.Judgements, replaced}, {"Suggestions", r.Suggestions, suggested}, {"Segments decided", r.Decided.Total(), ""},
	} {
		if n.n > 0 {
			tiles = append(tiles, Tile{Label: n.label, Value: wording.Count(n.n), Note: n.note})
		}
	}
	return tiles
}
