package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/exchange"
	"annotate/internal/exchange/appraise"
	"annotate/internal/exchange/esa"
	"annotate/internal/exchange/mtme"
	"annotate/internal/exchange/pearmut"
	"annotate/internal/exchange/rate"
	"annotate/internal/exchange/text"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// exchanged lists the formats of other programs that have a package of their own.
var exchanged = []exchange.Format{
	appraise.Format,
	esa.Format,
	mtme.Format,
	pearmut.Format,
	rate.Format,
	text.Format,
}

// exchangedFormat returns the format of [exchanged] with an id, or nil.
func exchangedFormat(id string) *exchange.Format {
	if i := slices.IndexFunc(exchanged, func(f exchange.Format) bool { return f.ID == id }); i >= 0 {
		return &exchanged[i]
	}
	return nil
}

// readerOf returns what imports a format.
func readerOf(id string) (reader, bool) {
	if f := exchangedFormat(id); f != nil && f.Read != nil {
		return importExchanged(*f), true
	}
	read, ok := readers[id]
	return read, ok
}

// writerOf returns the writer of a format that is not in [storedWriters]; nil if there is none.
func writerOf(id string) writer {
	if f := exchangedFormat(id); f != nil && f.Write != nil {
		return writeExchanged(*f)
	}
	return writers[id]
}

// writeExchanged writes a format, and counts what it has no place for.
func writeExchanged(f exchange.Format) writer {
	return func(w io.Writer, c content) (_ []byte, notes []string, err error) {
		to := exchange.Content{ID: c.campaign.Slug, Protocol: c.campaign.Rules, SourceLang: c.campaign.SourceLang,
			TargetLang: c.campaign.TargetLang}
		if to.Systems, err = c.systems(); err != nil {
			return nil, nil, err
		}
		if to.Annotators, err = c.annotators(); err != nil {
			return nil, nil, err
		}
		segments, lost := exchange.Losses(c.segments(records.Everything), f.Carries)
		to.Segments = segments
		notes, err = f.Write(w, to)
		return nil, append(lost(), notes...), err
	}
}

// importExchanged imports segments with what the files say of them. They become up to four imports, since an import is
// of one kind: segments with ratings, then suggestions, then adjudications, then metric scores. If a later one fails, the earlier
// ones are undone. With Check the later ones are checked on the segments that the campaign has already.
func importExchanged(f exchange.Format) reader {
	return func(ctx context.Context, st *store.Store, c campaign.Campaign, req Request, opt intake.ImportOptions,
		notes *ingest.Notes) (readmodel.ImportReport, error) {
		known, err := languages(c, req.LanguagePair)
		if err != nil {
			return readmodel.ImportReport{}, err
		}
		known.Notes, known.File, known.LeaveOutContradictions = notes, req.names(), slices.Contains(req.LeaveOut, Contradictions)
		opt.Merge = true
		before, err := present(ctx, st, c)
		if err != nil {
			return readmodel.ImportReport{}, err
		}
		var content contentsOf
		if f.SystemScores != nil {
			quiet := known
			quiet.Notes = nil
			for range f.SystemScores(req.again, quiet) {
				content.metrics++
			}
		}
		left := &content // what is still to be imported
		opt.Follows = func() bool { return left.suggestions+left.adjudications+left.metrics > 0 }
		lines := changed(f.Read(req.again, c.Rules, known), content.count)
		report, err := importSampled(ctx, st, c, req.Format, lines, opt)
		if err != nil {
			return report, err
		}
		known.Notes = nil // the first reading has told everything
		again := func() iter.Seq2[campaign.SegmentLine, error] { return f.Read(req.again, c.Rules, known) }
		scores := func() iter.Seq2[campaign.MetricScore, error] { return metricsOf(again()) }
		if f.SystemScores != nil {
			scores = func() iter.Seq2[campaign.MetricScore, error] {
				return followed(metricsOf(again()), f.SystemScores(req.again, known))
			}
		}
		if req.Check {
			return content.check(ctx, st.Intake, c.ID, again, scores, opt, report)
		}
		rest := content
		left = &rest
		if content.suggestions > 0 {
			rest.suggestions = 0
			more, err := st.Intake.ImportSuggestions(ctx, c.ID, suggestionsOf(again()), opt)
			if err != nil {
				return report, undoSince(ctx, st, c, before, opt, err)
			}
			report.Suggestions, report.SuggestedTo = more.Suggestions, more.SuggestedTo
			report.Notes = append(report.Notes, more.Notes...)
		}
		if content.rated > 0 {
			report.Notes = append(
				report.Notes,
				wording.Counted(
					content.rated, "translation",
				)+" with ratings lost the errors that were suggested for them, since nobody can decide on them any more",
			)
		}
		if content.adjudications > 0 {
			rest.adjudications = 0
			more, err := st.Intake.ImportRatings(ctx, c.ID, adjudicationsOf(again()), opt)
			if err != nil {
				return report, undoSince(ctx, st, c, before, opt, err)
			}
			report.Ratings += more.Ratings
			report.NewAnnotators = append(report.NewAnnotators, more.NewAnnotators...)
			if report.Decided == nil {
				report.Decided = readmodel.Counts{}
			}
			for status, n := range more.Decided {
				report.Decided[status] += n
			}
			report.Notes = append(report.Notes, more.Notes...)
		}
		if content.metrics == 0 {
			return report, nil
		}
		rest.metrics = 0
		more, err := st.Intake.ImportScores(ctx, c.ID, scores(), opt)
		if err != nil {
			return report, undoSince(ctx, st, c, before, opt, err)
		}
		report.MetricScores, report.Metrics, report.Replaced = more.MetricScores, more.Metrics, more.Replaced
		report.Notes = append(report.Notes, more.Notes...)
		return report, nil
	}
}

