package records

import (
	"context"

	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// UnreadJudgements lists the judgements of a judge that are unparsable or have errors whose words
// stand in neither text, in the order of import of the segments, then by system. It also counts all
// of them.
func (s *Store) UnreadJudgements(ctx context.Context, campaignID, judge string, offset, limit int) ([]readmodel.UnreadJudgement, int, error) {
	db := s.db.Read(ctx)
	const from = ` FROM judges j JOIN judgements x ON x.judge_id = j.id JOIN translations t ON t.id = x.translation_id
		JOIN segments g ON g.id = t.segment_id JOIN documents d ON d.id = g.document_id JOIN systems y ON y.id = t.system_id
		WHERE j.campaign_id = ? AND j.name = ? AND (x.status = 'unparsable' OR x.unplaced <> '[]')`
	var total int
	if err := database.Scan(db.Raw("SELECT count(*)"+from, campaignID, judge), &total); err != nil {
		return nil, 0, err
	}
	var rows []struct {
		ID, DocID, SegmentID, System string
		Given                        JudgementColumns `gorm:"embedded"`
	}
	err := db.Raw("SELECT g.id, d.doc_id, g.segment_id, y.name AS system, x.status, x.score, x.scores, x.spans, x.unplaced, x.why"+from+" ORDER BY g.position, y.name LIMIT ? OFFSET ?",
		campaignID, judge, limit, offset).
		Scan(&rows).
		Error
	if err != nil {
		return nil, 0, err
	}
	out := make([]readmodel.UnreadJudgement, len(rows))
	for i, r := range rows {
		j, err := r.Given.Decode(judge)
		if err != nil {
			return nil, 0, err
		}
		out[i] = readmodel.UnreadJudgement{ID: r.ID, DocID: r.DocID, SegmentID: r.SegmentID, System: r.System, Judgement: j}
	}
	return out, total, nil
}
