package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// A large import of ratings can't become visible in one short transaction: it changes
// the state of every segment it touches. Once everything is staged and checked, one
// transaction says that the import is being completed. From then on it can't fail. The
// staged ratings are placed a number of segments at a time, each step leaving a sound
// campaign. Until the last of them nobody reads the campaign's states and sums, so that
// nobody sees a part of an import. Annotators go on with what they have.

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

// Completing returns a *[CompletingError] while an import into a campaign is being
// completed. What is read of the campaign's states and sums meanwhile is a part of it.
func (s *Store) Completing(ctx context.Context, campaignID string) error {
	return translate(refuseCompleting(s.read(ctx), campaignID))
}

func refuseCompleting(db *gorm.DB, campaignID string) error {
	var all, done int
	err := scan(db.Raw("SELECT ratings, placed FROM completing_imports WHERE campaign_id = ?", campaignID), &all, &done)
	switch {
	case errors.Is(err, errNoRows):
		return nil
	case err != nil:
		return err
	}
	return &CompletingError{Share: float64(done) / float64(max(1, all))}
}

// beginCompleting says that the import is being completed. Its segments are visible
// from now on, and other imports wait until it is over.
func (im *ratingImport) beginCompleting(tx *gorm.DB) error {
	err := tx.Exec("INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, ?, ?)", im.c.ID, im.st.id, math.MaxInt32).Error
	if err != nil {
		return err
	}
	var ids []string
	for _, a := range im.annotators {
		ids = append(ids, a.id)
	}
	slices.Sort(ids)
	return tx.Exec("INSERT INTO completing_imports (campaign_id, id, annotators, ratings) VALUES (?, ?, ?, ?)", im.c.ID, im.st.id, strings.Join(ids, " "), im.count).Error
}

// completes reports whether an import that is being completed has ratings by a user.
func completes(db *gorm.DB, campaignID, userID string) (bool, error) {
	var ids string
	err := scan(db.Raw("SELECT annotators FROM completing_imports WHERE campaign_id = ?", campaignID), &ids)
	if errors.Is(err, errNoRows) {
		return false, nil
	}
	return slices.Contains(strings.Fields(ids), userID), err
}

// complete places the ratings of the import where that is left to do, and adds what it
// decides to the report. An import that is cancelled meanwhile has not failed: it is
// completed by whoever comes next.
func (st *staging) complete(ctx context.Context, report *ImportReport) error {
	err := st.s.completeImport(ctx, st.campaignID, st.id, report)
	if err != nil {
		report.Decided = nil
		report.Notes = append(report.Notes, "the ratings are stored; the program was stopped before all of them counted, and the server or the next command goes on with that")
		st.s.log.Warn("an import is completed later", "campaign", st.campaignID, "error", err)
	}
	return nil
}

// completeImport places the staged ratings of an import in steps, until there are none
// left. Several programs may do so at the same time. It does nothing where the import
// is not being completed.
func (s *Store) completeImport(ctx context.Context, campaignID, id string, report *ImportReport) error {
	pace := newPace(placedSegments, 1, 2000)
	for {
		var p placement
		over := false
		var began time.Time // of the transaction
		err := s.write(ctx, func(tx *gorm.DB) error {
			began = time.Now()
			c, err := holdCampaign(tx, campaignID)
			if err != nil {
				return err
			}
			var n int
			if err := scan(tx.Raw("SELECT count(*) FROM completing_imports WHERE campaign_id = ? AND id = ?", campaignID, id), &n); err != nil {
				return err
			}
			if over = n == 0; over {
				return nil
			}
			if p, err = s.placeRatings(tx, c, pace.size); err != nil {
				return err
			}
			if over = p.ratings == 0; over {
				if err := tx.Exec("DELETE FROM completing_imports WHERE campaign_id = ? AND id = ?", campaignID, id).Error; err != nil {
					return err
				}
				return show(tx, campaignID, id)
			}
			if err := tx.Exec("UPDATE staged_imports SET beat = beat + 1 WHERE campaign_id = ? AND id = ?", campaignID, id).Error; err != nil {
				return err
			}
			return tx.Exec("UPDATE completing_imports SET placed = placed + ? WHERE campaign_id = ?", p.ratings, campaignID).Error
		})
		switch {
		case errors.Is(err, campaign.ErrBusy) && ctx.Err() == nil:
			continue // somebody held a segment for long
		case err != nil:
			return err
		case over:
			return nil
		}
		pace.took(time.Since(began))
		report.decide(p.moves)
		if s.onPlaced != nil {
			s.onPlaced()
		}
	}
}

// Settle waits until no import into a campaign is being completed, and completes one
// whose program was killed.
func (s *Store) Settle(ctx context.Context, campaignID string) error {
	var other stagedImport
	var seen time.Time // when other last changed
	for {
		if err := s.Completing(ctx, campaignID); !errors.Is(err, campaign.ErrBusy) {
			return err
		}
		now, err := s.stagedImport(ctx, campaignID)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			continue
		case err != nil:
			return err
		case now != other:
			other, seen = now, time.Now()
		case time.Since(seen) >= s.deadAfter:
			return s.completeImport(ctx, campaignID, other.ID, &ImportReport{})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(200*time.Millisecond, s.deadAfter)):
		}
	}
}
