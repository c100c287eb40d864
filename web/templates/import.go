package templates

import (
	"annotate/internal/campaign"
)

// An ImportView is the page that takes files in. Its form posts file (one or
// more), format, language_pair and check to …/import as multipart/form-data.
type ImportView struct {
	Page
	Form     ImportForm
	Errors   map[string]string  // by field: file, format, language_pair; "" is about the whole
	Problems *campaign.Problems // what is wrong with the files; nothing was stored
	Report   *ImportReport      // what was stored, or would be
	MaxBytes int64              // largest upload; 0: not said
}

// An ImportForm holds what was chosen for an import.
type ImportForm struct {
	Format       string
	LanguagePair string
	Check        bool // find every problem, store nothing
}

// An ImportReport says what an import brought.
type ImportReport struct {
	Checked                                                  bool // nothing was stored
	Segments, Translations, References, HumanScores, Ratings int
	Systems                                                  []string
	NewAnnotators                                            []string
	Decided                                                  Counts // decisions by what followed
}

// A format is a kind of file, with what is in it.
type format struct {
	ID, Name, About string
	Example         string
}

// importFormats are the kinds of file that can be imported.
var importFormats = []format{
	{"jsonl", "jsonl", "Segments: one JSON object a line, with the source and every system's translation.",
		`{"doc_id": "news-17", "segment_id": "1", "domain": "news", "source": "…", "translations": {"system A": "…", "system B": "…"}}
{"doc_id": "news-17", "segment_id": "2", "domain": "news", "source": "…", "translations": {"system A": "…", "system B": "…"}}`},
	{"ment", "MENT", "Segments with numbered translations and, where they have been rated, scores by annotator.",
		`{"qid": "1", "src_lang": "zh", "trans_lang": "en", "src": "…", "ref": "…", "trans_0": "…", "trans_1": "…"}
{"qid": "2", "src_lang": "zh", "trans_lang": "en", "src": "…", "trans_0": "…", "trans_0_annotators": ["A", "B"], "trans_0_scores": [3, 4]}`},
	{"ratings", "ratings", "Finished ratings of segments that are in the campaign. Unknown annotators get accounts that can't sign in.",
		`{"doc_id": "news-17", "segment_id": "1", "system": "system A", "annotator": "mara", "scores": {"sqm": 3}, "seconds": 41}
{"doc_id": "news-17", "segment_id": "1", "system": "system B", "annotator": "mara", "scores": {"sqm": 2}, "comment": "…"}`},
}

func (v ImportView) format() string {
	if v.Form.Format == "" {
		return importFormats[0].ID
	}
	return v.Form.Format
}

func (v ImportView) fileHelp() string {
	s := "UTF-8, one JSON object a line. All or nothing: with one problem in one file, nothing is stored."
	if v.MaxBytes > 0 {
		s += " At most " + count(int(v.MaxBytes>>20)) + " MB in all."
	}
	return s
}

// title says what became of an import.
func (r ImportReport) title() string {
	if r.Checked {
		return "No problem found"
	}
	return "Imported"
}

func (r ImportReport) tiles() []Tile {
	var tiles []Tile
	for _, n := range []struct {
		label string
		n     int
	}{
		{"Segments", r.Segments}, {"Translations", r.Translations}, {"References", r.References},
		{"Human scores", r.HumanScores}, {"Ratings", r.Ratings}, {"Segments decided", r.Decided.total()},
	} {
		if n.n > 0 {
			tiles = append(tiles, Tile{Label: n.label, Value: count(n.n)})
		}
	}
	return tiles
}
