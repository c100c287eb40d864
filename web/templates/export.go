package templates

import (
	"net/url"
	"slices"

	"annotate/internal/wording"
)

// An ExportView offers the data of a campaign as files. Downloads are at
// …/export/{format} and …/export/ment.systems.json.
type ExportView struct {
	Page
	Segments    int
	InGold      int // of Segments
	Systems     int
	Ratings     int  // submitted
	HumanScores int  // segments with imported averages "ment"; 0: none
	Metrics     int  // of which scores were imported
	Suggested   bool // some error spans were
	Large       bool // files are prepared in the background
	Licence     string
	Pseudonyms  bool     // people leave under pseudonyms
	ByDefault   bool     // as the settings say
	Formats     []string // that the campaign offers; nil: all
	NoLanguages bool     // the campaign does not know both of its languages
}

// An exportCard is one kind of file with what it holds now.
type exportCard struct {
	ID, Name, About string
	Holds           string // in numbers
	Empty           string // why there is nothing to download yet; empty: there is
	Systems         bool   // a file beside it says which system is which
	NeedsLanguages  bool   // that is why
	Exact           string // the format with all texts as they are, where this one has not
	Lossy           bool   // it can't carry everything that a campaign may have
}

// exactCSV is csv with all texts as they are.
const exactCSV = "csv-exact"

// A LeftOutView says what of the campaign a format can't carry.
type LeftOutView struct {
	Page
	Format, Query string   // name the file in addresses
	Notes         []string // a sentence for each kind; none: it carries everything
}

// download is the address of the file.
func (v LeftOutView) download() string {
	return withQuery(v.Campaign.Path("export/"+v.Format), v.Query)
}

func (v ExportView) cards() []exportCard {
	segments := wording.Counted(v.Segments, "segment") + ", " + wording.Counted(v.Systems, "system")
	noSegments, noRatings, noGold, noMetrics, noSuggestions := "", "", "", "", ""
	if v.Segments == 0 {
		noSegments = "Nothing is imported yet."
	}
	if v.Ratings == 0 {
		noRatings = "No rating is submitted yet."
	}
	if v.Metrics == 0 {
		noMetrics = "No metric scores are imported."
	}
	if !v.Suggested {
		noSuggestions = "No suggestions are imported."
	}
	gold := wording.Count(v.InGold) + " of " + wording.Counted(v.Segments, "segment") + " in gold"
	switch {
	case v.InGold > 0:
	case v.Ratings == 0 && v.HumanScores > 0:
		gold = wording.Counted(v.HumanScores, "segment") + " with imported averages"
	default:
		noGold = "No segment is in gold yet."
	}
	all := []exportCard{
		{ID: "jsonl", Name: "Segments, jsonl", About: "Sources, references and translations, one segment a line, as they were imported. No ratings.", Holds: segments, Empty: noSegments},
		{ID: "ratings", Name: "Ratings, jsonl", About: "Every submitted rating with annotator, round, scores, marked errors, comment and active time, one a line. With the segments a new campaign can be made of it, in which what was still in work counts as complete.", Holds: wording.Counted(v.Ratings, "rating"), Empty: noRatings},
		{ID: "ment", Name: "Gold, MENT", About: "Segments in gold with average scores and each annotator's, in the format of the MENT data. Systems are numbered; a second file says which is which.", Holds: gold, Empty: noGold, Systems: true, Lossy: true},
		{ID: "rate", Name: "Ratings, RATE", About: "One line a rating in the format of the RATE data: both texts, accuracy, fluency, marked errors, and the three scores that derive from them.", Holds: wording.Counted(v.Ratings, "rating"), Empty: noRatings, Lossy: true},
		{ID: "mqm-tsv", Name: "Marked errors, WMT table", About: "The table of the WMT MQM data, which its tools read: one row a marked error, which stands between <v> and </v>, and one a rating without errors. Entered scores have no place in it. Texts are kept byte for byte, so open the csv in a spreadsheet, not this.", Holds: wording.Counted(v.Ratings, "rating"), Empty: noRatings, Lossy: true},
		{ID: "csv", Name: "Ratings, csv", About: "One row a rating with the segment's domain and status, and every score, entered or derived, for spreadsheets and statistics. Texts that a spreadsheet would run as a formula, since they begin with =, +, - or @, have an apostrophe before them; the exact file does not.", Holds: wording.Counted(v.Ratings, "rating"), Empty: noRatings, Exact: exactCSV},
		{ID: "gold", Name: "Gold, csv", About: "One row a translation in gold: every human score as a mean and as a z-score, the number of annotators, the segment's status, and whether an adjudicator or a lead decided it, with the errors that an adjudicator marked.", Holds: gold, Empty: noGold},
		{ID: "gold-jsonl", Name: "Gold, jsonl", About: "The same as the table of gold, one JSON object a line.", Holds: gold, Empty: noGold},
		{ID: "mtme", Name: "mt-metrics-eval directory", About: "A zip archive of the files that mt-metrics-eval reads: sources, references, documents, system outputs, and the protocol's scores as human scores, also z-normalised, None where nobody rated.", Holds: segments, Empty: noSegments, Lossy: true},
		{ID: suggestionLines, Name: "Suggestions, jsonl", About: "The error spans that were suggested to annotators, one translation a line; what became of each stands in the ratings. Into a new campaign they go before these.", Holds: segments, Empty: noSuggestions},
		{ID: "scores", Name: "Metric scores", About: "What automatic metrics said, as it was imported, one JSON object a line.", Holds: wording.Counted(v.Metrics, "metric"), Empty: noMetrics},
	}
	if v.NoLanguages && v.Segments > 0 {
		i := slices.IndexFunc(all, func(c exportCard) bool { return c.ID == "mtme" })
		all[i].Empty, all[i].NeedsLanguages = "Its files are named after the language pair, and the campaign does not know its languages.", true
	}
	if v.Formats == nil {
		return all
	}
	var out []exportCard
	for _, id := range v.Formats {
		if id == exactCSV {
			continue // on the card of csv
		}
		i := slices.IndexFunc(all, func(c exportCard) bool { return c.ID == id })
		if i < 0 { // a sentence is missing here, no reason to hide it
			out = append(out, exportCard{ID: id, Name: id, Holds: segments, Empty: noSegments})
			continue
		}
		out = append(out, all[i])
	}
	return out
}

// address is that of a download; query says what is not as the settings say.
func (v ExportView) address(path string) string {
	return pageAddress(v.Campaign.Path(path), pseudonymQuery(v.Pseudonyms, v.ByDefault), 1)
}

// pseudonymQuery says whether people leave under pseudonyms where that is not as the
// settings say.
func pseudonymQuery(pseudonyms, byDefault bool) url.Values {
	switch {
	case pseudonyms == byDefault:
		return url.Values{}
	case pseudonyms:
		return url.Values{"pseudonyms": {"yes"}}
	}
	return url.Values{"pseudonyms": {"no"}}
}

// maySwitch reports whether the reader may have the other names: everybody may have
// pseudonyms, and logins where the settings name people; leads may have both.
func (v ExportView) maySwitch() bool { return v.leads() || !v.ByDefault }

func (v ExportView) lead() string {
	if v.Segments == 0 {
		return "There is nothing to export yet."
	}
	return wording.Count(v.InGold) + " of " + wording.Counted(v.Segments, "segment") + " (" + wording.Percent(v.InGold, v.Segments) + ") are in gold, with " + wording.Counted(v.Ratings, "rating") + " in all rounds."
}
