package rounds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// An act of a lead is first planned for each of its segments, and then stored for all of
// them at once. The transaction locks the campaign, then the segments in the order of their
// ids. The states of the segments then follow from [campaign.Settings.Follow]. The acts of
// one request form a batch. A batch is done on all its segments or on none. It can be
// undone on one segment, or on all where no other act came after it.

// Act runs fn in a transaction that has locked the campaign. The reason must not be empty.
func (s *Store) Act(ctx context.Context, campaignID, reason string, fn func(tx *database.Tx, c campaign.Campaign) error) error {
	if err := records.CheckReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	return records.Change(ctx, s.db, campaignID, fn)
}

func (g *Segment) underWay() bool {
	return g.Stored.Status == campaign.Pending || g.Stored.Status == campaign.Reannotate
}

// refuse returns an ErrConflict that begins with the name of the segment.
func (g *Segment) refuse(format string, args ...any) error {
	return fmt.Errorf("segment %q %s: %w", g.Name, fmt.Sprintf(format, args...), campaign.ErrConflict)
}

// DecidingAct returns the lead's act that decides the segment now; false if there is none.
func (g *Segment) DecidingAct() (campaign.Act, bool) {
	i := slices.IndexFunc(g.Acts, func(x campaign.Act) bool { return x.ID == g.Stored.DecidingAct })
	if g.Stored.DecidingAct == "" || i < 0 {
		return campaign.Act{}, false
	}
	return g.Acts[i], true
}

// A planFunc plans an act for one segment, or refuses it with an error. It changes nothing in
// the database. The audit log writes detail before the segment's name.
type planFunc func(a *ActPlan, g *Segment) (detail string, err error)

// An ActPlan collects the changes that an act of a lead makes to its segments, before they
// are stored.
type ActPlan struct {
	s       *Store
	db      *gorm.DB
	c       campaign.Campaign
	facts   *FactReader
	Request actRequest
	Now     database.Instant
	seq     int64 // of the latest act of the campaign

	acts      *database.Rows
	named     *database.Rows      // the annotators that acts name
	entered   *database.Rows      // the gold values that acts enter
	assigned  *database.Rows      // new assignments
	imported  *database.Rows      // adjudications that come with the act
	previous  *database.Rows      // the states to which undoing the act returns assignments
	changed   []string            // ids of existing assignments that the act changes
	reopened  []string            // ids of those that become open
	released  []string            // ids of those that are taken from their annotators
	submitted []submittedWork     // adjudications in work that the act submits
	newTo     map[string][]string // ids of segments that a user gets for the first time, by user id
	answered  []string            // ids of segments whose problems the act answers
	undone    []string            // ids of segments on which the act of the batch is undone
	texts     map[string]NewText  // the new texts of segments, by id

	annotators map[string]annotatorRow // by login
}

func newActPlan(s *Store, db *gorm.DB, c campaign.Campaign, r actRequest) (*ActPlan, error) {
	facts := NewFactReader(db, c.ID)
	if err := facts.readMembers(); err != nil {
		return nil, err
	}
	a := &ActPlan{s: s, db: db, c: c, facts: facts, Request: r, Now: database.InstantOf(s.db.Now()),
		acts: database.NewRows(
			"acts", "id", "campaign_id", "segment_id", "batch", "kind", "round", "from_id", "to_id", "restores", "by_id", "reason", "at", "seq",
			"rated", "text_before", "brought_before",
		),
		named:   database.NewRows("act_annotators", "act_id", "user_id"),
		entered: database.NewRows("adjudicated", "act_id", "translation_id", "scores", "answers", "spans", "comment", "gate_score", "seconds"),
		assigned: database.NewRows(
			"assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "context", "started_at", "touched_at", "added",
			"work",
		),
		previous: database.NewRows("act_assignments", "batch", "assignment_id", "state", "added"),
		imported: database.NewRows(
			"assignments", "id", "campaign_id", "segment_id", "user_id", "round", "state", "seed", "started_at", "touched_at", "submitted_at",
			"imported", "work", "seconds",
		),
		newTo: map[string][]string{}, annotators: map[string]annotatorRow{},
	}
	return a, database.Scan(db.Raw("SELECT coalesce(max(seq), 0) FROM acts WHERE campaign_id = ?", c.ID), &a.seq)
}

// ActIn does an act of a lead in a transaction that has locked the campaign. name is the
// name of the act in the audit log.
func (s *Store) ActIn(tx *database.Tx, c campaign.Campaign, ids []string, name, reason, byID string, plan planFunc) error {
	return s.ActInBatch(tx, c, database.NewID(), ids, name, reason, byID, plan)
}

