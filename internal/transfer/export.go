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
	"annotate/internal/exchange"
	"annotate/internal/exchange/mtme"
	"annotate/internal/export"
	"annotate/internal/format"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
)

// A content is a campaign that is written: one of a database, or one that is converted.
type content struct {
	campaign campaign.Campaign
	// segments yields the segments with some of their parts, in the order of import.
	segments   func(records.Parts) export.Source
	systems    func() ([]string, error) // in byte order
	annotators func() ([]string, error) // logins or pseudonyms in the order of the logins, which letters of annotators follow
	rated      func() (bool, error)     // there are ratings
	suggested  func() (bool, error)     // there are suggestions, or ratings that say what became of some
	// metrics returns the scores of whole systems by metrics, and the metrics that are declared.
	metrics func() ([]campaign.MetricScore, []campaign.Metric, error)
}

// reading returns the content with segments that are read elsewhere, with all parts.
func (c content) reading(segments export.Source) content {
	c.segments = func(records.Parts) export.Source { return segments }
	return c
}

// A writer writes a campaign in one format. It returns what [ExportWithNotes] does.
type writer func(w io.Writer, c content) (systems []byte, notes []string, err error)

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
	format.Terms: plain(records.Texts|records.Ratings, func(w io.Writer, _ *protocol.Protocol, segments export.Source) ([]string, error) {
		return nil, export.Terms(w, segments)
	}),
	format.Answers: plain(records.Ratings, func(w io.Writer, p *protocol.Protocol, segments export.Source) ([]string, error) {
		return nil, export.Answers(w, p, segments)
	}),
	format.Ratings: plain(records.Ratings, export.Ratings),
	format.RATE:    plain(records.Texts|records.Ratings, export.Rate),
	format.MQM:     plain(records.Texts|records.Ratings, export.MQM),
	format.CSV:     writeCSV(false), format.ExactCSV: writeCSV(true),
	format.MENT: writeMENT, format.MTME: writeZip,
}

// storedWriters has the formats of what only a database holds.
var storedWriters = map[string]func(context.Context, *store.Store, io.Writer, content) error{
	format.Scores: exportScores, format.Judgements: exportJudgements, format.Checks: exportChecks,
}

// plain returns the writer of a format that needs only parts of the segments.
func plain(parts records.Parts, write func(io.Writer, *protocol.Protocol, export.Source) ([]string, error)) writer {
	return func(w io.Writer, c content) ([]byte, []string, error) {
		notes, err := write(w, c.campaign.Rules, c.segments(parts))
		return nil, notes, err
	}
}

// stored returns the content of a campaign of a database.
func stored(ctx context.Context, st *store.Store, c campaign.Campaign) (content, error) {
	people, err := st.Accounts.PseudonymsOf(ctx, c)
	return content{
		campaign:  c,
		segments:  func(parts records.Parts) export.Source { return people.Segments(st.Records.Segments(ctx, c, parts)) },
		systems:   func() ([]string, error) { return st.Records.Systems(ctx, c.ID) },
		suggested: func() (bool, error) { return st.Records.HasSuggestions(ctx, c) },
		rated: func() (bool, error) {
			facts, err := st.Records.ExportFacts(ctx, c.ID)
			return facts.Ratings > 0, err
		},
		metrics: func() ([]campaign.MetricScore, []campaign.Metric, error) {
			ofSystems, err := st.Records.MetricSystemScores(ctx, c.ID)
			if err != nil {
				return nil, nil, err
			}
			declared, err := st.Records.DeclaredMetrics(ctx, c.ID)
			return ofSystems, declared, err
		},
		annotators: func() ([]string, error) {
			facts, err := st.Records.ExportFacts(ctx, c.ID)
			out := make([]string, len(facts.Logins))
			for i, login := range facts.Logins {
				out[i] = people.Login(login)
			}
			return out, err
		},
	}, err
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
	systems, _, err = ExportWithNotes(ctx, st, c, id, Selection{}, w)
	return systems, err
}

