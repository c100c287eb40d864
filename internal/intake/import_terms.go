package intake

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// termsKind is the kind of an import of given terms.
const termsKind = "terms"

// ImportTerms reads the given terms of segments of a campaign, in steps, all or nothing, as [Store.ImportSegments] does with
// segments. The lines of a segment stand together. Its terms replace those that it has from an earlier import or a take-over;
// undoing the import restores the earlier ones.
//
// All annotators of a segment must judge the same terms. The import therefore refuses a segment that an annotator has begun or
// rated, even if the annotator began during the import. It also refuses a campaign whose protocol takes no terms, an unknown
// segment, and terms that [protocol.Protocol.CheckTerm] refuses.
func (s *Store) ImportTerms(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.TermLine, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &termImport{importOnSegments: on, segments: map[string]campaign.Place{}}
		if im.c.Rules.Given == "" {
			return campaign.Invalid(
				"format",
				fmt.Sprintf(
					"the protocol of this campaign is %s, which takes no terms as given; import terms into a campaign with culture, or with a protocol of your own that has given",
					im.c.Rules.Name,
				),
			)
		}
		im.finder = newFinder(im.db, im.c, nil, true)
		if err := eachLine(im.ctx, lines, im.problems.Add, im.add); err != nil {
			return err
		}
		if err := im.flush(); err != nil {
			return err
		}
		return im.st.Publish(ctx, func(tx *database.Tx, _ campaign.Campaign) error {
			if err := im.refuseBegun(tx); err != nil {
				return err
			}
			return im.st.Close(tx, opt, &im.problems, termsKind,
				fmt.Sprintf("%d terms of %d segments", im.report.Terms, len(im.segments)), im.report)
		})
	})
}

// A termImport stages given terms, some segments at a time. It keeps in memory which segments have had lines.
type termImport struct {
	*importOnSegments
	finder   finder
	lines    []campaign.TermLine
	segments map[string]campaign.Place // by row id, with the first line
}

// keyOf names the segment of a line.
func keyOf(line campaign.TermLine) segmentKey {
	return segmentKey{line.DocID, line.SegmentID}
}

func (im *termImport) add(line campaign.TermLine) error {
	if n := len(im.lines); n >= im.s.ratingsAtOnce() && keyOf(im.lines[n-1]) != keyOf(line) {
		if err := im.flush(); err != nil {
			return err
		}
	}
	im.lines = append(im.lines, line)
	return nil
}

// flush stages the terms of the lines that were read.
func (im *termImport) flush() error {
	if len(im.lines) == 0 {
		return nil
	}
	var names []translationName
	for _, line := range im.lines {
		names = append(names, translationName{segmentKey: keyOf(line)})
	}
	found, err := im.finder.Find(names)
	if err != nil {
		return err
	}
	begun, err := begunSegments(im.db, found.Segments)
	if err != nil {
		return err
	}
	var staged []string
	pending := database.NewRows("all_terms", "segment_id", "import_id", "terms")
	for len(im.lines) > 0 {
		key, n := keyOf(im.lines[0]), 1
		for n < len(im.lines) && keyOf(im.lines[n]) == key {
			n++
		}
		lines := im.lines[:n]
		im.lines = im.lines[n:]
		at, seg := lines[0].Place, found.Segments[key]
		if seg.Problem != nil {
			im.problems.Add(placed(*seg.Problem, at))
			continue
		}
		if begun[seg.ID] {
			im.refuse(at, "segment_id", begunTerms(key.SegmentID))
			continue
		}
		if first, twice := im.segments[seg.ID]; twice {
			im.refuse(
				at, "segment_id",
				fmt.Sprintf("%s:%d begins the terms of the same segment, and other lines stand between; put them together", first.File, first.Line),
			)
			continue
		}
		im.segments[seg.ID] = at
		if terms, ok := im.sound(lines, protocol.Texts{Source: seg.source, Reference: seg.reference}); ok {
			staged = append(staged, seg.ID)
			pending.Add(seg.ID, im.st.ID, records.EncodeTerms(terms))
			im.report.Terms += len(terms)
		}
	}
	im.lines = nil
	return im.replace("all_terms", "segment_id", staged, pending)
}

// refuseBegun refuses the segments that annotators have begun since the import checked them. Nobody can begin a segment
// before the transaction ends, because the transaction locks the campaign.
func (im *termImport) refuseBegun(tx *database.Tx) error {
	var begun []struct{ ID, SegmentID string }
	err := tx.Raw("SELECT g.id, g.segment_id FROM segments g WHERE g.campaign_id = ? AND EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = g.id)", im.c.ID).
		Scan(&begun).
		Error
	for _, row := range begun {
		if at, ok := im.segments[row.ID]; ok {
			im.refuse(at, "segment_id", begunTerms(row.SegmentID))
		}
	}
	return err
}

func begunTerms(segmentID string) string {
	return fmt.Sprintf(
		"an annotator has begun or rated segment %q, and its terms must come before that; leave its lines out, or import into a new campaign",
		segmentID,
	)
}

// sound returns the terms of a segment, read from lines, in the form that is stored. ok is false
// after a problem.
func (im *termImport) sound(lines []campaign.TermLine, t protocol.Texts) ([]protocol.ErrorSpan, bool) {
	before := im.problems.Count()
	terms := make([]protocol.ErrorSpan, len(lines))
	for i, line := range lines {
		terms[i] = line.Term
	}
	terms = records.WithIDs(terms)
	is := func(id string) func(protocol.ErrorSpan) bool {
		return func(s protocol.ErrorSpan) bool { return s.ID == id }
	}
	for i, s := range terms {
		at := lines[i].Place
		for _, f := range records.SpanTexts(s) {
			if f.Text != database.Storable(f.Text) {
				bad := records.NotStorable(f.Name)
				im.refuse(at, bad.Field, bad.Msg)
			}
		}
		var problems []protocol.Violation
		terms[i], problems = im.c.Rules.CheckTerm(s, t)
		for _, v := range problems {
			im.refuse(at, v.Field, v.Msg)
		}
		if n := slices.IndexFunc(terms[:i], s.SamePlace); n >= 0 {
			im.refuse(at, "start", fmt.Sprintf("line %d has a term at the same place; keep one of them", lines[n].Line))
		}
		if n := slices.IndexFunc(terms[:i], is(s.ID)); n >= 0 {
			im.refuse(at, "id", fmt.Sprintf("line %d has the id %s too; give each term of a segment its own", lines[n].Line, wording.Quote(s.ID)))
		}
		if s.Link != "" && (s.Link == s.ID || !slices.ContainsFunc(terms, is(s.Link))) {
			im.refuse(at, "link", fmt.Sprintf("the segment has no other term with the id %s; correct the link, or leave it out", wording.Quote(s.Link)))
		}
	}
	slices.SortStableFunc(terms, protocol.InOrder)
	return terms, im.problems.Count() == before
}

// addTerms adds the row of the terms that a segment brings from another campaign. The problem names a term that does
// not fit.
func (im *segmentImport) addTerms(id string, line campaign.SegmentLine) {
	terms, err := campaign.FitTerms(line.Segment)
	if err != nil {
		im.problems.Add(line.Place().Problem("terms", err.Error()))
		return
	}
	im.next.terms.Add(id, im.st.ID, records.EncodeTerms(terms))
	im.report.Terms += len(terms)
}
