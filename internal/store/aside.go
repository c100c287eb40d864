package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// SetAside sets the work of the annotator named login aside: it leaves gate,
// matrices, gold, exports and counts, nothing is handed out to them, and what they
// have open ends, with its drafts kept. Segments left short are open again, and
// what was decided with them is decided anew. No rating is deleted:
// [Store.RestoreAnnotator] brings back exactly what was.
//
// The reason must not be empty (*campaign.InvalidError of "reason"). ErrNotFound for
// who is no annotator of the campaign, ErrConflict for whose work is set aside
// already.
func (s *Store) SetAside(ctx context.Context, campaignID, login, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		m, err := findAnnotator(tx, c.ID, login)
		if err != nil {
			return err
		}
		if m.SetAside {
			return fmt.Errorf("the work of %s is set aside already: %w", login, campaign.ErrConflict)
		}
		now := instantOf(s.now())
		if err := s.keepAside(tx, c, m.UserID, reason, byID, now); err != nil {
			return err
		}
		err = tx.Exec("UPDATE memberships SET set_aside = ?, set_aside_at = ? WHERE campaign_id = ? AND user_id = ?", true, now, c.ID, m.UserID).Error
		if err != nil {
			return err
		}
		// Everything that counts or hands out asks for a state; released, an assignment
		// is in nobody's way.
		err = s.eachOfAnnotator(tx, c, m.UserID, func(ids []string) error {
			return tx.Exec("UPDATE assignments SET set_aside = state, state = 'released' WHERE user_id = ? AND set_aside = '' AND segment_id IN ?", m.UserID, ids).Error
		})
		if err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "set annotator aside", login, reason)
	})
}

// RestoreAnnotator takes [Store.SetAside] back. What others have done meanwhile
// stays; places that they were given because of the shortage and have not begun
// are freed. ErrConflict for whose work is not set aside.
func (s *Store) RestoreAnnotator(ctx context.Context, campaignID, login, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		m, err := findAnnotator(tx, c.ID, login)
		if err != nil {
			return err
		}
		if !m.SetAside {
			return fmt.Errorf("the work of %s is not set aside: %w", login, campaign.ErrConflict)
		}
		err = tx.Exec("UPDATE memberships SET set_aside = ?, set_aside_at = ? WHERE campaign_id = ? AND user_id = ?", false, 0, c.ID, m.UserID).Error
		if err != nil {
			return err
		}
		err = tx.Exec("UPDATE set_asides SET restored_at = ? WHERE campaign_id = ? AND user_id = ? AND restored_at = 0", instantOf(s.now()), c.ID, m.UserID).Error
		if err != nil {
			return err
		}
		err = s.eachOfAnnotator(tx, c, m.UserID, func(ids []string) error {
			if err := restoreTurns(tx, m, ids); err != nil {
				return err
			}
			return freeShortage(tx, c, m, ids)
		})
		if err != nil {
			return err
		}
		if err := dropDormant(tx, c, m); err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "restore annotator", login, reason)
	})
}

// IsSetAside reports whether a lead has set the work of a campaign's annotator aside.
func (s *Store) IsSetAside(ctx context.Context, campaignID, userID string) (aside bool, err error) {
	err = scan(s.read(ctx).Raw("SELECT count(*) > 0 FROM memberships WHERE campaign_id = ? AND user_id = ? AND set_aside", campaignID, userID), &aside)
	return aside, translate(err)
}

// eachOfAnnotator changes the segments that an annotator was ever given, some at a
// time and locked, and forms them anew.
func (s *Store) eachOfAnnotator(tx *gorm.DB, c campaign.Campaign, userID string, fn func(ids []string) error) error {
	var all []string
	err := tx.Raw("SELECT DISTINCT segment_id FROM assignments WHERE campaign_id = ? AND user_id = ?", c.ID, userID).Scan(&all).Error
	if err != nil {
		return err
	}
	slices.Sort(all)
	r, err := s.newReforming(tx, c)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(all, reformBatch) {
		if err := lockSegments(tx, ids); err != nil {
			return err
		}
		if err := fn(ids); err != nil {
			return err
		}
		if err := recountPlacesOf(tx, ids); err != nil {
			return err
		}
		if err := r.segments(ids, 1); err != nil {
			return err
		}
	}
	return nil
}

