package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// An exportFormat is one that [Export] writes.
type exportFormat struct {
	name string
	fits func(p *protocol.Protocol) bool // what a protocol asks for has a place in it; nil: any
	why  string                          // it does not fit, after "the protocol is NAME; "
}

// exportFormats are in the order in which they are offered.
var exportFormats = []exportFormat{
	{name: "jsonl"},
	{"ment", isProtocol("sqm"), "ment lists scores from 0 to 4 by SQM; export ratings, csv or mtme"},
	{name: ratings},
	{"rate", isProtocol("rate"), "rate holds the scores and errors of RATE; export ratings or csv"},
	{"mqm-tsv", func(p *protocol.Protocol) bool { return p.Spans != nil }, "mqm-tsv has a row for each marked error, and none are marked here; export ratings or csv"},
	{name: "csv"},
	{name: ExactCSV},
	{name: Gold},
	{name: GoldJSON},
	{name: Directory},
	{name: "scores"},
	{suggestions, func(p *protocol.Protocol) bool { return p.Spans != nil }, "suggestions are marks of errors to decide on, and none are marked here; export ratings or csv"},
}

// ExactCSV is csv with texts as they are: a spreadsheet may run some as formulas.
const ExactCSV = "csv-exact"

// The forms of gold: a table, and JSON lines.
const (
	Gold     = "gold"
	GoldJSON = "gold-jsonl"
)

// Directory is the one format that is a directory; see [ExportTree].
const Directory = "mtme"

func isProtocol(id string) func(p *protocol.Protocol) bool {
	return func(p *protocol.Protocol) bool { return p.ID == id }
}

// AllExportFormats lists the formats that some campaign can be exported in.
func AllExportFormats() []string {
	return formatNames(func(exportFormat) bool { return true })
}

// ExportFormats lists the formats that a campaign can be exported in, as its
// protocol allows.
func ExportFormats(c campaign.Campaign) []string {
	return formatNames(func(f exportFormat) bool { return f.fits == nil || f.fits(c.Rules) })
}

