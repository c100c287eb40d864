// Package transfer imports files into a campaign and exports it. It connects the readers
// of package ingest and the writers of package export with the store. The command line
// and the web both use it.
package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// readers maps the id of a format to its reader.
var readers = map[string]reader{
	format.JSONL: importSegments, format.MENT: importSegments, format.Table: importSegments, format.MQM: importTable,
	format.Ratings: about((*intake.Store).ImportRatings, func(s source) iter.Seq2[campaign.RatingLine, error] {
		return changed(ingest.Ratings(s.in, s.c.Rules, s.opt), func(line *campaign.RatingLine) {
			noteSourceErrors(s.c, s.opt.Notes, line.Spans, line.Place)
		})
	}),
	format.Scores: about((*intake.Store).ImportScores, func(s source) iter.Seq2[campaign.MetricScore, error] {
		s.opt.OfSegments = s.c.Rules.OfSegments()
		s.opt.Systems, s.opt.LeaveOutSystems = s.systems, slices.Contains(s.req.LeaveOut, OtherSystems)
		return changed(ingest.Scores(s.in, s.opt), func(line *campaign.MetricScore) {
			if s.req.LowerIsBetter && line.LowerIsBetter == nil {
				line.LowerIsBetter = &s.req.LowerIsBetter
			}
			line.Group = cmp.Or(line.Group, s.req.Group)
		})
	}),
	format.References: about((*intake.Store).ImportReferences, func(s source) iter.Seq2[campaign.ReferenceText, error] {
		return ingest.References(s.in, s.opt)
	}),
	format.Suggestions: about((*intake.Store).ImportSuggestions, func(s source) iter.Seq2[campaign.SuggestionLine, error] {
		return ingest.Suggestions(s.in, s.c.Rules, s.opt)
	}),
	format.Terms: about((*intake.Store).ImportTerms, func(s source) iter.Seq2[campaign.TermLine, error] {
		return ingest.Terms(s.in, s.opt)
	}),
	format.Judgements: about((*intake.Store).ImportJudgements, func(s source) iter.Seq2[campaign.JudgementLine, error] {
		return ingest.Judgements(s.in, s.c.Rules, s.opt)
	}),
}

// A source is a file of a request, about segments that a campaign has.
type source struct {
	c       campaign.Campaign
	req     Request
	systems []string // of the campaign
	in      io.Reader
	opt     ingest.Options // with the name of the file
}

// about returns the reader of a format about segments that the campaign has. read reads a file, and take
// takes the lines of all files.
func about[T any](
	take func(*intake.Store, context.Context, string, iter.Seq2[T, error], intake.ImportOptions) (readmodel.ImportReport, error),
	read func(source) iter.Seq2[T, error],
) reader {
	return func(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions,
		notes *ingest.Notes) (readmodel.ImportReport, error) {
		systems, err := st.Records.Systems(ctx, c.ID)
		if err == nil && len(systems) == 0 {
			err = campaign.Invalid(
				"format",
				fmt.Sprintf(
					"the campaign has no segments yet, and %s are about segments that are in it; import segments first, in the format %s", req.Format,
					strings.Join(format.Segments(), " or "),
				),
			)
		}
		if err != nil {
			return readmodel.ImportReport{}, err
		}
		lines := eachFile(req, func(f File) iter.Seq2[T, error] {
			return read(source{c, req, systems, f.Reader, ingest.Options{File: f.Name, Notes: notes}})
		})
		return take(st.Intake, ctx, c.ID, lines, opt)
	}
}

// A File is a file to import, or a folder of files.
type File struct {
	Name   string // for messages
	Reader io.Reader
	Folder string // the path of a folder, and then Reader is nil
}

// A Request says what to import.
type Request struct {
	Format     string // one of [format.Inputs]; empty: that which all files certainly have
	Recognised bool   // the files showed the format, which a note then says
	// LanguagePair selects the lines of one language pair, which must be the campaign's.
	// If it is empty, every line must be of the campaign's pair.
	LanguagePair string
	Files        []File // also folders, zip and tar archives, and compressed with gzip or zstd
	// LowerIsBetter and Group are the direction and the group of metrics in files of
	// scores. They apply where the lines of a file do not declare them.
	LowerIsBetter bool
	Group         string
	Table         ingest.TableOptions // for the format table
	LeaveOut      []string            // problems that are left out instead of refused; see [LeaveOuts]
	ByID          string              // the id of the user; empty for the command line
	Check         bool                // find all problems, but store nothing
	// Placed, if set, is called after everything is read and checked, with the number of
	// ratings of a large import that count so far and the number of all ratings.
	Placed func(done, all int)

	again []exchange.File // the files, for formats whose files are read together
}

