package work

import (
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// How a plan (see [plan.Plan]) changes what is handed out. A campaign without a plan has no row in
// plans, and is handed out as if there were no plans.

// A planRules is what handing out must know of the plan of a campaign.
type planRules struct {
	Exists, Pull bool
}

// readPlanRules reads them.
func readPlanRules(db *gorm.DB, campaignID string) (r planRules, err error) {
	err = database.Scan(db.Raw("SELECT TRUE, pull FROM plans WHERE campaign_id = ?", campaignID), &r.Exists, &r.Pull)
	if errors.Is(err, database.ErrNoRows) {
		return planRules{}, nil
	}
	return r, err
}

// turnKeepsPlace is the SQL condition that the turn t of another annotator keeps a place at segment s:
// the annotator is active, and has not had the segment yet or has left it idle.
var turnKeepsPlace = strings.ReplaceAll(isActive, "h.user_id", "t.user_id") + ` AND NOT EXISTS (SELECT 1 FROM assignments a
	WHERE a.segment_id = s.id AND a.user_id = t.user_id AND a.round = 1 AND (a.state <> 'released' OR ` + records.IsSkipped + ` OR a.replaced))`

// inPool is the SQL condition that a user may be handed segment s, whose document is in no pool or in one
// of which the user is a member. Its parameter is the user's id.
const inPool = `NOT EXISTS (SELECT 1 FROM plan_documents p WHERE p.document_id = s.document_id AND p.pool <> ''
	AND NOT EXISTS (SELECT 1 FROM plan_pool_members m WHERE m.campaign_id = p.campaign_id AND m.pool = p.pool AND m.user_id = ?))`

// hasTurn is the SQL condition that a user is planned for the document of segment s. Its parameters are the
// ids of the campaign and the user. Only those who had begun the document before have a turn without being
// in its pool.
const hasTurn = "s.document_id IN (SELECT t.document_id FROM plan_turns t WHERE t.campaign_id = ? AND t.user_id = ?)"

// openDocuments is an SQL query for the ids of the documents that may have a place which is kept for nobody:
// they have fewer active annotators than the redundancy, an annotator who skipped a segment, or a segment that a
// lead has taken from an annotator or that an annotator may have opened to adjudicate it. It is quick where
// [pulls] would be asked of every segment. Its parameters are those of openParameters.
const openDocuments = `SELECT d.id FROM documents d WHERE d.campaign_id = ? AND (d.id NOT IN (SELECT t.document_id FROM plan_turns t WHERE t.campaign_id = ?
		AND t.user_id IN (SELECT u.id FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ? AND ` + records.ActiveMember + `) GROUP BY t.document_id HAVING count(*) >= ?)
	OR d.id IN (SELECT g.document_id FROM assignments a JOIN all_segments g ON g.id = a.segment_id WHERE a.campaign_id = ? AND a.state = 'released' AND ` + records.IsSkipped + `)
	OR d.id IN (SELECT g.document_id FROM acts x JOIN all_segments g ON g.id = x.segment_id WHERE x.campaign_id = ? AND x.kind IN ('replace', 'ask for adjudication')))`

func openParameters(c campaign.Campaign) []any {
	return []any{c.ID, c.ID, c.ID, c.Settings.Redundancy, c.ID, c.ID}
}

// pulls is the SQL condition that segment s has a place that is kept for nobody but the user. Its
// parameters are the user's id and the redundancy.
var pulls = `s.taken + (SELECT count(*) FROM plan_turns t WHERE t.document_id = s.document_id AND t.user_id <> ? AND ` + turnKeepsPlace + `) < ?`

// condition is the SQL condition, with its parameters, that the plan lets a user have an [Available]
// segment s. It begins with AND, and is empty if there is no plan.
func (r planRules) condition(c campaign.Campaign, userID string) (sql string, args []any) {
	switch {
	case !r.Exists:
		return "", nil
	case !r.Pull:
		return " AND " + hasTurn, []any{c.ID, userID}
	}
	args = append([]any{c.ID, userID}, openParameters(c)...)
	return " AND (" + hasTurn + " OR s.document_id IN (" + openDocuments + ") AND " + inPool + " AND " + pulls + ")", append(
		args, userID, userID, c.Settings.Redundancy,
	)
}

// PlanCondition is the SQL condition, with its parameters, that a user may have an [Available] segment s: the plan of
// the campaign lets them have it, or they have its document. It begins with AND, and is empty if there is no plan.
func PlanCondition(db *gorm.DB, c campaign.Campaign, userID string) (sql string, args []any, err error) {
	r, err := readPlanRules(db, c.ID)
	sql, args = r.condition(c, userID)
	if r.Exists && c.Settings.Assign == "document" {
		sql, args = " AND ("+isHeld+" OR "+strings.TrimPrefix(sql, " AND ")+")", append([]any{userID, c.ID, userID}, args...)
	}
	return sql, args, err
}

// planned finds the segment that the plan gives the user next: the first available one of the first
// document that has one, in the order of batches. A document without anything left for the user is
// noted as finished, so that it is looked through once.
func planned(db *gorm.DB, c campaign.Campaign, userID string) ([]campaign.Candidate, error) {
	var documents []string
	err := db.Raw(`SELECT t.document_id FROM plan_turns t LEFT JOIN plan_documents p ON p.document_id = t.document_id
		LEFT JOIN plan_batches b ON b.campaign_id = p.campaign_id AND b.name = p.batch
		WHERE t.campaign_id = ? AND t.user_id = ? AND NOT t.finished
		ORDER BY coalesce(b.priority, 0) DESC, CASE WHEN coalesce(b.due_on, '') = '' THEN '9999' ELSE b.due_on END,
			(SELECT min(f.position) FROM all_segments f WHERE f.document_id = t.document_id)`, c.ID, userID).Scan(&documents).Error
	if err != nil {
		return nil, err
	}
	for _, id := range documents {
		found, err := plannedIn(db, c, userID, "s.document_id = ?", id)
		if err != nil || len(found) > 0 {
			return found, err
		}
		err = db.Exec(`UPDATE plan_turns SET finished = TRUE WHERE document_id = ? AND user_id = ? AND NOT EXISTS (SELECT 1 FROM all_segments s
			WHERE s.document_id = plan_turns.document_id AND s.status = 'pending' AND NOT EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = s.id AND x.user_id = plan_turns.user_id))`, id, userID).Error
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// plannedIn finds the first available segment under a condition on segments s.
func plannedIn(db *gorm.DB, c campaign.Campaign, userID, where string, args ...any) ([]campaign.Candidate, error) {
	available, availableArgs := Available(c, userID)
	where, args = where+" AND "+available, slices.Concat(args, availableArgs)
	if c.Settings.Assign == "document" {
		where, args = where+" AND "+NotReserved, append(args, userID, userID, c.Settings.Redundancy)
	}
	return findCandidates(db.Raw("SELECT s.id, s.taken, s.position FROM segments s WHERE "+where+" ORDER BY s.position LIMIT 1", args...))
}

// byPlan finds the segments that may come next for the user in a campaign with a plan: a planned one,
// then those by pull in the order of batches, then what is left in documents that were noted as finished.
func byPlan(db *gorm.DB, c campaign.Campaign, plan planRules, userID string) ([]campaign.Candidate, error) {
	found, err := planned(db, c, userID)
	if err != nil || len(found) > 0 {
		return found, err
	}
	if plan.Pull {
		if found, err = pulled(db, c, plan, userID); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return plannedIn(
		db, c, userID, "s.document_id IN (SELECT t.document_id FROM plan_turns t WHERE t.campaign_id = ? AND t.user_id = ? AND t.finished)", c.ID,
		userID,
	)
}

// pulled finds the least covered segments of the first batch that has one for the user. Documents without
// a batch come between those of higher and those of lower priority.
func pulled(db *gorm.DB, c campaign.Campaign, plan planRules, userID string) ([]campaign.Candidate, error) {
	var batches []struct {
		Name     string
		Priority int
		DueOn    string
	}
	err := db.Raw(`SELECT b.name, b.priority, b.due_on FROM plan_batches b WHERE b.campaign_id = ?
		ORDER BY b.priority DESC, CASE WHEN b.due_on = '' THEN '9999' ELSE b.due_on END, b.name`, c.ID).Scan(&batches).Error
	if err != nil {
		return nil, err
	}
	var open string
	err = database.Scan(db.Raw("SELECT x.id FROM ("+openDocuments+") x LIMIT 1", openParameters(c)...), &open)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rules, rulesArgs := plan.condition(c, userID)
	const in = "s.document_id IN (SELECT p.document_id FROM plan_documents p WHERE p.campaign_id = ? AND p.batch = ?)"
	type group struct {
		where string
		args  []any
	}
	var groups []group
	none := false // documents without a batch have come
	for _, b := range batches {
		if !none && (b.Priority < 0 || b.Priority == 0 && b.DueOn == "") {
			none, groups = true, append(groups, group{})
		}
		groups = append(groups, group{" AND " + in, []any{c.ID, b.Name}})
	}
	if !none {
		groups = append(groups, group{})
	}
	for i := range groups {
		if groups[i].where == "" && len(batches) > 0 {
			groups[i] = group{" AND s.document_id NOT IN (SELECT p.document_id FROM plan_documents p WHERE p.campaign_id = ? AND p.batch <> '')", []any{c.ID}}
		}
		found, err := leastCovered(db, c, userID, groups[i].where+rules, append(groups[i].args, rulesArgs...)...)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