// ActInBatch is [Store.ActIn] for a batch that is done in several transactions. Each of
// them passes the same id of the batch and a part of the segments.
func (s *Store) ActInBatch(tx *database.Tx, c campaign.Campaign, batch string, ids []string, name, reason, byID string, plan planFunc) error {
	return s.doIn(tx, c, actRequest{c.ID, batch, name, reason, byID, plan, false}, ids)
}

// doIn plans and stores a request in a transaction that has locked the campaign, and writes
// an entry of the audit log for each segment.
func (s *Store) doIn(tx *database.Tx, c campaign.Campaign, r actRequest, ids []string) error {
	a, err := newActPlan(s, tx.DB, c, r)
	if err != nil {
		return err
	}
	segments, err := a.facts.Locked(tx, c, ids)
	if err != nil {
		return err
	}
	if err := a.refuseDuringBatch(segments); err != nil {
		return err
	}
	before, err := valuesOf(tx.DB, c, segments)
	if err != nil {
		return err
	}
	details := make([]string, len(segments))
	for i, g := range segments {
		if details[i], err = r.plan(a, g); err != nil {
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
	f := &Following{tx: tx, c: c, outbox: s.outbox, Facts: a.facts}
	followed, err := f.Segments(all)
	if err != nil {
		return err
	}
	after, err := valuesOf(tx.DB, c, followed)
	if err != nil {
		return err
	}
	log := records.NewAuditRows()
	for i, g := range segments {
		subject := g.Name
		if details[i] != "" {
			subject = details[i] + " in " + g.Name
		}
		s.records.AddAudit(log, c.ID, r.ByID, r.name, subject, r.reason, before[i], after[i])
	}
	return log.Insert(tx)
}

// refuseDuringBatch refuses segments on which another batch is being done or undone. An act
// on such a segment would keep that batch from being taken back if it fails.
func (a *ActPlan) refuseDuringBatch(segments []*Segment) error {
	under, err := findJobs(a.db, "kind = ? AND campaign_id = ? AND id <> ?", actJob, a.c.ID, a.Request.batch)
	if err != nil || len(under) == 0 {
		return err
	}
	for part := range slices.Chunk(segments, FollowBatch) {
		ids := make([]string, len(part))
		for i, g := range part {
			ids[i] = g.ID
		}
		var id string
		err := database.Scan(
			a.db.Raw("SELECT c.segment_id FROM acts c JOIN jobs u ON u.id = c.batch WHERE c.segment_id IN ? AND u.id <> ? LIMIT 1", ids, a.Request.batch),
			&id,
		)
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
func (a *ActPlan) Add(g *Segment, act campaign.Act) string { return a.addAct(g, act, "") }

// addAct is [ActPlan.Add]. brought is what the lineage of the segment has before the act, if the act changes it.
func (a *ActPlan) addAct(g *Segment, act campaign.Act, brought string) string {
	id := database.NewID()
	var from, to, by any
	if act.From != "" {
		from = a.facts.users[act.From]
	}
	if act.To != "" {
		to = a.facts.users[act.To]
	}
	if a.Request.ByID != "" {
		by = a.Request.ByID
	}
	a.seq++
	a.acts.Add(id, a.c.ID, g.ID, a.Request.batch, string(act.Kind), act.Round, from, to, act.Restores, by, a.Request.reason, a.Now,
		a.seq, g.rated, act.Replaced, brought)
	for _, login := range act.Annotators {
		a.named.Add(id, a.facts.users[login])
	}
	return id
}

// Enter plans the gold value that an act of adjudication gives a translation. seconds is the
// active time spent on it.
func (a *ActPlan) Enter(actID, translationID string, given records.RatingColumns, gate, seconds float64) {
	a.entered.Add(actID, translationID, given.Scores, given.Answers, given.Spans, given.Comment, gate, seconds)
}

// AnswerProblems plans to answer the open problems of a segment with the reason of the act.
func (a *ActPlan) AnswerProblems(g *Segment) {
	if slices.ContainsFunc(g.AllTurns, func(t turnRow) bool { return t.reported }) {
		a.answered = append(a.answered, g.ID)
	}
}

// submittedWork is an adjudication in work that an act submits.
type submittedWork struct {
	id      string  // of the assignment
	seconds float64 // of active time
}

// SubmitAdjudication plans to submit the adjudication, an assignment in work, whose rating
// the act makes gold. Undoing the act opens the assignment again.
func (a *ActPlan) SubmitAdjudication(assignmentID string, seconds float64) {
	a.changed, a.submitted = append(a.changed, assignmentID), append(a.submitted, submittedWork{assignmentID, seconds})
}

// ImportAdjudication plans to add an imported adjudication of a user, in the same state in
// which [ActPlan.SubmitAdjudication] leaves an adjudication that was made on the page.
func (a *ActPlan) ImportAdjudication(g *Segment, userID string, round int, seconds float64) {
	id := database.NewID()
	a.imported.Add(
		id, a.c.ID, g.ID, userID, round, string(campaign.HasAdjudicated), database.NewSeed(), a.Now, a.Now, a.Now,
		true, string(campaign.WorkAsked),
		seconds,
	)
	a.previous.Add(a.Request.batch, id, string(campaign.Adjudicating), false)
}

// release plans to take an assignment from its annotator, and to answer the problem that the
// annotator reported in it with the reason of the act.
func (a *ActPlan) release(t turnRow) {
	a.changed, a.released = append(a.changed, t.id), append(a.released, t.id)
}

// give plans to hand a round of a segment to an annotator. If they have had the segment in
// another round, the cards are in the same order again.
func (a *ActPlan) give(g *Segment, login string, round int) error {
	i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == round })
	if i >= 0 {
		a.changed, a.reopened = append(a.changed, g.AllTurns[i].id), append(a.reopened, g.AllTurns[i].id)
		return nil
	}
	order, err := a.facts.orderOf(a.c, g, login)
	if err != nil {
		return err
	}
	id, userID := database.NewID(), a.facts.users[login]
	a.previous.Add(a.Request.batch, id, "", false)
	a.assigned.Add(id, a.c.ID, g.ID, userID, round, string(campaign.InWork), order.Seed, order.Context, a.Now, a.Now,
		true, string(campaign.WorkAsked))
	if !slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login }) {
		a.newTo[userID] = append(a.newTo[userID], g.ID)
	}
	return nil
}

