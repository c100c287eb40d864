package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// The acts of a lead have a reason and a line in the audit log, and none deletes a
// rating. Each locks the campaign, then the segments it changes in the order of
// their ids, and leaves the state of a segment to [campaign.Settings.Reform].

func checkReason(field, reason, missing string) error {
	if strings.TrimSpace(reason) == "" {
		return campaign.Invalid(field, missing)
	}
	return checkText(field, reason)
}

// act runs a lead's act on a campaign, which is locked.
func (s *Store) act(ctx context.Context, campaignID, reason string, fn func(tx *gorm.DB, c campaign.Campaign) error) error {
	if err := checkReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	return s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		return fn(tx, c)
	})
}

// A leadSegment is a segment as an act of a lead finds it.
type leadSegment struct {
	ID     string
	DocID  string
	Name   string // external id
	Status campaign.Status
	Round  int
	Ruling campaign.Status
}

func (g leadSegment) underWay() bool {
	return g.Status == campaign.Pending || g.Status == campaign.Reannotate
}

// actOn runs a lead's act on segments, which are locked: all or none. Each of them
// gets a line in the audit log.
func (s *Store) actOn(ctx context.Context, campaignID string, ids []string, act, reason, byID string,
	fn func(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) error) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		segments, err := lockLeadSegments(tx, c, ids)
		if err != nil {
			return err
		}
		if err := fn(tx, c, segments); err != nil {
			return err
		}
		for _, g := range segments {
			if err := s.audit(tx, c.ID, byID, act, g.Name, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxActedOn bounds how many segments one act names.
const maxActedOn = 10_000

// lockLeadSegments locks segments of a campaign and reads them, by id. ErrNotFound
// if it has one of them not.
func lockLeadSegments(tx *gorm.DB, c campaign.Campaign, ids []string) ([]leadSegment, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return nil, campaign.Invalid("segments", "choose at least one segment")
	}
	if len(ids) > maxActedOn {
		return nil, campaign.Invalid("segments", fmt.Sprintf("choose at most %d segments at a time", maxActedOn))
	}
	var out []leadSegment
	for part := range slices.Chunk(ids, reformBatch) {
		var known []string
		if err := tx.Raw("SELECT id FROM segments WHERE campaign_id = ? AND id IN ?", c.ID, part).Scan(&known).Error; err != nil {
			return nil, err
		}
		if len(known) < len(part) {
			return nil, fmt.Errorf("segment: %w", campaign.ErrNotFound)
		}
		if err := lockSegments(tx, part); err != nil {
			return nil, err
		}
		var rows []leadSegment
		err := tx.Raw(`SELECT g.id, d.doc_id, g.segment_id AS name, g.status, g.round, g.ruling FROM segments g JOIN documents d ON d.id = g.document_id
			WHERE g.id IN ? ORDER BY g.id`, part).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

func segmentIDs(segments []leadSegment) []string {
	ids := make([]string, len(segments))
	for i, g := range segments {
		ids[i] = g.ID
	}
	return ids
}

// eachPart runs statements whose last parameter is a part of ids.
func eachPart(tx *gorm.DB, ids []string, sql string, args ...any) error {
	for part := range slices.Chunk(ids, reformBatch) {
		if err := tx.Exec(sql, append(slices.Clone(args), part)...).Error; err != nil {
			return err
		}
	}
	return nil
}

// recountPlacesOf is recountPlaces for several segments.
func recountPlacesOf(tx *gorm.DB, ids []string) error {
	return eachPart(tx, ids, `UPDATE all_segments SET taken = (SELECT count(*) FROM assignments a
		WHERE a.segment_id = all_segments.id AND a.round = 1 AND a.state IN ('open', 'submitted')) WHERE id IN ?`)
}
