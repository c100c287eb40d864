package rounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// isLatest is the condition for an act c not to be followed by another act that stands on its segment.
const isLatest = "NOT EXISTS (SELECT 1 FROM acts l WHERE l.segment_id = c.segment_id AND l.seq > c.seq AND l.batch <> c.batch AND NOT l.undone)"

// shownBlocking is the number of segments that [UndoOf] names.
const shownBlocking = 5

// UndoOf says what undoing an act, the latest that stands on its segment, would touch.
func UndoOf(db *gorm.DB, campaignID string, act campaign.Act, batch string) (readmodel.Undo, error) {
	u := readmodel.Undo{ActID: act.ID}
	const of = " FROM acts c JOIN segments g ON g.id = c.segment_id WHERE c.campaign_id = ? AND c.batch = ? AND NOT c.undone AND "
	err := database.Scan(db.Raw("SELECT count(DISTINCT c.segment_id)"+of+isLatest, campaignID, batch), &u.Segments)
	if err != nil {
		return u, err
	}
	if err := database.Scan(db.Raw("SELECT count(DISTINCT c.segment_id)"+of+"NOT "+isLatest, campaignID, batch), &u.Blocked); err != nil || u.Blocked == 0 {
		return u, err
	}
	err = db.Raw("SELECT DISTINCT g.position, g.id, g.segment_id AS name"+of+"NOT "+isLatest+" ORDER BY g.position LIMIT ?",
		campaignID, batch, shownBlocking).
		Scan(&u.Blocking).
		Error
	return u, err
}

// Undo undoes the act with id actID, which must be the latest that stands on a segment: on this segment
// alone if segments is 1, and otherwise on all segments of its batch where it is the latest. segments is
// the number that the lead was told, as in [UndoOf]. Undo brings back everything that the act changed on
// these segments: their states, assignments that were not submitted since, and open problems. The error
// is ErrConflict if the segment has no such act, if another act came after it, or if the number is
// another one now. An undo can't be undone.
func (s *Store) Undo(ctx context.Context, campaignID, segmentRowID, actID string, segments int, byID string) error {
	r, ids, err := s.undoing(s.db.Read(ctx), campaignID, segmentRowID, actID, segments)
	if err != nil {
		return err
	}
	r.ByID = byID
	err = s.do(ctx, r, ids)
	if _, failed := errors.AsType[*stepError](err); failed {
		// Taking back undoes the same batch, so trying it again may complete the undo.
		err = s.doJob(context.WithoutCancel(ctx), r.batch)
	}
	return err
}

// undoing finds the batch of an act and the segments on which it is to be undone.
func (s *Store) undoing(db *gorm.DB, campaignID, segmentRowID, actID string, segments int) (r actRequest, ids []string, err error) {
	acts, err := ReadActs(db, "c.campaign_id = ? AND c.segment_id = ? AND NOT c.undone", campaignID, segmentRowID)
	if err != nil {
		return r, nil, err
	}
	if len(acts) == 0 {
		return r, nil, fmt.Errorf("there is no act on this segment to undo: %w", campaign.ErrConflict)
	}
	latest := acts[len(acts)-1]
	if latest.ID != actID {
		return r, nil, fmt.Errorf("this is not the latest act on the segment any more; look at what was done since: %w", campaign.ErrConflict)
	}
	if under, err := findJobs(db, "id = ?", latest.Batch); err != nil || len(under) > 0 {
		return r, nil, cmp.Or(err, errBatchUnderWay)
	}
	r = actRequest{campaignID: campaignID, batch: latest.Batch, name: "undo " + string(latest.Kind), plan: undoBatch}
	if segments == 1 {
		return r, []string{segmentRowID}, nil
	}
	free, err := ReadActs(db, "c.campaign_id = ? AND c.batch = ? AND NOT c.undone AND "+isLatest, campaignID, latest.Batch)
	if ids = segmentsOf(free); err == nil && len(ids) != segments {
		err = fmt.Errorf(
			"the act can be undone on %s now, not on %s; look at it and choose again: %w", wording.Counted(len(ids), "segment"),
			wording.Count(segments), campaign.ErrConflict,
		)
	}
	return r, ids, err
}

// undoBatch plans to undo the batch on a segment. Its act must be the latest one there.
func undoBatch(a *ActPlan, g *Segment) (string, error) {
	last := ""
	for _, x := range g.Acts {
		if !x.Undone {
			last = x.ID
		}
	}
	if last == "" || g.batches[last] != a.Request.batch {
		return "", g.refuse("was changed by another act just now; look at it and choose again")
	}
	if n, ok := g.newTextOf(a.Request.batch); ok &&
		slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Submitted && t.Rated > n.Rated }) {
		return "", g.refuse("was rated with its new text, which therefore stays")
	}
	a.undone = append(a.undone, g.ID)
	return "", nil
}