// annotator finds an annotator of the campaign, even a removed one.
func (a *ActPlan) annotator(login string) (annotatorRow, error) {
	if m, ok := a.annotators[login]; ok {
		return m, nil
	}
	m, err := FindAnnotator(a.db, a.c.ID, login)
	if err == nil {
		a.annotators[login] = m
	}
	return m, err
}

// mayWork returns an error if an annotator can't be given work: ErrNotFound if the campaign
// has no such annotator, ErrConflict if the annotator is set aside or can't sign in.
func (a *ActPlan) mayWork(login string) error {
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

// store writes the planned changes. The caller lets the states of the segments follow.
func (a *ActPlan) store(tx *database.Tx) error {
	if err := a.noteBefore(tx); err != nil {
		return err
	}
	if err := a.storeReleased(tx); err != nil {
		return err
	}
	err := EachPart(
		tx, a.reopened, "UPDATE assignments SET state = 'open', added = TRUE, touched_at = ? WHERE state = 'released' AND set_aside = '' AND id IN ?",
		a.Now,
	)
	if err != nil {
		return err
	}
	for _, j := range a.submitted {
		err := tx.Exec(
			"UPDATE assignments SET state = ?, submitted_at = ?, touched_at = ?, seconds = ? WHERE id = ?", string(campaign.HasAdjudicated), a.Now,
			a.Now, j.seconds, j.id,
		).Error
		if err != nil {
			return err
		}
	}
	for _, userID := range slices.Sorted(maps.Keys(a.newTo)) {
		if err := CountMeetings(tx, a.c.ID, userID, a.newTo[userID]); err != nil {
			return err
		}
	}
	for _, r := range []*database.Rows{a.assigned, a.imported, a.previous, a.acts, a.named, a.entered} {
		if err := r.Insert(tx); err != nil {
			return err
		}
	}
	if err := a.storeAnswered(tx); err != nil {
		return err
	}
	if err := a.storeTexts(tx); err != nil {
		return err
	}
	return a.storeUndone(tx)
}

// storeReleased releases the assignments that are taken from their annotators, and closes the
// open problems that were reported in them.
func (a *ActPlan) storeReleased(tx *database.Tx) error {
	for _, sql := range []struct {
		text string
		args []any
	}{
		{"UPDATE assignments SET state = 'released' WHERE state IN ('open', 'problem') AND id IN ?", nil},
		{"UPDATE problems SET resolved_at = ?, answer = ?, batch = ? WHERE resolved_at = 0 AND assignment_id IN ?",
			[]any{a.Now, a.Request.reason, a.Request.batch}},
		{"UPDATE all_segments SET held = " + hasOpenProblem + " WHERE held AND id IN (SELECT segment_id FROM assignments WHERE id IN ?)", nil},
	} {
		if err := EachPart(tx, a.released, sql.text, sql.args...); err != nil {
			return err
		}
	}
	return nil
}

// hasOpenProblem is the SQL expression for held of a row of all_segments.
const hasOpenProblem = "EXISTS (SELECT 1 FROM problems p WHERE p.segment_id = all_segments.id AND p.resolved_at = 0)"

// noteBefore stores the states of the assignments that the act changes, so that undoing the
// act can bring them back.
func (a *ActPlan) noteBefore(tx *database.Tx) error {
	const note = `INSERT INTO act_assignments (batch, assignment_id, state, added)
		SELECT CAST(? AS TEXT), id, CASE WHEN set_aside <> '' THEN set_aside ELSE state END, added FROM assignments WHERE `
	if err := EachPart(tx, a.changed, note+"id IN ?", a.Request.batch); err != nil {
		return err
	}
	return EachPart(tx, a.answered, note+"(state = 'problem' OR set_aside = 'problem') AND segment_id IN ?", a.Request.batch)
}

// storeAnswered closes the open problems of segments, and releases the assignments that
// reported them.
func (a *ActPlan) storeAnswered(tx *database.Tx) error {
	for _, sql := range []struct {
		text string
		args []any
	}{
		{"UPDATE problems SET resolved_at = ?, answer = ?, batch = ? WHERE resolved_at = 0 AND segment_id IN ?",
			[]any{a.Now, a.Request.reason, a.Request.batch}},
		{"UPDATE assignments SET state = 'released' WHERE state = 'problem' AND segment_id IN ?", nil},
		{"UPDATE assignments SET set_aside = 'released' WHERE set_aside = 'problem' AND segment_id IN ?", nil},
		{"UPDATE all_segments SET held = FALSE WHERE held AND id IN ?", nil},
	} {
		if err := EachPart(tx, a.answered, sql.text, sql.args...); err != nil {
			return err
		}
	}
	return nil
}

// maxActedOn is the largest number of segments that a lead can choose for one act. Undoing
// the adjudications of an import may concern more segments.
const maxActedOn = 10_000

// actedOn sorts the ids of the segments of a request and removes duplicates.
func actedOn(ids []string) ([]string, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return nil, campaign.Invalid("segments", "choose at least one segment")
	}
	return ids, nil
}