// ForTable returns the format of files that are to be read with options of a table: [format.Table], if there are any. It reports
// false if another format was chosen.
func ForTable(chosen string, table ingest.TableOptions) (string, bool) {
	switch given := table.Sheet != "" || table.Header != 0 || table.Roles != nil; {
	case !given:
		return chosen, true
	case chosen == "":
		return format.Table, true
	}
	return chosen, chosen == format.Table
}

// The values of Request.LeaveOut.
const (
	// Contradictions are translations whose rows in a table contradict each other.
	Contradictions = "contradictions"
	// OtherSystems are systems with scores that the campaign does not have.
	OtherSystems = "systems"
)

// LeaveOuts lists the values of Request.LeaveOut.
func LeaveOuts() []string { return []string{Contradictions, OtherSystems} }

// Import reads files into a campaign. It imports all of them or, on an error, none. The
// error is a *[campaign.Problems] that lists all problems in the files, a
// *[campaign.InvalidError] if the request is wrong, or any other error.
func Import(ctx context.Context, st *store.Store, c campaign.Campaign, req Request) (readmodel.ImportReport, error) {
	in, err := req.open()
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	defer in.close()
	read, ok := readerOf(req.Format)
	if !ok {
		return readmodel.ImportReport{}, campaign.Invalid(
			"format", fmt.Sprintf("there is no format %q to import; use %s", req.Format, strings.Join(format.IDs(format.Inputs(nil)), ", ")),
		)
	}
	about := format.Lookup(req.Format).Input
	if !about.Fit.OK(c.Rules) {
		return readmodel.ImportReport{}, campaign.Invalid("format",
			fmt.Sprintf(about.Fit.Why, c.Rules.Name, strings.Join(about.Fit.Protocols(), " or ")))
	}
	opt := intake.ImportOptions{File: req.names(), ByID: req.ByID, Check: req.Check, Placed: req.Placed}
	if req.LanguagePair != "" && !about.Segments {
		return readmodel.ImportReport{}, campaign.Invalid(
			"language pair", "files of the format "+req.Format+" name no languages; leave the language pair empty",
		)
	}
	for _, what := range req.LeaveOut {
		if !slices.Contains(LeaveOuts(), what) {
			return readmodel.ImportReport{}, campaign.Invalid(
				"leave out", fmt.Sprintf("an import can't leave out %q; use %s", what, strings.Join(LeaveOuts(), " or ")),
			)
		}
	}
	if (req.LowerIsBetter || req.Group != "") && req.Format != format.Scores {
		return readmodel.ImportReport{}, campaign.Invalid(
			"lower is better", "only files of metric scores have a direction and a group; leave both empty for the format "+req.Format,
		)
	}
	var notes ingest.Notes
	report, err := read(ctx, st, c, req, opt, &notes)
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		problems.Summary = cmp.Or(summary(problems), ignored(notes))
	}
	if err != nil {
		return report, err
	}
	if req.Recognised {
		report.Notes = append(report.Notes, wording.Counted(len(in.list), "file")+" recognised as "+req.Format)
	}
	for _, n := range notes.List {
		report.Notes = append(report.Notes, n.String())
	}
	if about.Segments && !req.Check {
		after, err := st.Records.Campaign(ctx, c.Slug)
		if err == nil && after.LanguagePair() == "" {
			report.Notes = append(
				report.Notes,
				"the campaign does not know its languages, and the file does not name them; name them in the settings of the campaign, or with annotate campaign set "+c.Slug+" --source-lang en --target-lang de",
			)
		}
	}
	return report, nil
}

// open unpacks the files of a request and recognises their format. The caller closes the result.
func (req *Request) open() (*inputs, error) {
	if len(req.Files) == 0 {
		return nil, campaign.Invalid("file", "choose a file to import")
	}
	in, err := openInputs(req.Files)
	if err != nil {
		return nil, err
	}
	if len(in.list) == 0 {
		in.close()
		return nil, campaign.Invalid("file", req.names()+" has no files; check that it is the right one")
	}
	if req.Format == "" {
		heads, err := in.heads()
		if err == nil {
			req.Recognised = true
			req.Format, err = recognise(heads)
		}
		if err != nil {
			in.close()
			return nil, err
		}
	}
	if exchangedFormat(req.Format) != nil {
		req.again, err = in.again()
	}
	if err != nil {
		in.close()
		return nil, err
	}
	if req.again == nil {
		req.Files = in.files()
	}
	return in, nil
}