// check checks what comes after the segments, but for what it says of segments and systems that the campaign does not have
// yet, and adds to the report how much there is.
func (n contentsOf) check(
	ctx context.Context, in *intake.Store, campaignID string, lines func() iter.Seq2[campaign.SegmentLine, error],
	scores func() iter.Seq2[campaign.MetricScore, error], opt intake.ImportOptions, report readmodel.ImportReport,
) (readmodel.ImportReport, error) {
	for _, part := range []struct {
		n         int
		one, many string
		check     func() (readmodel.ImportReport, error)
	}{
		{n.suggestions, "translation with suggested errors", "translations with suggested errors", func() (readmodel.ImportReport, error) {
			return in.ImportSuggestions(ctx, campaignID, suggestionsOf(lines()), opt)
		}},
		{n.adjudications, "adjudication", "adjudications", func() (readmodel.ImportReport, error) {
			return in.ImportRatings(ctx, campaignID, adjudicationsOf(lines()), opt)
		}},
		{n.metrics, "metric score", "metric scores", func() (readmodel.ImportReport, error) {
			return in.ImportScores(ctx, campaignID, scores(), opt)
		}},
	} {
		if part.n == 0 {
			continue
		}
		_, err := part.check()
		problems, ok := errors.AsType[*campaign.Problems](err)
		if ok {
			problems.List = slices.DeleteFunc(problems.List, func(p *campaign.Problem) bool {
				return slices.Contains([]string{campaign.UnknownSegment, campaign.UnknownSystem, campaign.NoTranslation}, p.Kind)
			})
		}
		if err != nil && (!ok || problems.Count() > 0) {
			return report, err
		}
		report.Notes = append(report.Notes, wording.Counted(part.n, part.one, part.many)+" found")
	}
	return report, nil
}

// present returns the imports into a campaign that are not undone, in their order.
func present(ctx context.Context, st *store.Store, c campaign.Campaign) ([]readmodel.Import, error) {
	imports, err := st.Intake.Imports(ctx, c.ID)
	return slices.DeleteFunc(imports, func(i readmodel.Import) bool { return !i.Undone.IsZero() }), err
}

