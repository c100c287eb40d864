package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// Each act of a lead stores a row of acts and an entry of the audit log for every
// segment, with a reason and the values before and after, and deletes no rating. It
// locks the campaign, then the segments in the order of their ids, and leaves their
// states to [campaign.Settings.Follow]. Acts on several segments are done on all of
// them or on none, and form a batch, which is undone as a whole.

func checkReason(field, reason, missing string) error {
	if strings.TrimSpace(reason) == "" {
		return campaign.Invalid(field, missing)
	}
	return checkText(field, reason)
}

// act runs a lead's act on a campaign, which is locked.
func (s *Store) act(ctx context.Context, campaignID, reason string, fn func(tx *gorm.DB, c campaign.Campaign) error) error {
	if err := checkReason("reason", reason, "say in a few words why"); err != nil {
		return err
	}
	return s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		return fn(tx, c)
	})
}

// A leadSegment is a segment as an act of a lead finds it.
type leadSegment struct {
	*segmentFacts
	DocID string
	Name  string // external id
	at    int    // place among the segments of the act
}

func (g leadSegment) underWay() bool {
	return g.status == campaign.Pending || g.status == campaign.Reannotate
}

// refuse is an ErrConflict that names the segment.
func (g leadSegment) refuse(format string, args ...any) error {
	return fmt.Errorf("segment %q %s: %w", g.Name, fmt.Sprintf(format, args...), campaign.ErrConflict)
}

// An acting is an act of a lead on segments that are locked.
type acting struct {
	s      *Store
	tx     *gorm.DB
	c      campaign.Campaign
	facts  *factReader
	batch  string
	byID   string
	reason string
	now    instant
	acts   *rows
	named  *rows
}

// actOn runs a lead's act, named as in the audit log, on segments. do stores the
// acts of one segment, and returns what the log says of it beside its name.
func (s *Store) actOn(ctx context.Context, campaignID string, ids []string, name, reason, byID string, do func(a *acting, g leadSegment) (string, error)) error {
	return s.act(ctx, campaignID, reason, func(tx *gorm.DB, c campaign.Campaign) error {
		return s.actIn(tx, c, ids, name, reason, byID, do)
	})
}

// actIn is actOn in a transaction, for a campaign that is locked.
func (s *Store) actIn(tx *gorm.DB, c campaign.Campaign, ids []string, name, reason, byID string, do func(a *acting, g leadSegment) (string, error)) error {
	facts, err := newFactReader(tx, c.ID)
	if err != nil {
		return err
	}
	segments, err := facts.locked(c, ids)
	if err != nil {
		return err
	}
	before, err := valuesOf(tx, c, segments)
	if err != nil {
		return err
	}
	a := &acting{s: s, tx: tx, c: c, facts: facts, batch: newID(), byID: byID, reason: reason, now: instantOf(s.now()),
		acts:  newRows("acts", "id", "campaign_id", "segment_id", "batch", "kind", "round", "from_id", "to_id", "restores", "by_id", "reason", "at"),
		named: newRows("act_annotators", "act_id", "user_id"),
	}
	said := make([]string, len(segments))
	for i, g := range segments {
		if said[i], err = do(a, g); err != nil {
			return err
		}
	}
	if err := a.acts.insert(tx); err != nil {
		return err
	}
	if err := a.named.insert(tx); err != nil {
		return err
	}
	all := make([]string, len(segments))
	for i, g := range segments {
		all[i] = g.id
	}
	if err := s.follow(tx, c, all...); err != nil {
		return err
	}
	after, err := valuesOf(tx, c, segments)
	if err != nil {
		return err
	}
	for i, g := range segments {
		subject := g.Name
		if said[i] != "" {
			subject = said[i] + " in " + g.Name
		}
		if err := s.auditValues(tx, c.ID, byID, name, subject, reason, before[i], after[i]); err != nil {
			return err
		}
	}
	return nil
}

