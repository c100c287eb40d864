package intake

import (
	"context"
	"fmt"

	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/rounds"
)

// A stagedRow is the row of an import in staged_imports. An import whose row stays equal is dead.
type stagedRow struct {
	CampaignID, ID string
	AfterPosition  int
	HidesSystems   bool
	Beat           int64
	Dropped        bool
}

// StagedImport reads the import that is under way in a campaign. If there is none, it returns an
// ErrNotFound.
func (s *Store) StagedImport(ctx context.Context, campaignID string) (i stagedRow, err error) {
	err = s.db.Read(ctx).Raw("SELECT * FROM staged_imports WHERE campaign_id = ?", campaignID).Take(&i).Error
	return i, err
}

// dropSize is about how many rows one step deletes.
const dropSize = 1000

// DropStaged deletes the rows that an import brought, and then its own row, in steps. Several programs
// may do so at the same time.
func (s *Store) DropStaged(ctx context.Context, i stagedRow) error {
	there := false
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		res := tx.Exec(`UPDATE staged_imports SET dropped = TRUE WHERE campaign_id = ? AND id = ?
			AND NOT EXISTS (SELECT 1 FROM completing_imports c WHERE c.id = staged_imports.id)`, i.CampaignID, i.ID)
		there = res.RowsAffected > 0
		return res.Error
	})
	if err != nil || !there {
		return err
	}
	var systems int
	if err := database.Scan(s.db.Read(ctx).Raw("SELECT count(*) FROM all_systems WHERE campaign_id = ?", i.CampaignID), &systems); err != nil {
		return err
	}
	if err := s.dropSegments(ctx, i, max(1, dropSize/max(1, systems))); err != nil {
		return err
	}
	for _, part := range []string{
		fmt.Sprintf(`DELETE FROM documents WHERE id IN (SELECT d.id FROM documents d JOIN staged_imports i ON i.campaign_id = d.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND NOT EXISTS (SELECT 1 FROM all_segments s WHERE s.document_id = d.id) LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_systems WHERE id IN (SELECT y.id FROM all_systems y JOIN staged_imports i ON i.campaign_id = y.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND i.hides_systems LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM metric_segment_scores WHERE (segment_id, metric_id) IN (SELECT x.segment_id, x.metric_id FROM metric_segment_scores x
			JOIN metrics m ON m.id = x.metric_id JOIN staged_imports i ON i.campaign_id = m.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND m.staged AND m.replaced_by = '' LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM metrics WHERE id IN (SELECT m.id FROM metrics m JOIN staged_imports i ON i.campaign_id = m.campaign_id
			WHERE i.campaign_id = ? AND i.id = ? AND m.staged AND m.replaced_by = '' LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM staged_ratings WHERE (campaign_id, segment_id, user_id, round, translation_id) IN (SELECT r.campaign_id, r.segment_id, r.user_id, r.round, r.translation_id
			FROM staged_ratings r JOIN staged_imports i ON i.campaign_id = r.campaign_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_reference_texts WHERE (segment_id, name) IN (SELECT r.segment_id, r.name FROM all_reference_texts r
			JOIN staged_imports i ON i.id = r.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`UPDATE all_suggestions SET replaced_by = '' WHERE (translation_id, import_id) IN (SELECT s.translation_id, s.import_id FROM all_suggestions s
			JOIN staged_imports i ON i.id = s.replaced_by WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_suggestions WHERE (translation_id, import_id) IN (SELECT s.translation_id, s.import_id FROM all_suggestions s
			JOIN staged_imports i ON i.id = s.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`UPDATE all_terms SET replaced_by = '' WHERE (segment_id, import_id) IN (SELECT s.segment_id, s.import_id FROM all_terms s
			JOIN staged_imports i ON i.id = s.replaced_by WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_terms WHERE (segment_id, import_id) IN (SELECT s.segment_id, s.import_id FROM all_terms s
			JOIN staged_imports i ON i.id = s.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`UPDATE all_judgements SET replaced_by = '' WHERE (translation_id, judge_id, import_id) IN (SELECT x.translation_id, x.judge_id, x.import_id FROM all_judgements x
			JOIN staged_imports i ON i.id = x.replaced_by WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		fmt.Sprintf(`DELETE FROM all_judgements WHERE (translation_id, judge_id, import_id) IN (SELECT x.translation_id, x.judge_id, x.import_id FROM all_judgements x
			JOIN staged_imports i ON i.id = x.import_id WHERE i.campaign_id = ? AND i.id = ? LIMIT %d)`, dropSize),
		"DELETE FROM all_judges WHERE id IN (SELECT j.id FROM all_judges j JOIN staged_imports i ON i.id = j.import_id WHERE i.campaign_id = ? AND i.id = ?)",
	} {
		if err := s.deleteInSteps(ctx, part, i.CampaignID, i.ID); err != nil {
			return err
		}
	}
	if err := s.dropAccounts(ctx, i); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := tx.Exec("DELETE FROM import_members WHERE import_id IN (SELECT i.id FROM staged_imports i WHERE i.campaign_id = ? AND i.id = ?)", i.CampaignID, i.ID).Error; err != nil {
			return err
		}
		return showStaged(tx, i.CampaignID, i.ID)
	})
}

// dropAccounts deletes the accounts that an import made and that nothing else needs.
func (s *Store) dropAccounts(ctx context.Context, i stagedRow) error {
	var ids []string
	err := s.db.Read(ctx).
		Raw("SELECT m.user_id FROM import_members m JOIN staged_imports i ON i.id = m.import_id WHERE i.campaign_id = ? AND i.id = ? AND m.account ORDER BY m.user_id", i.CampaignID, i.ID).
		Scan(&ids).
		Error
	if err != nil {
		return err
	}
	return s.accounts.DropImportedUsers(ctx, ids)
}

// dropSegments deletes the segments of an import with all their data, in parts of size segments.
func (s *Store) dropSegments(ctx context.Context, i stagedRow, size int) error {
	for n := 1; n > 0; {
		err := s.db.Write(ctx, func(tx *database.Tx) error {
			var ids []string
			err := tx.Raw(`SELECT s.id FROM all_segments s JOIN staged_imports i ON i.campaign_id = s.campaign_id
				WHERE i.campaign_id = ? AND i.id = ? AND s.position > i.after_position ORDER BY s.position LIMIT ?`, i.CampaignID, i.ID, size).Scan(&ids).Error
			n = len(ids)
			if err != nil || n == 0 {
				return err
			}
			if err := rounds.UncountMeetings(tx, i.CampaignID, ids, func(string) bool { return true }); err != nil {
				return err
			}
			return records.DeleteSegments(tx, ids)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteInSteps deletes rows, a part at a time, until there are none.
func (s *Store) deleteInSteps(ctx context.Context, part string, args ...any) error {
	for n := int64(1); n > 0; {
		err := s.db.Write(ctx, func(tx *database.Tx) error {
			res := tx.Exec(part, args...)
			n = res.RowsAffected
			return res.Error
		})
		if err != nil {
			return err
		}
	}
	return nil
}
