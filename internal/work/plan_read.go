package work

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
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
	p, _, err := s.readPlan(s.db.Read(ctx), c, true)
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

// readPlan also tells which of the plan's turns are stored. The others are begun without a plan. What a transaction reads is not kept, since
// it may be undone.
func (s *Plans) readPlan(db *gorm.DB, c campaign.Campaign, keep bool) (plan.Plan, storedTurns, error) {
	p, err := s.readOutline(db, c)
	if err != nil {
		return p, nil, err
	}
	read, err := s.readDocuments(db, c, keep)
	if err != nil {
		return p, nil, err
	}
	var stored storedTurns
	if p.Documents, stored, err = documentsWithTurns(db, c, read); err != nil {
		return p, nil, err
	}
	if c.Settings.Apart != "" {
		if err := addApart(db, c.ID, p.Documents); err != nil {
			return p, nil, err
		}
	}
	p.People, err = planPeople(db, c.ID, p.Documents)
	return p, stored, err
}

// addApart adds to documents who is kept apart from a segment of them.
func addApart(db *gorm.DB, campaignID string, documents []plan.Document) error {
	apart := map[string][]string{} // by id of the document
	var document, login string
	for err := range database.EachRow(db.Raw(`SELECT DISTINCT g.document_id, u.login FROM segments g JOIN kept_apart k ON k.segment_id = g.id
		JOIN memberships m ON m.campaign_id = g.campaign_id AND m.user_id = k.user_id JOIN users u ON u.id = m.user_id WHERE g.campaign_id = ? ORDER BY u.login`, campaignID),
		&document, &login) {
		if err != nil {
			return err
		}
		apart[document] = append(apart[document], login)
	}
	for i := range documents {
		documents[i].Apart = apart[documents[i].ID]
		slices.Sort(documents[i].Apart)
	}
	return nil
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

// A planDocument is a document with what is kept of it.
type planDocument struct {
	plan.Document
	keptDocument
}

// readDocuments reads the documents of a campaign in the order of import. Their turns are still to be added.
func (s *Plans) readDocuments(db *gorm.DB, c campaign.Campaign, keep bool) ([]planDocument, error) {
	placed, err := placedDocuments(db, c.ID)
	if err != nil {
		return nil, err
	}
	before := s.kept.lastOf(c.ID)
	last, isStale, err := shownSince(db, c.ID, before)
	if err != nil || last.id == "" {
		return nil, err
	}
	changes, err := records.DocumentChanges(db, c.ID)
	if err != nil {
		return nil, err
	}
	rows := make([]planDocument, len(changes))
	for i, x := range changes {
		d := &rows[i]
		d.ID, d.changes, d.redundancy = x.ID, x.Changes, c.Settings.Redundancy
		d.Pool, d.Batch = placed[d.ID].pool, placed[d.ID].batch
	}
	stale := s.kept.fill(rows, isStale)
	if err := readStale(db, c, rows, stale); err != nil {
		return nil, err
	}
	if keep && (len(stale) > 0 || last != before) {
		s.kept.add(c.ID, last, rows)
	}
	rows = slices.DeleteFunc(rows, func(d planDocument) bool { return d.segments == 0 }) // of an import that is under way
	for i := range rows {
		d := &rows[i]
		d.DocID, d.Segments, d.Words, d.Domain = d.docID, d.segments, d.words, d.domain
	}
	slices.SortFunc(rows, func(a, b planDocument) int { return cmp.Compare(a.first, b.first) })
	return rows, nil
}

// shownSince returns the last segment of a campaign that is visible now, the zero value if none is, and which documents may have got segments,
// or lost some from sight, without a change since the last one was before.
func shownSince(db *gorm.DB, campaignID string, before lastSegment) (now lastSegment, isStale func(id string) bool, err error) {
	err = database.Scan(db.Raw(`SELECT g.id, g.position FROM all_segments g WHERE g.campaign_id = ?
		AND g.position <= coalesce((SELECT i.after_position FROM staged_imports i WHERE i.campaign_id = ?), ?) ORDER BY g.position DESC LIMIT 1`,
		campaignID, campaignID, math.MaxInt32), &now.id, &now.position)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return now, nil, nil
	case err != nil || now == before:
		return now, func(string) bool { return false }, err
	}
	all := func(string) bool { return true }
	var still bool // what was last is visible, so that all that is new comes after it
	if err := database.Scan(db.Raw("SELECT EXISTS (SELECT 1 FROM segments WHERE id = ?)", before.id), &still); err != nil || !still {
		return now, all, err
	}
	shown := map[string]bool{}
	var id string
	for err := range database.EachRow(db.Raw("SELECT DISTINCT document_id FROM segments WHERE campaign_id = ? AND position > ?", campaignID, before.position), &id) {
		if err != nil {
			return now, all, err
		}
		shown[id] = true
	}
	return now, func(id string) bool { return shown[id] }, nil
}

