// Package transfer moves files in and out of a campaign: it joins the readers of
// ingest and the writers of export with the store, in the same way for the
// command line and for the web.
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
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/records"
	"annotate/internal/store"
)

// The import formats that hold no segments, and the one that holds rated ones.
const (
	ratings     = "ratings"
	table       = "mqm-tsv"
	scores      = "scores"
	references  = "references"
	suggestions = "suggestions"
)

// ImportFormats lists the formats that [Import] reads.
func ImportFormats() []string {
	return append(ingest.SegmentFormats(), ratings, table, scores, references, suggestions)
}

// A File is one input.
type File struct {
	Name   string // for messages
	Reader io.Reader
}

// A Request says what to import.
type Request struct {
	Format string // one of [ImportFormats]
	// LanguagePair selects the lines of one pair, which must be the campaign's;
	// empty: every line must be of the campaign's pair.
	LanguagePair string
	Files        []File
	// LowerIsBetter and Group declare of the metrics in files of scores what their
	// lines do not say themselves.
	LowerIsBetter bool
	Group         string
	LeaveOut      []string // what is left out instead of being refused: of [LeaveOuts]
	ByID          string   // who imports; empty: the command line
	Check         bool     // find every problem, store nothing
	// Placed is told how many of the ratings of a large import count so far, and how many
	// there are, after everything is read and checked. It may be nil.
	Placed func(done, all int)
}

// What an import can leave out instead of refusing the files.
const (
	// Contradictions are translations whose rows in a table contradict each other.
	Contradictions = "contradictions"
	// OtherSystems are systems with scores that the campaign does not have.
	OtherSystems = "systems"
)

// LeaveOuts lists what an import can leave out.
func LeaveOuts() []string { return []string{Contradictions, OtherSystems} }

// Import reads all files into a campaign in one transaction, all or nothing. The
// error is a *[campaign.Problems] that lists everything wrong with them, a
// *[campaign.InvalidError] for the request itself, or a failure.
func Import(ctx context.Context, st *store.Store, c campaign.Campaign, req Request) (records.ImportReport, error) {
	if !slices.Contains(ImportFormats(), req.Format) {
		return records.ImportReport{}, campaign.Invalid("format", fmt.Sprintf("there is no format %q to import; use %s", req.Format, strings.Join(ImportFormats(), ", ")))
	}
	if len(req.Files) == 0 {
		return records.ImportReport{}, campaign.Invalid("file", "choose a file to import")
	}
	names := make([]string, len(req.Files))
	for i, f := range req.Files {
		names[i] = f.Name
	}
	opt := intake.ImportOptions{File: strings.Join(names, ", "), ByID: req.ByID, Check: req.Check, Placed: req.Placed}
	act, ok := map[string]act{ratings: importRatings, scores: importScores, references: importReferences, suggestions: importSuggestions, table: importTable}[req.Format]
	if !ok {
		act = importSegments
	}
	if req.LanguagePair != "" && slices.Contains([]string{ratings, scores, references, suggestions}, req.Format) {
		return records.ImportReport{}, campaign.Invalid("language pair", "files of the format "+req.Format+" name no languages; leave the language pair empty")
	}
	for _, what := range req.LeaveOut {
		if !slices.Contains(LeaveOuts(), what) {
			return records.ImportReport{}, campaign.Invalid("leave out", fmt.Sprintf("an import can't leave out %q; use %s", what, strings.Join(LeaveOuts(), " or ")))
		}
	}
	if (req.LowerIsBetter || req.Group != "") && req.Format != scores {
		return records.ImportReport{}, campaign.Invalid("lower is better", "only files of metric scores have a direction and a group; leave both empty for the format "+req.Format)
	}
	var notes ingest.Notes
	report, err := act(ctx, st, c, req, opt, &notes)
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		problems.Summary = summary(problems)
	}
	if err != nil {
		return report, err
	}
	for _, n := range notes.List {
		report.Notes = append(report.Notes, n.String())
	}
	if bringsSegments(req.Format) && !req.Check {
		after, err := st.Campaign(ctx, c.Slug)
		if err == nil && after.LanguagePair() == "" {
			report.Notes = append(report.Notes, "the campaign does not know its languages, and the file does not name them; name them in the settings of the campaign, or with annotate campaign set "+c.Slug+" --source-lang en --target-lang de")
		}
	}
	return report, nil
}

// BringsRatings reports whether files of a format may hold ratings, which take as long to
// place as to read.
func BringsRatings(format string) bool {
	return slices.Contains([]string{ratings, table, "ment"}, format)
}

