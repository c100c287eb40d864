package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// failedFirst is the condition for a segment g to have failed the gate in round 1, as the report of a chain counts it.
const failedFirst = "g.status <> 'withdrawn' AND EXISTS (SELECT 1 FROM decisions x WHERE x.segment_id = g.id AND x.round = 1 AND x.current AND NOT x.passed)"

// isAt is the condition, with its parameters, for a segment g of a campaign to be at a step of a chain. The error is ErrNotFound if there is
// no such step, or if the campaign that it names does not follow.
func (s *Store) isAt(db *gorm.DB, campaignID, step string) (sql string, args []any, err error) {
	step, rest, _ := strings.Cut(step, ":")
	slug, why, _ := strings.Cut(rest, ":")
	switch step {
	case campaign.StepOut:
		return "g.status IN ('discarded', 'withdrawn')", nil, nil
	case campaign.StepGold:
		return "g.status IN ?", []any{inGold}, nil
	case campaign.StepFailed:
		return failedFirst, nil, nil
	case campaign.StepSaved:
		return failedFirst + " AND g.status IN ?", []any{inGold}, nil
	case campaign.StepTaken:
		return `EXISTS (SELECT 1 FROM lineage l JOIN segments n ON n.id = l.segment_id JOIN campaigns k ON k.id = n.campaign_id
			WHERE l.from_segment = g.id AND l.depth = 1 AND k.slug = ? AND NOT k.deleted)`, []any{slug}, nil
	}
	c, err := records.ReadCampaign(db, campaignID)
	if err != nil {
		return "", nil, err
	}
	filtered, args := isFilteredOut(c)
	switch step {
	case campaign.StepFiltered:
		if filtered == "" {
			return "FALSE", nil, nil
		}
		return filtered, args, nil
	case campaign.StepWork:
		sql = "g.status IN ('pending', 'reannotate')"
		if filtered != "" {
			sql += " AND NOT (" + filtered + ")"
		}
		return sql, args, nil
	case campaign.StepReady, campaign.StepBehind:
		return s.isReady(db, c, step, slug, why)
	}
	return "", nil, fmt.Errorf("a chain has no step %q: %w", step, campaign.ErrNotFound)
}

// isReady is the condition for a segment g of c to be ready for the campaign slug, or to stay behind for a reason. isReady reads all settled
// segments, since the texts of their answers decide.
func (s *Store) isReady(db *gorm.DB, c campaign.Campaign, step, slug, why string) (sql string, args []any, err error) {
	var next string
	err = database.Scan(
		db.Raw("SELECT k.id FROM follows f JOIN campaigns k ON k.id = f.campaign_id WHERE f.from_id = ? AND k.slug = ? AND NOT k.deleted", c.ID, slug), &next,
	)
	if err != nil {
		return "", nil, err
	}
	f, err := records.FollowingOf(db, next)
	if err != nil {
		return "", nil, err
	}
	ids := []string{}
	for position := 0; ; {
		var rows []records.SegmentRow
		err := db.Raw(records.SegmentColumns+" WHERE g.campaign_id = ? AND g.position > ? AND g.status IN ? ORDER BY g.position LIMIT ?",
			c.ID, position, inGold, records.ExportBatch).Scan(&rows).Error
		if err != nil {
			return "", nil, err
		}
		if len(rows) == 0 {
			break
		}
		position = rows[len(rows)-1].Position
		segments, err := records.PartsOf(db, c, rows, records.Ratings)
		if err != nil {
			return "", nil, err
		}
		for i, seg := range segments {
			behind := f.Rule.Behind(seg, campaign.BroughtBy(c.Rules, seg))
			if step == campaign.StepReady && behind == "" || step == campaign.StepBehind && behind != "" && (why == "" || why == behind) {
				ids = append(ids, rows[i].ID)
			}
		}
	}
	text, err := json.Marshal(ids)
	list := "SELECT value FROM json_each(?)"
	if s.db.Dialect == database.Postgres {
		list = "SELECT jsonb_array_elements_text(CAST(? AS jsonb))"
	}
	return "g.id IN (" + list + ")", []any{string(text)}, err
}

// joined is a JOIN, with its parameter, that gives the segments g with a score the column x.score.
func (s *Store) joined(scores map[string]float64) (sql, arg string, err error) {
	text, err := json.Marshal(scores)
	list := "SELECT key AS id, CAST(value AS DOUBLE PRECISION) AS score FROM json_each(?)"
	if s.db.Dialect == database.Postgres {
		list = "SELECT e.key AS id, CAST(e.value AS DOUBLE PRECISION) AS score FROM jsonb_each_text(CAST(? AS jsonb)) e"
	}
	return "JOIN (" + list + ") x ON x.id = g.id", string(text), err
}

// scoresOf reads the score of a metric or a judge for each segment of a campaign that has one, by row id: that of its source or, if
// translations have scores, their mean. There are none if the campaign has no such metric or judge.
func scoresOf(db *gorm.DB, campaignID, name string) (map[string]float64, error) {
	out := map[string]float64{}
	var metric struct{ ID, Systems string }
	err := db.Raw("SELECT id, systems FROM metrics WHERE campaign_id = ? AND name = ? AND NOT staged", campaignID, name).Scan(&metric).Error
	if err != nil {
		return nil, err
	}
	var rows []struct {
		SegmentID string
		Scores    string
		Score     float64
	}
	if metric.ID == "" {
		err = db.Raw(`SELECT t.segment_id, avg(x.score) AS score FROM judges j JOIN judgements x ON x.judge_id = j.id JOIN translations t ON t.id = x.translation_id
			WHERE j.campaign_id = ? AND j.name = ? AND x.score IS NOT NULL GROUP BY t.segment_id`, campaignID, name).Scan(&rows).Error
	} else {
		err = db.Raw("SELECT segment_id, scores FROM metric_segment_scores WHERE metric_id = ?", metric.ID).Scan(&rows).Error
	}
	scores := make([]float64, len(strings.Fields(metric.Systems)))
	for _, r := range rows {
		if metric.ID != "" {
			records.DecodeMetricScores(r.Scores, scores)
			mean, ok := campaign.Mean(slices.DeleteFunc(slices.Clone(scores), math.IsNaN))
			if !ok {
				continue
			}
			r.Score = mean
		}
		out[r.SegmentID] = r.Score
	}
	return out, err
}

// Followers lists the campaigns that follow a campaign, by slug.
func (s *Store) Followers(ctx context.Context, campaignID string) (out []readmodel.Follower, err error) {
	err = s.db.Read(ctx).Raw(`SELECT k.slug, k.title FROM follows f JOIN campaigns k ON k.id = f.campaign_id
		WHERE f.from_id = ? AND NOT k.deleted ORDER BY k.slug`, campaignID).Scan(&out).Error
	return out, err
}
