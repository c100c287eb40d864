package intake

import (
	"context"
	"fmt"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// ImportSuggestions reads error spans to be suggested to the annotators of a
// campaign, in steps, all or nothing, as [Store.ImportSegments] does with segments.
// Names are spelt as the protocol spells them, spans get the words they cover, and an
// id where they have none. A line without spans says that nothing is suggested. The
// suggestions replace those that a translation has from an earlier import. Undoing the import
// restores the earlier ones.
//
// All annotators of a segment must decide on the same suggestions. The import therefore
// refuses a segment that an annotator has begun or rated, even if the annotator began during
// the import. It also refuses an unknown segment or system, a translation that has two lines,
// and spans that annotators could not enter ([protocol.Protocol.CheckSuggestions]).
func (s *Store) ImportSuggestions(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.SuggestionLine, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &suggestionImport{importOnSegments: on, segments: map[string]*suggestedSegment{}}
		if err := im.read(lines); err != nil {
			return err
		}
		return im.publish(opt)
	})
}

func noSuggestions(c campaign.Campaign) string {
	return fmt.Sprintf(
		"the protocol of this campaign is %s, under which no errors are marked, so that none can be suggested; import them into a campaign whose protocol marks errors",
		c.Rules.Name,
	)
}

// suggestionImport stages suggestions, a batch at a time. It keeps in memory which
// translations have had a line.
type suggestionImport struct {
	*importOnSegments
	finder   finder
	lines    []campaign.SuggestionLine
	spans    int                          // of lines
	segments map[string]*suggestedSegment // by row id
}

// A suggestedSegment is a segment whose translations have had lines.
type suggestedSegment struct {
	name  string                    // external id
	lines map[string]campaign.Place // by row id of the translation
}

// read stages the lines of an input.
func (im *suggestionImport) read(lines iter.Seq2[campaign.SuggestionLine, error]) error {
	if !im.c.Rules.MarksErrors() {
		return campaign.Invalid("format", noSuggestions(im.c))
	}
	systems, err := systemIDs(im.db, im.c.ID)
	if err != nil {
		return err
	}
	im.finder = newFinder(im.db, im.c, systems, true)
	if err := eachLine(im.ctx, lines, im.problems.Add, im.add); err != nil {
		return err
	}
	return im.flush()
}

// publish makes the suggestions those of the campaign.
func (im *suggestionImport) publish(opt ImportOptions) error {
	return im.st.Publish(im.ctx, func(tx *database.Tx, _ campaign.Campaign) error {
		if err := im.refuseBegun(tx.DB); err != nil {
			return err
		}
		return im.st.Close(
			tx, opt, &im.problems, "suggestions", fmt.Sprintf("%d suggestions for %d translations", im.report.Suggestions, im.report.SuggestedTo),
			im.report,
		)
	})
}

// refuseBegun refuses the lines of segments that somebody has begun since the import looked
// at them. Nobody begins one before the transaction ends, since it holds the campaign.
func (im *suggestionImport) refuseBegun(db *gorm.DB) error {
	var id string
	for err := range database.EachRow(db.Raw("SELECT DISTINCT segment_id FROM assignments WHERE campaign_id = ?", im.c.ID), &id) {
		if err != nil {
			return err
		}
		if seg := im.segments[id]; seg != nil {
			for _, at := range seg.lines {
				im.refuse(at, "segment_id", begunWords(seg.name))
			}
		}
	}
	return nil
}

func begunWords(segmentID string) string {
	return fmt.Sprintf(
		"an annotator has begun or rated segment %q, and suggestions must come before that; leave the line out, or import into a new campaign",
		segmentID,
	)
}

func (im *suggestionImport) add(line campaign.SuggestionLine) error {
	im.lines = append(im.lines, line)
	im.spans += len(line.Spans)
	if len(im.lines) < im.s.ratingsAtOnce() && im.spans < spanBatch {
		return nil
	}
	return im.flush()
}

// flush stages the lines that were taken.
func (im *suggestionImport) flush() error {
	if len(im.lines) == 0 {
		return nil
	}
	names := make([]translationName, len(im.lines))
	for i, line := range im.lines {
		names[i] = nameOf(line.DocID, line.SegmentID, line.System)
	}
	found, err := im.finder.Find(names)
	if err != nil {
		return err
	}
	begun, err := begunSegments(im.db, found.Segments)
	if err != nil {
		return err
	}
	var translations []string
	pending := database.NewRows("all_suggestions", "translation_id", "import_id", "origin", "spans")
	for _, line := range im.lines {
		given, at := line, line.Place
		of, bad := found.Target(nameOf(given.DocID, given.SegmentID, given.System), at)
		if bad != nil {
			im.problems.Add(bad)
			continue
		}
		if begun[of.Segment] {
			im.refuse(at, "segment_id", begunWords(given.SegmentID))
			continue
		}
		seg := im.segments[of.Segment]
		if seg == nil {
			seg = &suggestedSegment{given.SegmentID, map[string]campaign.Place{}}
			im.segments[of.Segment] = seg
		}
		if first, twice := seg.lines[of.Translation]; twice {
			im.refuse(at, "system", fmt.Sprintf("%s:%d is of the same translation; give all its suggestions in one line", first.File, first.Line))
			continue
		}
		seg.lines[of.Translation] = at
		if spans, ok := im.sound(at, given, of.Texts); ok {
			translations = append(translations, of.Translation)
			pending.Add(of.Translation, im.st.ID, given.Origin, records.EncodeSpans(spans))
			im.report.Suggestions += len(spans)
			im.report.SuggestedTo++
		}
	}
	clear(im.lines)
	im.lines, im.spans = im.lines[:0], 0
	return im.replace("all_suggestions", "translation_id", translations, pending)
}

// begunSegments says which of some segments somebody has, or had, in work.
func begunSegments(db *gorm.DB, found map[segmentKey]foundSegment) (map[string]bool, error) {
	var ids, begun []string
	for _, text := range found {
		if text.Problem == nil {
			ids = append(ids, text.ID)
		}
	}
	err := db.Raw("SELECT DISTINCT segment_id FROM assignments WHERE segment_id IN ?", ids).Scan(&begun).Error
	out := make(map[string]bool, len(begun))
	for _, id := range begun {
		out[id] = true
	}
	return out, err
}

// sound returns the spans of a line as they are stored; false after a problem.
func (im *suggestionImport) sound(at campaign.Place, of campaign.SuggestionLine, t protocol.Texts) ([]protocol.ErrorSpan, bool) {
	before := im.problems.Count()
	if of.Origin != database.Storable(of.Origin) {
		bad := records.NotStorable("origin")
		im.refuse(at, bad.Field, bad.Msg)
	}
	rules := im.c.Rules
	spans := make([]protocol.ErrorSpan, len(of.Spans))
	for i, s := range records.WithIDs(of.Spans) {
		for _, f := range records.SpanTexts(s) {
			if f.Text != database.Storable(f.Text) {
				bad := records.NotStorable(f.Name)
				im.refuse(at, fmt.Sprintf("spans[%d].%s", i, bad.Field), bad.Msg)
			}
		}
		s = rules.Canonical(s)
		if placed, bad := t.Place(s); bad == nil {
			s = placed
		}
		spans[i] = s
	}
	for _, bad := range rules.CheckSuggestions(spans, t) {
		im.refuse(at, bad.Field, bad.Msg)
	}
	return spans, im.problems.Count() == before
}
