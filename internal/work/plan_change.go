package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/plan"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// PreviewPlan tells what an edit would do to the plan of a campaign, and changes nothing.
func (s *Plans) PreviewPlan(ctx context.Context, c campaign.Campaign, edit plan.Edit) (plan.Change, error) {
	before, _, err := s.readPlan(s.db.Read(ctx), c, true)
	if err != nil {
		return plan.Change{}, err
	}
	_, change, err := edit.Apply(before)
	return change, err
}

// A MovedError says that an edit would now do something else than was seen: somebody changed the plan or
// began a document meanwhile. It is an ErrConflict. Change is what the edit would do now.
type MovedError struct{ Change plan.Change }

func (e *MovedError) Error() string {
	return "somebody changed the plan or began a document meanwhile; look again at what would change"
}

// Is reports whether the target is [campaign.ErrConflict].
func (e *MovedError) Is(target error) bool { return target == campaign.ErrConflict }

// ChangePlan makes an edit of the plan of a campaign, all or nothing, with one entry in the audit log. seen is
// the fingerprint of the change that the lead has seen; if the edit would do something else by now, the error
// is a *[MovedError]. An empty seen makes the edit whatever it does. An edit that changes nothing is not
// stored.
//
// No assignment, draft or rating changes: documents that are begun stay with whoever began them.
func (s *Plans) ChangePlan(ctx context.Context, campaignID string, edit plan.Edit, seen, byID string) (change plan.Change, err error) {
	if err := checkPlanTexts(edit); err != nil {
		return change, err
	}
	err = records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		if err := poolNewDocuments(tx, c.ID); err != nil {
			return err
		}
		before, stored, err := s.readPlan(tx.DB, c, false)
		if err != nil {
			return err
		}
		var after plan.Plan
		if after, change, err = edit.Apply(before); err != nil {
			return err
		}
		if seen != "" && seen != change.Fingerprint() {
			return &MovedError{change}
		}
		if change.Empty() {
			return nil
		}
		if edit.Kind == plan.EditEnd {
			err = dropPlan(tx, c.ID)
		} else {
			err = storePlan(tx, c.ID, before, after, stored)
		}
		if err != nil {
			return err
		}
		log := records.NewAuditRows()
		s.records.AddAudit(log, c.ID, byID, "change plan", planSubject(edit, change), "", planWords(change, false), planWords(change, true))
		return log.Insert(tx)
	})
	return change, err
}

// CopyPlan gives a campaign the pools, batches, shares and absences of the plan of another one, as
// [plan.EditOutline] says. It reports whether there was something to copy.
func (s *Plans) CopyPlan(ctx context.Context, from, to campaign.Campaign, byID string) (copied bool, err error) {
	outline, err := s.PlanOutline(ctx, from)
	if err != nil {
		return false, err
	}
	change, err := s.ChangePlan(ctx, to.ID, plan.Edit{Kind: plan.EditOutline, Outline: &outline}, "", byID)
	return !change.Empty(), err
}

// checkPlanTexts refuses names that the databases cannot store.
func checkPlanTexts(e plan.Edit) error {
	for field, text := range map[string]string{"name": e.Pool.Name + e.Batch.Name + e.Name, "domain": e.Pool.Domain, "pattern": e.Pool.Pattern} {
		if err := database.CheckText(field, text); err != nil {
			return err
		}
	}
	return nil
}

// planTables are the tables of a plan.
var planTables = []string{"plan_turns", "plan_documents", "plan_people", "plan_batches", "plan_pool_members", "plan_pools", "plans"}

func dropPlan(tx *database.Tx, campaignID string) error {
	for _, table := range planTables {
		if err := tx.Exec("DELETE FROM "+table+" WHERE campaign_id = ?", campaignID).Error; err != nil {
			return err
		}
	}
	return nil
}

