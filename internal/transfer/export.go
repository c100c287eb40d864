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
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
)

// A writer writes a campaign in one format. It returns what [ExportWithNotes] does.
type writer func(context.Context, *store.Store, campaign.Campaign, *campaign.Pseudonyms, io.Writer) (systems []byte, notes []string, err error)

// writers maps the id of a format to its writer.
var writers = map[string]writer{
	format.JSONL: plain(records.Texts, func(w io.Writer, _ *protocol.Protocol, segments export.Source) ([]string, error) {
		return nil, export.JSONL(w, segments)
	}),
	format.Gold: plain(records.Ratings, func(w io.Writer, p *protocol.Protocol, segments export.Source) ([]string, error) {
		return export.Gold(w, p, export.GoldOptions{}, segments)
	}),
	format.GoldJSON: plain(records.Ratings, func(w io.Writer, p *protocol.Protocol, segments export.Source) ([]string, error) {
		return export.Gold(w, p, export.GoldOptions{JSON: true}, segments)
	}),
	format.Suggestions: plain(records.Suggestions, func(w io.Writer, _ *protocol.Protocol, segments export.Source) ([]string, error) {
		return nil, export.Suggestions(w, segments)
	}),
	format.Ratings: plain(records.Ratings, export.Ratings),
	format.RATE:    plain(records.Texts|records.Ratings, export.Rate),
	format.MQM:     plain(records.Texts|records.Ratings, export.MQM),
	format.CSV:     exportCSV(false), format.ExactCSV: exportCSV(true),
	format.MENT: exportMENT, format.Scores: exportScores, format.MTME: exportZip, format.Judgements: exportJudgements, format.Checks: exportChecks,
}

// plain returns the writer of a format that needs only parts of the segments.
func plain(parts records.Parts, write func(io.Writer, *protocol.Protocol, export.Source) ([]string, error)) writer {
	return func(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
		notes, err := write(w, c.Rules, people.Segments(st.Records.Segments(ctx, c, parts)))
		return nil, notes, err
	}
}

// Formats lists the ids of the formats that a campaign can be exported in.
func Formats(c campaign.Campaign) []string { return format.IDs(format.Outputs(c.Rules)) }

// checkExport returns an error if the format does not exist or does not fit the
// campaign.
func checkExport(c campaign.Campaign, id string) error {
	output := format.Lookup(id).Output
	switch {
	case output == nil:
		return campaign.Invalid("format", fmt.Sprintf("there is no format %q to export; use %s", id, strings.Join(Formats(c), ", ")))
	case !output.Fit.OK(c.Rules):
		return campaign.Invalid("format", fmt.Sprintf("the protocol of this campaign is %s; %s", c.Rules.Name, output.Fit.Why))
	}
	return nil
}

// Export writes a campaign in one of its [Formats], in the order of import and at one
// consistent state of the database. The directory "mtme" is written as a zip archive.
// For "ment" it also returns the JSON object that maps trans_i to systems, otherwise
// nil. If the campaign cannot be exported in the format, the error is a
// *[campaign.InvalidError]. People are named by pseudonyms if the settings of c say so.
func Export(ctx context.Context, st *store.Store, c campaign.Campaign, id string, w io.Writer) (systems []byte, err error) {
	systems, _, err = ExportWithNotes(ctx, st, c, id, w)
	return systems, err
}

// ExportWithNotes is [Export] that also returns notes: lines that say what the file
// leaves out or changes.
func ExportWithNotes(ctx context.Context, st *store.Store, c campaign.Campaign, id string, w io.Writer) (systems []byte, notes []string, err error) {
	if err := checkExport(c, id); err != nil {
		return nil, nil, err
	}
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return writers[id](ctx, st, c, people, w)
}