// bringsSegments reports whether a format holds segments.
func bringsSegments(format string) bool {
	return format == table || slices.Contains(ingest.SegmentFormats(), format)
}

// summary says in a sentence what to do about problems that have a way out besides
// correcting the lines one by one.
func summary(problems *campaign.Problems) string {
	contradictions, first := countKind(problems, ingest.Contradiction)
	if contradictions > 0 {
		return fmt.Sprintf("rows of the table contradict each other, first at %s:%d; correct them, or leave out the translations that they are about (--leave-out %s on the command line, a box on the page)", first.File, first.Line, Contradictions)
	}
	unknown, first := countKind(problems, campaign.UnknownSegment)
	if unknown > 1 && unknown == problems.Count() {
		return fmt.Sprintf("%d lines are about segments that the campaign does not have, first at %s:%d; check that the files belong to this campaign (its export in the format jsonl lists its segments), or import the segments first", unknown, first.File, first.Line)
	}
	return ""
}

// countKind counts the problems of a kind, and finds the first of them.
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

// An act imports the files of one format. It adds to the notes what its reader has
// to say.
type act func(context.Context, *store.Store, campaign.Campaign, Request, intake.ImportOptions, *ingest.Notes) (records.ImportReport, error)

// languages are what is known of a file's languages before it is read.
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
		return known, campaign.Invalid("language pair", fmt.Sprintf("the campaign is %s, not %s; give its pair, or leave this empty", c.LanguagePair(), pair))
	}
	if c.LanguagePair() == "" {
		known.SourceLang, known.TargetLang = source, target
	}
	known.Select = true
	return known, nil
}

func importSegments(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	known, err := languages(c, req.LanguagePair)
	if err != nil {
		return records.ImportReport{}, err
	}
	known.Notes = notes
	systems, err := st.Systems(ctx, c.ID)
	if err != nil {
		return records.ImportReport{}, err
	}
	known.Systems = systems
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		known := known
		for _, f := range req.Files {
			known.File = f.Name
			for line, err := range ingest.Segments(req.Format, f.Reader, known) {
				line.File = f.Name
				if err == nil && known.Systems == nil {
					// The first segment binds the files after its own, too.
					known.Systems = systemsOf(line.Segment)
					known.SourceLang, known.TargetLang = line.Segment.SourceLang, line.Segment.TargetLang
				}
				if !yield(line, err) {
					return
				}
			}
		}
	}
	return importSampled(ctx, st, c, req.Format, lines, opt)
}

// importSampled imports segments and notes what their texts look like: those of a
// table, which need not say its languages, are shown, and texts in letters that their
// language is not written in are warned of.
func importSampled(ctx context.Context, st *store.Store, c campaign.Campaign, format string, lines iter.Seq2[campaign.SegmentLine, error], opt intake.ImportOptions) (records.ImportReport, error) {
	var sample ingest.Sample
	report, err := st.ImportSegments(ctx, c.ID, func(yield func(campaign.SegmentLine, error) bool) {
		for line, err := range lines {
			if err == nil {
				sample.Add(line)
			}
			if !yield(line, err) {
				return
			}
		}
	}, opt)
	if err != nil {
		return report, err
	}
	if read := sample.Read(); format == table && read != "" {
		report.Notes = append(report.Notes, read)
	}
	report.Notes = append(report.Notes, sample.Warnings()...)
	return report, nil
}

// systemsOf lists the systems that a segment names, in any order.
func systemsOf(s campaign.Segment) []string {
	names := slices.Clone(s.Absent)
	for _, t := range s.Translations {
		names = append(names, t.System)
	}
	return names
}

// importTable reads tables of rated segments. They may be of segments that are in
// the campaign, and name systems that it does not know yet.
func importTable(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	if !takesTable(c.Rules) {
		return records.ImportReport{}, campaign.Invalid("format", fmt.Sprintf("%s holds marked errors and no scores, and the protocol of the campaign is %s; import it into a campaign with %s, or with a protocol of your own that asks for marks alone and has the severities minor and major",
			table, c.Rules.Name, strings.Join(slices.DeleteFunc(protocol.IDs(), func(id string) bool {
				p, _ := protocol.Lookup(id)
				return !takesTable(p)
			}), " or ")))
	}
	known, err := languages(c, req.LanguagePair)
	if err != nil {
		return records.ImportReport{}, err
	}
	known.LeaveOutContradictions = slices.Contains(req.LeaveOut, Contradictions)
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		known := known
		for _, f := range req.Files {
			known.File = f.Name
			for line, err := range ingest.MQM(f.Reader, c.Rules, known, notes) {
				line.File = f.Name
				if err == nil && known.SourceLang == "" {
					known.SourceLang, known.TargetLang = line.Segment.SourceLang, line.Segment.TargetLang
				}
				if !yield(line, err) {
					return
				}
			}
		}
	}
	opt.Merge = true
	return importSampled(ctx, st, c, req.Format, lines, opt)
}

