package desk

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/protocol"
	"annotate/internal/records"
)

// RatedSegments yields every segment of a campaign in the order of import, with its decisions and
// the parts of its submitted ratings and judgements that agreement is computed from. It reads no
// texts, unlike [records.Store.AllSegments].
func (s *Store) RatedSegments(ctx context.Context, c campaign.Campaign) iter.Seq2[campaign.Rated, error] {
	return database.Batches(ctx, s.db, func(db *gorm.DB) (func(*gorm.DB) (func() ([]campaign.Rated, error), error), error) {
		logins, err := annotatorLogins(db, c.ID)
		if err != nil {
			return nil, err
		}
		systems, err := records.NamesByID(db, "SELECT id, name FROM systems WHERE campaign_id = ?", c.ID)
		if err != nil {
			return nil, err
		}
		judged, err := newJudgedReader(db, c, true)
		if err != nil {
			return nil, err
		}
		scores := len(judged.judges) > 0 && len(c.Rules.Scores) > 1
		position := 0
		return func(db *gorm.DB) (func() ([]campaign.Rated, error), error) {
			var rows []ratedRow
			err := db.Raw(`SELECT g.id, d.doc_id, g.segment_id, g.position, g.status, g.round FROM segments g JOIN documents d ON d.id = g.document_id
				WHERE g.campaign_id = ? AND g.position > ? ORDER BY g.position LIMIT ?`, c.ID, position, ratedBatch).Scan(&rows).Error
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			position = rows[len(rows)-1].Position
			return func() ([]campaign.Rated, error) {
				segments, index := make([]campaign.Rated, len(rows)), make(map[string]int, len(rows))
				ids := make([]string, len(rows))
				for i, r := range rows {
					segments[i] = campaign.Rated{DocID: r.DocID, SegmentID: r.SegmentID, Status: campaign.Status(r.Status), Round: r.Round}
					ids[i], index[r.ID] = r.ID, i
				}
				decisions, err := records.DecisionsOf(db, ids)
				if err != nil {
					return nil, err
				}
				for i, id := range ids {
					segments[i].Decisions = decisions[id]
				}
				if len(judged.judges) > 0 {
					if err := judged.add(db, segments, index, ids); err != nil {
						return nil, err
					}
				}
				return segments, addGiven(db, segments, index, ids, logins, systems, c.Rules, scores)
			}, nil
		}, nil
	})
}

// annotatorLogins returns the logins of the users who have submitted a segment, by user id.
func annotatorLogins(db *gorm.DB, campaignID string) (map[string]string, error) {
	return records.NamesByID(
		db,
		"SELECT DISTINCT a.user_id, u.login FROM assignments a JOIN users u ON u.id = a.user_id WHERE a.campaign_id = ? AND a.state = 'submitted'",
		campaignID,
	)
}

// ratedBatch is how many segments are read at once.
const ratedBatch = 500

type ratedRow struct {
	ID        string
	DocID     string
	SegmentID string
	Position  int
	Status    string
	Round     int
}

// addGiven adds the submitted ratings of the segments with the given ids. It reads their spans if the protocol has
// some, and scores says whether it reads their entered scores. Without a gate their score is NaN. A campaign can have a
// million ratings, so addGiven reads rows without reflection and shares names.
func addGiven(
	db *gorm.DB, segments []campaign.Rated, index map[string]int, ids []string, logins, systems map[string]string,
	p *protocol.Protocol, scores bool,
) error {
	marked, entered := "''", "''"
	if p.Spans != nil {
		marked = "r.spans"
	}
	if scores {
		entered = "r.scores"
	}
	var segment, user, system, places string
	var values sql.RawBytes
	var r campaign.Rating
	var gate float64
	var at int64
	for err := range database.EachRow(db.Raw(`SELECT a.segment_id, a.user_id, t.system_id, a.round, r.gate_score, r.submitted_at, `+marked+", "+entered+`
		FROM assignments a JOIN ratings r ON r.assignment_id = a.id JOIN translations t ON t.id = r.translation_id
		WHERE a.segment_id IN ? AND a.state = 'submitted' AND a.counts`, ids), &segment, &user, &system, &r.Round, &gate, &at, &places, &values) {
		if err != nil {
			return err
		}
		r.Annotator, r.SubmittedAt, r.Scores, r.Spans = logins[user], database.Instant(at).Time(), nil, records.DecodeSpans(places)
		if err := decodeUnlessEmpty(values, &r.Scores); err != nil {
			return fmt.Errorf("decode scores: %w", err)
		}
		seg := &segments[index[segment]]
		seg.Given = append(seg.Given, campaign.GivenOf(p, systems[system], r, gate))
	}
	return nil
}
