package transfer

import (
	"context"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/format"
	"annotate/internal/ingest"
	"annotate/internal/intake"
	"annotate/internal/readmodel"
	"annotate/internal/store"
)

// trainingFormats are the formats of files that a training set can be imported from.
var trainingFormats = []string{format.JSONL, format.MENT, format.Table}

// ImportTraining reads a file of segments into the training set of a campaign, all or nothing, as
// [Import] does. Ratings, scores and suggestions in the file are left out.
func ImportTraining(ctx context.Context, st *store.Store, c campaign.Campaign, req Request) (readmodel.ImportReport, error) {
	if !slices.Contains(trainingFormats, req.Format) {
		return readmodel.ImportReport{}, campaign.Invalid("format",
			"a training set is imported from "+format.JSONL+", "+format.MENT+" or "+format.Table)
	}
	if len(req.Files) == 0 {
		return readmodel.ImportReport{}, campaign.Invalid("file", "choose a file to import")
	}
	side, err := st.Training.MakeTraining(ctx, c.ID)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	known, err := languages(c, req.LanguagePair)
	if err != nil {
		return readmodel.ImportReport{}, err
	}
	known.Notes, known.OfSegments = &ingest.Notes{}, c.Rules.OfSegments()
	if !known.OfSegments {
		if known.Systems, err = st.Records.Systems(ctx, side.ID); err != nil {
			return readmodel.ImportReport{}, err
		}
	}
	lines := changed(segmentsOf(req, known), func(line *campaign.SegmentLine) { line.Segment = textsOnly(line.Segment) })
	return st.Intake.ImportSegments(ctx, side.ID, lines, intake.ImportOptions{File: req.Files[0].Name, ByID: req.ByID})
}

// textsOnly returns a segment without what people and metrics have said about it.
func textsOnly(s campaign.Segment) campaign.Segment {
	out := campaign.Segment{
		DocID: s.DocID, SegmentID: s.SegmentID, Domain: s.Domain, DataSource: s.DataSource, SourceLang: s.SourceLang, TargetLang: s.TargetLang,
		Source: s.Source, Context: s.Context, Term: s.Term, Explication: s.Explication, References: s.References, Absent: s.Absent,
		Candidates: s.Candidates, Terms: s.Terms,
	}
	for _, t := range s.Translations {
		out.Translations = append(out.Translations, campaign.Translation{System: t.System, Text: t.Text})
	}
	return out
}

// AddTraining copies segments of a campaign, given by their row ids, into its training set. Segments
// that are in the set already are left as they are; those that were removed are not brought back.
// added counts the others.
func AddTraining(ctx context.Context, st *store.Store, c campaign.Campaign, segmentIDs []string, byID string) (added int, err error) {
	segments, err := st.Records.SegmentsByID(ctx, c, segmentIDs)
	if err != nil {
		return 0, err
	}
	return addTraining(ctx, st, c, segments, byID)
}

// addTraining copies segments into the training set of a campaign.
func addTraining(ctx context.Context, st *store.Store, c campaign.Campaign, segments []campaign.Segment, byID string) (added int, err error) {
	side, err := st.Training.MakeTraining(ctx, c.ID)
	if err != nil {
		return 0, err
	}
	there, err := st.Training.TrainingSet(ctx, c)
	if err != nil {
		return 0, err
	}
	segments = slices.DeleteFunc(segments, func(s campaign.Segment) bool {
		return slices.ContainsFunc(there, func(t readmodel.TrainingSegment) bool { return t.DocID == s.DocID && t.SegmentID == s.SegmentID })
	})
	if len(segments) == 0 {
		return 0, nil
	}
	lines := func(yield func(campaign.SegmentLine, error) bool) {
		for i, s := range segments {
			if !yield(campaign.SegmentLine{File: c.Slug, Line: i + 1, Segment: textsOnly(s)}, nil) {
				return
			}
		}
	}
	_, err = st.Intake.ImportSegments(ctx, side.ID, lines, intake.ImportOptions{File: "segments of " + c.Slug, ByID: byID})
	return len(segments), err
}

// CopyTraining copies the training set of a campaign, with answers, explanations and tolerances, into
// a campaign that was made from it. It copies nothing if there is no set, or if the campaigns have
// different languages or protocols. Removed segments are left out. Nobody is asked to train until a
// lead switches the training on. copied is the number of segments.
func CopyTraining(ctx context.Context, st *store.Store, from, to campaign.Campaign, byID string) (copied int, err error) {
	if from.SourceLang != to.SourceLang || from.TargetLang != to.TargetLang || from.Protocol != to.Protocol {
		return 0, nil
	}
	set, err := st.Training.TrainingSet(ctx, from)
	set = slices.DeleteFunc(set, func(t readmodel.TrainingSegment) bool { return t.Removed })
	if err != nil || len(set) == 0 {
		return 0, err
	}
	ids := make([]string, len(set))
	for i, t := range set {
		ids[i] = t.ID
	}
	side, err := st.Training.MakeTraining(ctx, from.ID)
	if err != nil {
		return 0, err
	}
	segments, err := st.Records.SegmentsByID(ctx, side, ids)
	if err != nil {
		return 0, err
	}
	if copied, err = addTraining(ctx, st, to, segments, byID); err != nil {
		return 0, err
	}
	return copied, st.Training.TakeOverAnswers(ctx, from, to)
}