// storeUndone undoes the acts of the batch on segments.
func (a *ActPlan) storeUndone(tx *database.Tx) error {
	return bringBack(tx, a.Request.batch, a.undone, a.Now)
}

// replacesText is [campaign.ActKind.ReplacesText] of a column.
const replacesText = "IN ('" + string(campaign.NewText) + "', '" + string(campaign.NewSource) + "')"

// bringBack undoes the acts of a batch on segments, and restores the assignments and problems that
// they changed. Assignments that were submitted after the acts stay submitted, and those that were
// skipped after them stay skipped. An adjudication becomes work in progress again.
func bringBack(tx *database.Tx, batch string, ids []string, now database.Instant) error {
	for _, sql := range []struct {
		text string
		args []any
	}{
		{"UPDATE acts SET undone = TRUE WHERE batch = ? AND segment_id IN ?", []any{batch}},
		{"UPDATE all_segments AS s SET source = c.text_before FROM acts c WHERE c.segment_id = s.id AND c.kind = '" + string(campaign.NewSource) + "' AND c.batch = ? AND c.segment_id IN ?", []any{batch}},
		{"UPDATE all_reference_texts AS r SET text = c.text_before FROM acts c WHERE c.segment_id = r.segment_id AND r.name = '" + campaign.MainReference + "' AND c.kind = '" + string(campaign.NewText) + "' AND c.batch = ? AND c.segment_id IN ?", []any{batch}},
		{"UPDATE lineage AS l SET brought = c.brought_before FROM acts c WHERE c.segment_id = l.segment_id AND l.depth = 1 AND c.kind " + replacesText + " AND c.batch = ? AND c.segment_id IN ?", []any{batch}},
		{closePages + " AND segment_id IN (SELECT segment_id FROM acts WHERE kind " + replacesText + " AND batch = ?) AND segment_id IN ?", []any{database.NewSeed(), batch}},
		{`UPDATE assignments AS a SET added = x.added AND NOT ` + records.IsSkipped + `,
				state = CASE WHEN a.set_aside <> '' THEN a.state WHEN x.state = '' THEN 'released' ELSE x.state END,
				set_aside = CASE WHEN a.set_aside = '' THEN '' WHEN x.state = '' THEN 'released' ELSE x.state END,
				touched_at = CASE WHEN x.state = 'open' THEN CAST(? AS BIGINT) ELSE a.touched_at END,
				submitted_at = CASE WHEN x.state = 'adjudicating' THEN 0 ELSE a.submitted_at END,
				seconds = CASE WHEN x.state = 'adjudicating' THEN 0 ELSE a.seconds END
			FROM act_assignments x WHERE x.assignment_id = a.id AND x.batch = ? AND a.state <> 'submitted' AND a.set_aside <> 'submitted' AND a.segment_id IN ?`, []any{now, batch}},
		{"UPDATE problems SET resolved_at = 0, answer = '', batch = '' WHERE batch = ? AND segment_id IN ?", []any{batch}},
		{"UPDATE all_segments SET held = " + hasOpenProblem + " WHERE id IN ?", nil},
	} {
		if err := EachPart(tx, ids, sql.text, sql.args...); err != nil {
			return err
		}
	}
	return nil
}

// RemoveImported removes the adjudications of segments that an import stored under a batch. Afterwards
// the segments are as if the adjudications had never been imported. The caller must have locked the
// segments, and must call [Store.Follow] for them afterwards.
func RemoveImported(tx *database.Tx, batch string, ids []string) error {
	if err := bringBack(tx, batch, ids, database.InstantOf(tx.Now())); err != nil {
		return err
	}
	for _, remove := range []string{
		`DELETE FROM assignments WHERE id IN (SELECT assignment_id FROM act_assignments WHERE batch = ? AND state = 'adjudicating') AND segment_id IN ?`,
		"DELETE FROM act_assignments WHERE batch = ? AND assignment_id IN (SELECT id FROM assignments WHERE segment_id IN ?)",
		"DELETE FROM acts WHERE batch = ? AND segment_id IN ?", // with the adjudicated ratings
	} {
		if err := EachPart(tx, ids, remove, batch); err != nil {
			return err
		}
	}
	return nil
}
