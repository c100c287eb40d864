package rounds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A job is work on many segments of a campaign that is done in steps, each in a transaction of its
// own, so that no save waits for all of them. It is a row of jobs from before its first step to its
// last. Several programs may do steps of the same job: each step locks the campaign and begins where
// the last one ended. A job of a program that was killed is gone on with by the next one that finds
// it ([Store.GoOn], [Store.TakeBackAbandoned]).
type job struct {
	ID, Kind, CampaignID string
	UserID               string
	Position             int // of the last segment that is done
	Done, Total          int // numbers of segments
	Beat                 int64
	State                string // JSON
}

// The kinds of jobs.
const (
	actJob      = "act"      // an act of a lead is done, undone or taken back
	settingsJob = "settings" // the segments follow a change of settings; see settings_effect.go
	memberJob   = "member"   // the segments of an annotator follow a change of the membership; see member_change.go
)

// begin stores a job. It returns false if there is a job with its id.
func (j job) begin(tx *database.Tx) (begun bool, err error) {
	res := tx.Exec("INSERT INTO jobs (id, kind, campaign_id, user_id, total, state) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		j.ID, j.Kind, j.CampaignID, database.OrNull(j.UserID), j.Total, j.State)
	return res.RowsAffected > 0, res.Error
}

func (j job) end(tx *database.Tx) error { return tx.Exec("DELETE FROM jobs WHERE id = ?", j.ID).Error }

// findJobs reads the jobs of a condition.
func findJobs(db *gorm.DB, where string, args ...any) (jobs []job, err error) {
	err = db.Raw("SELECT id, kind, campaign_id, coalesce(user_id, '') AS user_id, position, done, total, beat, state FROM jobs WHERE "+where+" ORDER BY id", args...).
		Scan(&jobs).
		Error
	return jobs, err
}

// GoOn does the jobs that programs had not completed when they were killed, except acts. A job that has to wait
// until an import is completed is left to a later call, because every program calls GoOn when it
// begins, also the one that completes the import.
func (s *Store) GoOn(ctx context.Context) error {
	jobs, err := findJobs(s.db.Read(ctx), "kind <> ?", actJob)
	errs := []error{err}
	for _, j := range jobs {
		err := s.doJob(ctx, j.ID)
		if _, completing := errors.AsType[*records.CompletingError](err); !completing {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// TakeBackAbandoned takes back the acts of programs that were killed: those whose Beat does not
// change for DeadAfter.
func (s *Store) TakeBackAbandoned(ctx context.Context) error {
	before, err := findJobs(s.db.Read(ctx), "kind = ?", actJob)
	if err != nil || len(before) == 0 {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.db.DeadAfter):
	}
	now, err := findJobs(s.db.Read(ctx), "kind = ?", actJob)
	errs := []error{err}
	for _, j := range now {
		if slices.Contains(before, j) {
			errs = append(errs, s.doJob(ctx, j.ID))
		}
	}
	return errors.Join(errs...)
}

// doJob does the steps of a job that are left. If there is no such job, it does not wait for programs
// that write: every command that reads a campaign calls it.
func (s *Store) doJob(ctx context.Context, id string) error {
	_, err := s.finishJob(ctx, id)
	return err
}

// finishJob is [Store.doJob]. It returns the job as it was when it ended, or the zero value if another
// program ended it.
func (s *Store) finishJob(ctx context.Context, id string) (last job, err error) {
	jobs, err := findJobs(s.db.Read(ctx), "id = ?", id)
	if err != nil {
		return last, err
	}
	for more := len(jobs) > 0; more; {
		if err := ctx.Err(); err != nil {
			return last, err
		}
		err := s.db.WriteLong(ctx, func(tx *database.Tx) error {
			c, err := records.LockEvenCompleting(tx, jobs[0].CampaignID)
			if err != nil {
				return err
			}
			left, err := findJobs(tx.DB, "id = ?", id)
			last = job{}
			if more = len(left) > 0; err != nil || !more {
				return err
			}
			last = left[0]
			s.db.Doing(fmt.Sprintf("going on with a change of campaign %s, of which %d of %d segments are done,", c.Slug, last.Done, last.Total))
			more, err = s.doStep(tx, c, last)
			return err
		})
		if err != nil {
			return last, err
		}
	}
	return last, nil
}

// doStep does the next step of a job of c, which is locked, and reports whether there may be more.
func (s *Store) doStep(tx *database.Tx, c campaign.Campaign, j job) (more bool, err error) {
	ids, last, err := j.next(tx.DB, s.db.ActStep)
	if err != nil {
		return false, err
	}
	if len(ids) == 0 {
		if j.Kind == settingsJob {
			if err := s.noteEffect(tx, j); err != nil {
				return false, err
			}
		}
		return false, j.end(tx)
	}
	// Before the segments: [Following] leaves those out that the job has not reached.
	if err := tx.Exec("UPDATE jobs SET position = ?, done = done + ?, beat = beat + 1 WHERE id = ?", last, len(ids), j.ID).Error; err != nil {
		return false, err
	}
	switch j.Kind {
	case actJob:
		return true, s.takeBackPart(tx, c, j.ID, ids)
	case memberJob:
		if err := records.RefuseCompleting(tx.DB, c.ID); err != nil {
			return false, err
		}
		return true, s.followMemberPart(tx, c, j.UserID, ids)
	default:
		return true, s.followSettingsPart(tx, c, j, ids)
	}
}

// next lists the ids of the next segments of a job, sorted, and the last position of them.
func (j job) next(db *gorm.DB, size int) (ids []string, last int, err error) {
	where, args := "", []any{j.CampaignID, j.Position}
	switch j.Kind {
	case actJob:
		where, args = " AND id IN (SELECT c.segment_id FROM acts c WHERE c.campaign_id = ? AND c.batch = ? AND NOT c.undone AND "+isLatest+")", append(
			args, j.CampaignID, j.ID,
		)
	case memberJob:
		where, args = " AND id IN (SELECT a.segment_id FROM assignments a WHERE a.campaign_id = ? AND a.user_id = ?)", append(args, j.CampaignID, j.UserID)
	}
	return segmentsAfter(db, where, size, args...)
}

// segmentsAfter lists the ids of the first segments of a campaign after a position, sorted, and the
// last position of them. where is a further condition. args are the campaign's id, the position and
// the parameters of where.
func segmentsAfter(db *gorm.DB, where string, size int, args ...any) (ids []string, last int, err error) {
	var rows []struct {
		ID       string
		Position int
	}
	err = db.Raw("SELECT id, position FROM segments WHERE campaign_id = ? AND position > ?"+where+" ORDER BY position LIMIT ?", append(args, size)...).
		Scan(&rows).
		Error
	for _, r := range rows {
		ids, last = append(ids, r.ID), r.Position
	}
	slices.Sort(ids)
	return ids, last, err
}

// ActUnderWay returns an ErrConflict, which ends with what to do, while an act is being done or undone
// on many segments of a campaign.
func ActUnderWay(db *gorm.DB, campaignID, whatToDo string) error {
	jobs, err := findJobs(db, "kind = ? AND campaign_id = ?", actJob, campaignID)
	if err != nil || len(jobs) == 0 {
		return err
	}
	return fmt.Errorf("an act is just being done or undone on many segments of this campaign; %s: %w", whatToDo, campaign.ErrConflict)
}
