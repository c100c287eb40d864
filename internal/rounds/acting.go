package rounds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// An act of a lead is planned for each of its segments, and then stored for all of them
// at once. Storing locks the campaign, then the segments in the order of their ids, and
// leaves their states to [campaign.Settings.Follow]. Acts on several segments are done
// on all of them or on none, and form a batch, which is undone as a whole.

// CheckReason checks the reason of an act; missing is the message where there is none.
func CheckReason(field, reason, missing string) error {
	if strings.TrimSpace(reason) == "" {
		return campaign.Invalid(field, missing)
	}
	return database.CheckText(field, reason)
}

// Act runs a lead's act on a campaign, which is locked.
func (s *Store) Act(ctx context.Context, campaignID, reason string, fn func(tx *database.Tx, c campaign.Campaign) error) error {
	if err := CheckReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *database.Tx) error {
		c, err := records.LockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		return fn(tx, c)
	})
}

// A LeadSegment is a segment as an act of a lead finds it.
type LeadSegment struct {
	*segmentFacts
	DocID string
	Name  string // external id
}

func (g LeadSegment) underWay() bool {
	return g.Status == campaign.Pending || g.Status == campaign.Reannotate
}

// refuse is an ErrConflict that names the segment.
func (g LeadSegment) refuse(format string, args ...any) error {
	return fmt.Errorf("segment %q %s: %w", g.Name, fmt.Sprintf(format, args...), campaign.ErrConflict)
}

// Holding is the act that decides a segment now.
func (g LeadSegment) Holding() (campaign.Act, bool) {
	i := slices.IndexFunc(g.Acts, func(x campaign.Act) bool { return x.ID == g.Stored.Holding })
	if g.Stored.Holding == "" || i < 0 {
		return campaign.Act{}, false
	}
	return g.Acts[i], true
}

// planAct plans an act for one segment, or refuses it. It changes nothing in the
// database. It returns what the audit log says of the act beside the segment's name.
type planAct func(a *Acting, g LeadSegment) (said string, err error)

// An Acting is what an act of a lead is going to change.
type Acting struct {
	s     *Store
	db    *gorm.DB
	c     campaign.Campaign
	facts *FactReader
	Deed  deed
	Now   database.Instant
	seq   int64 // of the latest act of the campaign

	acts     *database.Rows
	named    *database.Rows
	entered  *database.Rows
	given    *database.Rows      // new assignments
	made     *database.Rows      // that they are new, for undoing the act
	met      map[string][]string // segments that a user has not had before, by user id
	judged   []judgedWork        // adjudications that the act comes of
	imported *database.Rows      // adjudications that come with the act
	before   []string            // assignments that change
	reopened []string            // assignments that go to their annotators again
	released []string            // assignments that are taken from their annotators
	settled  []string            // segments whose problems the act answers
	undone   []string            // segments whose acts of the batch are undone

	annotators map[string]annotatorRow // by login
}

func newActing(s *Store, db *gorm.DB, c campaign.Campaign, d deed) (*Acting, error) {
	facts, err := NewFactReader(db, c.ID)
	if err != nil {
		return nil, err
	}
	a := &Acting{s: s, db: db, c: c, facts: facts, Deed: d, Now: database.InstantOf(s.Now()),
		acts:     database.NewRows("acts", "id", "campaign_id", "segment_id", "batch", "kind", "round", "from_id", "to_id", "restores", "by_id", "reason", "at", "seq", "rated"),
		named:    database.NewRows("act_annotators", "act_id", "user_id"),
		entered:  database.NewRows("adjudicated", "act_id", "translation_id", "scores", "spans", "comment", "gate_score", "seconds"),
		given:    database.NewRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "context", "started_at", "touched_at", "added", "work"),
		made:     database.NewRows("act_assignments", "batch", "assignment_id", "state", "added"),
		imported: database.NewRows("assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "submitted_at", "imported", "work", "seconds"),
		met:      map[string][]string{}, annotators: map[string]annotatorRow{},
	}
	return a, database.Scan(db.Raw("SELECT coalesce(max(seq), 0) FROM acts WHERE campaign_id = ?", c.ID), &a.seq)
}