// storePlan stores what differs between two plans. stored are the turns that the database has. Turns that
// were begun without a plan are stored too, so that nobody else is given their document.
func storePlan(tx *database.Tx, campaignID string, before, after plan.Plan, stored storedTurns) error {
	var last int64
	if err := database.Scan(tx.Raw("SELECT coalesce(max(position), 0) FROM segments WHERE campaign_id = ?", campaignID), &last); err != nil {
		return err
	}
	err := tx.Exec(`INSERT INTO plans (campaign_id, version, pull, seen_position) VALUES (?, 1, ?, ?)
		ON CONFLICT (campaign_id) DO UPDATE SET version = plans.version + 1, pull = excluded.pull`, campaignID, after.Pull, last).Error
	if err != nil {
		return err
	}
	// These tables are small.
	for _, table := range []string{"plan_people", "plan_batches", "plan_pool_members", "plan_pools"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE campaign_id = ?", campaignID).Error; err != nil {
			return err
		}
	}
	ids := make(map[string]string, len(after.People))
	people := database.NewRows("plan_people", "campaign_id", "user_id", "share", "words", "away")
	for _, p := range after.People {
		ids[p.Login] = p.ID
		if p.Share != 1 || p.Words != 0 || len(p.Away) > 0 {
			people.Add(campaignID, p.ID, p.Share, p.Words, plan.AwayText(p.Away))
		}
	}
	batches := database.NewRows("plan_batches", "campaign_id", "name", "priority", "due_on")
	for _, b := range after.Batches {
		batches.Add(campaignID, b.Name, b.Priority, b.Due)
	}
	pools := database.NewRows("plan_pools", "campaign_id", "name", "domain", "pattern")
	members := database.NewRows("plan_pool_members", "campaign_id", "pool", "user_id")
	for _, p := range after.Pools {
		pools.Add(campaignID, p.Name, p.Domain, p.Pattern)
		for _, login := range p.Members {
			if ids[login] != "" {
				members.Add(campaignID, p.Name, ids[login])
			}
		}
	}
	turns := database.NewRows("plan_turns", "document_id", "user_id", "campaign_id", "planned_on")
	documents := database.NewRows("plan_documents", "document_id", "campaign_id", "pool", "batch")
	var changed []string
	for i, d := range after.Documents {
		for _, t := range d.Turns {
			if !stored[[2]string{d.ID, t.Login}] && ids[t.Login] != "" {
				turns.Add(d.ID, ids[t.Login], campaignID, t.Planned)
			}
		}
		for _, t := range before.Documents[i].Turns {
			if !d.Has(t.Login) {
				if err := tx.Exec("DELETE FROM plan_turns WHERE document_id = ? AND user_id = ?", d.ID, ids[t.Login]).Error; err != nil {
					return err
				}
			}
		}
		if was := before.Documents[i]; was.Pool != d.Pool || was.Batch != d.Batch {
			changed = append(changed, d.ID)
			if d.Pool != "" || d.Batch != "" {
				documents.Add(d.ID, campaignID, d.Pool, d.Batch)
			}
		}
	}
	for part := range slices.Chunk(changed, database.MaxParameters) {
		if err := tx.Exec("DELETE FROM plan_documents WHERE document_id IN ?", part).Error; err != nil {
			return err
		}
	}
	for _, rows := range []*database.Rows{people, batches, pools, members, documents, turns} {
		if err := rows.Insert(tx); err != nil {
			return err
		}
	}
	return tx.Exec("UPDATE plan_turns SET finished = FALSE WHERE campaign_id = ? AND finished", campaignID).Error
}

// planSubject says in the audit log what an edit did.
func planSubject(e plan.Edit, c plan.Change) string {
	filled, freed := c.Moves()
	parts := slices.Clone(c.Other)
	if len(c.Documents) > 0 {
		parts = append(parts, fmt.Sprintf("%s: %s changed, %s filled, %s freed.", e.Kind,
			wording.Counted(len(c.Documents), "document"), wording.Counted(filled, "place"), wording.Counted(freed, "place")))
	}
	return strings.Join(parts, " ")
}

// maxPlanWords is the largest number of documents whose changes the audit log lists.
const maxPlanWords = 500

// planWords lists what a change takes away from documents, or what it adds.
func planWords(c plan.Change, added bool) string {
	var lines []string
	for i, d := range c.Documents {
		if i == maxPlanWords {
			lines = append(lines, "and "+wording.Counted(len(c.Documents)-i, "further document"))
			break
		}
		parts, side := slices.Concat(d.Lost, d.Dropped), 0
		if added {
			parts, side = slices.Clone(d.Gained), 1
		}
		if d.Pool[0] != d.Pool[1] && d.Pool[side] != "" {
			parts = append(parts, "pool "+d.Pool[side])
		}
		if d.Batch[0] != d.Batch[1] && d.Batch[side] != "" {
			parts = append(parts, "batch "+d.Batch[side])
		}
		if len(parts) > 0 {
			lines = append(lines, d.DocID+": "+strings.Join(parts, ", "))
		}
	}
	return strings.Join(lines, "; ")
}