func formatNames(in func(exportFormat) bool) []string {
	var names []string
	for _, f := range exportFormats {
		if in(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// checkExport refuses a format that is not there, or not for this campaign.
func checkExport(c campaign.Campaign, format string) error {
	i := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.name == format })
	if i < 0 {
		return campaign.Invalid("format", fmt.Sprintf("there is no format %q to export; use %s", format, strings.Join(ExportFormats(c), ", ")))
	}
	if f := exportFormats[i]; f.fits != nil && !f.fits(c.Rules) {
		return campaign.Invalid("format", fmt.Sprintf("the protocol of this campaign is %s; %s", c.Rules.Name, f.why))
	}
	return nil
}

// Export writes a campaign in one of [ExportFormats], in the order of import,
// as one consistent state of the database; a [Directory] as a zip archive. For
// "ment" it also returns the JSON object that maps trans_i to systems; nil
// otherwise. A format that the campaign can't be exported in is a
// *[campaign.InvalidError]. People leave under pseudonyms where the settings of c say
// so.
func Export(ctx context.Context, st *store.Store, c campaign.Campaign, format string, w io.Writer) (systems []byte, err error) {
	systems, _, err = ExportWithNotes(ctx, st, c, format, w)
	return systems, err
}

// ExportWithNotes is [Export] with notes that say, a line each, what of the campaign
// the file can't carry or has in another form.
func ExportWithNotes(ctx context.Context, st *store.Store, c campaign.Campaign, format string, w io.Writer) (systems []byte, notes []string, err error) {
	if err := checkExport(c, format); err != nil {
		return nil, nil, err
	}
	people, err := st.PseudonymsOf(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	segments := people.Segments(st.AllSegments(ctx, c))
	switch format {
	case ratings:
		return nil, nil, export.Ratings(w, c.Rules, segments)
	case "rate":
		notes, err := export.Rate(w, c.Rules, segments)
		return nil, notes, err
	case "mqm-tsv":
		notes, err := export.MQM(w, c.Rules, segments)
		return nil, notes, err
	case "csv", ExactCSV:
		suggested, err := st.HasSuggestions(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, export.CSV(w, c.Rules, export.CSVOptions{Suggestions: suggested, Exact: format == ExactCSV}, segments)
	case Gold, GoldJSON:
		return nil, nil, export.Gold(w, c.Rules, export.GoldOptions{JSON: format == GoldJSON}, segments)
	case suggestions:
		return nil, nil, export.Suggestions(w, segments)
	case "ment":
		return exportMENT(ctx, st, c, w, people, segments)
	case "scores":
		ofSystems, err := st.MetricSystemScores(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		metrics, err := st.DeclaredMetrics(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, export.Scores(w, metrics, ofSystems, segments)
	case Directory:
		archive := zip.NewWriter(w)
		notes, err := ExportTree(ctx, st, c, archive)
		if err != nil {
			return nil, nil, err
		}
		return nil, notes, archive.Close()
	}
	return nil, nil, export.JSONL(w, segments)
}

// ExportTree writes the files of a [Directory], as one consistent state of the
// database. The notes say, a line each, what is not as in the campaign.
func ExportTree(ctx context.Context, st *store.Store, c campaign.Campaign, tree export.Tree) (notes []string, err error) {
	systems, err := st.Systems(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	people, err := st.PseudonymsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	facts, err := st.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	opt := export.MTMEOptions{LanguagePair: c.LanguagePair(), Systems: systems, Annotators: inOrder(people, facts.Logins)}
	return export.MTME(tree, c.Rules, opt, people.Segments(st.AllSegments(ctx, c)))
}

// inOrder are annotators as they are called, in the order of their logins, which their
// letters follow.
func inOrder(people *campaign.Pseudonyms, logins []string) []string {
	out := make([]string, len(logins))
	for i, login := range logins {
		out[i] = people.Login(login)
	}
	return out
}

func exportMENT(ctx context.Context, st *store.Store, c campaign.Campaign, w io.Writer, people *campaign.Pseudonyms, segments export.Source) (mapping []byte, notes []string, err error) {
	facts, err := st.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	names, err := st.Systems(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	systems, notes, err := export.MENT(w, export.MENTOptions{Annotators: inOrder(people, facts.Logins), Averages: facts.Ratings == 0, Systems: names}, segments)
	if err != nil {
		return nil, nil, err
	}
	mapping, err = mentMapping(systems)
	return mapping, notes, err
}

// MENTSystems is the JSON object that maps each trans_i of a campaign in the format
// "ment" to its system. It is the one that [Export] returns, without the file.
func MENTSystems(ctx context.Context, st *store.Store, c campaign.Campaign) ([]byte, error) {
	if err := checkExport(c, "ment"); err != nil {
		return nil, err
	}
	names, err := st.Systems(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return mentMapping(names)
}

func mentMapping(systems export.MENTSystems) ([]byte, error) {
	var b bytes.Buffer
	_, err := systems.WriteTo(&b)
	return b.Bytes(), err
}

// PseudonymKey is the format of [WritePseudonymKey]. It is no format of [Export], since
// only leads may have it.
const PseudonymKey = "pseudonym-key"

// WritePseudonymKey writes who each pseudonym of a campaign is, as CSV: pseudonym,
// login, name, role, and the letter that stands for an annotator in formats and names
// of human scores that know letters alone.
func WritePseudonymKey(ctx context.Context, st *store.Store, c campaign.Campaign, w io.Writer) error {
	list, err := st.Pseudonyms(ctx, c.ID)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"pseudonym", "login", "name", "role", "letter"}) // errors are those of Flush
	for _, p := range list {
		_ = out.Write([]string{p.Pseudonym, p.Login, p.Name, string(p.Role), p.Letter})
	}
	out.Flush()
	return out.Error()
}
