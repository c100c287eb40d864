package intake

import (
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/wording"
)

// tell completes the report.
func (im *segmentImport) tell() {
	im.report.Known = len(im.known)
	if n := im.report.Segments; (im.merging || len(im.known) > 0) && im.start > 0 && n > 0 {
		im.report.Notes = append(im.report.Notes, freshNote(n))
	}
	if im.behind > 0 {
		im.report.Notes = append(im.report.Notes, behindNote(im.behind, im.followed.Slug))
	}
	if n := im.otherSources; n > 0 {
		im.report.Notes = append(im.report.Notes, otherSourceNote(n, im.otherSource))
	}
	for name := range im.systems {
		if name != "" { // segments that are rated themselves hang on a system without a name
			im.report.Systems = append(im.report.Systems, name)
		}
	}
	slices.Sort(im.report.Systems)
}

// otherSourceNote says that n lines bring texts to segments that never had the source of the line. at is the first of them.
func otherSourceNote(n int, at campaign.Place) string {
	return fmt.Sprintf(
		"%s a source that the segment has neither here nor in an earlier campaign, first at %s:%d, field source; the segment keeps its own source, so check that the texts belong to it",
		wording.Counted(n, "line has", "lines have"), at.File, at.Line,
	)
}

// freshNote says that ratings, or a file that adds to known segments, brought segments to a campaign that had some.
func freshNote(n int) string {
	return fmt.Sprintf(
		"%s that the campaign did not have %s added; a misspelt document or segment id does that", wording.Counted(n, "segment"),
		wording.Choose(n, "was", "were"),
	)
}

// behindNote says that an import brought n segments that stayed behind in the followed campaign.
func behindNote(n int, followed string) string {
	return fmt.Sprintf(
		"%d of the new segments %s in %s too and %s not taken over from there; undo the import and leave %s out unless you want %s here",
		n, wording.Choose(n, "is", "are"), followed, wording.Choose(n, "was", "were"), wording.Choose(n, "its line", "their lines"),
		wording.Choose(n, "it", "them"),
	)
}

// countBehind counts the new segments that the followed campaign has. They were not taken over.
func (im *segmentImport) countBehind(fresh []campaign.SegmentLine) error {
	if im.followed == nil {
		return nil
	}
	var ids []any
	for _, line := range fresh {
		if line.From == nil {
			ids = append(ids, line.Segment.DocID, line.Segment.SegmentID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var n int
	err := database.Scan(im.db.Raw(`SELECT count(*) FROM (VALUES `+strings.TrimSuffix(strings.Repeat("(?,?),", len(ids)/2), ",")+`) AS v
		JOIN documents d ON d.doc_id = v.column1 JOIN segments g ON g.document_id = d.id AND g.segment_id = v.column2
		WHERE d.campaign_id = ?`, append(ids, im.followed.ID)...), &n)
	im.behind += n
	return err
}