// ActIn does an act in a transaction, for a campaign that is locked.
func (s *Store) ActIn(tx *database.Tx, c campaign.Campaign, ids []string, name, reason, byID string, plan planAct) error {
	return s.ActInBatch(tx, c, database.NewID(), ids, name, reason, byID, plan)
}

// ActInBatch is [Store.ActIn] for a part of a batch, which several transactions do. The
// batch is undone as a whole.
func (s *Store) ActInBatch(tx *database.Tx, c campaign.Campaign, batch string, ids []string, name, reason, byID string, plan planAct) error {
	return s.doIn(tx, c, deed{c.ID, batch, name, reason, byID, plan}, ids)
}

// doIn does a deed on segments in a transaction, for a campaign that is locked.
func (s *Store) doIn(tx *database.Tx, c campaign.Campaign, d deed, ids []string) error {
	a, err := newActing(s, tx.DB, c, d)
	if err != nil {
		return err
	}
	segments, err := a.facts.Locked(tx, c, ids)
	if err != nil {
		return err
	}
	if err := a.freeOfBatches(segments); err != nil {
		return err
	}
	before, err := valuesOf(tx.DB, c, segments)
	if err != nil {
		return err
	}
	said := make([]string, len(segments))
	for i, g := range segments {
		if said[i], err = d.plan(a, g); err != nil {
			return err
		}
	}
	if err := a.store(tx); err != nil {
		return err
	}
	all := make([]string, len(segments))
	for i, g := range segments {
		all[i] = g.ID
	}
	if err := s.Follow(tx, c, all...); err != nil {
		return err
	}
	after, err := valuesOf(tx.DB, c, segments)
	if err != nil {
		return err
	}
	log := records.NewAuditRows()
	for i, g := range segments {
		subject := g.Name
		if said[i] != "" {
			subject = said[i] + " in " + g.Name
		}
		s.AddAudit(log, c.ID, d.ByID, d.name, subject, d.reason, before[i], after[i])
	}
	return log.Insert(tx)
}

