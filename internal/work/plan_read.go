package work

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/codepoint"
	"annotate/internal/database"
	"annotate/internal/plan"
	"annotate/internal/records"
)

// Plan reads the plan of a campaign. The documents and people are there if there is no plan, too.
func (s *Plans) Plan(ctx context.Context, c campaign.Campaign) (plan.Plan, error) {
	p, _, err := s.readPlan(s.db.Read(ctx), c)
	return p, err
}

// PlanOutline reads the plan of a campaign without its documents, which is fast.
func (s *Plans) PlanOutline(ctx context.Context, c campaign.Campaign) (plan.Plan, error) {
	p, err := s.readOutline(s.db.Read(ctx), c)
	if err == nil {
		p.People, err = planPeople(s.db.Read(ctx), c.ID, nil)
	}
	return p, err
}

// HasDueDates reports whether the plan of a campaign has a batch with a due date.
func (s *Plans) HasDueDates(ctx context.Context, campaignID string) (has bool, err error) {
	err = database.Scan(s.db.Read(ctx).Raw("SELECT EXISTS (SELECT 1 FROM plan_batches WHERE campaign_id = ? AND due_on <> '')", campaignID), &has)
	return has, err
}

// storedTurns are the turns that the database has, by id of the document and login.
type storedTurns map[[2]string]bool

// readPlan also tells which of the plan's turns are stored. The others are begun without a plan.
func (s *Plans) readPlan(db *gorm.DB, c campaign.Campaign) (plan.Plan, storedTurns, error) {
	p, err := s.readOutline(db, c)
	if err != nil {
		return p, nil, err
	}
	if p.Documents, err = s.planDocuments(db, c.ID); err != nil {
		return p, nil, err
	}
	stored, err := addTurns(db, c, p.Documents)
	if err != nil {
		return p, nil, err
	}
	p.People, err = planPeople(db, c.ID, p.Documents)
	return p, stored, err
}

// readOutline reads a plan without its documents and people.
func (s *Plans) readOutline(db *gorm.DB, c campaign.Campaign) (plan.Plan, error) {
	p := plan.Plan{Redundancy: c.Settings.Redundancy, Pull: true, Today: c.Settings.StartOfDay(s.db.Now()).Format(time.DateOnly)}
	var versions []struct {
		Version int
		Pull    bool
	}
	if err := db.Raw("SELECT version, pull FROM plans WHERE campaign_id = ?", c.ID).Scan(&versions).Error; err != nil {
		return p, err
	}
	if len(versions) > 0 {
		p.Version, p.Pull = versions[0].Version, versions[0].Pull
	}
	var err error
	if p.Pools, err = readPools(db, c.ID); err != nil {
		return p, err
	}
	err = db.Raw("SELECT name, priority, due_on AS due FROM plan_batches WHERE campaign_id = ? ORDER BY name", c.ID).Scan(&p.Batches).Error
	return p, err
}

// planDocuments reads the documents of a campaign, without turns.
func (s *Plans) planDocuments(db *gorm.DB, campaignID string) ([]plan.Document, error) {
	var found []struct {
		ID, DocID, Domain, Pool, Batch string
		Segments                       int
	}
	// The segments of each document are counted in an index. To read them all takes twice as long.
	err := db.Raw(`SELECT d.id, d.doc_id, f.domain, (SELECT count(*) FROM segments n WHERE n.document_id = d.id) AS segments,
			coalesce(p.pool, '') AS pool, coalesce(p.batch, '') AS batch
		FROM documents d CROSS JOIN segments f LEFT JOIN plan_documents p ON p.document_id = d.id
		WHERE d.campaign_id = ? AND f.document_id = d.id AND f.position = (SELECT min(m.position) FROM segments m WHERE m.document_id = d.id)
		ORDER BY f.position`, campaignID).Scan(&found).Error
	if err != nil {
		return nil, err
	}
	rows := make([]plan.Document, len(found))
	for i, d := range found {
		rows[i] = plan.Document{ID: d.ID, DocID: d.DocID, Domain: d.Domain, Segments: d.Segments, Pool: d.Pool, Batch: d.Batch}
	}
	s.sources.mu.Lock()
	defer s.sources.mu.Unlock()
	var missing []string
	for _, d := range rows {
		if s.sources.of[d.ID].Segments != d.Segments {
			missing = append(missing, d.ID)
		}
	}
	if len(s.sources.of)+len(missing) > maxCounted {
		clear(s.sources.of)
		missing = missing[:0]
		for _, d := range rows {
			missing = append(missing, d.ID)
		}
	}
	for part := range slices.Chunk(missing, database.MaxParameters) {
		var texts []struct{ DocumentID, Source string }
		if err := db.Raw("SELECT document_id, source FROM segments WHERE document_id IN ?", part).Scan(&texts).Error; err != nil {
			return nil, err
		}
		for _, id := range part {
			s.sources.of[id] = countedDocument{}
		}
		for _, t := range texts {
			n := s.sources.of[t.DocumentID]
			s.sources.of[t.DocumentID] = countedDocument{n.Segments + 1, n.Words + codepoint.Words(t.Source)}
		}
	}
	for i := range rows {
		rows[i].Words = s.sources.of[rows[i].ID].Words
	}
	return rows, nil
}

