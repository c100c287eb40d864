package desk

import (
	"context"
	"database/sql"
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

// A stepCondition is an SQL condition, with its parameters, for a segment g of a campaign to be at a step of a chain.
type stepCondition struct {
	sql  string
	args []any
	n    int // number of segments that meet it; unknownCount if it has to be counted
	// ofTallies is set if the condition is about the row k of segment_tallies of the segment, and not about g.
	ofTallies bool
}

const unknownCount = -1

// isAt is the condition for a segment g of a campaign to be at a step of a chain. The error is ErrNotFound if there is
// no such step, or if the campaign that it names does not follow.
func (s *Store) isAt(db *gorm.DB, campaignID, step string) (is stepCondition, err error) {
	step, rest, _ := strings.Cut(step, ":")
	slug, why, _ := strings.Cut(rest, ":")
	is.n = unknownCount
	switch step {
	case campaign.StepOut:
		is.sql = "g.status IN ('discarded', 'withdrawn')"
		return is, nil
	case campaign.StepGold:
		is.sql, is.args = "g.status IN ?", []any{inGold}
		return is, nil
	case campaign.StepFailed:
		is.sql = failedFirst
		return is, nil
	case campaign.StepSaved:
		is.sql, is.args = failedFirst+" AND g.status IN ?", []any{inGold}
		return is, nil
	case campaign.StepTaken:
		var next string
		if err := database.Scan(db.Raw("SELECT c.id FROM campaigns c WHERE c.slug = ? AND NOT c.deleted", slug), &next); err != nil {
			return is, err
		}
		is.sql, is.args = "EXISTS (SELECT 1 FROM lineage l JOIN segments n ON n.id = l.segment_id WHERE l.from_segment = g.id AND l.depth = 1 AND n.campaign_id = ?)", []any{next}
		return is, database.Scan(db.Raw("SELECT count(*) FROM segments n JOIN lineage l ON l.segment_id = n.id AND l.depth = 1 WHERE n.campaign_id = ? AND l.from_campaign = ?",
			next, campaignID), &is.n)
	}
	c, err := records.ReadCampaign(db, campaignID)
	if err != nil {
		return is, err
	}
	filtered, args := isFilteredOut(c)
	switch step {
	case campaign.StepFiltered:
		if is.sql, is.args = filtered, args; filtered == "" {
			is.sql = "FALSE"
		}
		return is, nil
	case campaign.StepWork:
		is.sql = "g.status IN ('pending', 'reannotate')"
		if filtered != "" {
			is.sql, is.args = is.sql+" AND NOT ("+filtered+")", args
		}
		return is, nil
	case campaign.StepReady, campaign.StepBehind:
		return s.isReady(db, c, step, slug, why)
	}
	return is, fmt.Errorf("a chain has no step %q: %w", step, campaign.ErrNotFound)
}

// isReady is the condition for a segment g of c to be ready for the campaign slug, or to stay behind for a reason. It is decided once
// for all segments with the same settled answers.
func (s *Store) isReady(db *gorm.DB, c campaign.Campaign, step, slug, why string) (is stepCondition, err error) {
	var next string
	err = database.Scan(
		db.Raw("SELECT k.id FROM follows f JOIN campaigns k ON k.id = f.campaign_id WHERE f.from_id = ? AND k.slug = ? AND NOT k.deleted", c.ID, slug), &next,
	)
	if err != nil {
		return is, err
	}
	f, err := records.FollowingOf(db, next)
	if err != nil {
		return is, err
	}
	return isSettled(db, c, func(answers campaign.Settled) bool {
		behind := f.Rule.Behind(answers)
		return step == campaign.StepReady && behind == "" || step == campaign.StepBehind && behind != "" && (why == "" || why == behind)
	})
}

// isSettled is the condition for a segment of c to be in gold with wanted answers.
func isSettled(db *gorm.DB, c campaign.Campaign, wanted func(campaign.Settled) bool) (is stepCondition, err error) {
	groups, err := settledGroups(db, c)
	is.sql, is.ofTallies = "FALSE", true
	var ids []string
	for _, g := range groups {
		if wanted(g.Settled) {
			ids, is.n = append(ids, g.ID), is.n+g.N
		}
	}
	switch {
	case is.n == 0:
	case keepsSettled(c):
		list, arg := database.ListOf(db, ids)
		is.sql, is.args = "k.settled <> '' AND k.settled IN ("+list+")", []any{arg}
	default:
		is.sql, is.args = "k.status IN ?", []any{inGold}
	}
	return is, err
}

// CountReady counts the settled segments of a campaign that a following one can take over by a rule and has not taken over.
func CountReady(db *gorm.DB, from campaign.Campaign, followerID string, rule campaign.Follow) (int, error) {
	is, err := isSettled(db, from, func(answers campaign.Settled) bool { return rule.Behind(answers) == "" })
	if err != nil || is.n == 0 {
		return 0, err
	}
	var taken int
	err = database.Scan(db.Raw(`SELECT count(*) FROM segments n JOIN lineage l ON l.segment_id = n.id AND l.depth = 1 JOIN segment_tallies k ON k.segment_id = l.from_segment
		WHERE n.campaign_id = ? AND k.campaign_id = ? AND `+is.sql, append([]any{followerID, from.ID}, is.args...)...), &taken)
	return is.n - taken, err
}

// joined is a JOIN, with its parameter, that gives the segments g with a score the column x.score.
func (s *Store) joined(scores map[string]float64) (sql, arg string, err error) {
	text, err := json.Marshal(scores)
	// With a limit SQLite makes an index of the list; without one it would read the list for each segment.
	list := "SELECT key AS id, CAST(value AS DOUBLE PRECISION) AS score FROM json_each(?) LIMIT -1"
	if s.db.Dialect == database.Postgres {
		list = "SELECT e.key AS id, CAST(e.value AS DOUBLE PRECISION) AS score FROM jsonb_each_text(CAST(? AS jsonb)) e"
	}
	return "JOIN (" + list + ") x ON x.id = g.id", string(text), err
}

// scoresOf reads the score of a metric or a judge for each segment of a campaign that has one, by row id: that of its source or, if
// translations have scores, their mean, or the number that
// annotators gave. There are none if the campaign has no such metric, judge or number. If ids are given, only these segments are read.
func scoresOf(db *gorm.DB, campaignID string, f SegmentFilter, ids ...string) (map[string]float64, error) {
	if f.Number != nil {
		return numbersOf(db, campaignID, *f.Number, ids)
	}
	out := map[string]float64{}
	only := func(column string) (string, []any) {
		if len(ids) == 0 {
			return "", nil
		}
		return " AND " + column + " IN ?", []any{ids}
	}
	var metric struct{ ID, Systems string }
	err := db.Raw("SELECT id, systems FROM metrics WHERE campaign_id = ? AND name = ? AND NOT staged", campaignID, f.Metric).Scan(&metric).Error
	if err != nil {
		return nil, err
	}
	if metric.ID != "" {
		scores := make([]float64, len(strings.Fields(metric.Systems)))
		some, args := only("segment_id")
		return out, database.Each(db.Raw("SELECT segment_id, scores FROM metric_segment_scores WHERE metric_id = ?"+some, append([]any{metric.ID}, args...)...),
			func(row *sql.Rows) error {
				var id, text string
				err := row.Scan(&id, &text)
				records.DecodeMetricScores(text, scores)
				if mean, ok := campaign.Mean(slices.DeleteFunc(slices.Clone(scores), math.IsNaN)); ok {
					out[id] = mean
				}
				return err
			})
	}
	add := func(row *sql.Rows) error {
		var id string
		var score float64
		err := row.Scan(&id, &score)
		out[id] = score
		return err
	}
	some, args := only("t.segment_id")
	err = database.Each(db.Raw(`SELECT t.segment_id, avg(x.score) AS score FROM judges j JOIN judgements x ON x.judge_id = j.id JOIN translations t ON t.id = x.translation_id
		WHERE j.campaign_id = ? AND j.name = ? AND x.score IS NOT NULL`+some+" GROUP BY t.segment_id", append([]any{campaignID, f.Metric}, args...)...), add)
	return out, err
}

// A RatedNumber is a number that annotators give to the segments of a campaign: of the listed one, or of an earlier one in its chain.
type RatedNumber struct {
	Campaign campaign.Campaign
	Question string
}

// numbersOf reads the gold of a number for each segment of a campaign that has one, by row id. If the number is of an earlier campaign, it is
// that of the segment's forebear there.
func numbersOf(db *gorm.DB, campaignID string, number RatedNumber, ids []string) (map[string]float64, error) {
	out := map[string]float64{}
	groups, err := settledGroups(db, number.Campaign)
	if err != nil {
		return nil, err
	}
	numbers := map[string]float64{} // by id of the settled answers
	for _, g := range groups {
		if x, ok := g.Numbers[number.Question]; ok {
			numbers[g.ID] = x
		}
	}
	id, from := "k.segment_id", "segment_tallies k"
	if number.Campaign.ID != campaignID {
		id, from = "l.segment_id", "segment_tallies k JOIN lineage l ON l.from_segment = k.segment_id JOIN segments g ON g.id = l.segment_id"
	}
	where, args := "k.campaign_id = ? AND k.settled <> ''", []any{number.Campaign.ID}
	if number.Campaign.ID != campaignID {
		where, args = where+" AND g.campaign_id = ?", append(args, campaignID)
	}
	if len(ids) > 0 {
		where, args = where+" AND "+id+" IN ?", append(args, ids)
	}
	return out, database.Each(db.Raw("SELECT "+id+", k.settled FROM "+from+" WHERE "+where, args...), func(row *sql.Rows) error {
		var id, settled string
		err := row.Scan(&id, &settled)
		if x, ok := numbers[settled]; ok {
			out[id] = x
		}
		return err
	})
}

// Followers lists the campaigns that follow a campaign, by slug.
func (s *Store) Followers(ctx context.Context, campaignID string) (out []readmodel.Follower, err error) {
	err = s.db.Read(ctx).Raw(`SELECT k.slug, k.title FROM follows f JOIN campaigns k ON k.id = f.campaign_id
		WHERE f.from_id = ? AND NOT k.deleted ORDER BY k.slug`, campaignID).Scan(&out).Error
	return out, err
}