// An annotatorRow is an annotator of a campaign, as acts of a lead find them.
type annotatorRow struct {
	UserID     string
	Removed    bool
	Disabled   bool
	SetAside   bool
	SetAsideAt instant
}

// findAnnotator finds an annotator of a campaign, removed ones included.
func findAnnotator(tx *gorm.DB, campaignID, login string) (annotatorRow, error) {
	var m annotatorRow
	err := scan(tx.Raw(`SELECT m.user_id, m.removed, u.disabled, m.set_aside, m.set_aside_at FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.campaign_id = ? AND u.login = ? AND m.role = 'annotator'`, campaignID, login), &m.UserID, &m.Removed, &m.Disabled, &m.SetAside, &m.SetAsideAt)
	if errors.Is(err, errNoRows) {
		return m, fmt.Errorf("the campaign has no annotator %q: %w", login, campaign.ErrNotFound)
	}
	return m, err
}

// restoreTurns gives an annotator's assignments the states they had. What was in
// work stays released where others have decided its round meanwhile: the decision
// stands, and a later round waits for it no more.
func restoreTurns(tx *gorm.DB, m annotatorRow, ids []string) error {
	const decided = `state = 'released' AND set_aside IN ('open', 'released') AND user_id = ? AND segment_id IN ?
		AND EXISTS (SELECT 1 FROM segments g WHERE g.id = assignments.segment_id AND (g.round > assignments.round
			OR g.round = assignments.round AND g.status NOT IN ('pending', 'reannotate')))
		AND EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = assignments.segment_id AND x.round = assignments.round
			AND x.state = 'submitted' AND x.submitted_at > ?)`
	err := tx.Exec("UPDATE assignments SET set_aside = '', replaced = (round > 1) WHERE "+decided, m.UserID, ids, m.SetAsideAt).Error
	if err != nil {
		return err
	}
	return tx.Exec("UPDATE assignments SET state = set_aside, set_aside = '' WHERE set_aside <> '' AND user_id = ? AND segment_id IN ?", m.UserID, ids).Error
}

// dropDormant takes back the second looks that segments were given while an
// annotator was set aside, which nobody has begun and which are not wanted now.
func dropDormant(tx *gorm.DB, c campaign.Campaign, m annotatorRow) error {
	return tx.Exec(`DELETE FROM assignments WHERE campaign_id = ? AND round > 1 AND state = 'open' AND started_at >= ? AND NOT added
		AND segment_id IN (SELECT mine.segment_id FROM assignments mine WHERE mine.user_id = ? AND mine.campaign_id = ?)
		AND round > (SELECT g.round FROM segments g WHERE g.id = assignments.segment_id)
		AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = assignments.id)
		AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.assignment_id = assignments.id)`, c.ID, m.SetAsideAt, m.UserID, c.ID).Error
}

// freeShortage frees what others were given while an annotator was set aside and
// have not begun, as far as the segment has more than it needs now: the latest
// first. What a lead gave them stays.
func freeShortage(tx *gorm.DB, c campaign.Campaign, m annotatorRow, ids []string) error {
	var rows []struct {
		ID, SegmentID string
		Round         int
		Taken         int
	}
	err := tx.Raw(`SELECT a.id, a.segment_id, a.round,
			(SELECT count(*) FROM assignments x WHERE x.segment_id = a.segment_id AND x.round = 1 AND x.state IN ('open', 'submitted')) AS taken
		FROM assignments a WHERE a.segment_id IN ? AND a.user_id <> ? AND a.state = 'open' AND a.started_at >= ? AND NOT a.added
			AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.assignment_id = a.id)
			AND EXISTS (SELECT 1 FROM assignments mine WHERE mine.segment_id = a.segment_id AND mine.round = a.round AND mine.user_id = ? AND mine.state <> 'released')
		ORDER BY a.started_at DESC, a.id DESC`, ids, m.UserID, m.SetAsideAt, m.UserID).Scan(&rows).Error
	if err != nil {
		return err
	}
	freed := map[string]int{}
	for _, r := range rows {
		if r.Round == 1 && r.Taken-freed[r.SegmentID] <= c.Settings.Redundancy {
			continue
		}
		if r.Round == 1 {
			freed[r.SegmentID]++
		}
		err := tx.Exec("UPDATE assignments SET state = 'released', replaced = ? WHERE id = ?", r.Round > 1, r.ID).Error
		if err != nil {
			return err
		}
	}
	return nil
}
