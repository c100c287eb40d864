// Package transfer moves files in and out of a campaign: it joins the readers of
// ingest and the writers of export with the store, in the same way for the
// command line and for the web.
package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
	"annotate/internal/store"
)

// Ratings is the one import format that holds no segments.
const ratings = "ratings"

// ImportFormats lists the formats that [Import] reads.
func ImportFormats() []string { return append(ingest.SegmentFormats(), ratings) }

// ExportFormats lists the formats that [Export] writes.
func ExportFormats() []string { return []string{"jsonl", "ment", ratings, "csv"} }

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
	ByID         string // who imports; empty: the command line
	Check        bool   // find every problem, store nothing
}

// Import reads all files into a campaign in one transaction, all or nothing. The
// error is a *[campaign.Problems] that lists everything wrong with them, a
// *[campaign.InvalidError] for the request itself, or a failure.
func Import(ctx context.Context, st *store.Store, c campaign.Campaign, req Request) (store.ImportReport, error) {
	if !slices.Contains(ImportFormats(), req.Format) {
		return store.ImportReport{}, campaign.Invalid("format", fmt.Sprintf("there is no format %q to import; use %s", req.Format, strings.Join(ImportFormats(), ", ")))
	}
	if len(req.Files) == 0 {
		return store.ImportReport{}, campaign.Invalid("file", "choose a file to import")
	}
	names := make([]string, len(req.Files))
	for i, f := range req.Files {
		names[i] = f.Name
	}
	opt := store.ImportOptions{File: strings.Join(names, ", "), ByID: req.ByID, Check: req.Check}
	if req.Format == ratings {
		if req.LanguagePair != "" {
			return store.ImportReport{}, campaign.Invalid("language pair", "ratings name no languages; leave it out")
		}
		return importRatings(ctx, st, c, req.Files, opt)
	}
	return importSegments(ctx, st, c, req, opt)
}

func importSegments(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt store.ImportOptions) (store.ImportReport, error) {
	known := ingest.Options{SourceLang: c.SourceLang, TargetLang: c.TargetLang}
	if req.LanguagePair != "" {
		source, target, err := ingest.ParseLanguagePair(req.LanguagePair, c.SourceLang, c.TargetLang)
		if err != nil {
			return store.ImportReport{}, campaign.Invalid("language pair", err.Error())
		}
		if c.LanguagePair() != "" && (!ingest.SameLang(source, c.SourceLang) || !ingest.SameLang(target, c.TargetLang)) {
			return store.ImportReport{}, campaign.Invalid("language pair", fmt.Sprintf("the campaign is %s, not %s", c.LanguagePair(), req.LanguagePair))
		}
		if c.LanguagePair() == "" {
			known.SourceLang, known.TargetLang = source, target
		}
		known.Select = true
	}
	systems, err := st.Systems(ctx, c.ID)
	if err != nil {
		return store.ImportReport{}, err
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
	return st.ImportSegments(ctx, c.ID, lines, opt)
}

func systemsOf(s campaign.Segment) []string {
	names := make([]string, len(s.Translations))
	for i, t := range s.Translations {
		names[i] = t.System
	}
	return names
}

func importRatings(ctx context.Context, st *store.Store, c campaign.Campaign, files []File, opt store.ImportOptions) (store.ImportReport, error) {
	p, ok := protocol.Lookup(c.Protocol)
	if !ok {
		return store.ImportReport{}, fmt.Errorf("unknown protocol %q", c.Protocol)
	}
	lines := func(yield func(campaign.NumberedRating, error) bool) {
		for _, f := range files {
			for line, err := range ingest.Ratings(f.Reader, p, ingest.Options{File: f.Name}) {
				line.File = f.Name
				if !yield(line, err) {
					return
				}
			}
		}
	}
	return st.ImportRatings(ctx, c.ID, lines, opt)
}

// Export writes a campaign in one of [ExportFormats], in the order of import,
// as one consistent state of the database. For "ment" it also returns the JSON
// object that maps trans_i to systems; nil otherwise.
func Export(ctx context.Context, st *store.Store, c campaign.Campaign, format string, w io.Writer) (systems []byte, err error) {
	p, ok := protocol.Lookup(c.Protocol)
	if !ok {
		return nil, fmt.Errorf("unknown protocol %q", c.Protocol)
	}
	var segments iter.Seq2[campaign.Segment, error] = st.AllSegments(ctx, c)
	switch format {
	case "jsonl":
		return nil, export.JSONL(w, segments)
	case ratings:
		return nil, export.Ratings(w, p, segments)
	case "csv":
		return nil, export.CSV(w, p, segments)
	case "ment":
		return exportMENT(ctx, st, c, w, segments)
	}
	return nil, campaign.Invalid("format", fmt.Sprintf("there is no format %q to export; use %s", format, strings.Join(ExportFormats(), ", ")))
}

func exportMENT(ctx context.Context, st *store.Store, c campaign.Campaign, w io.Writer, segments export.Source) ([]byte, error) {
	facts, err := st.ExportFacts(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	mapping, err := export.MENT(w, export.MENTOptions{Annotators: facts.Logins, Averages: facts.Ratings == 0}, segments)
	if err != nil {
		return nil, err
	}
	if mapping == nil { // nothing in gold: the campaign's systems all the same
		if mapping, err = st.Systems(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	var buf bytes.Buffer
	_, err = mapping.WriteTo(&buf)
	return buf.Bytes(), err
}