// add stores an act on a segment, and returns its id.
func (a *acting) add(g leadSegment, act campaign.Act) string {
	id := newID()
	var from, to, by any
	if act.From != "" {
		from = a.facts.users[act.From]
	}
	if act.To != "" {
		to = a.facts.users[act.To]
	}
	if a.byID != "" {
		by = a.byID
	}
	a.acts.add(id, a.c.ID, g.id, a.batch, string(act.Kind), act.Round, from, to, act.Restores, by, a.reason, a.now)
	for _, login := range act.Annotators {
		a.named.add(id, a.facts.users[login])
	}
	return id
}

// maxActedOn bounds how many segments one act names.
const maxActedOn = 10_000

// locked locks segments of a campaign and reads them, by id. ErrNotFound if the
// campaign does not have one of them.
func (f *factReader) locked(c campaign.Campaign, ids []string) ([]leadSegment, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) == 0 {
		return nil, campaign.Invalid("segments", "choose at least one segment")
	}
	if len(ids) > maxActedOn {
		return nil, campaign.Invalid("segments", fmt.Sprintf("choose at most %d segments at a time", maxActedOn))
	}
	var out []leadSegment
	for part := range slices.Chunk(ids, followBatch) {
		var known []string
		if err := f.db.Raw("SELECT id FROM segments WHERE campaign_id = ? AND id IN ?", c.ID, part).Scan(&known).Error; err != nil {
			return nil, err
		}
		if len(known) < len(part) {
			return nil, fmt.Errorf("segment: %w", campaign.ErrNotFound)
		}
		if err := lockSegments(f.db, part); err != nil {
			return nil, err
		}
		found, err := f.of(part)
		if err != nil {
			return nil, err
		}
		var names []struct{ ID, DocID, Name string }
		err = f.db.Raw("SELECT g.id, d.doc_id, g.segment_id AS name FROM segments g JOIN documents d ON d.id = g.document_id WHERE g.id IN ? ORDER BY g.id", part).Scan(&names).Error
		if err != nil {
			return nil, err
		}
		for i, n := range names {
			out = append(out, leadSegment{segmentFacts: found[i], DocID: n.DocID, Name: n.Name, at: len(out)})
		}
	}
	return out, nil
}

// valuesOf says in words what the states and the gold of segments are, for the
// audit log: "agreed in round 1, gold Aster 3, Birch 2.5".
func valuesOf(tx *gorm.DB, c campaign.Campaign, segments []leadSegment) ([]string, error) {
	var out []string
	for part := range slices.Chunk(segments, exportBatch) {
		ids := make([]string, len(part))
		for i, g := range part {
			ids[i] = g.id
		}
		var rows []segmentRow
		if err := tx.Raw(segmentColumns+" WHERE g.id IN ? ORDER BY g.id", ids).Scan(&rows).Error; err != nil {
			return nil, err
		}
		found, err := completeSegments(tx, c, rows)
		if err != nil {
			return nil, err
		}
		for _, seg := range found {
			words := fmt.Sprintf("%s in round %d", seg.Status, seg.Round)
			for i, t := range seg.Translations {
				if t.Gold == nil {
					continue
				}
				sep := ", "
				if i == 0 {
					sep = ", gold "
				}
				words += fmt.Sprintf("%s%s %s", sep, t.System, strconv.FormatFloat(t.Gold.Score, 'f', -1, 64))
			}
			out = append(out, words)
		}
	}
	return out, nil
}

// activeAnnotator finds an annotator of a campaign whom a lead gives something to do.
// ErrNotFound for somebody who is none, ErrConflict for one who can't work.
func (f *factReader) activeAnnotator(campaignID, login string) (annotatorRow, error) {
	m, err := findAnnotator(f.db, campaignID, login)
	switch {
	case err != nil:
		return m, err
	case m.SetAside:
		return m, fmt.Errorf("the work of %s is set aside; restore it first: %w", login, campaign.ErrConflict)
	case !f.active[login]:
		return m, fmt.Errorf("%s can't sign in to this campaign: %w", login, campaign.ErrConflict)
	}
	return m, nil
}

