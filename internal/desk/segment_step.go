package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
		is.sql, is.args = "EXISTS (SELECT 1 FROM lineage l WHERE l.from_segment = g.id AND "+records.IsDescendant+")", []any{next, campaignID}
		is.n, err = records.CountTaken(db, next, campaignID)
		return is, err
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
	// CROSS JOIN makes SQLite begin with the descendants, in the order of their forebears.
	err = database.Scan(db.Raw("SELECT count(*) FROM lineage l CROSS JOIN segment_tallies k WHERE "+records.IsDescendant+" AND k.segment_id = l.from_segment AND "+is.sql,
		append([]any{followerID, from.ID}, is.args...)...), &taken)
	return is.n - taken, err
}

// scoresOf reads the scores of some segments of a campaign by row id, as [Store.scores] has them.
func (s *Store) scoresOf(db *gorm.DB, campaignID string, f SegmentFilter, ids []string) (map[string]float64, error) {
	out := map[string]float64{}
	query, args, err := s.scores(db, campaignID, f, ids...)
	if err != nil {
		return nil, err
	}
	var id string
	var score float64
	for err := range database.EachRow(db.Raw(query, args...), &id, &score) {
		if err != nil {
			return out, err
		}
		out[id] = score
	}
	return out, nil
}

// scores is a query, with its parameters, for the row id (segment_id) and the score (score) of each segment of a campaign that has one of a
// metric or a judge: that of its source or, if translations have scores, their mean, or the number that annotators gave. There are none
// if the campaign has no such metric, judge or number. If ids are given, the query is for these segments only.
func (s *Store) scores(db *gorm.DB, campaignID string, f SegmentFilter, ids ...string) (query string, args []any, err error) {
	only := func(column string) string {
		if len(ids) == 0 {
			return ""
		}
		args = append(args, ids)
		return " AND " + column + " IN ?"
	}
	if f.Number != nil {
		return s.numbers(db, campaignID, *f.Number, ids...)
	}
	var metric []string
	err = db.Raw("SELECT id FROM metrics WHERE campaign_id = ? AND name = ? AND NOT staged", campaignID, f.Metric).Scan(&metric).Error
	if err != nil {
		return "", nil, err
	}
	if len(metric) > 0 {
		args = []any{metric[0]}
		return "SELECT x.segment_id, x.mean AS score FROM metric_segment_scores x WHERE x.metric_id = ?" + only("x.segment_id"), args, nil
	}
	args = []any{campaignID, f.Metric}
	return `SELECT t.segment_id, avg(x.score) AS score FROM judges j JOIN judgements x ON x.judge_id = j.id JOIN translations t ON t.id = x.translation_id
		WHERE j.campaign_id = ? AND j.name = ? AND x.score IS NOT NULL` + only("t.segment_id") + " GROUP BY t.segment_id", args, nil
}

// A RatedNumber is a number that annotators give to the segments of a campaign: of the listed one, or of an earlier one in its chain.
type RatedNumber struct {
	Campaign campaign.Campaign
	Question string
}

// numbers is [Store.scores] for the gold of a number. If the number is of an earlier campaign, it is that of the segment's forebear
// there.
func (s *Store) numbers(db *gorm.DB, campaignID string, number RatedNumber, ids ...string) (query string, args []any, err error) {
	groups, err := settledGroups(db, number.Campaign)
	if err != nil {
		return "", nil, err
	}
	numbers := map[string]float64{} // by id of the settled answers
	for _, g := range groups {
		if x, ok := g.Numbers[number.Question]; ok {
			numbers[g.ID] = x
		}
	}
	text, err := json.Marshal(numbers)
	if err != nil {
		return "", nil, err
	}
	// With a limit SQLite makes an index of the list; without one it would read the list for each segment.
	list := "(SELECT key AS id, CAST(value AS DOUBLE PRECISION) AS score FROM json_each(?) LIMIT -1)"
	if s.db.Dialect == database.Postgres {
		list = "(SELECT e.key AS id, CAST(e.value AS DOUBLE PRECISION) AS score FROM jsonb_each_text(CAST(? AS jsonb)) e)"
	}
	id, column := "k.segment_id", "k.campaign_id"
	from, where, args := "segment_tallies k", "", []any{string(text), campaignID}
	if number.Campaign.ID != campaignID {
		id, column = "l.segment_id", "l.campaign_id"
		from, where, args = "lineage l CROSS JOIN segment_tallies k", "k.segment_id = l.from_segment AND l.from_campaign = ? AND ", append(args, number.Campaign.ID)
	}
	if len(ids) > 0 { // the || keeps SQLite from reading the whole campaign by its index
		column, where, args = column+" || ''", where+id+" IN ? AND ", append(args, ids)
	}
	query = "SELECT " + id + ", y.score FROM " + from + " CROSS JOIN " + list + " y WHERE " + column + " = ? AND " + where + "k.settled <> '' AND y.id = k.settled"
	return query, args, nil
}

// byNumber reads the row ids of a page of all segments of a campaign, in the order of a number that its annotators give. It is kept how
// many segments have each number, so that only those of the page are looked for.
func byNumber(db *gorm.DB, f SegmentFilter) (ids []string, err error) {
	groups, err := settledGroups(db, f.Number.Campaign)
	if err != nil {
		return nil, err
	}
	segments, answers, all := map[float64]int{}, map[float64][]string{}, []string{} // answers are ids of settled answers with the number
	for _, g := range groups {
		if x, ok := g.Numbers[f.Number.Question]; ok {
			segments[x], answers[x], all = segments[x]+g.N, append(answers[x], g.ID), append(all, g.ID)
		}
	}
	order, skip := "", f.Offset
	numbers := slices.Sorted(maps.Keys(segments))
	if f.Reverse {
		order = " DESC"
		slices.Reverse(numbers)
	}
	read := func(sql string, answers []string) error {
		list, arg := database.ListOf(db, answers)
		var more []string
		err := db.Raw(strings.Replace(sql, "LIST", list, 1)+order+" LIMIT ? OFFSET ?",
			f.Number.Campaign.ID, arg, f.Limit-len(ids), skip).Scan(&more).Error
		ids, skip = append(ids, more...), 0
		return err
	}
	for _, x := range numbers {
		if skip >= segments[x] {
			skip -= segments[x]
			continue
		}
		err := read("SELECT k.segment_id FROM segment_tallies k WHERE k.campaign_id = ? AND k.settled <> '' AND k.settled IN (LIST) ORDER BY k.position", answers[x])
		if err != nil || len(ids) >= f.Limit {
			return ids, err
		}
	}
	return ids, read(`SELECT g.id FROM segments g LEFT JOIN segment_tallies k ON k.segment_id = g.id
		WHERE g.campaign_id = ? AND coalesce(k.settled, '') NOT IN (LIST) ORDER BY g.position`, all)
}

// Followers lists the campaigns that follow a campaign, by slug.
func (s *Store) Followers(ctx context.Context, campaignID string) (out []readmodel.Follower, err error) {
	err = s.db.Read(ctx).Raw(`SELECT k.slug, k.title FROM follows f JOIN campaigns k ON k.id = f.campaign_id
		WHERE f.from_id = ? AND NOT k.deleted ORDER BY k.slug`, campaignID).Scan(&out).Error
	return out, err
}
