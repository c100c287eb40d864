package records

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A CompletingError is the ErrBusy of a campaign into which an import is being
// completed.
type CompletingError struct {
	Share float64 // that is done, from 0 to 1
}

func (e *CompletingError) Error() string {
	return fmt.Sprintf("an import of ratings into this campaign is being completed, and %.0f %% of it is done; try again in a moment", 100*e.Share)
}

// Is makes it an ErrBusy.
func (e *CompletingError) Is(target error) bool { return target == campaign.ErrBusy }

// RefuseCompleting is a *[CompletingError] while an import into the campaign is being
// completed, else nil.
func RefuseCompleting(db *gorm.DB, campaignID string) error {
	var all, done int
	err := database.Scan(db.Raw("SELECT ratings, placed FROM completing_imports WHERE campaign_id = ?", campaignID), &all, &done)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return &CompletingError{Share: float64(done) / float64(max(1, all))}
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

// LockSegment locks a segment, before any change of its assignments. Other changes of
// them wait until the commit. Counts and decisions therefore see each other's work, and
// the segment is counted again before the commit (package desk), on SQLite too. A change
// that also locks the campaign locks the campaign first.
func LockSegment(tx *gorm.DB, segmentID string) error {
	database.TouchSegments(tx, segmentID)
	if tx.Name() != database.Postgres {
		return nil // there is one writer at a time
	}
	var id string
	return database.Scan(tx.Table("all_segments").Clauses(database.ForUpdate).Select("id").Where("id = ?", segmentID), &id)
}

// LockSegments locks several segments as [LockSegment] does, in the order of their ids.
func LockSegments(tx *gorm.DB, segmentIDs []string) error {
	database.TouchSegments(tx, segmentIDs...)
	return HoldSegments(tx, segmentIDs)
}

// HoldSegments locks segments without noting them: who calls it notes those it
// changes.
func HoldSegments(tx *gorm.DB, segmentIDs []string) error {
	if tx.Name() != database.Postgres || len(segmentIDs) == 0 {
		return nil
	}
	var ids []string
	return tx.Table("all_segments").Clauses(database.ForUpdate).Select("id").Where("id IN ?", segmentIDs).Order("id").Scan(&ids).Error
}

// LockCampaign reads a campaign for a change that other changes must wait for. It is a
// *[CompletingError] while an import into it is being completed.
func LockCampaign(tx *gorm.DB, campaignID string) (campaign.Campaign, error) {
	c, err := HoldCampaign(tx, campaignID)
	if err == nil {
		err = RefuseCompleting(tx, campaignID)
	}
	return c, err
}

// HoldCampaign is LockCampaign for what goes on while an import is being completed.
func HoldCampaign(tx *gorm.DB, campaignID string) (campaign.Campaign, error) {
	row, err := gorm.G[CampaignRow](tx, database.ForUpdate).Where("id = ?", campaignID).First(tx.Statement.Context)
	if err != nil {
		return campaign.Campaign{}, err
	}
	return row.Campaign()
}