// Locked locks segments of a campaign and reads them, in the order of their ids. The error
// is ErrNotFound if one of them is not a segment of the campaign.
func (f *FactReader) Locked(tx *database.Tx, c campaign.Campaign, ids []string) ([]*Segment, error) {
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

// found reads segments of a campaign without locking them. ids are sorted. The error is
// ErrNotFound if one of them is not a segment of the campaign.
func (f *FactReader) found(c campaign.Campaign, ids []string) ([]*Segment, error) {
	var out []*Segment
	for part := range slices.Chunk(ids, FollowBatch) {
		found, err := f.Of(part)
		if err != nil {
			return nil, err
		}
		if len(found) < len(part) || slices.ContainsFunc(found, func(g *Segment) bool { return g.campaignID != c.ID }) {
			return nil, fmt.Errorf("segment: %w", campaign.ErrNotFound)
		}
		out = append(out, found...)
	}
	return out, nil
}

// valuesOf describes the state and the gold of each segment for the audit log, as in
// "agreed in round 1, gold Aster 3, Birch 2.6667". Scores have at most four decimals.
func valuesOf(db *gorm.DB, c campaign.Campaign, segments []*Segment) ([]string, error) {
	out := make([]string, len(segments))
	var rows []records.SegmentRow
	var at []int // in segments, of rows
	for i, g := range segments {
		out[i] = fmt.Sprintf("%s in round %d", g.Stored.Status.Words(), g.Stored.Round)
		if g.Stored.Status.InGold() {
			rows = append(
				rows,
				records.SegmentRow{
					ID:          g.ID,
					Status:      string(g.Stored.Status),
					Round:       g.Stored.Round,
					Complete:    g.Stored.Complete,
					DecidingAct: g.Stored.DecidingAct,
				},
			)
			at = append(at, i)
		}
	}
	for part := range slices.Chunk(rows, records.ExportBatch) {
		found, err := records.GoldOf(db, c, part)
		if err != nil {
			return nil, err
		}
		for i, seg := range found {
			sep := ", gold "
			for _, t := range seg.Translations {
				if t.Gold != nil {
					out[at[i]] += fmt.Sprintf("%s%s %s", sep, t.System, strconv.FormatFloat(math.Round(t.Gold.Score*1e4)/1e4, 'f', -1, 64))
					sep = ", "
				}
			}
		}
		at = at[len(part):]
	}
	return out, nil
}
