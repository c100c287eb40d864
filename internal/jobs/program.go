package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

const (
	// programKept is how long a job of a program is remembered after its end.
	programKept = time.Hour
	// resultPart is the largest number of bytes of a part of a result.
	resultPart = 256 << 10
)

// A ProgramJob is a job that a program has started, as every server knows it.
type ProgramJob struct {
	ID, Kind, CampaignID, UserID string
	People                       int // the kinds of people to which the user belonged when the job began
	Words                        string
	Share                        float64
	BeganAt                      time.Time
	EndedAt                      time.Time // zero: it is not over
	Interrupted                  bool      // its server has stopped before the end
	Outcome                      string    // JSON
}

// BeginProgram stores a job that begins, under the lease of this server, which [Store.FollowProgram] extends.
func (s *Store) BeginProgram(ctx context.Context, j ProgramJob) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		now := tx.Now()
		return tx.Exec("INSERT INTO program_jobs (id, campaign_id, user_id, people, kind, began_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			j.ID, j.CampaignID, j.UserID, j.People, j.Kind, database.InstantOf(now), database.InstantOf(now.Add(leaseLasts))).Error
	})
}

// FollowProgram stores the progress of a job until done is closed, and then its outcome and its result, which is JSON. A job with an empty
// outcome counts as interrupted.
func (s *Store) FollowProgram(id string, progress func() (string, float64), done <-chan struct{}, ended func() (outcome, result string)) {
	beat := time.NewTicker(leaseBeat)
	defer beat.Stop()
	ctx := context.Background() // the end is stored when the server stops, too
	for {
		select {
		case <-beat.C:
			words, share := progress()
			err := s.db.Write(ctx, func(tx *database.Tx) error {
				return tx.Exec(
					"UPDATE program_jobs SET words = ?, share = ?, expires_at = ? WHERE id = ?", database.Storable(words), share,
					database.InstantOf(tx.Now().Add(leaseLasts)), id,
				).Error
			})
			if err != nil {
				s.db.Log.Warn("store the progress of a job of a program", "job", id, "error", err)
			}
			continue
		case <-done:
		}
		if err := s.endProgram(ctx, id, ended); err != nil {
			s.db.Log.Error("store the outcome of a job of a program", "job", id, "error", err)
		}
		return
	}
}

func (s *Store) endProgram(ctx context.Context, id string, ended func() (outcome, result string)) error {
	outcome, result := ended()
	for part := 0; result != ""; part++ {
		var body string
		body, result = cut(result)
		err := s.db.Write(ctx, func(tx *database.Tx) error {
			return tx.Exec("INSERT INTO program_results (job_id, part, body) VALUES (?, ?, ?)", id, part, body).Error
		})
		if err != nil {
			return err
		}
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("UPDATE program_jobs SET ended_at = ?, outcome = ? WHERE id = ?", database.InstantOf(tx.Now()), outcome, id).Error
	})
}

// cut divides a text after at most [resultPart] bytes, between two characters.
func cut(text string) (head, rest string) {
	n := min(len(text), resultPart)
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n], text[n:]
}

// FindProgram returns a job of a campaign. The error is ErrNotFound if there is none.
func (s *Store) FindProgram(ctx context.Context, campaignID, id string) (ProgramJob, error) {
	j := ProgramJob{ID: id, CampaignID: campaignID}
	var began, ended, expires database.Instant
	err := database.Scan(
		s.db.Read(ctx).
			Raw("SELECT user_id, people, kind, words, share, began_at, ended_at, expires_at, outcome FROM program_jobs WHERE id = ? AND campaign_id = ?", id, campaignID),
		&j.UserID, &j.People, &j.Kind, &j.Words, &j.Share, &began, &ended, &expires, &j.Outcome,
	)
	if errors.Is(err, campaign.ErrNotFound) {
		err = fmt.Errorf("there is no job %q: %w", id, campaign.ErrNotFound)
	}
	now := database.InstantOf(s.db.Now())
	j.BeganAt, j.EndedAt = began.Time(), ended.Time()
	switch {
	case ended == 0 && expires <= now:
		j.Interrupted, j.EndedAt = true, expires.Time()
	case ended > 0 && j.Outcome == "":
		j.Interrupted = true
	}
	return j, err
}

// ProgramResult returns the JSON that a job has made.
func (s *Store) ProgramResult(ctx context.Context, id string) (string, error) {
	var parts []string
	err := s.db.Read(ctx).Raw("SELECT body FROM program_results WHERE job_id = ? ORDER BY part", id).Scan(&parts).Error
	return strings.Join(parts, ""), err
}

// DeletePrograms deletes the jobs of programs whose end is [programKept] ago.
func (s *Store) DeletePrograms(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		before := database.InstantOf(tx.Now().Add(-programKept))
		return tx.Exec("DELETE FROM program_jobs WHERE ended_at > 0 AND ended_at < ? OR ended_at = 0 AND expires_at < ?", before, before).Error
	})
}