// ExportWithNotes is [Export] of a selection that also returns notes: lines that say what the file
// leaves out or changes. For systems that are named by letters, the JSON object maps letters to systems.
func ExportWithNotes(
	ctx context.Context, st *store.Store, c campaign.Campaign, id string, sel Selection, w io.Writer,
) (systems []byte, notes []string, err error) {
	if err := checkExport(c, id); err != nil {
		return nil, nil, err
	}
	from, err := stored(ctx, st, c)
	if err != nil {
		return nil, nil, err
	}
	return sel.written(from, id, func(c content) ([]byte, []string, error) { return write(ctx, st, c, id, w) })
}

// write writes a content in a format.
func write(ctx context.Context, st *store.Store, c content, id string, w io.Writer) (systems []byte, notes []string, err error) {
	if write, ok := storedWriters[id]; ok {
		return nil, nil, write(ctx, st, w, c)
	}
	return writerOf(id)(w, c)
}

func writeCSV(exact bool) writer {
	return func(w io.Writer, c content) ([]byte, []string, error) {
		suggested, err := c.suggested()
		if err != nil {
			return nil, nil, err
		}
		notes, err := export.CSV(w, c.campaign.Rules, export.CSVOptions{Suggestions: suggested, Exact: exact}, c.segments(records.Ratings))
		return nil, notes, err
	}
}

func exportScores(_ context.Context, _ *store.Store, w io.Writer, c content) error {
	ofSystems, metrics, err := c.metrics()
	if err != nil {
		return err
	}
	return export.Scores(w, metrics, ofSystems, c.segments(records.Scores))
}

func exportJudgements(ctx context.Context, st *store.Store, w io.Writer, c content) error {
	out := export.NewJudgementWriter(w)
	if err := st.Records.EachJudgement(ctx, c.campaign, true, out.Write); err != nil {
		return err
	}
	return out.Close()
}

func exportChecks(ctx context.Context, st *store.Store, w io.Writer, c content) error {
	people, err := st.Accounts.PseudonymsOf(ctx, c.campaign)
	if err != nil {
		return err
	}
	list, err := st.Desk.Checks(ctx, c.campaign)
	if err != nil {
		return err
	}
	return export.Checks(w, people, slices.Values(list))
}

func writeZip(w io.Writer, c content) ([]byte, []string, error) {
	archive := zip.NewWriter(w)
	notes, err := writeTree(archive, c)
	if err != nil {
		return nil, nil, err
	}
	return nil, notes, archive.Close()
}

// ExportTree writes the files of "mtme", at one consistent state of the database. The
// notes are lines that say what differs from the campaign.
func ExportTree(ctx context.Context, st *store.Store, c campaign.Campaign, sel Selection, tree export.Tree) (systems []byte, notes []string, err error) {
	from, err := stored(ctx, st, c)
	if err != nil {
		return nil, nil, err
	}
	return sel.written(from, format.MTME, func(c content) ([]byte, []string, error) {
		notes, err := writeTree(tree, c)
		return nil, notes, err
	})
}

func writeTree(tree export.Tree, c content) (notes []string, err error) {
	opt := export.MTMEOptions{LanguagePair: c.campaign.LanguagePair()}
	if opt.Systems, err = c.systems(); err != nil {
		return nil, err
	}
	if opt.Annotators, err = c.annotators(); err != nil {
		return nil, err
	}
	if opt.SystemScores, opt.Metrics, err = c.metrics(); err != nil {
		return nil, err
	}
	segments, lost := exchange.Losses(c.segments(records.Everything), mtme.Format.Carries)
	notes, err = export.MTME(tree, c.campaign.Rules, opt, segments)
	return append(lost(), notes...), err
}

func writeMENT(w io.Writer, c content) (mapping []byte, notes []string, err error) {
	rated, err := c.rated()
	if err != nil {
		return nil, nil, err
	}
	opt := export.MENTOptions{Averages: !rated}
	if opt.Systems, err = c.systems(); err != nil {
		return nil, nil, err
	}
	if opt.Annotators, err = c.annotators(); err != nil {
		return nil, nil, err
	}
	systems, notes, err := export.MENT(w, opt, c.segments(records.Texts|records.Ratings|records.Scores))
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
