package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
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
	{name: Directory},
	{name: "scores"},
	{suggestions, func(p *protocol.Protocol) bool { return p.Spans != nil }, "suggestions are marks of errors to decide on, and none are marked here; export ratings or csv"},
}

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
// *[campaign.InvalidError].
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
	var segments iter.Seq2[campaign.Segment, error] = st.AllSegments(ctx, c)
	switch format {
	case ratings:
		return nil, nil, export.Ratings(w, c.Rules, segments)
	case "rate":
		notes, err := export.Rate(w, c.Rules, segments)
		return nil, notes, err
	case "mqm-tsv":
		notes, err := export.MQM(w, c.Rules, segments)
		return nil, notes, err
	case "csv":
		suggested, err := st.HasSuggestions(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		write := export.CSV
		if suggested {
			write = export.CSVWithSuggestions
		}
		return nil, nil, write(w, c.Rules, segments)
	case suggestions:
		return nil, nil, export.Suggestions(w, segments)
	case "ment":
		return exportMENT(ctx, st, c, w, segments)
	case "scores":
		ofSystems, err := st.MetricSystemScores(ctx, c.ID)
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, export.Scores(w, ofSystems, segments)
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
	return export.MTME(tree, c.Rules, export.MTMEOptions{LanguagePair: c.LanguagePair(), Systems: systems}, st.AllSegments(ctx, c))
}

func exportMENT(ctx context.Context, st *store.Store, c campaign.Campaign, w io.Writer, segments export.Source) (mapping []byte, notes []string, err error) {
	facts, err := st.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	names, err := st.Systems(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	systems, notes, err := export.MENT(w, export.MENTOptions{Annotators: facts.Logins, Averages: facts.Ratings == 0, Systems: names}, segments)
	if err != nil {
		return nil, nil, err
	}
	var buf bytes.Buffer
	_, err = systems.WriteTo(&buf)
	return buf.Bytes(), notes, err
}