// names lists the files of a request.
func (req *Request) names() string {
	names := make([]string, len(req.Files))
	for i, f := range req.Files {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// summary returns a sentence that says how to solve all problems at once, if there is a
// way.
func summary(problems *campaign.Problems) string {
	contradictions, first := countKind(problems, ingest.Contradiction)
	if contradictions > 0 {
		return fmt.Sprintf(
			"rows of the table contradict each other, first at %s:%d; correct them, or leave out the translations that they are about (--leave-out %s on the command line, a box on the page)",
			first.File, first.Line, Contradictions,
		)
	}
	unknown, first := countKind(problems, campaign.UnknownSegment)
	if unknown > 1 && unknown == problems.Count() {
		return fmt.Sprintf(
			"%d lines are about segments that the campaign does not have, first at %s:%d; check that the files belong to this campaign (its export in the format jsonl lists its segments), or import the segments first",
			unknown, first.File, first.Line,
		)
	}
	if other, first := countKind(problems, campaign.OtherText); other > 1 && other == problems.Count() {
		return fmt.Sprintf(
			"%d texts are not those of the campaign, first at %s:%d; check that the file belongs to this campaign, and that no program has changed it: spreadsheets change quotation marks, line breaks and long texts when they save a file",
			other, first.File, first.Line,
		)
	}
	if again, first := countKind(problems, campaign.RatedAlready); again > 1 && again == problems.Count() {
		return fmt.Sprintf(
			"%d ratings are in the campaign already, first at %s:%d, and no other problem was found; the file, or a part of it, was imported before, so nothing is left to do, or leave these ratings out",
			again, first.File, first.Line,
		)
	}
	return ""
}

// ignored names the first key of the files that their format does not have. It may be a misspelt one that is missing now.
func ignored(notes ingest.Notes) string {
	for _, n := range notes.List {
		if n.IgnoresKey() {
			return n.String() + "; check its spelling"
		}
	}
	return ""
}

// countKind returns the number of problems of a kind, and the first of them.
func countKind(problems *campaign.Problems, kind string) (n int, first *campaign.Problem) {
	for _, p := range problems.List {
		if p.Kind != kind {
			continue
		}
		if n += 1 + p.Alike; first == nil {
			first = p
		}
	}
	return n, first
}

// A reader imports the files of one format. It adds the notes of package ingest.
type reader func(context.Context, *store.Store, campaign.Campaign, Request, intake.ImportOptions,
	*ingest.Notes) (readmodel.ImportReport, error)

// languages returns options with the languages of the campaign and the selected pair.
func languages(c campaign.Campaign, pair string) (ingest.Options, error) {
	known := ingest.Options{SourceLang: c.SourceLang, TargetLang: c.TargetLang}
	if pair == "" {
		return known, nil
	}
	source, target, err := ingest.ParseLanguagePair(pair, c.SourceLang, c.TargetLang)
	if err != nil {
		return known, campaign.Invalid("language pair", err.Error())
	}
	if c.LanguagePair() != "" && (!ingest.SameLang(source, c.SourceLang) || !ingest.SameLang(target, c.TargetLang)) {
		return known, campaign.Invalid("language pair",
			fmt.Sprintf("the campaign is %s, not %s; give its pair, or leave this empty", c.LanguagePair(), pair))
	}
	if c.LanguagePair() == "" {
		known.SourceLang, known.TargetLang = source, target
	}
	known.Select = true
	return known, nil
}

// eachFile yields the lines of all files of a request, one file after the other.
func eachFile[T any](req Request, read func(File) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, f := range req.Files {
			for line, err := range read(f) {
				if !yield(line, err) {
					return
				}
			}
		}
	}
}

// changed yields lines after it has called change with each of them that is no error.
func changed[T any](lines iter.Seq2[T, error], change func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range lines {
			if err == nil {
				change(&line)
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// segmentsOf reads the segments of all files. The first segment binds the files after its own, too.
func segmentsOf(req Request, known ingest.Options) iter.Seq2[campaign.SegmentLine, error] {
	return changed(eachFile(req, func(f File) iter.Seq2[campaign.SegmentLine, error] {
		known.File = f.Name
		if req.Format == format.Table {
			return ingest.Table(f.Reader, known, req.Table)
		}
		return ingest.Segments(req.Format, f.Reader, known)
	}), func(line *campaign.SegmentLine) {
		if known.Systems == nil && !known.OfSegments {
			known.Systems = systemsOf(line.Segment)
			known.SourceLang, known.TargetLang = line.Segment.SourceLang, line.Segment.TargetLang
		}
	})
}

func importSegments(
	ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes,
) (readmodel.ImportReport, error) {
	known, err := languages(c, req.LanguagePair)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	known.Notes, known.OfSegments = notes, c.Rules.OfSegments()
	if known.OfSegments {
		return importSampled(ctx, st, c, req.Format, segmentsOf(req, known), opt)
	}
	if known.Systems, err = st.Records.Systems(ctx, c.ID); err != nil {
		return readmodel.ImportReport{}, err
	}
	return importSampled(ctx, st, c, req.Format, segmentsOf(req, known), opt)
}

// shownSegments is how many segments a report shows as they were read.
const shownSegments = 3

// importSampled imports segments and checks a sample of their texts. It warns of texts in
// a script that their language does not use. For a table, which need not name its
// languages, it adds the sample to the notes.
func importSampled(
	ctx context.Context, st *store.Store, c campaign.Campaign, of string,
	lines iter.Seq2[campaign.SegmentLine, error], opt intake.ImportOptions,
) (readmodel.ImportReport, error) {
	var sample ingest.Sample
	var first []campaign.Segment
	report, err := st.Intake.ImportSegments(ctx, c.ID, changed(lines, func(line *campaign.SegmentLine) {
		sample.Add(*line)
		if len(first) < shownSegments {
			first = append(first, textsOnly(line.Segment))
		}
	}), opt)
	if err != nil {
		return report, err
	}
	report.First = first
	if read := sample.Read(); of == format.MQM && read != "" {
		report.Notes = append(report.Notes, read)
	}
	report.Notes = append(report.Notes, sample.Warnings()...)
	return report, nil
}

// systemsOf lists the systems that a segment names.
func systemsOf(s campaign.Segment) []string {
	names := slices.Clone(s.Absent)
	for _, t := range s.Translations {
		names = append(names, t.System)
	}
	return names
}

// importTable reads tables of rated segments. The segments may be in the campaign already,
// and the tables may name new systems.
func importTable(
	ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes,
) (readmodel.ImportReport, error) {
	known, err := languages(c, req.LanguagePair)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	known.LeaveOutContradictions = slices.Contains(req.LeaveOut, Contradictions)
	lines := changed(eachFile(req, func(f File) iter.Seq2[campaign.SegmentLine, error] {
		known.File = f.Name
		return ingest.MQM(f.Reader, c.Rules, known, notes)
	}), func(line *campaign.SegmentLine) {
		if known.SourceLang == "" {
			known.SourceLang, known.TargetLang = line.Segment.SourceLang, line.Segment.TargetLang
		}
		for _, t := range line.Segment.Translations {
			for _, r := range t.Ratings {
				noteSourceErrors(c, notes, r.Spans, line.PlaceOf(campaign.Row{System: t.System, Annotator: r.Annotator}))
			}
		}
	})
	opt.Merge = true
	return importSampled(ctx, st, c, req.Format, lines, opt)
}

// noteSourceErrors counts the errors of a rating that lie in the source and weigh nothing in the campaign,
// while they weigh as others in some published data.
func noteSourceErrors(c campaign.Campaign, notes *ingest.Notes, spans []protocol.ErrorSpan, at campaign.Place) {
	if c.Rules.Spans == nil || c.Settings.SourceError != "zero" {
		return
	}
	for _, s := range spans {
		if category, _, _ := c.Rules.Spans.Category(s.Category, ""); category.Rule == protocol.SourceError {
			notes.Add(
				"{error|errors} of the category "+wording.Quote(
					category.Name,
				)+" weigh nothing here, as in WMT 2023; with the setting source_error=severity they weigh as others, as in WMT 2020 to 2022 and TED",
				at.File,
				at.Line,
			)
		}
	}
}
