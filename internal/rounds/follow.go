package rounds

import (
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// FollowBatch is the largest number of segments whose facts are read at once.
const FollowBatch = 500

// A Following stores the outcome of [campaign.Settings.Follow] for segments: their states,
// the [campaign.TurnState] of their assignments, their decisions, and new assignments for
// the annotators who are asked. Nothing else writes these columns. It also releases open
// assignments of annotators who are not active, because nobody waits for these. A segment that a
// change of settings under way has not reached is left to the change, which alone gives its ratings
// the scores that count.
type Following struct {
	tx     *database.Tx
	c      campaign.Campaign // with the settings that apply
	outbox *outbox.Store     // stores events about the changes for webhooks
	Facts  *FactReader
	Effect readmodel.SettingsPreview
}

// NewFollowing returns a Following for segments of c, by the settings of c.
func (s *Store) NewFollowing(tx *database.Tx, c campaign.Campaign) *Following {
	return &Following{tx: tx, c: c, outbox: s.outbox, Facts: NewFactReader(tx.DB, c.ID)}
}

// Follow brings the states of segments in line with their facts. The caller has locked the
// segments, and the campaign too if there are several.
func (s *Store) Follow(tx *database.Tx, c campaign.Campaign, ids ...string) error {
	_, err := s.NewFollowing(tx, c).Segments(ids)
	return err
}

// Segments brings the states of segments, which the caller has locked, in line with their
// facts. It returns the segments as they are then.
func (f *Following) Segments(ids []string) (followed []*Segment, err error) {
	for part := range slices.Chunk(ids, FollowBatch) {
		segments, err := f.Facts.Of(part)
		if err != nil {
			return nil, err
		}
		if err := f.store(segments); err != nil {
			return nil, err
		}
		followed = append(followed, segments...)
	}
	return followed, nil
}

// All locks every segment of the campaign and brings its state in line with its facts.
func (f *Following) All() error {
	return EachSegmentBatch(f.tx.DB, f.c.ID, FollowBatch, func(ids []string) error {
		if err := records.LockSegmentsUnmarked(f.tx, ids); err != nil {
			return err
		}
		_, err := f.Segments(ids)
		return err
	})
}

// EachSegmentBatch calls fn with the ids of all segments of a campaign, size of them at a
// time, in the order of import. Within a call the ids are sorted.
func EachSegmentBatch(db *gorm.DB, campaignID string, size int, fn func(ids []string) error) error {
	for position := 0; ; {
		ids, last, err := segmentsAfter(db, "", size, campaignID, position)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := fn(ids); err != nil {
			return err
		}
		position = last
	}
}

// store writes the outcomes that differ from what is stored. It marks the segments whose
// kept sums change by that ([database.Tx.TouchSegments]).
func (f *Following) store(segments []*Segment) error {
	now := database.InstantOf(f.tx.Now())
	decisions := database.NewRows(
		"decisions", "id", "segment_id", "round", "passed", "status", "gate", "threshold", "tolerance", "annotators", "pairs", "decided_at",
		"current", "rated",
	)
	turns := database.NewRows(
		"assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "context", "started_at", "touched_at", "work",
		"awaited",
	)
	states := database.NewRows("all_segments", "id", "status", "round", "complete", "holding", "rated")
	works := map[campaign.TurnState][]string{}
	rated := map[int64][]string{} // ids of unchanged decisions by their new value of rated
	var superseded, reopened, released, places []string
	var followed []*Segment
	var outcomes []campaign.Outcome
	var changes []outbox.Change
	for _, s := range segments {
		if s.waits {
			continue
		}
		o := f.c.Settings.Follow(s.Facts)
		followed, outcomes = append(followed, s), append(outcomes, o)
		f.Effect.Add(s.Stored.Status, s.Stored.Round, o)
		before := len(superseded) + decisions.Len()
		counts := false // the turns that count have changed
		for i, t := range o.Turns {
			counts = counts || t.Counts != s.AllTurns[i].Stored.Counts
			if t != s.AllTurns[i].Stored {
				works[t] = append(works[t], s.AllTurns[i].id)
				f.tx.TouchSegments(s.ID)
			}
			if s.AllTurns[i].state == campaign.InWork && f.c.Side == "" && !s.Active[s.Turns[i].Annotator] {
				released = append(released, s.AllTurns[i].id)
				f.tx.TouchSegments(s.ID)
			}
		}
		for _, d := range o.Decisions {
			pairs, err := json.Marshal(d.Pairs)
			if err != nil {
				return fmt.Errorf("encode pairs: %w", err)
			}
			was, stored := s.Decided[d.Round]
			delete(s.Decided, d.Round)
			if stored && was.Formed(d, string(pairs)) {
				if was.Rated != s.rated {
					rated[s.rated] = append(rated[s.rated], was.ID)
				}
				continue
			}
			if stored {
				superseded = append(superseded, was.ID)
			}
			decisions.Add(
				database.NewID(), s.ID, d.Round, d.Passed, string(d.Status), d.Gate, d.Threshold, d.Tolerance, d.Annotators, string(pairs), now, true,
				s.rated,
			)
			if !stored || !was.sameVerdict(d, string(pairs)) {
				f.tx.TouchSegments(s.ID)
			}
		}
		for _, was := range s.Decided {
			superseded = append(superseded, was.ID)
			f.tx.TouchSegments(s.ID)
		}
		for _, login := range o.Asked {
			i := slices.IndexFunc(s.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == o.Round })
			switch {
			case i < 0:
				order, err := f.Facts.orderOf(f.c, s, login)
				if err != nil {
					return err
				}
				turns.Add(
					database.NewID(), f.c.ID, s.ID, f.Facts.users[login], o.Round, string(campaign.InWork), order.Seed, order.Context, now, now,
					string(campaign.WorkAsked), true,
				)
				f.tx.TouchSegments(s.ID)
			case s.AllTurns[i].state == campaign.Released && !s.AllTurns[i].aside:
				reopened = append(reopened, s.AllTurns[i].id)
				f.tx.TouchSegments(s.ID)
			}
		}
		if was := s.Stored; s.told && f.c.Side == "" {
			moved := counts || before != len(superseded)+decisions.Len() || s.rated != s.storedRated || was.Status != o.Status ||
				was.DecidingAct != o.DecidingAct
			changes = append(changes, outbox.Change{
				ID: s.ID, Status: o.Status, Round: o.Round, Settled: !was.Status.Settled() && o.Status.Settled(),
				Gold: moved && (was.Status.InGold() || o.Status.InGold()), Rounds: o.Complete > was.Complete,
			})
		}
		// The state changes only with a decision, a turn or an act, and each of these marks the segment.
		if to := (SegmentState{o.Status, o.Round, o.Complete, o.DecidingAct}); to != s.Stored {
			s.Stored = to
		} else if s.rated == s.storedRated {
			places = append(places, s.ID)
			continue
		}
		states.Add(s.ID, string(o.Status), o.Round, o.Complete, o.DecidingAct, s.rated)
	}
	if err := EachPart(f.tx, superseded, "UPDATE decisions SET current = FALSE WHERE id IN ?"); err != nil {
		return err
	}
	for n, ids := range rated {
		if err := EachPart(f.tx, ids, "UPDATE decisions SET rated = ? WHERE id IN ?", n); err != nil {
			return err
		}
	}
	if err := decisions.Insert(f.tx); err != nil {
		return err
	}
	if err := turns.Insert(f.tx); err != nil {
		return err
	}
	if err := EachPart(f.tx, reopened, "UPDATE assignments SET state = 'open', touched_at = ? WHERE id IN ?", now); err != nil {
		return err
	}
	if err := EachPart(f.tx, released, "UPDATE assignments SET state = 'released' WHERE id IN ?"); err != nil {
		return err
	}
	for t, ids := range works {
		if err := EachPart(f.tx, ids, "UPDATE assignments SET work = ?, counts = ?, replaced = ?, awaited = ? WHERE id IN ?",
			string(t.Work), t.Counts, t.Replaced, t.Awaited); err != nil {
			return err
		}
	}
	if err := states.Update(f.tx, ", taken = "+takenPlaces); err != nil {
		return err
	}
	if err := RecountPlaces(f.tx, places); err != nil {
		return err
	}
	if err := f.storeUndecided(followed, outcomes); err != nil {
		return err
	}
	return f.outbox.TellSegments(f.tx, f.c.ID, changes)
}

