package intake

import (
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// takeBackRatings removes the ratings and adjudications of an import from the next segments that
// stay, and stores their new states. It returns the number of these segments, and 0 if none are
// left. The caller holds the lock of the campaign.
func (s *Store) takeBackRatings(tx *database.Tx, c campaign.Campaign, importID string, segments int) (int, error) {
	var touched []struct{ SegmentID, Decisions string }
	err := tx.Raw("SELECT x.segment_id, x.decisions FROM import_segments x JOIN segments g ON g.id = x.segment_id WHERE x.import_id = ? ORDER BY x.segment_id LIMIT ?", importID, segments).
		Scan(&touched).
		Error
	if err != nil || len(touched) == 0 {
		return 0, err
	}
	ids := make([]string, len(touched))
	for i, t := range touched {
		ids[i] = t.SegmentID
	}
	if err := records.LockSegments(tx, ids...); err != nil {
		return 0, err
	}
	if err := rounds.RemoveImported(tx, importID, ids); err != nil {
		return 0, err
	}
	if err := removeTurns(tx, c, importID, ids); err != nil {
		return 0, err
	}
	for _, t := range touched {
		if err := restoreDecisions(tx, t.SegmentID, strings.Fields(t.Decisions)); err != nil {
			return 0, err
		}
	}
	// If somebody has submitted the segment since the import, its count rises. Otherwise the count
	// from before the import returns. Follow makes the decisions again in either case.
	err = rounds.EachPart(tx, ids, `UPDATE all_segments SET
		rated = (SELECT CASE WHEN x.rated = all_segments.rated THEN x.was_rated ELSE all_segments.rated + 1 END FROM import_segments x WHERE x.segment_id = all_segments.id AND x.import_id = ?),
		imported = (SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.imported) WHERE id IN ?`, importID)
	if err != nil {
		return 0, err
	}
	if err := s.rounds.Follow(tx, c, ids...); err != nil {
		return 0, err
	}
	return len(touched), rounds.EachPart(tx, ids, "DELETE FROM import_segments WHERE import_id = ? AND segment_id IN ?", importID)
}

// removeTurns deletes the ratings of an import on segments and the assignments that it made. It
// restores the assignments that the import changed. It also deletes the re-annotations that the
// ratings caused and that nobody has begun or reported a problem with. Follow makes the ones that
// are still needed again.
func removeTurns(tx *database.Tx, c campaign.Campaign, importID string, ids []string) error {
	var before []struct{ AssignmentID, State, Kept string }
	err := tx.Raw(`SELECT x.assignment_id, x.state, x.kept FROM assignments a JOIN import_assignments x ON x.assignment_id = a.id AND x.import_id = ?
		WHERE a.segment_id IN ? ORDER BY a.id`, importID, ids).Scan(&before).Error
	if err != nil {
		return err
	}
	made := map[string]bool{}
	var emptied, changed []string
	for _, b := range before {
		switch {
		case b.State == "":
			made[b.AssignmentID] = true
			emptied = append(emptied, b.AssignmentID)
		case b.Kept == "":
			emptied, changed = append(emptied, b.AssignmentID), append(changed, b.AssignmentID)
		default:
			changed = append(changed, b.AssignmentID)
			if err := tx.Exec("DELETE FROM ratings WHERE assignment_id = ? AND translation_id NOT IN ?",
				b.AssignmentID, strings.Fields(b.Kept)).Error; err != nil {
				return err
			}
		}
	}
	if err := rounds.UncountMeetings(tx, c.ID, ids, func(id string) bool { return made[id] }); err != nil {
		return err
	}
	if err := rounds.EachPart(tx, emptied, "DELETE FROM ratings WHERE assignment_id IN ?"); err != nil {
		return err
	}
	gone := slices.DeleteFunc(emptied, func(id string) bool { return !made[id] })
	if err := rounds.EachPart(tx, gone, "DELETE FROM assignments WHERE id IN ?"); err != nil {
		return err
	}
	err = rounds.EachPart(tx, changed, `UPDATE assignments SET state = x.state, imported = x.imported, started_at = x.started_at, touched_at = x.touched_at,
			submitted_at = x.submitted_at, rated = x.rated,
			ratings = (SELECT count(*) FROM ratings r WHERE r.assignment_id = x.assignment_id),
			comments = (SELECT count(*) FROM ratings r WHERE r.assignment_id = x.assignment_id AND `+records.Commented+`),
			seconds = (SELECT coalesce(sum(r.seconds), 0) FROM ratings r WHERE r.assignment_id = x.assignment_id)
		FROM import_assignments x WHERE x.assignment_id = assignments.id AND x.import_id = ? AND assignments.id IN ?`, importID)
	if err != nil {
		return err
	}
	if err := rounds.EachPart(tx, changed, "DELETE FROM import_assignments WHERE import_id = ? AND assignment_id IN ?", importID); err != nil {
		return err
	}
	return rounds.EachPart(tx, ids, `DELETE FROM assignments WHERE round > 1 AND state = 'open' AND set_aside = '' AND NOT added AND NOT imported
		AND started_at >= (SELECT i.at FROM imports i WHERE i.id = ?)
		AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = assignments.id)
		AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.assignment_id = assignments.id)
		AND NOT EXISTS (SELECT 1 FROM act_assignments x WHERE x.assignment_id = assignments.id) AND segment_id IN ?`, importID)
}

// restoreDecisions restores the decisions on a segment from before an import. The other decisions
// are deleted. before has the ids from the row of import_segments.
func restoreDecisions(tx *database.Tx, segmentID string, before []string) error {
	ids, current := []string{""}, []string{""} // some databases refuse an empty list
	for _, d := range before {
		id, is := strings.CutSuffix(d, currentMark)
		ids = append(ids, id)
		if is {
			current = append(current, id)
		}
	}
	if err := tx.Exec("DELETE FROM decisions WHERE segment_id = ? AND id NOT IN ?", segmentID, ids).Error; err != nil {
		return err
	}
	return tx.Exec("UPDATE decisions SET current = id IN ?, rated = -1 WHERE segment_id = ?", current, segmentID).Error
}

// currentMark follows the id of a current decision in import_segments.
const currentMark = "*"

// placedSegments is the number of segments whose ratings the first of the steps makes
// visible. Later steps have the size that their StepSize gives.
func (s *Store) placedSegments() int { return max(1, s.db.ImportStep/5) }
