package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// followBatch is how many segments are followed at once.
const followBatch = 500

// A following stores what follows from the facts of segments: their states, what
// may be done with each assignment and whether it counts, the decisions that hold,
// and the assignments of those who are asked. [campaign.Settings.Follow] decides;
// nothing else writes these columns.
type following struct {
	s      *Store
	tx     *gorm.DB
	c      campaign.Campaign // with the settings to go by
	facts  *factReader
	effect SettingsPreview
}

func (s *Store) newFollowing(tx *gorm.DB, c campaign.Campaign) (*following, error) {
	facts, err := newFactReader(tx, c.ID)
	return &following{s: s, tx: tx, c: c, facts: facts}, err
}

// follow stores what follows for some segments, which are locked. The caller holds
// the lock of the campaign where there are several.
func (s *Store) follow(tx *gorm.DB, c campaign.Campaign, ids ...string) error {
	f, err := s.newFollowing(tx, c)
	if err != nil {
		return err
	}
	return f.segments(ids)
}

// segments follows segments, which are locked.
func (f *following) segments(ids []string) error {
	for part := range slices.Chunk(ids, followBatch) {
		segments, err := f.facts.of(part)
		if err != nil {
			return err
		}
		if err := f.store(segments); err != nil {
			return err
		}
	}
	return nil
}