// A documentPlace is where a plan puts a document; empty: nowhere.
type documentPlace struct{ pool, batch string }

// placedDocuments reads where the plan of a campaign puts documents, by id of the document.
func placedDocuments(db *gorm.DB, campaignID string) (map[string]documentPlace, error) {
	out := map[string]documentPlace{}
	var id string
	var place documentPlace
	for err := range database.EachRow(db.Raw("SELECT document_id, pool, batch FROM plan_documents WHERE campaign_id = ?", campaignID),
		&id, &place.pool, &place.batch) {
		if err != nil {
			return out, err
		}
		out[id] = place
	}
	return out, nil
}

// readStale reads what is to be kept of documents with some ids, among them those that have changed.
func readStale(db *gorm.DB, c campaign.Campaign, rows []planDocument, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	of := make(map[string]*keptDocument, len(rows))
	for i := range rows {
		of[rows[i].ID] = &rows[i].keptDocument
	}
	logins, err := records.NamesByID(db, "SELECT u.id, u.login FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?", c.ID)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(ids, database.MaxParameters-1) {
		var id, docID, domain, source string
		for err := range database.EachRow(db.Raw("SELECT id, doc_id FROM documents WHERE id IN ?", part), &id, &docID) {
			if err != nil {
				return err
			}
			of[id].docID = docID
		}
		var position int
		var left bool
		for err := range database.EachRow(db.Raw("SELECT s.document_id, s.position, s.domain, s.source, s.status = 'pending' AND "+records.HasPlace+" FROM segments s WHERE s.document_id IN ? ORDER BY s.document_id, s.position",
			c.Settings.Redundancy, part), &id, &position, &domain, &source, &left) {
			if err != nil {
				return err
			}
			d := of[id]
			if d.segments++; d.segments == 1 {
				d.first, d.domain = position, domain
			}
			d.words += codepoint.Words(source)
			if left {
				d.left++
			}
		}
		if err := readTurns(db, c, of, logins, part); err != nil {
			return err
		}
	}
	return nil
}

