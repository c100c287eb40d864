package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A deed is an act of a lead on segments of a campaign, or the undoing of one.
type deed struct {
	campaignID   string
	batch        string
	name         string // as in the audit log
	reason, ByID string
	plan         planAct
}

// actOn does a lead's act, named as in the audit log, on segments.
func (s *Store) actOn(ctx context.Context, campaignID string, ids []string, name, reason, byID string, plan planAct) error {
	if err := CheckReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	if len(ids) > maxActedOn {
		return campaign.Invalid("segments", fmt.Sprintf("choose at most %d segments at a time", maxActedOn))
	}
	d := deed{campaignID, database.NewID(), name, reason, byID, plan}
	err := s.do(ctx, d, ids)
	if _, failed := errors.AsType[*stepError](err); !failed {
		return err
	}
	return errors.Join(err, s.takeBack(context.WithoutCancel(ctx), campaignID, d.batch))
}

// A stepError says that a deed failed after it was begun in steps.
type stepError struct{ err error }

func (e *stepError) Error() string { return e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }

// do does a deed on segments. If they are many, it checks first that the deed can be
// done on all of them, and then does it in steps. The error is a *stepError where a step
// fails: then the batch is still under way.
func (s *Store) do(ctx context.Context, d deed, ids []string) error {
	ids, err := actedOn(ids)
	if err != nil {
		return err
	}
	if len(ids) <= s.ActStep {
		return s.Write(ctx, func(tx *database.Tx) error {
			c, err := records.LockCampaign(tx, d.campaignID)
			if err != nil {
				return err
			}
			return s.doIn(tx, c, d, ids)
		})
	}
	if err := s.check(ctx, d, ids); err != nil {
		return err
	}
	if err := s.beginBatch(ctx, d); err != nil {
		return err
	}
	// Whoever began it may go away; the deed goes on.
	ctx = context.WithoutCancel(ctx)
	for part := range slices.Chunk(ids, s.ActStep) {
		if err := s.step(ctx, d, part); err != nil {
			return &stepError{err}
		}
	}
	return s.endBatch(ctx, d.batch)
}

// check plans a deed on segments without doing it, and returns what refuses it.
func (s *Store) check(ctx context.Context, d deed, ids []string) error {
	db := s.Read(ctx)
	c, err := records.ReadCampaign(db, d.campaignID)
	if err != nil {
		return database.Translate(err)
	}
	for part := range slices.Chunk(ids, FollowBatch) {
		a, err := newActing(s, db, c, d)
		if err != nil {
			return database.Translate(err)
		}
		segments, err := a.facts.found(c, part)
		if err != nil {
			return database.Translate(err)
		}
		if err := a.freeOfBatches(segments); err != nil {
			return database.Translate(err)
		}
		for _, g := range segments {
			if _, err := d.plan(a, g); err != nil {
				return database.Translate(err)
			}
		}
	}
	return nil
}

// beginBatch notes that a batch is under way. ErrConflict where it is already.
func (s *Store) beginBatch(ctx context.Context, d deed) error {
	return s.Write(ctx, func(tx *database.Tx) error {
		if _, err := records.LockCampaign(tx, d.campaignID); err != nil {
			return err
		}
		res := tx.Exec("INSERT INTO batches_under_way (batch, campaign_id) VALUES (?, ?) ON CONFLICT DO NOTHING", d.batch, d.campaignID)
		if res.Error == nil && res.RowsAffected == 0 {
			return errBatchUnderWay
		}
		return res.Error
	})
}

// step does a part of a deed. It fails where somebody else has ended the batch.
func (s *Store) step(ctx context.Context, d deed, part []string) error {
	return s.WriteLong(ctx, func(tx *database.Tx) error {
		c, err := records.HoldCampaign(tx, d.campaignID) // a deed goes on while an import is being completed
		if err != nil {
			return err
		}
		res := tx.Exec("UPDATE batches_under_way SET beat = beat + 1 WHERE batch = ?", d.batch)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return fmt.Errorf("the act stood still for too long and was taken back; do it again: %w", campaign.ErrConflict)
		}
		return s.doIn(tx, c, d, part)
	})
}

func (s *Store) endBatch(ctx context.Context, batch string) error {
	return s.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM batches_under_way WHERE batch = ?", batch).Error
	})
}

