package setup

import (
	"net/url"
	"strings"

	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// An ExportView offers the data of a campaign as files. Downloads are at
// …/export/{format} and …/export/ment.systems.json.
type ExportView struct {
	templates.Page
	Segments    int
	InGold      int // of Segments
	Systems     int
	Ratings     int  // submitted
	HumanScores int  // segments with imported averages "ment"; 0: none
	Metrics     int  // of which scores were imported
	Judges      int  // with judgements
	Checks      int  // handed out to annotators
	Suggested   bool // some error spans were
	Large       bool // files are prepared in the background
	Licence     string
	Pseudonyms  bool               // people leave under pseudonyms
	ByDefault   bool               // as the settings say
	Protocol    *protocol.Protocol // of the campaign; nil: any
	NoLanguages bool               // the campaign does not know both of its languages
	Choices     []templates.Choice // of what is written; the first option of each is the default
}

// An exportCard is one kind of file with what it holds now.
type exportCard struct {
	format.Format
	Content        string // in numbers
	Empty          string // why there is nothing to download yet; empty: there is
	NeedsLanguages bool   // that is why
}

// A LeftOutView says what of the campaign a format can't carry.
type LeftOutView struct {
	templates.Page
	Format, Query string   // name the file in addresses
	Notes         []string // a sentence for each kind; none: it carries everything
}

// download is the address of the file.
func (v LeftOutView) download() string {
	return templates.WithQuery(v.Campaign.Path("export/"+v.Format), v.Query)
}

// cards lists the files that the campaign can be exported in. A format with exact texts is
// on the card of the format that it belongs to.
func (v ExportView) cards() (out []exportCard) {
	exact := map[string]bool{}
	for _, f := range format.Outputs(v.Protocol) {
		if exact[f.Output.Exact] = true; exact[f.ID] {
			continue
		}
		c := exportCard{Format: f}
		c.Content, c.Empty = v.content(f.Output.Content)
		if f.ID == format.MTME && v.NoLanguages && v.Segments > 0 {
			c.Empty, c.NeedsLanguages = "Its files are named after the language pair, and the campaign does not know its languages.", true
		}
		out = append(out, c)
	}
	return out
}

// content says in numbers what a file holds, and why it would be empty.
func (v ExportView) content(what format.Content) (words, empty string) {
	without := func(there bool, why string) string {
		if there {
			return ""
		}
		return why
	}
	segments := wording.Counted(v.Segments, "segment")
	switch what {
	case format.ContentRatings:
		return wording.Counted(v.Ratings, "rating"), without(v.Ratings > 0, "No rating is submitted yet.")
	case format.ContentMetrics:
		return wording.Counted(v.Metrics, "metric"), without(v.Metrics > 0, "No metric scores are imported.")
	case format.ContentJudgements:
		return wording.Counted(v.Judges, "judge"), without(v.Judges > 0, "No judge has judged a translation yet.")
	case format.ContentChecks:
		return wording.Counted(v.Checks, "check"), without(v.Checks > 0, "No check was handed out yet.")
	case format.ContentSuggestions:
		return v.texts(), without(v.Suggested, "No suggestions are imported.")
	case format.ContentGold:
		if v.InGold == 0 && v.Ratings == 0 && v.HumanScores > 0 {
			return wording.Counted(v.HumanScores, "segment") + " with imported averages", ""
		}
		return wording.Count(v.InGold) + " of " + segments + " in gold", without(v.InGold > 0, "No segment is in gold yet.")
	}
	return v.texts(), without(v.Segments > 0, "Nothing is imported yet.")
}

// texts counts the segments, and the systems if translations are rated.
func (v ExportView) texts() string {
	segments := wording.Counted(v.Segments, "segment")
	if v.Protocol != nil && v.Protocol.OfSegments() {
		return segments
	}
	return segments + ", " + wording.Counted(v.Systems, "system")
}

// address is that of a file; its query says what is not as the settings say, and what was chosen, unless the format leaves no choice.
func (v ExportView) address(path string, f format.Format) string {
	query := v.query(v.Pseudonyms)
	switch f.Output.Content {
	case format.ContentMetrics, format.ContentJudgements, format.ContentChecks:
		query = pseudonymQuery(v.Pseudonyms, v.ByDefault)
	}
	return templates.PageAddress(v.Campaign.Path(path), query, 1)
}

// query is that of the page with the present choices, with or without pseudonyms.
func (v ExportView) query(pseudonyms bool) url.Values {
	query := pseudonymQuery(pseudonyms, v.ByDefault)
	for _, c := range v.Choices {
		if c.Value != c.Options[0].Value {
			query.Set(c.Name, c.Value)
		}
	}
	return query
}

// usual says in words what is written where nobody has chosen otherwise.
const usual = "everything, systems by name"

// chosen says in words what is not as usual.
func (v ExportView) chosen() string {
	var said []string
	for _, c := range v.Choices {
		for i, o := range c.Options {
			if i > 0 && o.Value == c.Value {
				said = append(said, c.Label+" "+o.Label)
			}
		}
	}
	if said == nil {
		return usual
	}
	return strings.Join(said, "; ")
}

// letters reports whether systems are named by letters.
func (v ExportView) letters() bool { return v.query(v.Pseudonyms).Get("systems") == "letters" }

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

// maySwitch reports whether the reader may choose between logins and pseudonyms. Where the settings ask for
// pseudonyms, only leads may choose.
func (v ExportView) maySwitch() bool { return v.Leads() || !v.ByDefault }

func (v ExportView) lead() string {
	if v.Segments == 0 {
		return "There is nothing to export yet."
	}
	return wording.Count(v.InGold) + " of " + wording.Counted(v.Segments, "segment") + " (" + wording.Percent(v.InGold,
		v.Segments) + ") are in gold. Annotators gave " + wording.Counted(v.Ratings, "rating") + " in all rounds."
}
