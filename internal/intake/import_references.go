package intake

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// ImportReferences reads references for segments that are in a campaign, in steps, all
// or nothing, as [Store.ImportSegments] does with segments. Refused: a segment that
// already has another text as the reference of that name, since annotators may have
// seen it, and a file in the order of the segments that has more or fewer lines than
// there are.
func (s *Store) ImportReferences(
	ctx context.Context, campaignID string, lines iter.Seq2[campaign.ReferenceText, error], opt ImportOptions,
) (readmodel.ImportReport, error) {
	return s.importOnSegments(ctx, campaignID, func(on *importOnSegments) error {
		im := &referenceImport{importOnSegments: on, pending: newReferences()}
		if err := im.read(lines); err != nil {
			return err
		}
		return im.st.Publish(ctx, func(tx *database.Tx, _ campaign.Campaign) error {
			return im.st.Close(tx, opt, &im.problems, "references", fmt.Sprintf("%d references", im.report.References), im.report)
		})
	})
}

// referenceImport stages references; it keeps the ids of the segments in memory.
type referenceImport struct {
	*importOnSegments
	segments []string // ids in the order of import
	places   segmentPlaces
	file     campaign.Place // file and last line of one that goes by places
	pending  *database.Rows
	lines    []campaign.Place // of the pending ones
	bytes    int              // of their texts
}

func newReferences() *database.Rows {
	return database.NewRows("all_reference_texts", "segment_id", "name", "text", "import_id")
}

// read stages the lines of an input.
func (im *referenceImport) read(lines iter.Seq2[campaign.ReferenceText, error]) error {
	if err := im.db.Raw("SELECT id FROM segments WHERE campaign_id = ? ORDER BY position", im.c.ID).Scan(&im.segments).Error; err != nil {
		return err
	}
	if err := eachLine(im.ctx, lines, im.problems.Add, im.add); err != nil {
		return err
	}
	im.closeFile()
	return im.flush()
}

func (im *referenceImport) add(line campaign.ReferenceText) error {
	t, at := line, line.Place
	if line.File != im.file.File {
		im.closeFile()
	}
	i := t.Nth
	if i > 0 {
		im.file = at
		if i > len(im.segments) {
			return nil // closeFile counts the lines
		}
		if t.Reference.Text == "" {
			return nil
		}
	} else {
		if im.places == nil {
			places, err := placesOf(im.db, im.c.ID)
			if err != nil {
				return err
			}
			im.places = places
		}
		var bad *campaign.Problem
		if i, bad = im.places.Of(segmentKey{DocID: t.DocID, SegmentID: t.SegmentID}, at); bad != nil {
			im.problems.Add(bad)
			return nil
		}
	}
	im.report.References++
	im.pending.Add(im.segments[i-1], t.Reference.Name, t.Reference.Text, im.st.ID)
	im.lines = append(im.lines, at)
	im.bytes += len(t.Reference.Text)
	if im.pending.Len() < 5*im.s.db.ImportStep && im.bytes < stepBytes {
		return nil
	}
	return im.flush()
}

// closeFile refuses a file by places that has not one line for each segment.
func (im *referenceImport) closeFile() {
	if n := im.file.Line; n > 0 && n != len(im.segments) {
		im.refuse(
			im.file,
			"",
			fmt.Sprintf(
				"the number of lines is %d, and that of the campaign's segments is %d; make the file anew with one line for each segment, in the order of the export jsonl, or name the segments in JSON lines",
				n, len(im.segments),
			),
		)
	}
	im.file = campaign.Place{}
}

// flush stages the pending references, less those that are there already.
func (im *referenceImport) flush() error {
	type key struct{ segment, name string }
	width := len(im.pending.Columns)
	var ids []string
	for v := range slices.Chunk(im.pending.Values, width) {
		ids = append(ids, v[0].(string))
	}
	var rows []struct{ SegmentID, Name, Text string }
	if err := im.db.Raw("SELECT segment_id, name, text FROM all_reference_texts WHERE segment_id IN ?", ids).Scan(&rows).Error; err != nil {
		return err
	}
	known := make(map[key]string, len(rows))
	for _, r := range rows {
		known[key{r.SegmentID, r.Name}] = r.Text
	}
	fresh := newReferences()
	for i, at := range im.lines {
		v := im.pending.Values[width*i : width*(i+1)]
		k, text := key{v[0].(string), v[1].(string)}, v[2].(string)
		there, ok := known[k]
		switch {
		case !ok:
			known[k] = text
			fresh.Add(v...)
		case there != text:
			im.refuse(
				at,
				"reference",
				fmt.Sprintf(
					"the segment has another text as its reference %q already, which annotators may have seen; give the new reference another name",
					k.name,
				),
			)
		}
	}
	im.pending.Values, im.lines, im.bytes = im.pending.Values[:0], im.lines[:0], 0
	return im.st.Step(im.ctx, func(tx *database.Tx) error {
		copied := *fresh // for a transaction that is tried again
		return copied.Insert(tx)
	})
}