// all follows every segment of the campaign.
func (f *following) all() error {
	return eachSegmentBatch(f.tx, f.c.ID, followBatch, func(ids []string) error {
		if err := holdSegments(f.tx, ids); err != nil {
			return err
		}
		return f.segments(ids)
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

// store writes what follows where it differs from what is stored, and notes the
// segments of which something else is counted now.
func (f *following) store(segments []*segmentFacts) error {
	now := instantOf(f.s.now())
	decisions := newRows("decisions", "id", "segment_id", "round", "passed", "status", "gate", "threshold", "tolerance", "annotators", "pairs", "decided_at", "current", "rated")
	turns := newRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "work", "awaited")
	states, works := map[segmentState][]string{}, map[campaign.TurnState][]string{}
	rated := map[int64][]string{} // decisions by what they are of
	var ended, again, places []string
	for _, s := range segments {
		o := f.c.Settings.Follow(s.Facts)
		f.effect.add(s.status, s.round, o)
		for i, t := range o.Turns {
			if t != s.turns[i].stored {
				works[t] = append(works[t], s.turns[i].id)
				touchSegments(f.tx, s.id)
			}
		}
		for _, d := range o.Decisions {
			pairs, err := json.Marshal(d.Pairs)
			if err != nil {
				return fmt.Errorf("encode pairs: %w", err)
			}
			was, stored := s.decided[d.Round]
			delete(s.decided, d.Round)
			if stored && was.formed(d, string(pairs)) {
				if was.Rated != s.rated {
					rated[s.rated] = append(rated[s.rated], was.ID)
				}
				continue
			}
			if stored {
				ended = append(ended, was.ID)
			}
			decisions.add(newID(), s.id, d.Round, d.Passed, string(d.Status), d.Gate, d.Threshold, d.Tolerance, d.Annotators, string(pairs), now, true, s.rated)
			if !stored || !was.says(d) {
				touchSegments(f.tx, s.id)
			}
		}
		for _, was := range s.decided {
			ended = append(ended, was.ID)
			touchSegments(f.tx, s.id)
		}
		for _, login := range o.Asked {
			i := slices.IndexFunc(s.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == o.Round })
			switch {
			case i < 0:
				turns.add(newID(), f.c.ID, s.id, f.facts.users[login], o.Round, string(campaign.InWork), s.seedOf(login), now, now, string(campaign.WorkAsked), true)
				touchSegments(f.tx, s.id)
			case s.turns[i].state == campaign.Released && !s.turns[i].aside:
				again = append(again, s.turns[i].id)
				touchSegments(f.tx, s.id)
			}
		}
		if to := (segmentState{o.Status, o.Round, o.Complete, o.Holding}); to != s.stored {
			states[to] = append(states[to], s.id)
			touchSegments(f.tx, s.id)
		}
		places = append(places, s.id)
	}
	if err := eachPart(f.tx, ended, "UPDATE decisions SET current = FALSE WHERE id IN ?"); err != nil {
		return err
	}
	for n, ids := range rated {
		if err := eachPart(f.tx, ids, "UPDATE decisions SET rated = ? WHERE id IN ?", n); err != nil {
			return err
		}
	}
	if err := decisions.insert(f.tx); err != nil {
		return err
	}
	if err := turns.insert(f.tx); err != nil {
		return err
	}
	if err := eachPart(f.tx, again, "UPDATE assignments SET state = 'open', touched_at = ? WHERE id IN ?", now); err != nil {
		return err
	}
	for t, ids := range works {
		if err := eachPart(f.tx, ids, "UPDATE assignments SET work = ?, counts = ?, replaced = ?, awaited = ? WHERE id IN ?", string(t.Work), t.Counts, t.Replaced, t.Awaited); err != nil {
			return err
		}
	}
	for to, ids := range states {
		err := eachPart(f.tx, ids, "UPDATE all_segments SET status = ?, round = ?, complete = ?, holding = ? WHERE id IN ?", string(to.status), to.round, to.complete, to.holding)
		if err != nil {
			return err
		}
	}
	return recountPlaces(f.tx, places)
}

// seedOf is the order of cards that an annotator knows from their first turn at the
// segment, or a new one.
func (s *segmentFacts) seedOf(login string) int64 {
	for i, t := range s.Turns {
		if t.Annotator == login {
			return s.turns[i].seed
		}
	}
	return newSeed()
}

// takesPlace is the condition for an assignment a to take a place of round 1.
const takesPlace = "a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced"

// recountPlaces brings the numbers of taken places of segments up to date.
func recountPlaces(tx *gorm.DB, ids []string) error {
	const taken = "(SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND " + takesPlace + ")"
	return eachPart(tx, ids, "UPDATE all_segments SET taken = "+taken+" WHERE taken <> "+taken+" AND id IN ?")
}

// eachPart runs statements whose last parameter is a part of ids.
func eachPart(tx *gorm.DB, ids []string, sql string, args ...any) error {
	for part := range slices.Chunk(ids, followBatch) {
		if err := tx.Exec(sql, append(slices.Clone(args), part)...).Error; err != nil {
			return err
		}
	}
	return nil
}

// formed reports whether the stored decision was formed from the same, so that it
// need not be stored again.
func (r decisionRow) formed(d campaign.Decision, pairs string) bool {
	return r.Passed == d.Passed && r.Status == string(d.Status) && r.Gate == d.Gate && r.Threshold == d.Threshold &&
		r.Tolerance == d.Tolerance && r.Annotators == d.Annotators && r.Pairs == pairs
}

// says reports whether the stored decision came to the same end.
func (r decisionRow) says(d campaign.Decision) bool {
	return r.Passed == d.Passed && r.Status == string(d.Status)
}

// formNew follows every segment of the campaigns whose states were computed by an
// older rule, and says in their audit logs what changed.
func (s *Store) formNew(ctx context.Context) error {
	var found []struct{ ID, Slug string }
	if err := s.read(ctx).Raw("SELECT id, slug FROM campaigns WHERE NOT formed ORDER BY id").Scan(&found).Error; err != nil {
		return translate(err)
	}
	for _, c := range found {
		s.log.Info("decide segments by the rules of this version", "campaign", c.Slug)
		if err := s.writeLong(ctx, func(tx *gorm.DB) error { return s.formCampaign(tx, c.ID) }); err != nil {
			return fmt.Errorf("decide the segments of campaign %q by the rules of this version: %w", c.Slug, err)
		}
	}
	return nil
}

func (s *Store) formCampaign(tx *gorm.DB, campaignID string) error {
	c, err := lockCampaign(tx, campaignID)
	if err != nil {
		return err
	}
	f, err := s.newFollowing(tx, c)
	if err != nil {
		return err
	}
	if err := f.all(); err != nil {
		return err
	}
	if err := tx.Exec("UPDATE campaigns SET formed = ? WHERE id = ?", true, c.ID).Error; err != nil {
		return err
	}
	if len(f.effect.Moves) == 0 {
		return nil
	}
	return s.audit(tx, c.ID, "", "decide by the rules of this version", f.effect.String(), "the database was brought up to date")
}
