package store

import (
	"context"
	"fmt"
	"math"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// Withdraw takes a segment out of a campaign before it is decided; one that is
// decided is an ErrConflict.
func (s *Store) Withdraw(ctx context.Context, campaignID, segmentRowID, reason, byID string) error {
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "withdraw segment", reason, byID,
		func(tx *gorm.DB, _ campaign.Campaign, segments []leadSegment) error {
			return s.withdraw(tx, segments[0], reason)
		})
}

// withdraw takes a segment out before it is decided.
func (s *Store) withdraw(tx *gorm.DB, g leadSegment, reason string) error {
	if !g.underWay() {
		return fmt.Errorf("segment %q is %s already: %w", g.Name, g.Status, campaign.ErrConflict)
	}
	return s.rule(tx, []leadSegment{g}, campaign.Withdrawn, map[string]int{g.ID: g.Round}, reason)
}

// rule makes what a lead decided the state of segments, each in the round given by
// id. Their open assignments end, and problems reported of them are answered; no
// rating is deleted.
func (s *Store) rule(tx *gorm.DB, segments []leadSegment, ruling campaign.Status, rounds map[string]int, reason string) error {
	ids := segmentIDs(segments)
	byRound := map[int][]string{}
	for _, id := range ids {
		byRound[rounds[id]] = append(byRound[rounds[id]], id)
	}
	for round, part := range byRound {
		err := eachPart(tx, part, "UPDATE all_segments SET status = ?, ruling = ?, round = ?, held = ? WHERE id IN ?", string(ruling), string(ruling), round, false)
		if err != nil {
			return err
		}
	}
	err := eachPart(tx, ids, "UPDATE assignments SET state = 'released' WHERE state IN ('open', 'problem') AND segment_id IN ?")
	if err != nil {
		return err
	}
	err = eachPart(tx, ids, "UPDATE problems SET resolved_at = ?, answer = ? WHERE resolved_at = 0 AND segment_id IN ?", instantOf(s.now()), reason)
	if err != nil {
		return err
	}
	return recountPlacesOf(tx, ids)
}

// Adjudicate decides a segment in the lead's name: the gold of each system named
// in scores is that score, of the others the mean of the last complete round,
// whatever was adjudicated before. The segment leaves every queue; no rating is
// deleted. Without a complete round it is an ErrConflict.
func (s *Store) Adjudicate(ctx context.Context, campaignID, segmentRowID string, scores map[string]float64, reason, byID string) error {
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "adjudicate segment", reason, byID,
		func(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) error {
			return s.adjudicate(tx, c, segments, scores, reason)
		})
}

// AcceptMeans is [Store.Adjudicate] by the mean for several segments, all or
// none: ErrConflict names one that has no complete round.
func (s *Store) AcceptMeans(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "adjudicate segment", reason, byID,
		func(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) error {
			return s.adjudicate(tx, c, segments, nil, reason)
		})
}

func (s *Store) adjudicate(tx *gorm.DB, c campaign.Campaign, segments []leadSegment, scores map[string]float64, reason string) error {
	rounds, err := completeRounds(tx, c, segments)
	if err != nil {
		return err
	}
	for _, g := range segments {
		if rounds[g.ID] == 0 {
			return fmt.Errorf("segment %q has no complete round to adjudicate: %w", g.Name, campaign.ErrConflict)
		}
		if err := setAdjudicated(tx, c, g.ID, scores); err != nil {
			return err
		}
	}
	return s.rule(tx, segments, campaign.Adjudicated, rounds, reason)
}

// completeRounds are the last complete rounds of segments by id, 0 for none.
func completeRounds(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) (map[string]int, error) {
	h, err := newHistorian(tx, c.ID)
	if err != nil {
		return nil, err
	}
	histories, err := h.of(segmentIDs(segments))
	rounds := make(map[string]int, len(histories))
	for _, h := range histories {
		rounds[h.id] = c.Settings.LastComplete(h.History)
	}
	return rounds, err
}

// setAdjudicated stores what a lead entered for the systems of a segment.
func setAdjudicated(tx *gorm.DB, c campaign.Campaign, segmentID string, scores map[string]float64) error {
	systems, err := systemIDs(tx, c.ID)
	if err != nil {
		return err
	}
	if err := tx.Exec("UPDATE translations SET adjudicated = NULL WHERE segment_id = ?", segmentID).Error; err != nil {
		return err
	}
	for system, score := range scores {
		id, ok := systems[system]
		if !ok {
			return campaign.Invalid("scores", fmt.Sprintf("the campaign has no system %q", system))
		}
		if scale, ok := c.Rules.Score(c.Rules.Gate); math.IsNaN(score) || math.IsInf(score, 0) || ok && (score < float64(scale.Min) || score > float64(scale.Max)) {
			return campaign.Invalid("scores", fmt.Sprintf("%v for %q is not on the scale", score, system))
		}
		err := tx.Exec("UPDATE translations SET adjudicated = ? WHERE segment_id = ? AND system_id = ?", score, segmentID, id).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// Discard takes segments out of gold in the lead's name, whatever the gate says
// of them now or later. Their open assignments end; no rating is deleted. All or
// none: ErrConflict names one that is discarded or withdrawn by a lead already.
func (s *Store) Discard(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "discard segment", reason, byID,
		func(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) error {
			rounds, err := completeRounds(tx, c, segments)
			if err != nil {
				return err
			}
			for _, g := range segments {
				if g.Ruling == campaign.Discarded || g.Ruling == campaign.Withdrawn {
					return fmt.Errorf("segment %q is %s by a lead already: %w", g.Name, g.Ruling, campaign.ErrConflict)
				}
				rounds[g.ID] = max(rounds[g.ID], 1)
			}
			return s.rule(tx, segments, campaign.Discarded, rounds, reason)
		})
}

// Reopen takes back what a lead decided about segments (adjudicated, discarded,
// withdrawn) and forms their decisions anew; a segment that the gate has decided
// gets one more round. All or none: ErrConflict names one that is under way.
//
// Who was at a second look when a lead decided has it back in work; places of the
// first round are handed out as they are free. Scores that a lead entered are gone.
func (s *Store) Reopen(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "reopen segment", reason, byID,
		func(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) error {
			var ruled []string
			for _, g := range segments {
				switch {
				case g.Ruling != "":
					ruled = append(ruled, g.ID)
				case g.underWay():
					return fmt.Errorf("segment %q is under way, there is nothing to reopen: %w", g.Name, campaign.ErrConflict)
				default:
					if err := tx.Exec("UPDATE all_segments SET reopened = ? WHERE id = ?", g.Round+1, g.ID).Error; err != nil {
						return err
					}
				}
			}
			if err := eachPart(tx, ruled, "UPDATE all_segments SET ruling = '' WHERE id IN ?"); err != nil {
				return err
			}
			if err := eachPart(tx, ruled, "UPDATE translations SET adjudicated = NULL WHERE adjudicated IS NOT NULL AND segment_id IN ?"); err != nil {
				return err
			}
			if err := s.reform(tx, c, segmentIDs(segments), 1); err != nil {
				return err
			}
			return eachPart(tx, ruled, `UPDATE assignments SET state = 'open', touched_at = ? WHERE state = 'released' AND round > 1 AND set_aside = '' AND NOT replaced
				AND round = (SELECT g.round FROM segments g WHERE g.id = assignments.segment_id AND g.status = 'reannotate') AND segment_id IN ?`, instantOf(s.now()))
		})
}
