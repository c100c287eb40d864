package store

import (
	"encoding/json"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"annotate/internal/campaign"
)

// decideIfComplete decides a round of a segment if it is under way and complete.
// Who reported a problem is still at it, until the lead answers, and so is who
// left a second look, unless they were replaced. What a lead has decided is not
// decided; nor is what was decided, a late submission notwithstanding. The caller
// holds the lock on the segment, so that a round can be neither missed nor decided
// twice.
func (s *Store) decideIfComplete(tx *gorm.DB, c campaign.Campaign, segmentID string, round int) error {
	var status campaign.Status
	var current, submitted, open, decidedWith int
	err := scan(tx.Raw(`SELECT g.status, g.round,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = g.id AND a.round = ? AND a.state = 'submitted'),
			(SELECT count(*) FROM assignments a WHERE a.segment_id = g.id AND a.round = ? AND `+waitedFor+`),
			(SELECT coalesce(min(CASE WHEN d.annotators > 0 THEN d.annotators ELSE 1 END), 0) FROM decisions d WHERE d.segment_id = g.id AND d.round = ?)
		FROM segments g WHERE g.id = ?`, round, round, round, segmentID), &status, &current, &submitted, &open, &decidedWith)
	if err != nil || current != round || status != campaign.Pending && status != campaign.Reannotate ||
		!c.Settings.Complete(round, submitted, open, decidedWith) {
		return err
	}
	if decidedWith > 0 {
		if err := s.joinNext(tx, c, segmentID, round); err != nil {
			return err
		}
	}
	return s.reform(tx, c, []string{segmentID}, round)
}

// decideUnderWay is decideIfComplete for the round that a segment is in.
func (s *Store) decideUnderWay(tx *gorm.DB, c campaign.Campaign, segmentID string) error {
	var round int
	if err := scan(tx.Raw("SELECT round FROM segments WHERE id = ?", segmentID), &round); err != nil {
		return err
	}
	return s.decideIfComplete(tx, c, segmentID, round)
}

// waitedFor is the condition for a round to wait for an assignment a of it.
const waitedFor = `(a.state IN ('open', 'problem') OR a.state = 'released' AND a.round > 1 AND NOT a.replaced AND a.set_aside = '')`

// joinNext gives those who submitted a round the next one, if that was given to
// others before the segment came back to this one.
func (s *Store) joinNext(tx *gorm.DB, c campaign.Campaign, segmentID string, round int) error {
	var missing []assignmentRow
	err := tx.Raw(`SELECT a.user_id, a.seed FROM assignments a WHERE a.segment_id = ? AND a.round = ? AND a.state = 'submitted'
		AND EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = a.segment_id AND x.round = a.round + 1)
		AND NOT EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = a.segment_id AND x.round = a.round + 1 AND x.user_id = a.user_id)
		ORDER BY a.id`, segmentID, round).Scan(&missing).Error
	if err != nil {
		return err
	}
	now := instantOf(s.now())
	for _, m := range missing {
		row := assignmentRow{
			ID: newID(), CampaignID: c.ID, SegmentID: segmentID, UserID: m.UserID, Round: round + 1,
			State: string(campaign.InWork), Seed: m.Seed, StartedAt: now, TouchedAt: now,
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}

func isDecided(tx *gorm.DB, segmentID string, round int) (bool, error) {
	var n int
	err := scan(tx.Raw("SELECT count(*) FROM decisions WHERE segment_id = ? AND round = ?", segmentID, round), &n)
	return n > 0, err
}

// underWay reports whether ratings of a round can still decide the segment.
func underWay(tx *gorm.DB, segmentID string, round int) (bool, error) {
	var n int
	err := scan(tx.Raw("SELECT count(*) FROM segments WHERE id = ? AND round = ? AND status IN ('pending', 'reannotate')", segmentID, round), &n)
	return n > 0, err
}

// decide runs the gate over the submitted ratings of a round and stores the
// decision with its inputs. With follow, the segment takes the status, and a
// failing one goes back to its annotators; a segment that a lead has decided or
// taken out stays as it is.
func (s *Store) decide(tx *gorm.DB, c campaign.Campaign, segmentID string, round int, follow bool) (campaign.Decision, error) {
	vectors, err := gateVectors(tx, segmentID, round)
	if err != nil {
		return campaign.Decision{}, err
	}
	d := c.Settings.Decide(round, vectors)
	pairs, err := json.Marshal(d.Pairs)
	if err != nil {
		return d, fmt.Errorf("encode pairs: %w", err)
	}
	err = tx.Exec(`INSERT INTO decisions (id, segment_id, round, passed, status, gate, threshold, tolerance, annotators, pairs, decided_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, newID(),
		segmentID, round, d.Passed, string(d.Status), d.Gate, d.Threshold, d.Tolerance, d.Annotators, string(pairs), instantOf(s.now())).Error
	if err != nil || !follow {
		return d, err
	}
	var ruling string
	if err := scan(tx.Raw("SELECT ruling FROM segments WHERE id = ?", segmentID), &ruling); err != nil || ruling != "" {
		return d, err
	}
	under := round
	if d.Status == campaign.Reannotate {
		under = round + 1
		if err := s.startRound(tx, segmentID, under); err != nil {
			return d, err
		}
	}
	return d, tx.Exec("UPDATE all_segments SET status = ?, round = ? WHERE id = ?", string(d.Status), under, segmentID).Error
}

// gateVectors lays out the gate scores of a round by annotator and system.
func gateVectors(tx *gorm.DB, segmentID string, round int) ([]campaign.Vector, error) {
	var rows []struct {
		Login     string
		Name      string
		GateScore float64
	}
	err := tx.Raw(`SELECT u.login, y.name, r.gate_score FROM assignments a
		JOIN users u ON u.id = a.user_id JOIN ratings r ON r.assignment_id = a.id
		JOIN translations t ON t.id = r.translation_id JOIN systems y ON y.id = t.system_id
		WHERE a.segment_id = ? AND a.round = ? AND a.state = 'submitted'`, segmentID, round).Scan(&rows).Error
	var vectors []campaign.Vector
	index := map[string]int{}
	for _, r := range rows {
		i, ok := index[r.Login]
		if !ok {
			i = len(vectors)
			index[r.Login] = i
			vectors = append(vectors, campaign.Vector{Annotator: r.Login, Scores: map[string]float64{}})
		}
		vectors[i].Scores[r.Name] = r.GateScore
	}
	return vectors, err
}

// startRound gives the segment again to those who submitted the round before,
// with the cards in the order they know.
func (s *Store) startRound(tx *gorm.DB, segmentID string, round int) error {
	var rows []assignmentRow
	err := tx.Raw("SELECT * FROM assignments WHERE segment_id = ? AND round = ? AND state = 'submitted' ORDER BY id", segmentID, round-1).Scan(&rows).Error
	if err != nil {
		return err
	}
	now := instantOf(s.now())
	for _, r := range rows {
		again := assignmentRow{
			ID: newID(), CampaignID: r.CampaignID, SegmentID: segmentID, UserID: r.UserID, Round: round,
			State: string(campaign.InWork), Seed: r.Seed, StartedAt: now, TouchedAt: now,
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&again).Error; err != nil {
			return err
		}
	}
	return nil
}