// freeOfBatches refuses segments on which another act on several segments is being done
// or undone, so that it can be taken back where it fails.
func (a *Acting) freeOfBatches(segments []LeadSegment) error {
	var under int
	err := database.Scan(a.db.Raw("SELECT count(*) FROM batches_under_way WHERE campaign_id = ? AND batch <> ?", a.c.ID, a.Deed.batch), &under)
	if err != nil || under == 0 {
		return err
	}
	for part := range slices.Chunk(segments, FollowBatch) {
		ids := make([]string, len(part))
		for i, g := range part {
			ids[i] = g.ID
		}
		var id string
		err := database.Scan(a.db.Raw(`SELECT c.segment_id FROM acts c JOIN batches_under_way u ON u.batch = c.batch WHERE c.segment_id IN ? AND u.batch <> ? LIMIT 1`, ids, a.Deed.batch), &id)
		if errors.Is(err, database.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		return part[slices.Index(ids, id)].refuse("is one of many that an act is just being done on; try again in a moment")
	}
	return nil
}

// Add plans an act on a segment, and returns its id.
func (a *Acting) Add(g LeadSegment, act campaign.Act) string {
	id := database.NewID()
	var from, to, by any
	if act.From != "" {
		from = a.facts.users[act.From]
	}
	if act.To != "" {
		to = a.facts.users[act.To]
	}
	if a.Deed.ByID != "" {
		by = a.Deed.ByID
	}
	a.seq++
	a.acts.Add(id, a.c.ID, g.ID, a.Deed.batch, string(act.Kind), act.Round, from, to, act.Restores, by, a.Deed.reason, a.Now, a.seq, g.rated)
	for _, login := range act.Annotators {
		a.named.Add(id, a.facts.users[login])
	}
	return id
}

// Enter plans the value that an act of adjudication gives a translation, after so many
// seconds of active time.
func (a *Acting) Enter(actID, translationID string, given records.RatingColumns, gate, seconds float64) {
	a.entered.Add(actID, translationID, given.Scores, given.Spans, given.Comment, gate, seconds)
}

// Settle plans to answer the problems reported of a segment with the reason of the act
// that decides it.
func (a *Acting) Settle(g LeadSegment) { a.settled = append(a.settled, g.ID) }

// judgedWork is an adjudication in work that an act submits, after so many seconds of
// active time.
type judgedWork struct {
	id      string
	seconds float64
}

// SubmitAdjudication plans to submit the adjudication that the act comes of, after so many
// seconds of active time. Undoing the act opens it again.
func (a *Acting) SubmitAdjudication(assignmentID string, seconds float64) {
	a.before, a.judged = append(a.before, assignmentID), append(a.judged, judgedWork{assignmentID, seconds})
}

// ImportAdjudication plans a submitted adjudication of a user, as [Acting.SubmitAdjudication]
// leaves one that was made here.
func (a *Acting) ImportAdjudication(g LeadSegment, userID string, round int, seconds float64) {
	id := database.NewID()
	a.imported.Add(id, a.c.ID, g.ID, userID, round, string(campaign.HasAdjudicated), database.NewSeed(), a.Now, a.Now, a.Now, true, string(campaign.WorkAsked), seconds)
	a.made.Add(a.Deed.batch, id, string(campaign.Adjudicating), false)
}

// release plans to take an assignment from its annotator.
func (a *Acting) release(t turnRow) {
	a.before, a.released = append(a.before, t.id), append(a.released, t.id)
}

// give plans to hand a round of a segment to an annotator, with the cards in the order
// that they know.
func (a *Acting) give(g LeadSegment, login string, round int) error {
	i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == round })
	if i >= 0 {
		a.before, a.reopened = append(a.before, g.AllTurns[i].id), append(a.reopened, g.AllTurns[i].id)
		return nil
	}
	order, err := a.facts.orderOf(a.c, g.segmentFacts, login)
	if err != nil {
		return err
	}
	id, userID := database.NewID(), a.facts.users[login]
	a.made.Add(a.Deed.batch, id, "", false)
	a.given.Add(id, a.c.ID, g.ID, userID, round, string(campaign.InWork), order.Seed, order.Context, a.Now, a.Now, true, string(campaign.WorkAsked))
	if !slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login }) {
		a.met[userID] = append(a.met[userID], g.ID)
	}
	return nil
}

// annotator finds an annotator of the campaign, removed ones included.
func (a *Acting) annotator(login string) (annotatorRow, error) {
	if m, ok := a.annotators[login]; ok {
		return m, nil
	}
	m, err := FindAnnotator(a.db, a.c.ID, login)
	if err == nil {
		a.annotators[login] = m
	}
	return m, err
}

// mayWork refuses to give somebody something to do: ErrNotFound for somebody who is no
// annotator of the campaign, ErrConflict for one who can't work.
func (a *Acting) mayWork(login string) error {
	m, err := a.annotator(login)
	switch {
	case err != nil:
		return err
	case m.SetAside:
		return fmt.Errorf("the work of %s is set aside; restore it first: %w", login, campaign.ErrConflict)
	case !a.facts.active[login]:
		return fmt.Errorf("%s can't sign in to this campaign: %w", login, campaign.ErrConflict)
	}
	return nil
}

