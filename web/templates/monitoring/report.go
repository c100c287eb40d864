package monitoring

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"annotate/internal/report"
	"annotate/internal/wire"
	"annotate/internal/wording"
	"annotate/web/templates"
)

// A ReportView is the report of a campaign: the one that is there, and how far the
// one is that is being computed.
type ReportView struct {
	templates.Page
	Report  *report.Report // nil: none was computed yet
	Stale   string         // what has changed since; empty: nothing
	Busy    *wire.Job      // nil: none is being computed
	Large   bool           // the archive is prepared in the background
	Failed  string         // why the last one was not computed; empty: it was
	Query   string         // of the choices, without "?"; empty: nothing is chosen
	Choices ReportChoices
	// Readable are the slugs of the campaigns whose lists of segments the reader may see.
	Readable []string
}

// ReportChoices are what can be chosen, and what is.
type ReportChoices struct {
	Humans, Presets    []string
	Human, Preset      string // empty: the campaign's own
	OwnHuman           string // the campaign's own human score; empty: one has to be chosen
	Significance, Gold bool
	Beside             []ReportBeside
	References         []string
	Reference          string // empty: the first in byte order
	AllReferences      bool
	Intervals          bool
	Sensitivity        bool
	ByGroup            bool // the table of metrics is divided by their groups
	// Pseudonyms: people stand under pseudonyms. ByDefault: the settings say so.
	Pseudonyms, ByDefault bool
	Systems               []ReportSystem
	Prices                report.Prices
	About                 string          // the systems as CSV; empty: nothing is known of them
	Only                  []string        // the ids that are shown; empty: all
	Sections              []ReportSection // of the report, if there is one
}

// A ReportSection is a section that can be chosen to be shown.
type ReportSection struct {
	ID, Title string
	Only      bool
}

// price writes a price for its field.
func price(x float64) string {
	if x == 0 {
		return ""
	}
	return wording.Plain(x)
}

// A ReportSystem is a system that can be left out when metrics are judged, or a reference
// that can be judged as a system.
type ReportSystem struct {
	Name                          string
	Excluded, Reference, Included bool
}

// ownHuman names the choice of no human score in particular.
func (c ReportChoices) ownHuman() string {
	if c.OwnHuman == "" && len(c.Humans) > 1 {
		return "choose one"
	}
	return "the campaign’s own score"
}

func (c ReportChoices) excludes() bool {
	return slices.ContainsFunc(c.Systems, func(s ReportSystem) bool { return s.Excluded || s.Included })
}

// references lists the systems that are references.
func (c ReportChoices) references() []ReportSystem {
	return slices.DeleteFunc(slices.Clone(c.Systems), func(s ReportSystem) bool { return !s.Reference })
}

// A ReportBeside is a campaign whose metrics can stand beside.
type ReportBeside struct {
	Slug, Title string
	Chosen      bool
}

// path is an address below the report's, with the choices.
func (v ReportView) path(sub string) string {
	p := v.Campaign.Path("report" + sub)
	if v.Query != "" {
		p += "?" + v.Query
	}
	return p
}

func (v ReportView) lead() string {
	if v.Report == nil {
		return "What was annotated, how well annotators agree, and how systems and metrics come out."
	}
	return "As of " + v.moment(v.Report.Stamp.ComputedAt) + ", by " + v.Report.Stamp.Program + "."
}

func (v ReportView) moment(t time.Time) string { return templates.MomentOf(v.Clock, t) }

func (v ReportView) staleWords() string {
	return "Computed from the state of " + v.moment(v.Report.Stamp.ComputedAt) + "; " + v.Stale + "."
}

// chosen says in a line what is chosen.
func (c ReportChoices) chosen() string {
	var parts []string
	if c.Human != "" {
		parts = append(parts, "human score "+c.Human)
	}
	if c.Preset != "" {
		parts = append(parts, "preset "+c.Preset)
	}
	if c.Significance {
		parts = append(parts, "significance")
	}
	if c.Gold {
		parts = append(parts, "agreement in gold only")
	}
	if c.Pseudonyms {
		parts = append(parts, "pseudonyms")
	}
	if c.Reference != "" {
		parts = append(parts, "reference "+c.Reference)
	}
	if c.AllReferences {
		parts = append(parts, "all references")
	}
	if c.ByGroup {
		parts = append(parts, "metrics by group")
	}
	if c.Intervals {
		parts = append(parts, "intervals")
	}
	if c.Sensitivity {
		parts = append(parts, "ranks under other choices")
	}
	for _, s := range c.Systems {
		if s.Excluded {
			parts = append(parts, "without "+s.Name)
		}
		if s.Included {
			parts = append(parts, "with reference "+s.Name)
		}
	}
	for _, b := range c.Beside {
		if b.Chosen {
			parts = append(parts, "beside "+b.Slug)
		}
	}
	if c.About != "" {
		parts = append(parts, "what systems are")
	}
	if c.Prices != (report.Prices{}) {
		parts = append(parts, "prices")
	}
	if len(c.Only) > 0 {
		parts = append(parts, "only "+wording.List(c.Only))
	}
	if parts == nil {
		return "as the campaign has it"
	}
	return strings.Join(parts, ", ")
}