// give hands a round of a segment to an annotator, with the cards in the order that
// they know.
func (a *acting) give(g leadSegment, login string, round int) error {
	userID := a.facts.users[login]
	i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == round })
	if i >= 0 {
		return a.tx.Exec("UPDATE assignments SET state = 'open', added = ?, touched_at = ? WHERE id = ? AND state = 'released' AND set_aside = ''", true, a.now, g.turns[i].id).Error
	}
	row := assignmentRow{
		ID: newID(), CampaignID: a.c.ID, SegmentID: g.id, UserID: userID, Round: round, State: string(campaign.InWork),
		Seed: g.seedOf(login), StartedAt: a.now, TouchedAt: a.now, Added: true, Work: string(campaign.WorkAsked),
	}
	if err := a.tx.Create(&row).Error; err != nil {
		return err
	}
	if slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login }) {
		return nil
	}
	return meet(a.tx, a.c.ID, g.id, userID)
}

// FurtherAnnotator asks one more annotator for ratings of the segments' current
// rounds. Nobody waits for them, and the states of the segments stay until they
// submit. ErrNotFound for somebody who is no annotator of the campaign; ErrConflict
// for one who has a segment in this round already, who is set aside or can't sign
// in, and for a segment that a lead has decided.
func (s *Store) FurtherAnnotator(ctx context.Context, campaignID string, segmentRowIDs []string, login, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask further annotator", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if _, err := a.facts.activeAnnotator(a.c.ID, login); err != nil {
			return "", err
		}
		if held, ok := g.holding(); ok && !held.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.status)
		}
		if err := g.mayAnnotate(login); err != nil {
			return "", err
		}
		for i, t := range g.Turns {
			if t.Annotator == login && t.Round == g.round && g.turns[i].state != campaign.Released {
				return "", fmt.Errorf("%s has segment %q in this round already: %w", login, g.Name, campaign.ErrConflict)
			}
		}
		a.add(g, campaign.Act{Kind: campaign.FurtherAnnotator, Round: g.round, Annotators: []string{login}})
		return login, a.give(g, login, g.round)
	})
}

// holding is the act that decides a segment now.
func (g leadSegment) holding() (campaign.Act, bool) {
	i := slices.IndexFunc(g.Acts, func(x campaign.Act) bool { return x.ID == g.stored.holding })
	if g.stored.holding == "" || i < 0 {
		return campaign.Act{}, false
	}
	return g.Acts[i], true
}

// ReplaceAnnotator lets byLogin take over the segment's current round, and the
// ordinary rounds above it, from the annotator named login; with byLogin empty
// nobody does, and nobody waits for login. What login submitted in that round does
// not count. ErrConflict where login has no turn in the round, where byLogin has one
// or can't work, and where nobody would be left in a later round.
func (s *Store) ReplaceAnnotator(ctx context.Context, campaignID, segmentRowID, login, byLogin, reason, byID string) error {
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "replace annotator", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if _, err := findAnnotator(a.tx, a.c.ID, login); err != nil {
			return "", err
		}
		i := slices.IndexFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login && t.Round == g.round })
		if held, ok := g.holding(); ok && !held.Kind.Asks() {
			return "", g.refuse("is %s by a lead; restore it first", g.status)
		}
		if i < 0 || g.turns[i].stored.Replaced || g.turns[i].aside {
			return "", g.refuse("has no turn of %s in round %d", login, g.round)
		}
		if byLogin == "" {
			others := func(t campaign.Turn) bool { return t.Round == g.round && t.Annotator != login && !t.SetAside }
			if g.round > 1 && !slices.ContainsFunc(g.Turns, others) {
				return "", g.refuse("would have nobody left in round %d; name who takes over, or decide it", g.round)
			}
		} else if err := a.mayTakeOver(g, byLogin); err != nil {
			return "", err
		}
		a.add(g, campaign.Act{Kind: campaign.Replace, Round: g.round, From: login, To: byLogin})
		if err := a.tx.Exec("UPDATE assignments SET state = 'released' WHERE id = ? AND state IN ('open', 'problem')", g.turns[i].id).Error; err != nil {
			return "", err
		}
		if byLogin == "" {
			return login + " by nobody", nil
		}
		return login + " by " + byLogin, a.give(g, byLogin, g.round)
	})
}