// store writes what is planned, but what follows from it.
func (a *Acting) store(tx *database.Tx) error {
	if err := a.noteBefore(tx); err != nil {
		return err
	}
	err := EachPart(tx, a.released, "UPDATE assignments SET state = 'released' WHERE state IN ('open', 'problem') AND id IN ?")
	if err != nil {
		return err
	}
	err = EachPart(tx, a.reopened, "UPDATE assignments SET state = 'open', added = TRUE, touched_at = ? WHERE state = 'released' AND set_aside = '' AND id IN ?", a.Now)
	if err != nil {
		return err
	}
	for _, j := range a.judged {
		err := tx.Exec("UPDATE assignments SET state = ?, submitted_at = ?, touched_at = ?, seconds = ? WHERE id = ?", string(campaign.HasAdjudicated), a.Now, a.Now, j.seconds, j.id).Error
		if err != nil {
			return err
		}
	}
	for _, userID := range slices.Sorted(maps.Keys(a.met)) {
		if err := Meet(tx, a.c.ID, userID, a.met[userID]); err != nil {
			return err
		}
	}
	for _, r := range []*database.Rows{a.given, a.imported, a.made, a.acts, a.named, a.entered} {
		if err := r.Insert(tx); err != nil {
			return err
		}
	}
	if err := a.storeSettled(tx); err != nil {
		return err
	}
	return a.storeUndone(tx)
}

// noteBefore keeps how the assignments are that the act changes or makes, for undoing it.
func (a *Acting) noteBefore(tx *database.Tx) error {
	const note = `INSERT INTO act_assignments (batch, assignment_id, state, added)
		SELECT CAST(? AS TEXT), id, CASE WHEN set_aside <> '' THEN set_aside ELSE state END, added FROM assignments WHERE `
	if err := EachPart(tx, a.before, note+"id IN ?", a.Deed.batch); err != nil {
		return err
	}
	return EachPart(tx, a.settled, note+"(state = 'problem' OR set_aside = 'problem') AND segment_id IN ?", a.Deed.batch)
}

func (a *Acting) storeSettled(tx *database.Tx) error {
	for _, sql := range []struct {
		text string
		args []any
	}{
		{"UPDATE problems SET resolved_at = ?, answer = ?, batch = ? WHERE resolved_at = 0 AND segment_id IN ?", []any{a.Now, a.Deed.reason, a.Deed.batch}},
		{"UPDATE assignments SET state = 'released' WHERE state = 'problem' AND segment_id IN ?", nil},
		{"UPDATE assignments SET set_aside = 'released' WHERE set_aside = 'problem' AND segment_id IN ?", nil},
		{"UPDATE all_segments SET held = FALSE WHERE held AND id IN ?", nil},
	} {
		if err := EachPart(tx, a.settled, sql.text, sql.args...); err != nil {
			return err
		}
	}
	return nil
}

// storeUndone undoes the acts of the batch on the segments that are planned for it, and
// brings back what they changed. What annotators submitted since stays. An adjudication is
// in work again.
func (a *Acting) storeUndone(tx *database.Tx) error {
	for _, sql := range []struct {
		text string
		args []any
	}{
		{"UPDATE acts SET undone = TRUE WHERE batch = ? AND segment_id IN ?", []any{a.Deed.batch}},
		{`UPDATE assignments AS a SET added = x.added,
				state = CASE WHEN a.set_aside <> '' THEN a.state WHEN x.state = '' THEN 'released' ELSE x.state END,
				set_aside = CASE WHEN a.set_aside = '' THEN '' WHEN x.state = '' THEN 'released' ELSE x.state END,
				touched_at = CASE WHEN x.state = 'open' THEN CAST(? AS BIGINT) ELSE a.touched_at END,
				submitted_at = CASE WHEN x.state = 'adjudicating' THEN 0 ELSE a.submitted_at END,
				seconds = CASE WHEN x.state = 'adjudicating' THEN 0 ELSE a.seconds END
			FROM act_assignments x WHERE x.assignment_id = a.id AND x.batch = ? AND a.state <> 'submitted' AND a.set_aside <> 'submitted' AND a.segment_id IN ?`, []any{a.Now, a.Deed.batch}},
		{"UPDATE problems SET resolved_at = 0, answer = '', batch = '' WHERE batch = ? AND segment_id IN ?", []any{a.Deed.batch}},
		{`UPDATE all_segments SET held = EXISTS (SELECT 1 FROM problems p WHERE p.segment_id = all_segments.id AND p.resolved_at = 0) WHERE id IN ?`, nil},
	} {
		if err := EachPart(tx, a.undone, sql.text, sql.args...); err != nil {
			return err
		}
	}
	return nil
}

