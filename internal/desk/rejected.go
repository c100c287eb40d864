package desk

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// Rejected lists the settled segments of a campaign that a following campaign has rejected, in the order of import and
// at most limit of them; if segmentRowID is not empty, that segment alone. A following campaign rejects a segment if
// the segment's settled answer to the question that the gate compares is [campaign.Rejects]. A segment leaves the list
// when a lead acts on it after the rejection.
func (s *Store) Rejected(ctx context.Context, c campaign.Campaign, segmentRowID string, limit int) (out []readmodel.Rejection, err error) {
	db := s.db.Read(ctx)
	all, err := s.rejections(db, c, segmentRowID)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		var rows []struct{ ID, DocID, SegmentID, Descendant string }
		err := db.Raw("SELECT g.id, (SELECT d.doc_id FROM documents d WHERE d.id = g.document_id) AS doc_id, g.segment_id, k.segment_id AS descendant FROM "+r.from+
			" ORDER BY g.position LIMIT ?", append(r.args, limit-len(out))...).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for part := range slices.Chunk(rows, records.ExportBatch) {
			descendants := make([]string, len(part))
			for i, row := range part {
				descendants[i] = row.Descendant
			}
			reasons, err := reasonsOf(db, r.by, descendants)
			if err != nil {
				return nil, err
			}
			for _, row := range part {
				out = append(out, readmodel.Rejection{ID: row.ID, DocID: row.DocID, SegmentID: row.SegmentID, Stage: r.by.Title, Reasons: reasons[row.Descendant]})
			}
		}
	}
	return out, nil
}

// countRejected counts what [Store.Rejected] lists.
func (s *Store) countRejected(db *gorm.DB, c campaign.Campaign) (n int, err error) {
	all, err := s.rejections(db, c, "")
	for _, r := range all {
		var more int
		if err := database.Scan(db.Raw("SELECT count(*) FROM "+r.from, r.args...), &more); err != nil {
			return 0, err
		}
		n += more
	}
	return n, err
}

// rejections are the segments g of a campaign that one following campaign has rejected, with k, the tallies of their descendants there.
type rejections struct {
	by   campaign.Campaign
	from string // SQL: tables and conditions
	args []any
}

// rejections lists those of each campaign that follows c and has rejected anything.
func (s *Store) rejections(db *gorm.DB, c campaign.Campaign, segmentRowID string) (out []rejections, err error) {
	var followers []string
	if err := db.Raw("SELECT campaign_id FROM follows WHERE from_id = ?", c.ID).Scan(&followers).Error; err != nil || len(followers) == 0 {
		return nil, err
	}
	campaigns, err := s.records.Campaigns(db.Statement.Context)
	if err != nil {
		return nil, err
	}
	// CROSS JOIN makes SQLite begin with the few segments that were rejected, or with the one that is asked about.
	tables, only, args := "segment_tallies k CROSS JOIN lineage l CROSS JOIN segments g", "", []any{c.ID, inGold}
	if segmentRowID != "" {
		tables, only, args = "lineage l CROSS JOIN segment_tallies k CROSS JOIN segments g", " AND l.from_segment = ?", append(args, segmentRowID)
	}
	for _, next := range campaigns {
		q, ok := next.Rules.NominalGate()
		if !ok || !keepsSettled(next) || !slices.Contains(followers, next.ID) {
			continue
		}
		groups, err := settledGroups(db, next)
		if err != nil {
			return nil, err
		}
		var answers []string
		for _, g := range groups {
			if g.Answers[q.Name].Text == campaign.Rejects {
				answers = append(answers, g.ID)
			}
		}
		if len(answers) == 0 {
			continue
		}
		list, arg := database.ListOf(db, answers)
		out = append(out, rejections{next, tables + ` WHERE k.campaign_id = ? AND k.settled <> '' AND k.settled IN (` + list + `) AND l.segment_id = k.segment_id AND l.depth = 1
			AND g.id = l.from_segment AND g.campaign_id = ? AND g.status IN ?` + only + `
			AND NOT EXISTS (SELECT 1 FROM acts x WHERE x.segment_id = g.id AND NOT x.undone AND x.at >= (SELECT max(b.submitted_at) FROM assignments b WHERE b.segment_id = k.segment_id))`,
			append([]any{next.ID, arg}, args...)})
	}
	return out, nil
}

// reasonsOf reads the comments on the settled ratings of segments of a campaign, by row id.
func reasonsOf(db *gorm.DB, c campaign.Campaign, ids []string) (map[string][]string, error) {
	var found []records.SegmentRow
	if err := db.Raw(records.SegmentColumns+" WHERE g.id IN ?", ids).Scan(&found).Error; err != nil {
		return nil, err
	}
	segments, err := records.GoldOf(db, c, found)
	out := map[string][]string{}
	for i, seg := range segments {
		for _, rating := range campaign.GoldSource(seg, seg.Translations[0]) {
			if comment := strings.TrimSpace(rating.Comment); comment != "" {
				out[found[i].ID] = append(out[found[i].ID], comment)
			}
		}
	}
	return out, err
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