// takeBack undoes what was done of a batch that is under way, in steps, and ends it.
func (s *Store) takeBack(ctx context.Context, campaignID, batch string) error {
	done, err := ReadActs(s.Read(ctx), "c.campaign_id = ? AND c.batch = ? AND NOT c.undone", campaignID, batch)
	if err != nil {
		return database.Translate(err)
	}
	if len(done) > 0 {
		d := deed{campaignID, batch, "undo " + string(done[0].Kind), "the act was not completed on all its segments", "", undoBatch}
		for part := range slices.Chunk(segmentsOf(done), s.ActStep) {
			if err := s.step(ctx, d, part); err != nil {
				return fmt.Errorf("take back what was done of an act: %w", err)
			}
		}
	}
	return s.endBatch(ctx, batch)
}

func segmentsOf(acts []StoredAct) []string {
	ids := make([]string, len(acts))
	for i, a := range acts {
		ids[i] = a.SegmentID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Undo takes the latest act on a segment away again, with all that was done in the
// same step to others, and brings back everything that it changed: states, hand-outs
// that are not submitted, and open problems. It must be the latest on each of the
// segments: else ErrConflict names one with a later act, or says that there is nothing
// to undo. An undo can't itself be undone.
func (s *Store) Undo(ctx context.Context, campaignID, segmentRowID, byID string) error {
	d := deed{campaignID: campaignID, ByID: byID, plan: undoBatch}
	var batch []StoredAct
	err := s.Write(ctx, func(tx *database.Tx) error {
		acts, err := ReadActs(tx.DB, "c.campaign_id = ? AND c.segment_id = ? AND NOT c.undone", campaignID, segmentRowID)
		if err != nil {
			return err
		}
		if len(acts) == 0 {
			return fmt.Errorf("there is no act on this segment to undo: %w", campaign.ErrConflict)
		}
		latest := acts[len(acts)-1]
		d.batch, d.name = latest.Batch, "undo "+string(latest.Kind)
		var under int
		err = database.Scan(tx.Raw("SELECT count(*) FROM batches_under_way WHERE batch = ?", d.batch), &under)
		if err == nil && under > 0 {
			err = errBatchUnderWay
		}
		if err != nil {
			return err
		}
		batch, err = ReadActs(tx.DB, "c.campaign_id = ? AND c.batch = ? AND NOT c.undone", campaignID, d.batch)
		return err
	})
	if err != nil {
		return err
	}
	err = s.do(ctx, d, segmentsOf(batch))
	if _, failed := errors.AsType[*stepError](err); failed {
		// Where it can be gone on with, it is undone after all.
		err = s.takeBack(context.WithoutCancel(ctx), campaignID, d.batch)
	}
	return err
}

// errBatchUnderWay: a batch is being done or undone.
var errBatchUnderWay = fmt.Errorf("the act is just being done or undone on many segments; try again in a moment: %w", campaign.ErrConflict)

// undoBatch plans to undo the act of the batch on a segment, which must be the latest.
func undoBatch(a *Acting, g LeadSegment) (string, error) {
	last := ""
	for _, x := range g.Acts {
		if !x.Undone {
			last = x.ID
		}
	}
	if last == "" || g.batches[last] != a.Deed.batch {
		return "", g.refuse("has a later act, so that this one can't be undone")
	}
	a.undone = append(a.undone, g.ID)
	return "", nil
}

// A batchUnderWay is the row of an act on many segments that is being done or undone.
type batchUnderWay struct {
	Batch, CampaignID string
	Beat              int64
}

// TakeBackDead takes back the acts on many segments of programs that were killed.
func (s *Store) TakeBackDead(ctx context.Context) error {
	read := func() (out []batchUnderWay, err error) {
		err = s.Read(ctx).Raw("SELECT batch, campaign_id, beat FROM batches_under_way ORDER BY batch").Scan(&out).Error
		return out, database.Translate(err)
	}
	before, err := read()
	if err != nil || len(before) == 0 {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.DeadAfter):
	}
	now, err := read()
	if err != nil {
		return err
	}
	for _, b := range now {
		if slices.Contains(before, b) {
			if err := s.takeBack(ctx, b.CampaignID, b.Batch); err != nil {
				return err
			}
		}
	}
	return nil
}