// addTurns adds the turns to documents: those that are planned and those that are begun.
func addTurns(db *gorm.DB, c campaign.Campaign, documents []plan.Document) (storedTurns, error) {
	place := make(map[string]int, len(documents))
	for i, d := range documents {
		place[d.ID] = i
	}
	var planned []struct{ DocumentID, Login, PlannedOn string }
	err := db.Raw("SELECT t.document_id, u.login, t.planned_on FROM plan_turns t JOIN users u ON u.id = t.user_id WHERE t.campaign_id = ?", c.ID).
		Scan(&planned).
		Error
	if err != nil {
		return nil, err
	}
	logins, err := records.NamesByID(db, "SELECT u.id, u.login FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", c.ID)
	if err != nil {
		return nil, err
	}
	begun, err := begunTurns(db, c)
	if err != nil {
		return nil, err
	}
	var pending []struct {
		DocumentID string
		N          int
	}
	err = db.Raw("SELECT s.document_id, count(*) AS n FROM segments s WHERE s.campaign_id = ? AND s.status = 'pending' AND "+records.HasPlace+" GROUP BY s.document_id", c.ID, c.Settings.Redundancy).
		Scan(&pending).
		Error
	if err != nil {
		return nil, err
	}
	left := make(map[string]int, len(pending))
	for _, r := range pending {
		left[r.DocumentID] = r.N
	}
	stored := storedTurns{}
	for _, r := range planned {
		if i, ok := place[r.DocumentID]; ok {
			stored[[2]string{r.DocumentID, r.Login}] = true
			documents[i].Turns = append(documents[i].Turns, plan.Turn{Login: r.Login, Planned: r.PlannedOn, Left: left[r.DocumentID]})
		}
	}
	for i := range documents {
		d := &documents[i]
		for userID, b := range begun[d.ID] {
			login := logins[userID]
			k := slices.IndexFunc(d.Turns, func(t plan.Turn) bool { return t.Login == login })
			switch {
			case k < 0 && b.handed == b.released:
				continue
			case k < 0:
				k, d.Turns = len(d.Turns), append(d.Turns, plan.Turn{Login: login})
			}
			t := &d.Turns[k]
			t.Begun, t.Done, t.Left = b.handed > b.released, b.submitted, max(0, left[d.ID]+b.waiting)
		}
		slices.SortFunc(d.Turns, func(a, b plan.Turn) int { return strings.Compare(a.Login, b.Login) })
	}
	return stored, nil
}

// A begunTurn has the number of a document's segments that an annotator was handed in round 1.
type begunTurn struct {
	handed, released, submitted int
	// waiting is the difference between the pending segments that wait for the annotator and those with a place.
	waiting int
}

// begunTurns reads the segments that every annotator was handed, by id of the document and of the user. A large
// campaign has a hundred thousand assignments, and grouping them in SQLite takes as long again as reading them.
func begunTurns(db *gorm.DB, c campaign.Campaign) (map[string]map[string]*begunTurn, error) {
	begun := map[string]map[string]*begunTurn{}
	var of map[string]*begunTurn // those of the document of the row
	var document, last, user string
	var state campaign.AssignmentState
	var waiting int
	dest := []any{&document, &user, &state, &waiting}
	// CROSS JOIN makes SQLite go through the documents in order, which takes a quarter of the time.
	return begun, database.Each(db.Raw(`SELECT s.document_id, a.user_id, a.state, CASE WHEN s.status <> 'pending' THEN 0
			WHEN `+records.HasPlace+` THEN CASE WHEN a.state IN ('submitted', 'problem') OR `+records.IsSkipped+` THEN -1 ELSE 0 END
			WHEN a.state = 'open' THEN 1 ELSE 0 END
		FROM documents d CROSS JOIN segments s CROSS JOIN assignments a
		WHERE d.campaign_id = ? AND s.document_id = d.id AND a.segment_id = s.id AND a.round = 1
			AND a.state IN ('open', 'submitted', 'problem', 'released')`, c.Settings.Redundancy, c.ID), func(row *sql.Rows) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		if document != last {
			if of, last = begun[document], document; of == nil {
				of = map[string]*begunTurn{}
				begun[document] = of
			}
		}
		t := of[user]
		if t == nil {
			t = &begunTurn{}
			of[user] = t
		}
		t.handed++
		t.waiting += waiting
		switch state {
		case campaign.Released:
			t.released++
		case campaign.Submitted:
			t.submitted++
		}
		return nil
	})
}