// A reportLinks is where the files of a report are; the zero value is a report that
// is a file itself.
type reportLinks struct {
	at    string   // address of the report
	query string   // behind it, with "?"; may be empty
	lists []string // slugs of the campaigns whose lists of segments the reader may see
}

func (v ReportView) links() reportLinks {
	l := reportLinks{at: v.Campaign.Path("report"), lists: v.Readable}
	if v.Query != "" {
		l.query = "?" + v.Query
	}
	return l
}

// list is the address of the list of segments that a cell counts. It is empty if there is none, or if the reader may not see it.
func (l reportLinks) list(c report.Cell) string {
	slug, _, _ := strings.Cut(c.Link, "/")
	if c.Value == 0 || math.IsNaN(c.Value) || !slices.Contains(l.lists, slug) {
		return ""
	}
	return "/campaigns/" + c.Link
}

func (l reportLinks) file(path string) string { return l.at + "/" + path + l.query }

// reportTypes are the forms in which tables are copied and saved.
var reportTypes = []struct{ ext, name string }{{"tex", "LaTeX"}, {"md", "Markdown"}, {"csv", "CSV"}}

// A reportPart is a section with its tables and figures numbered through the report.
type reportPart struct {
	report.Section
	number         int
	tables, charts int // that stand before
}

func reportParts(r report.Report) []reportPart {
	var out []reportPart
	tables, charts := 0, 0
	for i, s := range r.Sections {
		out = append(out, reportPart{s, i + 1, tables, charts})
		tables += len(s.Tables)
		charts += len(s.Figures)
	}
	return out
}

// reportOpenRows is how many rows a table of the report can have without being folded.
const reportOpenRows = 15

// reportNumber is "Table 3." or "Figure 3.".
func reportNumber(what string, n int) string { return what + " " + strconv.Itoa(n) + "." }

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// reportCellClass is how a cell stands and is set off.
func reportCellClass(c report.Column, cell report.Cell) string {
	var classes []string
	if c.Kind.Numeric() {
		classes = append(classes, "num")
	}
	if len([]rune(cell.Text)) > 32 {
		classes = append(classes, "long")
	}
	if cell.Mark != report.NoMark {
		classes = append(classes, map[report.Mark]string{report.Best: "best", report.Second: "second", report.Third: "third"}[cell.Mark])
	}
	return strings.Join(classes, " ")
}

func reportRowClass(r report.Row) string {
	var classes []string
	if r.RuleAfter {
		classes = append(classes, "rule")
	}
	if r.Total {
		classes = append(classes, "total")
	}
	return strings.Join(classes, " ")
}

// reportHead is the column whose cells name their rows: the first of texts.
func reportHead(t report.Table) int {
	for i, c := range t.Columns {
		if c.Kind == report.Text {
			return i
		}
	}
	return 0
}

func reportStamp(s report.Stamp) []templates.Pair {
	pairs := []templates.Pair{
		{Term: "Computed", Text: s.Computed()},
		{Term: "Program", Text: s.Program},
		{Term: "Random numbers", Text: reportRandom(s)},
	}
	if s.State != "" {
		pairs = append(pairs, templates.Pair{Term: "State of the data", Text: s.State})
	}
	c := s.Campaign
	if c.Slug == "" {
		return pairs
	}
	pairs = append(pairs, templates.Pair{Term: "Campaign", Text: c.Slug + ", protocol " + c.Protocol})
	if c.LanguagePair != "" {
		pairs = append(pairs, templates.Pair{Term: "Language pair", Text: c.LanguagePair})
	}
	n := c.Counts
	pairs = append(pairs, templates.Pair{Term: "Counts", Text: strings.Join([]string{
		wording.Counted(
			n.Documents, "document",
		), wording.Counted(n.Segments, "segment"), wording.Counted(n.Systems, "system"), wording.Counted(n.Translations, "translation"),
		wording.Counted(n.Annotators, "annotator"), wording.Counted(n.Ratings, "rating"), wording.Counted(n.GoldSegments, "segment") + " in gold",
	}, ", ")})
	var settings []string
	for _, x := range c.Settings {
		if x.Value != "" && x.Key != "licence" {
			settings = append(settings, x.Key+" "+x.Value)
		}
	}
	pairs = append(pairs, templates.Pair{Term: "Settings", Text: strings.Join(settings, ", ")})
	if c.Licence == "" {
		return append(pairs, templates.Pair{Term: "Licence", Text: "none is named"})
	}
	return append(pairs, templates.Pair{Term: "Licence", Text: c.Licence})
}

func reportRandom(s report.Stamp) string {
	words := []string{"seed " + strconv.FormatUint(s.Seed, 10)}
	if s.Permutations > 0 {
		words = append(words, wording.Counted(s.Permutations, "permutation"))
	}
	if s.Resamples > 0 {
		words = append(words, fmt.Sprintf("%s of %s%% intervals", wording.Counted(s.Resamples, "resample"), templates.Short(100*s.Level)))
	}
	return strings.Join(words, ", ")
}

func tableNotes(t report.Table) string { return report.Notes(t) }

// archivePath is the page that prepares the archive of a report.
func (v ReportView) archivePath() string {
	return templates.WithQuery(v.Campaign.Path("files/archive"), v.Query)
}
