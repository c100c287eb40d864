package store

import (
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// reformBatch is how many segments are formed anew at once.
const reformBatch = 500

// A reforming forms the states of segments anew and notes what becomes of them.
type reforming struct {
	s      *Store
	tx     *gorm.DB
	c      campaign.Campaign // with the settings to go by
	reads  *historian
	effect SettingsPreview
}

func (s *Store) newReforming(tx *gorm.DB, c campaign.Campaign) (*reforming, error) {
	h, err := newHistorian(tx, c.ID)
	return &reforming{s: s, tx: tx, c: c, reads: h}, err
}

// reform forms some segments anew from a round on, those before it standing as they
// were decided. The caller holds the lock of the campaign where there are several,
// and those of the segments.
func (s *Store) reform(tx *gorm.DB, c campaign.Campaign, ids []string, from int) error {
	r, err := s.newReforming(tx, c)
	if err != nil {
		return err
	}
	return r.segments(ids, from)
}

// segments forms segments anew, which are locked.
func (r *reforming) segments(ids []string, from int) error {
	for part := range slices.Chunk(ids, reformBatch) {
		histories, err := r.reads.of(part)
		if err != nil {
			return err
		}
		outcomes := make([]campaign.Outcome, len(histories))
		for i, h := range histories {
			outcomes[i] = r.c.Settings.ReformFrom(h.History, from)
			r.effect.add(h.History, outcomes[i])
		}
		if err := r.store(histories, outcomes); err != nil {
			return err
		}
	}
	return nil
}

// all forms every segment of the campaign anew.
func (r *reforming) all() error {
	return eachSegmentBatch(r.tx, r.c.ID, reformBatch, func(ids []string) error {
		if err := holdSegments(r.tx, ids); err != nil {
			return err
		}
		if r.reads.everybody {
			if err := r.tx.Exec("UPDATE assignments SET late = ? WHERE late AND segment_id IN ?", false, ids).Error; err != nil {
				return err
			}
		}
		return r.segments(ids, 1)
	})
}

// eachSegmentBatch calls fn with the ids of the segments of a campaign, sorted by
// id within a batch.
func eachSegmentBatch(db *gorm.DB, campaignID string, size int, fn func(ids []string) error) error {
	for position := 0; ; {
		var rows []struct {
			ID       string
			Position int
		}
		err := db.Raw("SELECT id, position FROM segments WHERE campaign_id = ? AND position > ? ORDER BY position LIMIT ?", campaignID, position, size).Scan(&rows).Error
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]string, len(rows))
		for i, row := range rows {
			ids[i] = row.ID
		}
		slices.Sort(ids)
		if err := fn(ids); err != nil {
			return err
		}
		position = rows[len(rows)-1].Position
	}
}

// store writes what follows: the decisions that were not formed from the same
// before, the states that changed, and the rounds that start. It notes the segments
// of which something else is counted now.
func (r *reforming) store(histories []*segmentHistory, outcomes []campaign.Outcome) error {
	now := instantOf(r.s.now())
	decisions := newRows("decisions", "id", "segment_id", "round", "passed", "status", "gate", "threshold", "tolerance", "annotators", "pairs", "decided_at")
	states := map[segmentState][]string{}
	starts := newRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at")
	for i, h := range histories {
		o := outcomes[i]
		for _, d := range o.Decisions {
			pairs, err := json.Marshal(d.Pairs)
			if err != nil {
				return fmt.Errorf("encode pairs: %w", err)
			}
			if was := h.decided[d.Round]; !was.formed(d, string(pairs)) {
				if !was.says(d) {
					touchSegments(r.tx, h.id)
				}
				decisions.add(newID(), h.id, d.Round, d.Passed, string(d.Status), d.Gate, d.Threshold, d.Tolerance, d.Annotators, string(pairs), now)
			}
		}
		if o.Start {
			touchSegments(r.tx, h.id)
			for _, t := range h.next(o.Round) {
				starts.add(newID(), r.c.ID, h.id, t.userID, o.Round, string(campaign.InWork), t.seed, now, now)
			}
		}
		if o.Status != h.Status || o.Round != h.Round {
			touchSegments(r.tx, h.id)
			to := segmentState{o.Status, o.Round}
			states[to] = append(states[to], h.id)
		}
	}
	if err := decisions.insert(r.tx); err != nil {
		return err
	}
	// Who was replaced or left is asked again where nobody else is at it.
	err := starts.write(r.tx, ` ON CONFLICT (segment_id, user_id, round) DO UPDATE SET state = 'open', replaced = FALSE,
		started_at = excluded.started_at, touched_at = excluded.touched_at WHERE assignments.state = 'released' AND assignments.set_aside = ''`)
	if err != nil {
		return err
	}
	for to, ids := range states {
		if err := r.tx.Exec("UPDATE all_segments SET status = ?, round = ? WHERE id IN ?", string(to.status), to.round, ids).Error; err != nil {
			return err
		}
	}
	return nil
}

type segmentState struct {
	status campaign.Status
	round  int
}

// formed reports whether the stored decision was formed from the same, so that it
// need not be stored again.
func (r decisionRow) formed(d campaign.Decision, pairs string) bool {
	return r.Passed == d.Passed && r.Status == string(d.Status) && r.Gate == d.Gate && r.Threshold == d.Threshold &&
		r.Tolerance == d.Tolerance && r.Annotators == d.Annotators && r.Pairs == pairs
}

// says reports whether the stored decision came to the same end.
func (r decisionRow) says(d campaign.Decision) bool {
	return r.SegmentID != "" && r.Passed == d.Passed && r.Status == string(d.Status)
}
