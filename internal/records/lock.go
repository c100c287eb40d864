package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A CompletingError is an ErrBusy. It says that an import into the campaign is being completed or
// undone, or that the campaign's segments are being brought in line with a change of its settings.
type CompletingError struct {
	Share    float64 // the part that is done, from 0 to 1
	Settings bool    // the cause is a change of settings and not an import
	Undoing  bool    // the cause is the undoing of an import
}

func (e *CompletingError) Error() string {
	if e.Settings {
		return fmt.Sprintf("the settings of this campaign were changed, and %.0f %% of its segments follow them so far; try again in a moment", 100*e.Share)
	}
	if e.Undoing {
		return fmt.Sprintf("an import into this campaign is being undone, and %.0f %% of it is done; try again in a moment", 100*e.Share)
	}
	return fmt.Sprintf("an import of ratings into this campaign is being completed, and %.0f %% of it is done; try again in a moment", 100*e.Share)
}

// Is reports that the error is an ErrBusy.
func (e *CompletingError) Is(target error) bool { return target == campaign.ErrBusy }

// RefuseCompleting returns a *[CompletingError] while an import into the campaign, or a
// change of its settings, is being completed; otherwise nil.
func RefuseCompleting(db *gorm.DB, campaignID string) error {
	var all, done int
	var undoing, settings bool
	err := database.Scan(db.Raw(`SELECT ratings, placed, undoing, FALSE FROM completing_imports WHERE campaign_id = ?
		UNION ALL SELECT total, done, FALSE, TRUE FROM jobs WHERE campaign_id = ? AND kind = 'settings'`, campaignID, campaignID), &all, &done, &undoing, &settings)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return &CompletingError{Share: min(1, float64(done)/float64(max(1, all))), Settings: settings, Undoing: undoing}
}

// Completes reports whether an import that is being completed has ratings by a user.
func Completes(db *gorm.DB, campaignID, userID string) (bool, error) {
	var ids string
	err := database.Scan(db.Raw("SELECT annotators FROM completing_imports WHERE campaign_id = ?", campaignID), &ids)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return slices.Contains(strings.Fields(ids), userID), err
}

// IsPlaced reports whether an import that is being completed has ratings of an assignment.
func IsPlaced(db *gorm.DB, a AssignmentRow) (placed bool, err error) {
	err = database.Scan(db.Raw(`SELECT EXISTS (SELECT 1 FROM completing_imports c JOIN staged_ratings r ON r.campaign_id = c.campaign_id
		WHERE c.campaign_id = ? AND r.segment_id = ? AND r.user_id = ? AND r.round = ?)`, a.CampaignID, a.SegmentID, a.UserID, a.Round), &placed)
	return placed, err
}

// A transaction takes its locks in this order: the campaign, its segments, its kept sums
// (package desk). Accounts may be locked before or after the campaign. If two transactions
// wait for each other because of that, PostgreSQL ends one of them, and [database.DB.Write]
// runs it again.

// LockSegments locks segments before their assignments change. Other transactions that
// change them wait until the commit. It also marks the segments, so that their sums are
// counted again before the commit.
func LockSegments(tx *database.Tx, ids ...string) error {
	tx.TouchSegments(ids...)
	return LockSegmentsUnmarked(tx, ids)
}

// LockSegmentsUnmarked locks segments without marking them. The caller marks those that it changes
// ([database.Tx.TouchSegments]).
func LockSegmentsUnmarked(tx *database.Tx, ids []string) error {
	return tx.Lock("all_segments", ids...)
}

// LockCampaign locks a campaign against other changes, and reads it. The error is a
// *[CompletingError] while an import or a change of settings is being completed.
func LockCampaign(tx *database.Tx, campaignID string) (campaign.Campaign, error) {
	c, err := LockEvenCompleting(tx, campaignID)
	if err == nil {
		err = RefuseCompleting(tx.DB, campaignID)
	}
	return c, err
}

// LockToChange is [LockCampaign] for changes that users make. The error is an ErrConflict if the
// campaign is archived.
func LockToChange(tx *database.Tx, campaignID string) (campaign.Campaign, error) {
	c, err := LockCampaign(tx, campaignID)
	if err == nil && c.Archived {
		err = fmt.Errorf("campaign %q is archived and can only be read; bring it back first: %w", c.Slug, campaign.ErrConflict)
	}
	return c, err
}

// Change runs a change that a user makes to a campaign in a transaction, which locks the campaign as [LockToChange] does.
func Change(ctx context.Context, db *database.DB, campaignID string, change func(tx *database.Tx, c campaign.Campaign) error) error {
	return db.Write(ctx, func(tx *database.Tx) error {
		c, err := LockToChange(tx, campaignID)
		if err != nil {
			return err
		}
		return change(tx, c)
	})
}

// LockEvenCompleting is [LockCampaign] without the [CompletingError], for work that continues while
// an import or a change of settings is being completed.
func LockEvenCompleting(tx *database.Tx, campaignID string) (campaign.Campaign, error) {
	if err := tx.Lock("campaigns", campaignID); err != nil {
		return campaign.Campaign{}, err
	}
	return ReadCampaign(tx.DB, campaignID)
}

// LockToImport is [LockEvenCompleting] for imports and judges. The error is ErrConflict if the campaign
// is closed or archived.
func LockToImport(tx *database.Tx, campaignID string) (campaign.Campaign, error) {
	c, err := LockEvenCompleting(tx, campaignID)
	switch {
	case err != nil:
	case c.Archived:
		err = fmt.Errorf("campaign %q is archived; bring it back and open it before importing: %w", c.Slug, campaign.ErrConflict)
	case c.State == campaign.Closed:
		err = fmt.Errorf("campaign %q is closed; open it before importing: %w", c.Slug, campaign.ErrConflict)
	}
	return c, err
}

// LockUsers locks accounts. The error is ErrNotFound if one of them does not exist.
func LockUsers(tx *database.Tx, ids ...string) error {
	if err := tx.Lock("users", ids...); err != nil {
		return err
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for part := range slices.Chunk(ids, database.MaxParameters) {
		var n int
		if err := database.Scan(tx.Raw("SELECT count(*) FROM users WHERE id IN ?", part), &n); err != nil {
			return err
		}
		if n < len(part) {
			return fmt.Errorf("user: %w", campaign.ErrNotFound)
		}
	}
	return nil
}
