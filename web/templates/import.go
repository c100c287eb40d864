package templates

import (
	"slices"
	"strconv"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/wording"
)

// An ImportView is the page that takes files in. Its form posts file (one or
// more), format, language_pair, leave_out and check to …/import as multipart/form-data.
type ImportView struct {
	Page
	Form     ImportForm
	Errors   map[string]string  // by field: file, format, language_pair; "" is about the whole
	Problems *campaign.Problems // what is wrong with the files; nothing was stored
	Report   *ImportReport      // what was stored, or would be
	// Busy is how far the import under way is, beside which there is no form; nil: none is.
	Busy        *ReportBusy
	Ended       string             // files of an import that ended while nobody waited; empty: the answer is to the upload itself
	Interrupted string             // what became of an import that the server did not end, in words; empty: none
	MaxBytes    int64              // largest upload; 0: not said
	Formats     []string           // that can be imported, in the order shown; nil: all that are known here
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

// An ImportReport says what an import brought.
type ImportReport struct {
	Checked                                                  bool // nothing was stored
	Segments, Translations, References, HumanScores, Ratings int
	Known                                                    int // segments that were in the campaign already and were added to
	MetricScores                                             int // of automatic metrics
	Suggestions, SuggestedTo                                 int // suggested error spans, and the translations that got them
	Replaced                                                 int // metric scores, or translations with suggestions, that took the place of earlier ones
	Metrics                                                  []string
	Systems                                                  []string
	NewAnnotators                                            []string
	Decided                                                  Counts // decisions by what followed
	// OwnSeverities and OwnCategories came with the ratings, since the protocol
	// lacks them.
	OwnSeverities, OwnCategories []string
	Notes                        []string // what else to know, in words
}

// shownNames is how many names of a list are shown before the rest is folded.
const shownNames = 20

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
	{mqmTable, "mqm-tsv", "The WMT MQM table, of either generation: one row a marked error, with the error between <v> and </v>. It brings segments and finished ratings at once.",
		"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\nsystem A\tnews-17\t1\t1\trater1\t…\t… <v>wrong</v> …\tAccuracy/Mistranslation\tMajor\nsystem B\tnews-17\t1\t1\trater1\t…\t…\tNo-error\tNo-error"},
	{"ratings", "ratings", "Finished ratings of segments that are in the campaign, with their scores and marked errors. Unknown annotators get accounts that can't sign in.", ""},
	{"references", "references", "Human translations of segments that are in the campaign: a file NAME.txt with one a line, in the order of the segments, or lines like those of jsonl.",
		`{"doc_id": "news-17", "segment_id": "1", "references": {"refA": "…", "refB": "…"}}`},
	{suggestionLines, "suggestions", "Error spans that annotators accept, change or reject on each translation; what became of them is exported with the ratings. They come before anybody begins the segment, and replace earlier ones of the translation. The origin is never shown to annotators.",
		`{"doc_id": "news-17", "segment_id": "1", "system": "system A", "origin": "…", "spans": [{"start": 4, "end": 9, "text": "…", "severity": "…"}]}`},
	{"scores", "scores", "What automatic metrics say: a file BLEU-refA.seg.score, whose name is the metric's, has for each system one line a segment, in the order of the segments; one BLEU-refA.sys.score has one line a system. Or one JSON object a line. Scores that the metric has already are replaced.",
		"system A\t31.4\nsystem A\t28.0\nsystem B\t35.5\nsystem B\t30.2\n" + `
{"metric": "BLEU-refA", "system": "system A", "doc_id": "news-17", "segment_id": "1", "score": 31.4}`},
}

// mqmTable is the format for protocols that ask for error spans and nothing else.
const mqmTable = "mqm-tsv"

// suggestionLines is the format for protocols that ask for error spans.
const suggestionLines = "suggestions"

// formats are those the campaign can import.
func (v ImportView) formats() []format {
	ids := v.Formats
	if ids == nil {
		for _, f := range importFormats {
			ids = append(ids, f.ID)
		}
	}
	var out []format
	for _, id := range ids {
		i := slices.IndexFunc(importFormats, func(f format) bool { return f.ID == id })
		switch {
		case id == mqmTable && v.Protocol != nil && (v.Protocol.Spans == nil || len(v.Protocol.Scores) > 0):
		case id == suggestionLines && v.Protocol != nil && v.Protocol.Spans == nil:
		case i < 0:
			out = append(out, format{ID: id, Name: id})
		default:
			f := importFormats[i]
			if id == "ratings" {
				f.Example = ratingsExample(v.Protocol)
			}
			out = append(out, f)
		}
	}
	return out
}

// ratingsExample is two lines of a file of ratings under a protocol.
func ratingsExample(p *protocol.Protocol) string {
	if p == nil {
		p, _ = protocol.Lookup("sqm")
	}
	line := func(system string, share int, spans string) string {
		var scores []string
		for _, s := range p.Scores {
			scores = append(scores, strconv.Quote(s.Name)+": "+strconv.Itoa(s.Min+(s.Max-s.Min)*share/4))
		}
		s := `{"doc_id": "news-17", "segment_id": "1", "system": "` + system + `", "annotator": "mara"`
		if len(scores) > 0 {
			s += `, "scores": {` + strings.Join(scores, ", ") + "}"
		}
		if p.Spans != nil {
			s += `, "spans": [` + spans + "]"
		}
		return s
	}
	return line("system A", 3, "") + `, "seconds": 41}` + "\n" + line("system B", 2, spanExample(p)) + `, "comment": "…"}`
}

func spanExample(p *protocol.Protocol) string {
	if p.Spans == nil || len(p.Spans.Severities) == 0 {
		return ""
	}
	s := `{"side": "target", "start": 4, "end": 9, "severity": ` + strconv.Quote(p.Spans.Severities[len(p.Spans.Severities)-1].ID)
	if len(p.Spans.Categories) > 0 {
		c := p.Spans.Categories[0]
		s += `, "category": ` + strconv.Quote(c.Name)
		if len(c.Sub) > 0 {
			s += `, "subcategory": ` + strconv.Quote(c.Sub[0].Name)
		}
	}
	return s + "}"
}

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

// title says what became of an import.
func (r ImportReport) title() string {
	if r.Checked {
		return "No problem found"
	}
	return "Imported"
}

// toRate reports whether there is something new for annotators.
func (r ImportReport) toRate() bool { return r.Segments > 0 || r.Ratings > 0 }

func (r ImportReport) tiles() []Tile {
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
		{"Human scores", r.HumanScores, ""}, {"Ratings", r.Ratings, ""}, {"Metric scores", r.MetricScores, replaced}, {"Suggestions", r.Suggestions, suggested}, {"Segments decided", r.Decided.total(), ""},
	} {
		if n.n > 0 {
			tiles = append(tiles, Tile{Label: n.label, Value: wording.Count(n.n), Note: n.note})
		}
	}
	return tiles
}
