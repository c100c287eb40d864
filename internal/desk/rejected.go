package desk

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// Rejected lists the settled segments of a campaign that a following campaign has rejected, in the order of import. A
// following campaign rejects a segment if its settled answer to the question that the gate compares is
// [campaign.Rejects]. A segment leaves the list when a lead acts on it after the rejection.
func (s *Store) Rejected(ctx context.Context, c campaign.Campaign) ([]readmodel.Rejection, error) {
	return s.rejected(s.db.Read(ctx), c)
}

func (s *Store) rejected(db *gorm.DB, c campaign.Campaign) (out []readmodel.Rejection, err error) {
	var followers []string
	if err := db.Raw("SELECT campaign_id FROM follows WHERE from_id = ? ORDER BY campaign_id", c.ID).Scan(&followers).Error; err != nil || len(followers) == 0 {
		return nil, err
	}
	campaigns, err := s.records.Campaigns(db.Statement.Context)
	if err != nil {
		return nil, err
	}
	for _, next := range campaigns {
		q, ok := next.Rules.NominalGate()
		code := slices.IndexFunc(q.Options, func(o protocol.Option) bool { return o.Value == campaign.Rejects })
		if !ok || code < 0 || !slices.Contains(followers, next.ID) {
			continue
		}
		var rows []struct{ ID, SegmentID, Descendant string }
		err := db.Raw(`SELECT g.id, g.segment_id, n.id AS descendant FROM segments n JOIN lineage l ON l.segment_id = n.id AND l.depth = 1 JOIN segments g ON g.id = l.from_segment
			WHERE n.campaign_id = ? AND g.campaign_id = ? AND g.status IN ? AND n.status IN ?
			AND (n.status = 'adjudicated' OR EXISTS (SELECT 1 FROM assignments a JOIN ratings r ON r.assignment_id = a.id WHERE a.segment_id = n.id AND r.gate_score = ?))
			AND NOT EXISTS (SELECT 1 FROM acts x WHERE x.segment_id = g.id AND NOT x.undone AND x.at >= (SELECT max(b.submitted_at) FROM assignments b WHERE b.segment_id = n.id))
			ORDER BY g.position`, next.ID, c.ID, inGold, inGold, code).
			Scan(&rows).
			Error
		if err != nil {
			return nil, err
		}
		for part := range slices.Chunk(rows, records.ExportBatch) {
			ids, of := make([]string, len(part)), map[string]int{}
			for i, r := range part {
				ids[i] = r.Descendant
			}
			var found []records.SegmentRow
			if err := db.Raw(records.SegmentColumns+" WHERE g.id IN ?", ids).Scan(&found).Error; err != nil {
				return nil, err
			}
			segments, err := records.GoldOf(db, next, found)
			if err != nil {
				return nil, err
			}
			for i, f := range found {
				of[f.ID] = i
			}
			for _, r := range part {
				seg := segments[of[r.Descendant]]
				if a, ok := campaign.GoldAnswer(next.Rules, q, seg, seg.Translations[0]); !ok || a.Text != campaign.Rejects {
					continue
				}
				x := readmodel.Rejection{ID: r.ID, SegmentID: r.SegmentID, Stage: next.Title}
				for _, rating := range campaign.GoldSource(seg, seg.Translations[0]) {
					if comment := strings.TrimSpace(rating.Comment); comment != "" {
						x.Reasons = append(x.Reasons, comment)
					}
				}
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// inGold are the statuses of segments in gold, as the database stores them.
var inGold = func() (out []string) {
	for _, s := range campaign.Statuses {
		if s.InGold() {
			out = append(out, string(s))
		}
	}
	return out
}()