// orderOf is the order of cards for a new assignment: the one that the annotator already has
// at the segment, or a new one. Nobody has seen the order of an imported turn, so under
// document context the order of the document's other assignments takes precedence over it.
func (f *FactReader) orderOf(c campaign.Campaign, s *Segment, login string) (campaign.CardOrder, error) {
	for i, t := range s.Turns {
		if t.Annotator == login && (!t.Imported || c.Settings.Context != "document") {
			return s.AllTurns[i].order, nil
		}
	}
	return records.CardOrderOf(f.db, c, s.ID, f.users[login])
}

// TakesPlace is the SQL condition that the assignment a takes a place of round 1.
const TakesPlace = "a.round = 1 AND a.state IN ('open', 'submitted') AND NOT a.replaced"

// takenPlaces is the SQL expression for the number of taken places of a row of all_segments.
const takenPlaces = "(SELECT count(*) FROM assignments a WHERE a.segment_id = all_segments.id AND " + TakesPlace + ")"

// RecountPlaces brings the numbers of taken places of segments up to date.
func RecountPlaces(tx *database.Tx, ids []string) error {
	return EachPart(tx, ids, "UPDATE all_segments SET taken = "+takenPlaces+" WHERE taken <> "+takenPlaces+" AND id IN ?")
}

// EachPart runs a statement once for every [FollowBatch] of the ids, which are its last
// parameter.
func EachPart(tx *database.Tx, ids []string, sql string, args ...any) error {
	for part := range slices.Chunk(ids, FollowBatch) {
		if err := tx.Exec(sql, append(slices.Clone(args), part)...).Error; err != nil {
			return err
		}
	}
	return nil
}