// takesTable reports whether a table has all that p asks for: marks of errors,
// minor and major, and no scores.
func takesTable(p *protocol.Protocol) bool {
	if p.Spans == nil || len(p.Scores) > 0 {
		return false
	}
	for _, id := range []string{"minor", "major"} {
		if _, ok := p.Spans.Severity(id); !ok {
			return false
		}
	}
	return true
}

// knownSystems are the systems of a campaign. One without any is refused: the format
// is about segments that are in it.
func knownSystems(ctx context.Context, st *store.Store, c campaign.Campaign, format string) ([]string, error) {
	systems, err := st.Systems(ctx, c.ID)
	if err == nil && len(systems) == 0 {
		err = campaign.Invalid("format", fmt.Sprintf("the campaign has no segments yet, and %s are about segments that are in it; import segments first, in the format %s", format, strings.Join(ingest.SegmentFormats(), " or ")))
	}
	return systems, err
}

func importRatings(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	if _, err := knownSystems(ctx, st, c, req.Format); err != nil {
		return records.ImportReport{}, err
	}
	lines := func(yield func(campaign.NumberedRating, error) bool) {
		for _, f := range req.Files {
			for line, err := range ingest.Ratings(f.Reader, c.Rules, ingest.Options{File: f.Name, Notes: notes}) {
				line.File = f.Name
				if !yield(line, err) {
					return
				}
			}
		}
	}
	return st.ImportRatings(ctx, c.ID, lines, opt)
}

func importScores(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	systems, err := knownSystems(ctx, st, c, req.Format)
	if err != nil {
		return records.ImportReport{}, err
	}
	known := ingest.Options{Systems: systems, LeaveOutSystems: slices.Contains(req.LeaveOut, OtherSystems), Notes: notes}
	return st.ImportScores(ctx, c.ID, func(yield func(campaign.NumberedScore, error) bool) {
		known := known
		for _, f := range req.Files {
			known.File = f.Name
			for line, err := range ingest.Scores(f.Reader, known) {
				line.File = f.Name
				if req.LowerIsBetter && line.Score.LowerIsBetter == nil {
					line.Score.LowerIsBetter = &req.LowerIsBetter
				}
				line.Score.Group = cmp.Or(line.Score.Group, req.Group)
				if !yield(line, err) {
					return
				}
			}
		}
	}, opt)
}

func importReferences(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	if _, err := knownSystems(ctx, st, c, req.Format); err != nil {
		return records.ImportReport{}, err
	}
	return st.ImportReferences(ctx, c.ID, func(yield func(campaign.NumberedReference, error) bool) {
		for _, f := range req.Files {
			for line, err := range ingest.References(f.Reader, ingest.Options{File: f.Name, Notes: notes}) {
				line.File = f.Name
				if !yield(line, err) {
					return
				}
			}
		}
	}, opt)
}

func importSuggestions(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions, notes *ingest.Notes) (records.ImportReport, error) {
	if c.Rules.Spans == nil {
		return records.ImportReport{}, campaign.Invalid("format", fmt.Sprintf("suggestions are marks of errors to decide on, and under %s, the protocol of the campaign, none are marked; import them into a campaign with %s, or with a protocol of your own that asks for marks",
			c.Rules.Name, strings.Join(slices.DeleteFunc(protocol.IDs(), func(id string) bool {
				p, _ := protocol.Lookup(id)
				return p.Spans == nil
			}), " or ")))
	}
	if _, err := knownSystems(ctx, st, c, req.Format); err != nil {
		return records.ImportReport{}, err
	}
	return st.ImportSuggestions(ctx, c.ID, func(yield func(campaign.NumberedSuggestion, error) bool) {
		for _, f := range req.Files {
			for line, err := range ingest.Suggestions(f.Reader, c.Rules, ingest.Options{File: f.Name, Notes: notes}) {
				line.File = f.Name
				if !yield(line, err) {
					return
				}
			}
		}
	}, opt)
}