// readTurns reads what annotators were handed of documents with some ids. The turns of a document are in the order of the logins.
func readTurns(db *gorm.DB, c campaign.Campaign, of map[string]*keptDocument, logins map[string]string, ids []string) error {
	// A begunTurn has the number of a document's segments that an annotator was handed in round 1.
	type begunTurn struct {
		login                       string
		handed, released, submitted int
		waiting                     int // the difference between the pending segments that wait for the annotator and those with a place
	}
	begun := make(map[string][]begunTurn, len(ids)) // by id of the document
	var document, user string
	var state campaign.AssignmentState
	var waiting int
	// CROSS JOIN makes SQLite go through the documents in order, which takes a quarter of the time.
	for err := range database.EachRow(db.Raw(`SELECT s.document_id, a.user_id, a.state, CASE WHEN s.status <> 'pending' THEN 0
			WHEN `+records.HasPlace+` THEN CASE WHEN a.state IN ('submitted', 'problem') OR `+records.IsSkipped+` THEN -1 ELSE 0 END
			WHEN a.state = 'open' THEN 1 ELSE 0 END
		FROM segments s CROSS JOIN assignments a WHERE s.document_id IN ? AND a.segment_id = s.id AND a.round = 1
			AND a.state IN ('open', 'submitted', 'problem', 'released')`, c.Settings.Redundancy, ids), &document, &user, &state, &waiting) {
		if err != nil {
			return err
		}
		turns, login := begun[document], logins[user]
		k := slices.IndexFunc(turns, func(t begunTurn) bool { return t.login == login })
		if k < 0 {
			k, turns = len(turns), append(turns, begunTurn{login: login})
		}
		t := &turns[k]
		t.handed++
		t.waiting += waiting
		switch state {
		case campaign.Released:
			t.released++
		case campaign.Submitted:
			t.submitted++
		}
		begun[document] = turns
	}
	for id, turns := range begun {
		slices.SortFunc(turns, func(a, b begunTurn) int { return strings.Compare(a.login, b.login) })
		d := of[id]
		d.turns = make([]plan.Turn, len(turns))
		for i, t := range turns {
			d.turns[i] = plan.Turn{Login: t.login, Begun: t.handed > t.released, Done: t.submitted, Left: max(0, d.left+t.waiting)}
		}
	}
	return nil
}

// documentsWithTurns adds the turns to documents: those that are planned and those that are begun. Where none is planned, they are
// those that are kept, which nobody changes.
func documentsWithTurns(db *gorm.DB, c campaign.Campaign, read []planDocument) ([]plan.Document, storedTurns, error) {
	planned := map[string][]plan.Turn{} // by id of the document
	stored := storedTurns{}
	var id string
	var t plan.Turn
	for err := range database.EachRow(db.Raw("SELECT t.document_id, u.login, t.planned_on FROM plan_turns t JOIN users u ON u.id = t.user_id WHERE t.campaign_id = ? ORDER BY t.document_id, u.login", c.ID),
		&id, &t.Login, &t.Planned) {
		if err != nil {
			return nil, nil, err
		}
		planned[id] = append(planned[id], t)
	}
	isLeft := func(t plan.Turn) bool { return !t.Begun }
	out := make([]plan.Document, len(read))
	for i := range read {
		r, d := &read[i], &out[i]
		*d = r.Document
		if d.Turns = planned[d.ID]; len(d.Turns) == 0 {
			if d.Turns = slices.Clip(r.turns); slices.ContainsFunc(d.Turns, isLeft) {
				d.Turns = slices.DeleteFunc(slices.Clone(d.Turns), isLeft)
			}
			continue
		}
		n := len(d.Turns)
		for k := range d.Turns {
			d.Turns[k].Left = r.left
			stored[[2]string{d.ID, d.Turns[k].Login}] = true
		}
		for _, b := range r.turns {
			k := slices.IndexFunc(d.Turns[:n], func(t plan.Turn) bool { return t.Login == b.Login })
			switch {
			case k >= 0:
				b.Planned = d.Turns[k].Planned
				d.Turns[k] = b
			case b.Begun:
				d.Turns = append(d.Turns, b)
			}
		}
		slices.SortFunc(d.Turns, func(a, b plan.Turn) int { return strings.Compare(a.Login, b.Login) })
	}
	return out, stored, nil
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
	has := sync.OnceValue(func() map[string]bool { // only asked of those who are not active
		has := map[string]bool{}
		for _, d := range documents {
			for _, t := range d.Turns {
				has[t.Login] = true
			}
		}
		return has
	})
	var out []plan.Person
	for _, r := range rows {
		if !r.Active && (!r.Named || r.Inactive == "no annotator") && !has()[r.Login] {
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