func (a *acting) mayTakeOver(g leadSegment, login string) error {
	if err := g.mayAnnotate(login); err != nil {
		return err
	}
	if _, err := a.facts.activeAnnotator(a.c.ID, login); err != nil {
		return err
	}
	for i, t := range g.Turns {
		if t.Annotator == login && t.Round == g.round && (t.Submitted || g.turns[i].state != campaign.Released) {
			return fmt.Errorf("%s has segment %q in this round already: %w", login, g.Name, campaign.ErrConflict)
		}
	}
	return nil
}

// AnotherLook asks annotators to look at segments again, in a round of its own that
// alone decides each of them. Annotators are two or more active ones; none given are
// the active ones who count in the segment's last complete round. They see the reason
// in place of the words of a failed gate. ErrConflict for a segment where fewer than
// two can be asked, and for one that another look is under way for.
func (s *Store) AnotherLook(ctx context.Context, campaignID string, segmentRowIDs []string, annotators []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask another look", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if held, ok := g.holding(); ok && held.Kind == campaign.AnotherLook && g.underWay() {
			return "", g.refuse("has another look under way")
		}
		asked := slices.Compact(slices.Sorted(slices.Values(annotators)))
		for _, login := range asked {
			if _, err := a.facts.activeAnnotator(a.c.ID, login); err != nil {
				return "", err
			}
			if err := g.mayAnnotate(login); err != nil {
				return "", err
			}
		}
		last := 1
		for i, t := range g.Turns {
			last = max(last, t.Round)
			if len(annotators) == 0 && t.Round == max(g.stored.complete, 1) && t.Submitted && !t.SetAside && !g.turns[i].stored.Replaced && a.facts.active[t.Annotator] && !g.opened[t.Annotator] {
				asked = append(asked, t.Annotator)
			}
		}
		if len(asked) < 2 {
			return "", g.refuse("needs two annotators who can look at it again; name them")
		}
		for _, x := range g.Acts {
			last = max(last, x.Round)
		}
		a.add(g, campaign.Act{Kind: campaign.AnotherLook, Round: last + 1, Annotators: asked})
		return strings.Join(asked, ", "), a.settleProblems(g)
	})
}

// settleProblems answers the problems reported of a segment with the reason of the
// act that decides it.
func (a *acting) settleProblems(g leadSegment) error {
	err := a.tx.Exec("UPDATE problems SET resolved_at = ?, answer = ? WHERE resolved_at = 0 AND segment_id = ?", a.now, a.reason, g.id).Error
	if err != nil {
		return err
	}
	err = a.tx.Exec("UPDATE assignments SET state = 'released' WHERE state = 'problem' AND segment_id = ?", g.id).Error
	if err != nil {
		return err
	}
	return a.tx.Exec("UPDATE all_segments SET held = ? WHERE held AND id = ?", false, g.id).Error
}

// Withdraw takes segments out of a campaign before they are decided; ErrConflict
// names one that is decided.
func (s *Store) Withdraw(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "withdraw segment", reason, byID, (*acting).withdraw)
}

func (a *acting) withdraw(g leadSegment) (string, error) {
	if !g.underWay() {
		return "", g.refuse("is %s already", g.status)
	}
	a.add(g, campaign.Act{Kind: campaign.Withdraw})
	return "", a.settleProblems(g)
}

// Discard leaves segments out of gold, whatever the gate says of them now or later.
// ErrConflict names one that a lead has discarded or withdrawn already.
func (s *Store) Discard(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "discard segment", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if held, ok := g.holding(); ok && (held.Kind == campaign.Discard || held.Kind == campaign.Withdraw) {
			return "", g.refuse("is %s by a lead already", g.status)
		}
		a.add(g, campaign.Act{Kind: campaign.Discard})
		return "", a.settleProblems(g)
	})
}