// planPeople reads the active annotators of a campaign, and others whom the plan names, with what the plan
// says of them.
func planPeople(db *gorm.DB, campaignID string, documents []plan.Document) ([]plan.Person, error) {
	var rows []struct {
		ID, Login, Name string
		Active, Named   bool
		Inactive        string
		Share           float64
		Words           int
		Away            string
	}
	err := db.Raw(`SELECT u.id, u.login, u.name, CASE WHEN `+records.ActiveMember+` THEN TRUE ELSE FALSE END AS active,
			CASE WHEN m.role <> 'annotator' THEN 'no annotator' WHEN m.removed THEN 'removed' WHEN u.disabled THEN 'disabled' WHEN m.set_aside THEN 'set aside' WHEN u.imported THEN 'imported' ELSE '' END AS inactive,
			CASE WHEN x.user_id IS NOT NULL OR EXISTS (SELECT 1 FROM plan_pool_members p WHERE p.campaign_id = m.campaign_id AND p.user_id = m.user_id) THEN TRUE ELSE FALSE END AS named,
			coalesce(x.share, 1) AS share, coalesce(x.words, 0) AS words, coalesce(x.away, '') AS away
		FROM memberships m JOIN users u ON u.id = m.user_id LEFT JOIN plan_people x ON x.campaign_id = m.campaign_id AND x.user_id = m.user_id
		WHERE m.campaign_id = ?`, campaignID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, d := range documents {
		for _, t := range d.Turns {
			has[t.Login] = true
		}
	}
	var out []plan.Person
	for _, r := range rows {
		if !r.Active && (!r.Named || r.Inactive == "no annotator") && !has[r.Login] {
			continue
		}
		away, err := plan.ParseAway(r.Away)
		if err != nil {
			return nil, err
		}
		out = append(
			out,
			plan.Person{ID: r.ID, Login: r.Login, Name: r.Name, Active: r.Active, Inactive: r.Inactive, Share: r.Share, Words: r.Words, Away: away},
		)
	}
	slices.SortFunc(out, func(a, b plan.Person) int { return cmp.Compare(a.Login, b.Login) })
	return out, nil
}

// A DueWork is what an annotator should do by a day.
type DueWork struct {
	Due       string // such as 2026-11-20
	Documents int
}

// DueWork lists the planned documents of an annotator that wait for them and have a due date, by that date. There
// are none for somebody who is not active.
func (s *Plans) DueWork(ctx context.Context, c campaign.Campaign, userID string) (out []DueWork, err error) {
	err = s.db.Read(ctx).Raw(`SELECT b.due_on AS due, count(*) AS documents FROM plan_turns t JOIN plan_documents p ON p.document_id = t.document_id
		JOIN plan_batches b ON b.campaign_id = p.campaign_id AND b.name = p.batch
		WHERE t.campaign_id = ? AND t.user_id = ? AND b.due_on <> '' AND EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = t.campaign_id AND m.user_id = t.user_id AND `+records.ActiveMember+`)
			AND EXISTS (SELECT 1 FROM segments s WHERE s.document_id = t.document_id AND s.status = 'pending'
			AND (`+records.HasPlace+` OR EXISTS (SELECT 1 FROM assignments x WHERE x.segment_id = s.id AND x.user_id = t.user_id AND x.state = 'open'))
			AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.segment_id = s.id AND a.user_id = t.user_id AND (a.state IN ('submitted', 'problem') OR `+records.IsSkipped+`)))
		GROUP BY b.due_on ORDER BY b.due_on`, c.ID, userID, c.Settings.Redundancy).Scan(&out).Error
	return out, err
}
