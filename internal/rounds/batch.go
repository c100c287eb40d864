package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// An actRequest asks for an act of a lead on segments of a campaign, or for undoing one.
type actRequest struct {
	campaignID   string
	batch        string
	name         string // as in the audit log
	reason, ByID string
	plan         planFunc
	mails        bool // whether annotators are mailed the answers to their problems
}

// actOn does an act of a lead on segments. name is the name of the act in the audit log.
func (s *Store) actOn(ctx context.Context, campaignID string, ids []string, name, reason, byID string, plan planFunc) error {
	if err := records.CheckReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	if len(ids) > maxActedOn {
		return campaign.Invalid("segments", fmt.Sprintf("choose at most %d segments at a time", maxActedOn))
	}
	r := actRequest{campaignID, database.NewID(), name, reason, byID, plan, true}
	err := s.do(ctx, r, ids)
	if _, failed := errors.AsType[*stepError](err); !failed {
		return err
	}
	return errors.Join(err, s.doJob(context.WithoutCancel(ctx), r.batch))
}

// A stepError says that one of the steps of a request failed. The batch is still under way.
type stepError struct{ err error }

func (e *stepError) Error() string { return e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }

// do does a request on segments. If there are more than ActStep of them, it first checks
// that the act is possible on all of them, and then does it in several transactions, so that
// no other change waits for long. The error is a *stepError if one of these fails.
func (s *Store) do(ctx context.Context, r actRequest, ids []string) error {
	ids, err := actedOn(ids)
	if err != nil {
		return err
	}
	if len(ids) <= s.db.ActStep {
		return records.Change(ctx, s.db, r.campaignID, func(tx *database.Tx, c campaign.Campaign) error {
			if err := s.doIn(tx, c, r, ids); err != nil {
				return err
			}
			return s.mailAnswers(tx, r)
		})
	}
	if err := s.check(ctx, r, ids); err != nil {
		return err
	}
	if err := s.beginBatch(ctx, r); err != nil {
		return err
	}
	// The batch continues even if the client that asked for it is gone.
	ctx = context.WithoutCancel(ctx)
	for part := range slices.Chunk(ids, s.db.ActStep) {
		if err := s.step(ctx, r, part); err != nil {
			return &stepError{err}
		}
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := s.mailAnswers(tx, r); err != nil {
			return err
		}
		return job{ID: r.batch}.end(tx)
	})
}

// mailAnswers mails the reason of an act to the annotators whose problems the act has answered, one mail to each.
func (s *Store) mailAnswers(tx *database.Tx, r actRequest) error {
	if !r.mails || !s.outbox.Mails() {
		return nil
	}
	var answered []struct {
		UserID, Title string
		Segments      int
	}
	err := tx.Raw(`SELECT a.user_id, c.title, count(DISTINCT p.segment_id) AS segments
		FROM problems p JOIN assignments a ON a.id = p.assignment_id JOIN campaigns c ON c.id = p.campaign_id
		WHERE p.campaign_id = ? AND p.resolved_at > 0 AND p.batch = ? GROUP BY a.user_id, c.title ORDER BY a.user_id`, r.campaignID, r.batch).
		Scan(&answered).
		Error
	if err != nil {
		return err
	}
	for _, of := range answered {
		if err := s.outbox.MailWork(tx, r.campaignID, of.UserID, s.outbox.Answer(of.Title, r.reason, of.Segments)); err != nil {
			return err
		}
	}
	return nil
}

// check plans a request without storing anything. Its error says why the act is refused.
func (s *Store) check(ctx context.Context, r actRequest, ids []string) error {
	db := s.db.Read(ctx)
	c, err := records.ReadCampaign(db, r.campaignID)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, FollowBatch) {
		a, err := newActPlan(s, db, c, r)
		if err != nil {
			return err
		}
		segments, err := a.facts.found(c, part)
		if err != nil {
			return err
		}
		if err := a.refuseDuringBatch(segments); err != nil {
			return err
		}
		for _, g := range segments {
			if _, err := r.plan(a, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginBatch notes that a batch is under way. The error is ErrConflict if it is already.
func (s *Store) beginBatch(ctx context.Context, r actRequest) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if _, err := records.LockToChange(tx, r.campaignID); err != nil {
			return err
		}
		begun, err := job{ID: r.batch, Kind: actJob, CampaignID: r.campaignID, State: "{}"}.begin(tx)
		if err == nil && !begun {
			return errBatchUnderWay
		}
		return err
	})
}

// step does a request on a part of its segments. It fails if another process is taking the batch
// back, or has done so.
func (s *Store) step(ctx context.Context, r actRequest, part []string) error {
	return s.db.WriteLong(ctx, func(tx *database.Tx) error {
		c, err := records.LockEvenCompleting(tx, r.campaignID) // a batch continues while an import is being completed
		if err != nil {
			return err
		}
		res := tx.Exec("UPDATE jobs SET beat = beat + 1 WHERE id = ? AND position = 0", r.batch)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return fmt.Errorf("the act stood still for too long and was taken back; do it again: %w", campaign.ErrConflict)
		}
		return s.doIn(tx, c, r, part)
	})
}

// takeBackPart undoes a batch on a part of the segments where it was done: those without a later act.
// A lead left out the others, too, if undoing the batch is what was interrupted.
func (s *Store) takeBackPart(tx *database.Tx, c campaign.Campaign, batch string, ids []string) error {
	var kind string
	if err := database.Scan(tx.Raw("SELECT kind FROM acts WHERE batch = ? AND segment_id = ?", batch, ids[0]), &kind); err != nil {
		return err
	}
	return s.doIn(tx, c, actRequest{c.ID, batch, "undo " + kind, "the act was not completed on all its segments", "", undoBatch, false}, ids)
}

func segmentsOf(acts []StoredAct) []string {
	ids := make([]string, len(acts))
	for i, a := range acts {
		ids[i] = a.SegmentID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

var errBatchUnderWay = fmt.Errorf("the act is just being done or undone on many segments; try again in a moment: %w", campaign.ErrConflict)