// AcceptMeans makes the mean of the last complete round the gold of segments, over
// the annotators who count in it now. ErrConflict names one that has no complete
// round.
func (s *Store) AcceptMeans(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "accept mean", reason, byID, func(a *acting, g leadSegment) (string, error) {
		act := campaign.Act{Kind: campaign.AcceptMean, Round: g.stored.complete}
		for i, t := range g.Turns {
			if t.Round == act.Round && t.Submitted && !t.SetAside && !g.turns[i].stored.Replaced {
				act.Annotators = append(act.Annotators, t.Annotator)
			}
		}
		if len(act.Annotators) == 0 {
			return "", g.refuse("has no complete round whose mean could be accepted")
		}
		a.add(g, act)
		return "", a.settleProblems(g)
	})
}

// RestoreSegments takes back what a lead decided about segments: the latest deciding
// act that is not taken back. What was decided before it holds again, be it an
// earlier act or what follows from the ratings. ErrConflict names a segment that no
// lead has decided.
func (s *Store) RestoreSegments(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "restore segment", reason, byID, func(a *acting, g leadSegment) (string, error) {
		held, ok := g.holding()
		if !ok {
			return "", g.refuse("is not decided by a lead, so there is nothing to take back")
		}
		a.add(g, campaign.Act{Kind: campaign.Restore, Restores: held.ID})
		return string(held.Kind), nil
	})
}

// AskForAdjudication asks adjudicators to decide segments; their status stays.
// ErrConflict names one that waits for an adjudicator already, or that is adjudicated.
func (s *Store) AskForAdjudication(ctx context.Context, campaignID string, segmentRowIDs []string, reason, byID string) error {
	return s.AskAdjudicator(ctx, campaignID, segmentRowIDs, "", reason, byID)
}

// AskAdjudicator is [Store.AskForAdjudication], and lets the adjudicator named login
// adjudicate the segments although they annotated them. ErrNotFound for somebody who
// is no adjudicator of the campaign. With an empty login it names nobody.
func (s *Store) AskAdjudicator(ctx context.Context, campaignID string, segmentRowIDs []string, login, reason, byID string) error {
	return s.actOn(ctx, campaignID, segmentRowIDs, "ask for adjudication", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if g.status == campaign.Adjudicated || g.status == campaign.Withdrawn {
			return "", g.refuse("is %s already", g.status)
		}
		if login == "" {
			if campaign.WaitsForAdjudicator(g.Acts) {
				return "", g.refuse("waits for an adjudicator already")
			}
			a.add(g, campaign.Act{Kind: campaign.AskForAdjudication})
			return "", nil
		}
		who, err := adjudicatingOf(a.tx, a.c.ID, a.facts.users[login])
		if errors.Is(err, errNoRows) || err == nil && !who.may {
			return "", fmt.Errorf("adjudicator %q: %w", login, campaign.ErrNotFound)
		}
		if err != nil {
			return "", err
		}
		a.add(g, campaign.Act{Kind: campaign.AskForAdjudication, Annotators: []string{login}})
		return login, nil
	})
}

// Undo takes the latest act on a segment away again, with all that was done in the
// same step to others. It must be the latest on each of them: else ErrConflict names
// one with a later act, or says that there is nothing to undo. An undo can't itself
// be undone.
func (s *Store) Undo(ctx context.Context, campaignID, segmentRowID, byID string) error {
	return s.write(ctx, func(tx *gorm.DB) error {
		c, err := lockCampaign(tx, campaignID)
		if err != nil {
			return err
		}
		latest, err := latestAct(tx, c, segmentRowID)
		if err != nil {
			return err
		}
		batch, err := readActs(tx, "c.campaign_id = ? AND c.batch = ?", c.ID, latest.Batch)
		if err != nil {
			return err
		}
		var ids []string
		for _, a := range batch {
			ids = append(ids, a.SegmentID)
		}
		return s.actIn(tx, c, ids, "undo "+string(latest.Kind), "", byID, func(a *acting, g leadSegment) (string, error) {
			standing := slices.DeleteFunc(slices.Clone(g.Acts), func(x campaign.Act) bool { return x.Undone })
			last := standing[len(standing)-1]
			if !slices.ContainsFunc(batch, func(x storedAct) bool { return x.ID == last.ID }) {
				return "", g.refuse("has a later act, so that this one can't be undone")
			}
			for _, x := range batch {
				if x.SegmentID == g.id {
					if err := a.takeAway(g, x); err != nil {
						return "", err
					}
				}
			}
			return "", nil
		})
	})
}

