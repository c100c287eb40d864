package intake

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A large import of ratings can't become visible in one short transaction: it changes
// the state of every segment it touches. Once everything is staged and checked, one
// transaction says that the import is being completed. From then on it can't fail. The
// staged ratings are placed a number of segments at a time, each step leaving a sound
// campaign. Until the last of them nobody reads the campaign's states and sums, so that
// nobody sees a part of an import. Annotators go on with what they have.

// Completing returns a *[records.CompletingError] while an import into a campaign is being
// completed, and while its segments follow a change of its settings. What is read of the
// campaign's states and sums meanwhile is a part of what comes of it.
func (s *Store) Completing(ctx context.Context, campaignID string) error {
	return records.RefuseCompleting(s.db.Read(ctx), campaignID)
}

// beginCompleting says that the import is being completed. Its segments are visible
// from now on, and other imports wait until it is over.
func (im *ratingImport) beginCompleting(tx *database.Tx) error {
	err := tx.Exec("INSERT INTO staged_imports (campaign_id, id, after_position) VALUES (?, ?, ?)", im.c.ID, im.st.ID, math.MaxInt32).Error
	if err != nil {
		return err
	}
	var ids []string
	for _, a := range im.annotators {
		ids = append(ids, a.id)
	}
	for _, a := range im.adjudicators {
		ids = append(ids, a.id)
	}
	slices.Sort(ids)
	from := im.origin()
	return tx.Exec("INSERT INTO completing_imports (campaign_id, id, annotators, ratings, file, by_id) VALUES (?, ?, ?, ?, ?, ?)",
		im.c.ID, from.ID, strings.Join(slices.Compact(ids), " "), im.count, from.File, from.ByID).Error
}

// complete places the ratings of the import where that is left to do, and adds what it
// decides to the report. An import that is cancelled meanwhile has not failed: it is
// completed by whoever comes next.
func (s *Store) complete(ctx context.Context, st *stagedImport, opt ImportOptions, report *readmodel.ImportReport) error {
	err := s.completeImport(ctx, st.CampaignID, st.ID, func(p placement, done int) {
		report.Decide(p.moves)
		if opt.Placed != nil {
			opt.Placed(done, report.Ratings)
		}
	})
	if err != nil {
		report.Decided = nil
		report.Notes = append(
			report.Notes,
			"the ratings are stored; the program was stopped before all of them counted, and the server or the next command goes on with that",
		)
		s.db.Log.Warn("an import is completed later", "campaign", st.CampaignID, "error", err)
	}
	return nil
}

// completeImport places the staged ratings of an import in steps until none are left. If the import is
// being undone, it takes back its ratings in steps. After each step it calls placed with what the step
// did and with the number of ratings so far. Several programs may call it at the same time. It does
// nothing if the import is not being completed or undone.
func (s *Store) completeImport(ctx context.Context, campaignID, id string, placed func(p placement, done int)) error {
	size, done := database.NewStepSize(s.placedSegments(), 1, 2000), 0
	growth := database.Growth{Tables: "assignments, ratings, acts, adjudicated, act_assignments"}
	for {
		var p placement
		over := false
		var began time.Time // of the transaction
		err := s.db.Write(ctx, func(tx *database.Tx) error {
			began = time.Now()
			c, err := records.LockEvenCompleting(tx, campaignID)
			if err != nil {
				return err
			}
			from, undoing := importOrigin{ID: id}, false
			err = database.Scan(
				tx.Raw("SELECT file, by_id, undoing FROM completing_imports WHERE campaign_id = ? AND id = ?", campaignID, id), &from.File,
				&from.ByID, &undoing,
			)
			if over = errors.Is(err, database.ErrNoRows); over {
				return nil
			}
			if err != nil {
				return err
			}
			if undoing {
				p = placement{}
				p.ratings, err = s.takeBackRatings(tx, c, id, size.Size())
			} else {
				p, err = s.placeRatings(tx, c, from, size.Size())
			}
			if err != nil {
				return err
			}
			if over = p.ratings == 0; over {
				if err := tx.Exec("DELETE FROM completing_imports WHERE campaign_id = ? AND id = ?", campaignID, id).Error; err != nil {
					return err
				}
				if undoing {
					return s.endUndoing(tx, c, id)
				}
				return showStaged(tx, campaignID, id)
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
		size.Took(time.Since(began))
		done += p.ratings
		placed(p, done)
		// In a transaction of its own, which locks nothing that others wait for.
		if err := s.db.Write(ctx, func(tx *database.Tx) error { return growth.Note(tx, done) }); err != nil {
			return err
		}
		if s.db.OnPlaced != nil {
			s.db.OnPlaced()
		}
	}
}

// Settle waits until no import into a campaign is being completed, and completes one
// whose program was killed. It has the segments follow a change of settings that is under
// way.
func (s *Store) Settle(ctx context.Context, campaignID string) error {
	other := watch{s: s, campaignID: campaignID}
	for {
		if err := s.rounds.FollowSettings(ctx, campaignID); err != nil {
			return err
		}
		if err := s.Completing(ctx, campaignID); !errors.Is(err, campaign.ErrBusy) {
			return err
		}
		if err := other.wait(ctx); err != nil {
			return err
		}
	}
}
