package work

import (
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Under assign=document an annotator is handed a whole document, and has it from then on unless they
// leave it idle. The rules are:
//
//   - A segment that comes to a document later goes to the annotators who have the document. Its
//     places are reserved for them while they are active.
//   - Whoever takes over a document that was left idle gets all of it.
//   - If the only free places of a document are those of annotators who skipped a segment, another
//     annotator gets these segments alone. The other segments have the ratings that they need, and
//     a further rating could only make them disagree.

// documentStep is the largest number of segments that one transaction hands out, releases or takes up
// again.
func (s *Store) documentStep() int { return s.db.ActStep }

// holdersOf is an SQL query for the ids of the annotators who have a document. document is an SQL
// expression for its id.
func holdersOf(document string) string {
	return `SELECT b.user_id FROM segments e JOIN assignments b ON b.segment_id = e.id
		WHERE e.document_id = ` + document + ` AND b.whole AND b.round = 1 GROUP BY b.user_id
		HAVING max(CASE WHEN b.state IN ('open', 'submitted', 'problem') THEN 1 ELSE 0 END) = 1 AND max(CASE WHEN ` + isLeft + ` THEN 1 ELSE 0 END) = 0`
}

// isLeft is the SQL condition that an annotator has left the assignment b of a whole document idle.
var isLeft = "b.state = 'released' AND NOT " + strings.ReplaceAll(records.IsSkipped, "a.", "b.") + " AND NOT b.replaced"

// isActive is the SQL condition that the annotator with the id h.user_id is active in the campaign of
// segment s.
const isActive = `EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id
	WHERE u.id = h.user_id AND m.campaign_id = s.campaign_id AND ` + records.ActiveMember + `)`

// NotReserved is the SQL condition that an [Available] segment s can be given to a user under
// assign=document: the user has its document, or it has a place beside those that are reserved for the
// annotators who have it. Its parameters are the user's id, twice, and the redundancy.
var NotReserved = `(? IN (` + holdersOf("s.document_id") + `) OR s.taken + (SELECT count(*) FROM (` + holdersOf("s.document_id") + `) h WHERE h.user_id <> ? AND ` + isActive + `
	AND NOT EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = s.id AND x.user_id = h.user_id)) < ?)`

// A documentInWork is a document that was handed out as a whole and of which the user has open
// assignments.
type documentInWork struct {
	ID    string
	Begun bool // the user has submitted a segment of it
	Left  bool // the user has left other segments of it idle
}

// documentsInWork lists the whole documents that the user has in work.
func documentsInWork(db *gorm.DB, campaignID, userID string) (documents []documentInWork, err error) {
	own := `EXISTS (SELECT 1 FROM segments e JOIN assignments b ON b.segment_id = e.id WHERE e.document_id = o.id AND b.user_id = ? AND b.whole AND `
	err = db.Raw(`SELECT o.id, `+own+`b.state = 'submitted') AS begun, `+own+`b.round = 1 AND `+isLeft+`) AS "left"
		FROM (SELECT DISTINCT s.document_id AS id FROM assignments a JOIN segments s ON s.id = a.segment_id
			WHERE a.user_id = ? AND a.campaign_id = ? AND a.state = 'open' AND a.whole) o`, userID, userID, userID, campaignID).Scan(&documents).Error
	return documents, err
}

// completeDocuments gives the user what the documents in work lack: segments that came to a document
// later, and what is missing because the program was killed while the document was handed out or taken
// up again. It does one step and reports whether there was something to do.
func (s *Store) completeDocuments(tx *database.Tx, c campaign.Campaign, userID string, documents []documentInWork) (done bool, err error) {
	var left []string
	given, givenArgs := givenWhole(c, userID)
	for _, d := range documents {
		if d.Left {
			left = append(left, d.ID)
			continue
		}
		if c.Settings.Assign != "document" {
			continue
		}
		var segments []string
		err := tx.Raw(`SELECT s.id FROM segments s WHERE s.document_id = ? AND `+given+` ORDER BY s.position LIMIT ?`, slices.Concat([]any{d.ID}, givenArgs, []any{s.documentStep()})...).
			Scan(&segments).
			Error
		if err != nil {
			return false, err
		}
		if len(segments) > 0 {
			return true, give(tx, c, userID, segments, true)
		}
	}
	if len(left) == 0 {
		return false, nil
	}
	done, _, err = s.takeUpAgain(tx, c, userID, left)
	return done, err
}

// givenWhole is the SQL condition, with its parameters, that segment s is handed out to a user with the rest of its
// document. The user may have the segment ([Available]) even if it has no free place, and no lead has decided it.
func givenWhole(c campaign.Campaign, userID string) (sql string, args []any) {
	sql, args = neverHad(c, userID)
	return "s.holding = '' AND " + records.Annotatable(c) + " AND" + sql, args
}

// isHeld is the SQL condition that the user has the document of segment s, and has submitted something of it. Its
// parameters are the ids of the user and the campaign, and the user's again.
var isHeld = `(s.document_id IN (SELECT DISTINCT g.document_id FROM assignments a JOIN segments g ON g.id = a.segment_id
		WHERE a.user_id = ? AND a.campaign_id = ? AND a.whole AND a.round = 1 AND a.state IN ('submitted', 'problem'))
	AND ? IN (` + holdersOf("s.document_id") + `))`

// missing finds a segment with a free place that came later to a document which the user has, whatever the plan says.
func missing(db *gorm.DB, c campaign.Campaign, userID string) ([]campaign.Candidate, error) {
	available, args := Available(c, userID)
	found, err := findCandidates(db.Raw("SELECT s.id, s.taken, s.position FROM segments s WHERE "+isHeld+" AND "+available+" ORDER BY s.position LIMIT 1",
		append([]any{userID, c.ID, userID}, args...)...))
	for i := range found {
		found[i].Begun = true
	}
	return found, err
}

// handOutDocument hands out the document of a segment that was picked for the user: all of it, or only
// segments that others skipped. It does one step, and more reports whether there are further ones.
func (s *Store) handOutDocument(tx *database.Tx, c campaign.Campaign, segmentID, userID string) (more bool, err error) {
	var document string
	if err := database.Scan(tx.Raw("SELECT document_id FROM segments WHERE id = ?", segmentID), &document); err != nil {
		return false, err
	}
	var holders []string
	if err := tx.Raw("SELECT h.user_id FROM ("+holdersOf("?")+") h JOIN segments s ON s.id = ? WHERE "+isActive, document,
		segmentID).Scan(&holders).Error; err != nil {
		return false, err
	}
	has, others := false, []string{""} // without an id, some databases refuse the list
	for _, id := range holders {
		if id == userID {
			has = true
		} else {
			others = append(others, id)
		}
	}
	var rows []struct {
		ID                   string
		Available            bool
		Taken, Skipped, Come int
	}
	rules, args, err := PlanCondition(tx.DB, c, userID)
	if err != nil {
		return false, err
	}
	available, availableArgs := Available(c, userID)
	given, givenArgs := givenWhole(c, userID)
	args = slices.Concat(availableArgs, args, []any{others, document}, givenArgs)
	err = tx.Raw(`SELECT s.id, CASE WHEN `+available+rules+` THEN TRUE ELSE FALSE END AS available, s.taken,
			(SELECT count(*) FROM assignments a WHERE a.segment_id = s.id AND a.round = 1 AND a.state = 'released' AND `+records.IsSkipped+`) AS skipped,
			(SELECT count(DISTINCT x.user_id) FROM assignments x WHERE x.segment_id = s.id AND x.user_id IN ?) AS come
		FROM segments s WHERE s.document_id = ? AND `+given+` ORDER BY s.position`, args...).Scan(&rows).Error
	if err != nil {
		return false, err
	}
	var all, free []string
	whole := has
	for _, r := range rows {
		all = append(all, r.ID)
		reserved := len(others) - 1 - r.Come
		if r.Available && r.Taken+reserved < c.Settings.Redundancy {
			free = append(free, r.ID)
			whole = whole || r.Taken+r.Skipped+reserved < c.Settings.Redundancy
		}
	}
	if whole = whole || len(free) == len(all); !whole {
		all = free
	}
	if n := s.documentStep(); len(all) > n {
		all, more = all[:n], whole
	}
	return more, give(tx, c, userID, all, whole)
}
