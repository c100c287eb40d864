package store

import (
	"encoding/json"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"annotate/internal/campaign"
)

// decideIfComplete decides a round of a segment if it is complete and has not
// been decided. Who reported a problem is still at it, until the lead answers,
// and so is who left a second look: its round waits for the same annotators. A
// segment that a lead has decided or taken out is not decided. The caller holds
// the lock on the segment, so that a round can be neither missed nor decided
// twice.
func (s *Store) decideIfComplete(tx *gorm.DB, c campaign.Campaign, segmentID string, round int) error {
	decided, err := isDecided(tx, segmentID, round)
	if err != nil || decided {
		return err
	}
	var status campaign.Status
	var submitted, open int
	err = scan(tx.Raw(`SELECT (SELECT status FROM segments WHERE id = ?), coalesce(sum(CASE WHEN state = 'submitted' THEN 1 ELSE 0 END), 0),
			coalesce(sum(CASE WHEN state IN ('open', 'problem') OR state = 'released' AND round > 1 THEN 1 ELSE 0 END), 0)
		FROM assignments WHERE segment_id = ? AND round = ?`, segmentID, segmentID, round), &status, &submitted, &open)
	if err != nil || status != campaign.Pending && status != campaign.Reannotate || !c.Settings.Complete(round, submitted, open) {
		return err
	}
	_, err = s.decide(tx, c, segmentID, round, true)
	return err
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
	var status campaign.Status
	if err := scan(tx.Raw("SELECT status FROM segments WHERE id = ?", segmentID), &status); err != nil {
		return d, err
	}
	if status == campaign.Adjudicated || status == campaign.Withdrawn {
		return d, nil
	}
	under := round
	if d.Status == campaign.Reannotate {
		under = round + 1
		if err := s.startRound(tx, segmentID, under); err != nil {
			return d, err
		}
	}
	return d, tx.Exec("UPDATE segments SET status = ?, round = ? WHERE id = ?", string(d.Status), under, segmentID).Error
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
