package store

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// AddAnnotator gives a segment to one more annotator, who joins the current round:
// a decided segment's last round is open again until they submit. ErrNotFound for
// who is no annotator of the campaign; ErrConflict for who has the segment in
// this round already, whose work is set aside, who can't sign in any more, and for a
// segment that a lead has decided or taken out (reopen it first).
func (s *Store) AddAnnotator(ctx context.Context, campaignID, segmentRowID, login, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		segments, err := lockLeadSegments(tx, c, []string{segmentRowID})
		if err != nil {
			return err
		}
		g := segments[0]
		if g.Ruling != "" {
			return fmt.Errorf("segment %q is %s by a lead; reopen it first: %w", g.Name, g.Ruling, campaign.ErrConflict)
		}
		if err := s.join(tx, c, g, login); err != nil {
			return err
		}
		if err := s.reform(tx, c, []string{g.ID}, 1); err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "add annotator", login+" to "+g.Name, reason)
	})
}

// join gives a segment to an annotator in its current round.
func (s *Store) join(tx *gorm.DB, c campaign.Campaign, g leadSegment, login string) error {
	m, err := findAnnotator(tx, c.ID, login)
	switch {
	case err != nil:
		return err
	case m.SetAside:
		return fmt.Errorf("the work of %s is set aside; restore it first: %w", login, campaign.ErrConflict)
	case m.Removed || m.Disabled:
		return fmt.Errorf("%s can't work in this campaign any more: %w", login, campaign.ErrConflict)
	}
	a, err := turnIn(tx, g, m.UserID)
	switch {
	case err != nil:
		return err
	case a.ID != "" && (a.State != string(campaign.Released)):
		return fmt.Errorf("%s has segment %q in this round already: %w", login, g.Name, campaign.ErrConflict)
	}
	now := instantOf(s.now())
	if a.ID != "" { // was given up, or replaced
		err := tx.Exec("UPDATE assignments SET state = 'open', replaced = ?, added = ?, touched_at = ? WHERE id = ?", false, true, now, a.ID).Error
		if err != nil {
			return err
		}
		return recountPlaces(tx, g.ID)
	}
	// Cards keep the order the annotator knows.
	seed := newSeed()
	err = scan(tx.Raw("SELECT seed FROM assignments WHERE segment_id = ? AND user_id = ? ORDER BY round LIMIT 1", g.ID, m.UserID), &seed)
	known := err == nil
	if err != nil && !errors.Is(err, errNoRows) {
		return err
	}
	row := assignmentRow{
		ID: newID(), CampaignID: c.ID, SegmentID: g.ID, UserID: m.UserID, Round: g.Round,
		State: string(campaign.InWork), Seed: seed, StartedAt: now, TouchedAt: now, Added: true,
	}
	if err := tx.Create(&row).Error; err != nil {
		return err
	}
	if !known {
		if err := meet(tx, c.ID, g.ID, m.UserID); err != nil {
			return err
		}
	}
	return recountPlaces(tx, g.ID)
}

// turnIn is a user's assignment in the current round of a segment; without an id if
// there is none.
func turnIn(tx *gorm.DB, g leadSegment, userID string) (assignmentRow, error) {
	var rows []assignmentRow
	err := tx.Raw("SELECT id, user_id, round, state, set_aside, replaced FROM assignments WHERE segment_id = ? AND round = ? AND user_id = ?", g.ID, g.Round, userID).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return assignmentRow{}, err
	}
	return rows[0], nil
}

// ReplaceAnnotator lets the current round of a segment, a second look or later,
// wait no more for the annotator named login, but for byLogin, or with byLogin
// empty for nobody; the round is decided if that completes it. If the replaced one
// submits after all, they count again. ErrConflict in the first round, where an
// idle place frees itself; for who has submitted or is replaced already; and
// where nobody would be left in the round.
func (s *Store) ReplaceAnnotator(ctx context.Context, campaignID, segmentRowID, login, byLogin, reason, byID string) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		segments, err := lockLeadSegments(tx, c, []string{segmentRowID})
		if err != nil {
			return err
		}
		g := segments[0]
		if g.Status != campaign.Reannotate {
			return fmt.Errorf("segment %q has no second look under way: %w", g.Name, campaign.ErrConflict)
		}
		m, err := findAnnotator(tx, c.ID, login)
		if err != nil {
			return err
		}
		a, err := turnIn(tx, g, m.UserID)
		switch {
		case err != nil:
			return err
		case a.ID == "" || a.Replaced && a.State == string(campaign.Released) || a.SetAside != "":
			return fmt.Errorf("round %d of segment %q does not wait for %s: %w", g.Round, g.Name, login, campaign.ErrConflict)
		case a.State == string(campaign.Submitted):
			return fmt.Errorf("%s has submitted segment %q in this round: %w", login, g.Name, campaign.ErrConflict)
		}
		if err := tx.Exec("UPDATE assignments SET state = 'released', replaced = ? WHERE id = ?", true, a.ID).Error; err != nil {
			return err
		}
		what := login + " in " + g.Name + " by nobody"
		if byLogin != "" {
			what = login + " in " + g.Name + " by " + byLogin
			if err := s.join(tx, c, g, byLogin); err != nil {
				return err
			}
		} else if err := someoneLeft(tx, g); err != nil {
			return err
		}
		if err := s.decideIfComplete(tx, c, g.ID, g.Round); err != nil {
			return err
		}
		return s.audit(tx, c.ID, byID, "replace annotator", what, reason)
	})
}

// someoneLeft refuses to leave a round without anybody.
func someoneLeft(tx *gorm.DB, g leadSegment) error {
	var n int
	err := scan(tx.Raw("SELECT count(*) FROM assignments a WHERE a.segment_id = ? AND a.round = ? AND (a.state = 'submitted' OR "+waitedFor+")", g.ID, g.Round), &n)
	if err == nil && n == 0 {
		return fmt.Errorf("nobody would be left in round %d of segment %q; name who takes over, or adjudicate or discard it: %w", g.Round, g.Name, campaign.ErrConflict)
	}
	return err
}