// maxActedOn bounds how many segments a lead chooses for one act. Undoing the adjudications
// of an import may name more.
const maxActedOn = 10_000

// actedOn sorts the segments that an act names.
func actedOn(ids []string) ([]string, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return nil, campaign.Invalid("segments", "choose at least one segment")
	}
	return ids, nil
}

// Locked locks segments of a campaign and reads them, by id. ErrNotFound if the
// campaign does not have one of them.
func (f *FactReader) Locked(tx *database.Tx, c campaign.Campaign, ids []string) ([]LeadSegment, error) {
	ids, err := actedOn(ids)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(ids, FollowBatch) {
		if err := records.LockSegments(tx, part...); err != nil {
			return nil, err
		}
	}
	return f.found(c, ids)
}

// found reads segments of a campaign, whose ids are sorted. ErrNotFound if the campaign
// does not have one of them.
func (f *FactReader) found(c campaign.Campaign, ids []string) ([]LeadSegment, error) {
	var out []LeadSegment
	for part := range slices.Chunk(ids, FollowBatch) {
		var names []struct{ ID, DocID, Name string }
		err := f.db.Raw("SELECT g.id, d.doc_id, g.segment_id AS name FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.campaign_id = ? AND g.id IN ?", c.ID, part).Scan(&names).Error
		if err != nil {
			return nil, err
		}
		if len(names) < len(part) {
			return nil, fmt.Errorf("segment: %w", campaign.ErrNotFound)
		}
		found, err := f.Of(part)
		if err != nil {
			return nil, err
		}
		index := make(map[string]*segmentFacts, len(found))
		for _, g := range found {
			index[g.ID] = g
		}
		slices.SortFunc(names, func(a, b struct{ ID, DocID, Name string }) int { return strings.Compare(a.ID, b.ID) })
		for _, n := range names {
			out = append(out, LeadSegment{segmentFacts: index[n.ID], DocID: n.DocID, Name: n.Name})
		}
	}
	return out, nil
}

// valuesOf says in words what the states and the gold of segments are, for the
// audit log: "agreed in round 1, gold Aster 3, Birch 2.5".
func valuesOf(db *gorm.DB, c campaign.Campaign, segments []LeadSegment) ([]string, error) {
	var out []string
	for part := range slices.Chunk(segments, records.ExportBatch) {
		ids := make([]string, len(part))
		for i, g := range part {
			ids[i] = g.ID
		}
		var rows []records.SegmentRow
		if err := db.Raw(records.SegmentColumns+" WHERE g.id IN ?", ids).Scan(&rows).Error; err != nil {
			return nil, err
		}
		slices.SortFunc(rows, func(a, b records.SegmentRow) int { return strings.Compare(a.ID, b.ID) })
		found, err := records.GoldOf(db, c, rows)
		if err != nil {
			return nil, err
		}
		for _, seg := range found {
			words := fmt.Sprintf("%s in round %d", seg.Status, seg.Round)
			sep := ", gold "
			for _, t := range seg.Translations {
				if t.Gold != nil {
					words += fmt.Sprintf("%s%s %s", sep, t.System, strconv.FormatFloat(t.Gold.Score, 'f', -1, 64))
					sep = ", "
				}
			}
			out = append(out, words)
		}
	}
	return out, nil
}