func exportCSV(exact bool) writer {
	return func(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
		suggested, err := st.Records.HasSuggestions(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		notes, err := export.CSV(w, c.Rules, export.CSVOptions{Suggestions: suggested, Exact: exact}, people.Segments(st.Records.Segments(ctx, c, records.Ratings)))
		return nil, notes, err
	}
}

func exportScores(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
	ofSystems, err := st.Records.MetricSystemScores(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := st.Records.DeclaredMetrics(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, export.Scores(w, metrics, ofSystems, people.Segments(st.Records.Segments(ctx, c, records.Scores)))
}

func exportJudgements(ctx context.Context, st *store.Store, c campaign.Campaign, _ *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
	out := export.NewJudgementWriter(w)
	if err := st.Records.EachJudgement(ctx, c, true, out.Write); err != nil {
		return nil, nil, err
	}
	return nil, nil, out.Close()
}

func exportChecks(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
	list, err := st.Desk.Checks(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, export.Checks(w, people, slices.Values(list))
}

func exportZip(ctx context.Context, st *store.Store, c campaign.Campaign, _ *campaign.Pseudonyms, w io.Writer) ([]byte, []string, error) {
	archive := zip.NewWriter(w)
	notes, err := ExportTree(ctx, st, c, archive)
	if err != nil {
		return nil, nil, err
	}
	return nil, notes, archive.Close()
}

// ExportTree writes the files of "mtme", at one consistent state of the database. The
// notes are lines that say what differs from the campaign.
func ExportTree(ctx context.Context, st *store.Store, c campaign.Campaign, tree export.Tree) (notes []string, err error) {
	systems, err := st.Records.Systems(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	facts, err := st.Records.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	opt := export.MTMEOptions{LanguagePair: c.LanguagePair(), Systems: systems, Annotators: inOrder(people, facts.Logins)}
	return export.MTME(tree, c.Rules, opt, people.Segments(st.Records.Segments(ctx, c, records.Texts|records.Ratings|records.Scores)))
}

// inOrder returns the logins or pseudonyms of annotators in the order of the logins.
// The letters of annotators follow this order.
func inOrder(people *campaign.Pseudonyms, logins []string) []string {
	out := make([]string, len(logins))
	for i, login := range logins {
		out[i] = people.Login(login)
	}
	return out
}

func exportMENT(ctx context.Context, st *store.Store, c campaign.Campaign, people *campaign.Pseudonyms, w io.Writer) (mapping []byte, notes []string, err error) {
	facts, err := st.Records.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	names, err := st.Records.Systems(ctx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	systems, notes, err := export.MENT(w, export.MENTOptions{Annotators: inOrder(people, facts.Logins), Averages: facts.Ratings == 0, Systems: names}, people.Segments(st.Records.Segments(ctx, c, records.Texts|records.Ratings|records.Scores)))
	if err != nil {
		return nil, nil, err
	}
	mapping, err = mentMapping(systems)
	return mapping, notes, err
}

// MENTSystems returns the JSON object that maps each trans_i of a campaign in the
// format "ment" to its system, as [Export] does.
func MENTSystems(ctx context.Context, st *store.Store, c campaign.Campaign) ([]byte, error) {
	if err := checkExport(c, format.MENT); err != nil {
		return nil, err
	}
	names, err := st.Records.Systems(ctx, c.ID)
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

// PseudonymKey is the format of [WritePseudonymKey]. [Export] does not accept it, since
// only leads may have the key.
const PseudonymKey = "pseudonym-key"

// WritePseudonymKey writes the person behind each pseudonym of a campaign as CSV:
// pseudonym, login, name, role, and the letter of an annotator in formats and in names
// of human scores that use letters.
func WritePseudonymKey(ctx context.Context, st *store.Store, c campaign.Campaign, w io.Writer) error {
	list, err := st.Accounts.Pseudonyms(ctx, c.ID)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"pseudonym", "login", "name", "role", "letter"}) // out.Error returns the error later
	for _, p := range list {
		_ = out.Write([]string{p.Pseudonym, p.Login, p.Name, string(p.Role), p.Letter})
	}
	out.Flush()
	return out.Error()
}
