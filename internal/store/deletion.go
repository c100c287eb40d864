package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// DeleteCampaign deletes a campaign in the name of the context's [records.Actor]. From its commit on
// nobody sees the campaign, and its slug is free. The rows stay until [Store.CompleteDeletion]
// deletes them. The site's log keeps who deleted what. An import into the campaign that is under way
// fails, and running judges are asked to stop.
func (s *Store) DeleteCampaign(ctx context.Context, campaignID string) error {
	return s.DB.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockEvenCompleting(tx, campaignID)
		if err != nil {
			return err
		}
		var segments, ratings int
		err = database.Scan(tx.Raw(`SELECT (SELECT count(*) FROM segments WHERE campaign_id = ?),
			(SELECT coalesce(sum(ratings), 0) FROM assignments WHERE campaign_id = ? AND state = 'submitted')`, c.ID, c.ID), &segments, &ratings)
		if err != nil {
			return err
		}
		ids, err := sidesOf(tx.DB, c.ID)
		if err != nil {
			return err
		}
		for _, id := range append(ids, c.ID) {
			if err := hide(tx, id); err != nil {
				return err
			}
		}
		return s.Accounts.LogSite(tx, "delete campaign", c.Slug, fmt.Sprintf("%s: %s, %s", c.Title, wording.Counted(segments, "segment"), wording.Counted(ratings, "rating")))
	})
}

// hide hides a campaign, or a side campaign, from everybody.
func hide(tx *database.Tx, campaignID string) error {
	// These rows give users rights, or make programs continue work on the campaign.
	for _, table := range []string{"memberships", "invitations", "staged_imports", "completing_imports", "web_imports", "jobs", "webhooks"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE campaign_id = ?", campaignID).Error; err != nil {
			return err
		}
	}
	err := tx.Exec("UPDATE judge_runs SET stop = ? WHERE judge_id IN (SELECT id FROM all_judges WHERE campaign_id = ?)", true, campaignID).Error
	if err != nil {
		return err
	}
	return tx.Exec("UPDATE campaigns SET deleted = ?, slug = ? WHERE id = ?", true, deletedSlug(campaignID), campaignID).Error
}

// sidesOf lists the ids of the side campaigns of a campaign.
func sidesOf(db *gorm.DB, campaignID string) (ids []string, err error) {
	err = db.Raw("SELECT id FROM campaigns WHERE part_of = ? ORDER BY id", campaignID).Scan(&ids).Error
	return ids, err
}

// deletedSlug is the slug of a deleted campaign. No other campaign can have it, because "~" is not
// allowed in slugs.
func deletedSlug(id string) string { return "~" + id }

// CompleteDeletions deletes the rows of all campaigns that were deleted.
func (s *Store) CompleteDeletions(ctx context.Context) error {
	var ids []string
	if err := s.DB.Read(ctx).Raw("SELECT id FROM campaigns WHERE deleted AND part_of = '' ORDER BY id").Scan(&ids).Error; err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.CompleteDeletion(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// CompleteDeletion deletes the rows of a campaign that was deleted, and of its side campaigns, in steps that let others save
// between them. Several programs may do so at the same time, and one that is killed leaves the rest
// to the next. It does nothing to a campaign that was not deleted.
//
// Accounts stay, but for those that imports made, that nobody can sign in to, and that no other
// campaign has.
func (s *Store) CompleteDeletion(ctx context.Context, campaignID string) error {
	var deleted int
	if err := database.Scan(s.DB.Read(ctx).Raw("SELECT count(*) FROM campaigns WHERE id = ? AND deleted", campaignID), &deleted); err != nil || deleted == 0 {
		return err
	}
	sides, err := sidesOf(s.DB.Read(ctx), campaignID)
	if err != nil {
		return err
	}
	for _, id := range append(sides, campaignID) {
		if err := s.deleteRows(ctx, id); err != nil {
			return err
		}
	}
	return s.deleteImportedUsers(ctx)
}

// deleteRows deletes the rows of a campaign, or a side campaign, that was deleted.
func (s *Store) deleteRows(ctx context.Context, campaignID string) error {
	err := s.inSteps(ctx, database.NewStepSize(20, 1, 2000), func(tx *database.Tx, size int) (int, error) {
		var ids []string
		err := tx.Raw("SELECT id FROM all_segments WHERE campaign_id = ? ORDER BY position LIMIT ?", campaignID, size).Scan(&ids).Error
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return len(ids), records.DeleteSegments(tx, ids)
	})
	if err != nil {
		return err
	}
	for _, of := range largeTables {
		err := s.inSteps(ctx, database.NewStepSize(200, 1, 20_000), func(tx *database.Tx, size int) (int, error) {
			res := tx.Exec(fmt.Sprintf("DELETE FROM %[1]s WHERE (%[2]s) IN (SELECT %[2]s FROM %[1]s WHERE campaign_id = ? LIMIT %[3]d)", of.table, of.key, size), campaignID)
			return int(res.RowsAffected), res.Error
		})
		if err != nil {
			return err
		}
	}
	return s.DB.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM campaigns WHERE id = ? AND deleted", campaignID).Error // the rows that are left go with it
	})
}

// largeTables are the tables of a campaign that may have many rows, beside those about segments, by
// their keys. A table follows those whose rows refer to it.
var largeTables = []struct{ table, key string }{
	{"staged_ratings", "campaign_id, segment_id, user_id, round, translation_id"},
	{"metrics", "id"},
	{"judge_replies", "campaign_id, id"},
	{"all_systems", "id"},
	{"plan_turns", "document_id, user_id"},
	{"plan_documents", "document_id"},
	{"documents", "id"},
	{"tallies", "campaign_id, kind, user_id, other_id, name"},
	{"meetings", "campaign_id, user_id, other_id"},
	{"audit_log", "id"},
	{"campaign_changes", "campaign_id, version, item"},
	{"settings_changes", "id"},
	{"reports", "campaign_id, choices"},
}

// inSteps does work in transactions until one finds nothing to do. step does as much as size says
// and returns how much it found.
func (s *Store) inSteps(ctx context.Context, size *database.StepSize, step func(tx *database.Tx, size int) (int, error)) error {
	for {
		var found int
		var began time.Time // of the transaction
		err := s.DB.Write(ctx, func(tx *database.Tx) (err error) {
			began = time.Now()
			found, err = step(tx, size.Size())
			return err
		})
		switch {
		case errors.Is(err, campaign.ErrBusy) && ctx.Err() == nil:
			continue // somebody held a row for long
		case err != nil || found == 0:
			return err
		}
		size.Took(time.Since(began))
	}
}

// deleteImportedUsers deletes the accounts that imports made and that belong to no campaign any
// more.
func (s *Store) deleteImportedUsers(ctx context.Context) error {
	var ids []string
	err := s.DB.Read(ctx).Raw("SELECT id FROM users WHERE imported AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = users.id) ORDER BY id").Scan(&ids).Error
	if err != nil {
		return err
	}
	return s.Accounts.DropImportedUsers(ctx, ids)
}