// undoSince undoes the imports of the request's files that are not in before, the latest first, because a later one
// failed. It returns the error of that one, or a *[campaign.InvalidError] with it if an import cannot be undone.
func undoSince(ctx context.Context, st *store.Store, c campaign.Campaign, before []readmodel.Import, opt intake.ImportOptions, because error) error {
	ctx = context.WithoutCancel(ctx)
	imports, err := present(ctx, st, c)
	for _, i := range slices.Backward(imports) {
		if err != nil {
			break
		}
		if i.Files == opt.File && !slices.ContainsFunc(before, func(b readmodel.Import) bool { return b.ID == i.ID }) {
			err = st.Intake.UndoImport(ctx, c.ID, i.ID, intake.UndoOptions{ByID: opt.ByID})
		}
	}
	if err != nil {
		return campaign.Invalid(
			"file",
			fmt.Sprintf(
				"a part of the files was refused: %v. The rest is imported and could not be undone: %v. Undo it from the list of imports, or import the part that was refused once it is corrected",
				because, err,
			),
		)
	}
	return because
}

// contentsOf counts what the segments of files have beside texts and ratings.
type contentsOf struct {
	suggestions   int // translations without ratings that have suggestions
	rated         int // translations with ratings that have suggestions
	adjudications int
	metrics       int
}

func (n *contentsOf) count(line *campaign.SegmentLine) {
	for _, t := range line.Segment.Translations {
		n.metrics += len(t.Metrics)
		if t.Adjudication != nil {
			n.adjudications++
		}
		switch {
		case t.Suggested == nil:
		case isRated(line.Segment):
			n.rated++
		default:
			n.suggestions++
		}
	}
}

// isRated reports whether a segment has ratings.
func isRated(s campaign.Segment) bool {
	return slices.ContainsFunc(s.Translations, func(t campaign.Translation) bool { return len(t.Ratings) > 0 })
}

// suggestionsOf yields the suggestions for segments without ratings.
func suggestionsOf(lines iter.Seq2[campaign.SegmentLine, error]) iter.Seq2[campaign.SuggestionLine, error] {
	return ofEach(lines, func(line campaign.SegmentLine, yield func(campaign.SuggestionLine) bool) bool {
		for _, t := range line.Segment.Translations {
			if t.Suggested == nil || isRated(line.Segment) {
				continue
			}
			said := campaign.SuggestionLine{Place: line.PlaceOf(campaign.Row{System: t.System}), DocID: line.Segment.DocID,
				SegmentID: line.Segment.SegmentID, System: t.System, Suggestions: *t.Suggested}
			if !yield(said) {
				return false
			}
		}
		return true
	})
}

// adjudicationsOf yields the adjudications of segments.
func adjudicationsOf(lines iter.Seq2[campaign.SegmentLine, error]) iter.Seq2[campaign.RatingLine, error] {
	return ofEach(lines, func(line campaign.SegmentLine, yield func(campaign.RatingLine) bool) bool {
		for _, t := range line.Segment.Translations {
			if t.Adjudication == nil {
				continue
			}
			r := campaign.RatingLine{Place: line.PlaceOf(campaign.Row{System: t.System}), DocID: line.Segment.DocID,
				SegmentID: line.Segment.SegmentID, System: t.System, Rating: *t.Adjudication, Adjudicated: true}
			if !yield(r) {
				return false
			}
		}
		return true
	})
}

// metricsOf yields the metric scores of segments.
func metricsOf(lines iter.Seq2[campaign.SegmentLine, error]) iter.Seq2[campaign.MetricScore, error] {
	return ofEach(lines, func(line campaign.SegmentLine, yield func(campaign.MetricScore) bool) bool {
		for _, t := range line.Segment.Translations {
			for _, m := range t.Metrics {
				score := campaign.MetricScore{Place: line.Place(), Metric: m.Name, System: t.System, DocID: line.Segment.DocID,
					SegmentID: line.Segment.SegmentID, Score: m.Score}
				if !yield(score) {
					return false
				}
			}
		}
		return true
	})
}

// ofEach yields what each line has, and the errors among them.
func ofEach[T any](lines iter.Seq2[campaign.SegmentLine, error], has func(line campaign.SegmentLine, yield func(T) bool) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range lines {
			var none T
			if err != nil && !yield(none, err) || err == nil && !has(line, func(x T) bool { return yield(x, nil) }) {
				return
			}
		}
	}
}

// followed yields one sequence after another.
func followed[T any](first, second iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, lines := range []iter.Seq2[T, error]{first, second} {
			for line, err := range lines {
				if !yield(line, err) {
					return
				}
			}
		}
	}
}