// latestAct is the latest act on a segment that can be undone.
func latestAct(tx *gorm.DB, c campaign.Campaign, segmentRowID string) (storedAct, error) {
	acts, err := readActs(tx, "c.campaign_id = ? AND c.segment_id = ?", c.ID, segmentRowID)
	if err != nil {
		return storedAct{}, err
	}
	acts = slices.DeleteFunc(acts, func(a storedAct) bool { return a.Undone })
	if len(acts) == 0 {
		return storedAct{}, fmt.Errorf("there is no act on this segment to undo: %w", campaign.ErrConflict)
	}
	return acts[len(acts)-1], nil
}

// takeAway undoes an act: what was handed out by it and is not submitted goes back.
func (a *acting) takeAway(g leadSegment, act storedAct) error {
	if err := a.tx.Exec("UPDATE acts SET undone = ? WHERE id = ?", true, act.ID).Error; err != nil {
		return err
	}
	given := act.Annotators
	switch act.Kind {
	case campaign.Replace:
		given = []string{act.To}
		// Their turn is open again; it was released when they were replaced.
		err := a.tx.Exec("UPDATE assignments SET state = 'open', touched_at = ? WHERE segment_id = ? AND round = ? AND user_id = ? AND state = 'released' AND set_aside = ''",
			a.now, g.id, act.Round, a.facts.users[act.From]).Error
		if err != nil {
			return err
		}
	case campaign.FurtherAnnotator:
	default:
		return nil
	}
	for _, login := range given {
		err := a.tx.Exec("UPDATE assignments SET state = 'released', added = ? WHERE segment_id = ? AND round = ? AND user_id = ? AND added AND state IN ('open', 'problem')",
			false, g.id, act.Round, a.facts.users[login]).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// Adjudicate makes gate scores that a lead enters, by system, the gold of a segment;
// systems that are not named keep the mean of the last complete round. Without scores
// it is [Store.AcceptMeans]. ErrConflict without a complete round.
func (s *Store) Adjudicate(ctx context.Context, campaignID, segmentRowID string, scores map[string]float64, reason, byID string) error {
	if len(scores) == 0 {
		return s.AcceptMeans(ctx, campaignID, []string{segmentRowID}, reason, byID)
	}
	return s.actOn(ctx, campaignID, []string{segmentRowID}, "adjudicate segment", reason, byID, func(a *acting, g leadSegment) (string, error) {
		if g.stored.complete == 0 {
			return "", g.refuse("has no complete round to adjudicate")
		}
		id := a.add(g, campaign.Act{Kind: campaign.Adjudicate, Round: g.stored.complete})
		if err := a.enter(g, id, scores); err != nil {
			return "", err
		}
		return "", a.settleProblems(g)
	})
}

// enter stores the gate scores of an act of adjudication.
func (a *acting) enter(g leadSegment, actID string, scores map[string]float64) error {
	var rows []struct{ ID, Name string }
	err := a.tx.Raw("SELECT t.id, y.name FROM translations t JOIN systems y ON y.id = t.system_id WHERE t.segment_id = ?", g.id).Scan(&rows).Error
	if err != nil {
		return err
	}
	translations := map[string]string{}
	for _, r := range rows {
		translations[r.Name] = r.ID
	}
	entered := newRows("adjudicated", "act_id", "translation_id", "gate_score")
	for system, score := range scores {
		if translations[system] == "" {
			return campaign.Invalid("scores", fmt.Sprintf("the segment has no translation by the system %q", system))
		}
		if scale, ok := a.c.Rules.Score(a.c.Rules.Gate); math.IsNaN(score) || math.IsInf(score, 0) || ok && (score < float64(scale.Min) || score > float64(scale.Max)) {
			return campaign.Invalid("scores", fmt.Sprintf("%v for %q is not on the scale", score, system))
		}
		entered.add(actID, translations[system], score)
	}
	// The act it belongs to comes first.
	if err := a.acts.insert(a.tx); err != nil {
		return err
	}
	return entered.insert(a.tx)
}
