package rounds

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// A NewText has the source, the reference or both that a segment takes over from its forebear, as they are there now.
// Empty ones stay as they are.
type NewText struct {
	Source, Reference string
	Was, Brought      string // brought of the lineage, before and after
}

// TakeNewTexts replaces the texts of segments, by id. A segment that was rated gets another look, by the annotators who
// count in its last complete round. They see the reason. With a new reference they begin without their earlier ratings,
// which stay in the history. If too few of them are active, the segment is handed out to others as if nobody had rated
// it or, if these are too few for that, some of them look at it beside those who are left. A look that is under way,
// and that nobody has begun, is then about the new texts. The error is ErrConflict if an annotator works on a segment,
// or if its forebear was taken over anew meanwhile.
func (s *Store) TakeNewTexts(ctx context.Context, campaignID string, texts map[string]NewText, reason, byID string) error {
	ids := slices.Collect(maps.Keys(texts))
	return s.actOn(ctx, campaignID, ids, "take over new text", reason, byID, func(a *ActPlan, g *Segment) (string, error) {
		working, untouched, err := a.worksOn(g)
		if err != nil {
			return "", err
		}
		if working {
			return "", g.refuse("is in work; take its new text over once it is submitted")
		}
		var source, brought string
		err = database.Scan(
			a.db.Raw("SELECT g.source, l.brought FROM segments g JOIN lineage l ON l.segment_id = g.id AND l.depth = 1 WHERE g.id = ?", g.ID),
			&source, &brought,
		)
		if errors.Is(err, database.ErrNoRows) || err == nil && brought != texts[g.ID].Was {
			return "", g.refuse("has changed just now; look at it and try again")
		}
		if err != nil {
			return "", err
		}
		if texts[g.ID].Source != "" {
			a.addAct(g, campaign.Act{Kind: campaign.NewSource, Replaced: source}, brought)
		}
		if texts[g.ID].Reference != "" {
			var reference string
			err := database.Scan(a.db.Raw("SELECT text FROM reference_texts WHERE segment_id = ? AND name = ?", g.ID, campaign.MainReference), &reference)
			if err != nil {
				return "", err
			}
			a.addAct(g, campaign.Act{Kind: campaign.NewText, Replaced: reference}, brought)
		}
		if a.texts == nil {
			a.texts = map[string]NewText{}
		}
		a.texts[g.ID] = texts[g.ID]
		if untouched || !slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Submitted }) {
			return "", nil
		}
		lookers, need := a.lookers(g), a.c.Settings.LookersNeeded()
		if len(lookers) >= need {
			return a.lookAgain(g, nil)
		}
		others, err := a.strangers(g)
		if err != nil {
			return "", err
		}
		if len(others) >= a.c.Settings.Redundancy || len(lookers)+len(others) < need {
			return a.startOver(g)
		}
		return a.lookAgain(g, append(lookers, others[:need-len(lookers)]...))
	})
}

// strangers lists the active annotators who never had a segment and may have it.
func (a *ActPlan) strangers(g *Segment) (out []string, err error) {
	for _, login := range slices.Sorted(maps.Keys(a.facts.active)) {
		if !a.facts.active[login] || slices.ContainsFunc(g.Turns, func(t campaign.Turn) bool { return t.Annotator == login }) {
			continue
		}
		err := a.mayHave(g, login)
		if err == nil {
			out = append(out, login)
		} else if !errors.Is(err, campaign.ErrConflict) {
			return nil, err
		}
	}
	return out, nil
}

// worksOn reports whether somebody works on a segment: an assignment is open, or a look is under way that some have
// submitted. A look that a lead asked for, and in which nothing was saved, is untouched instead.
func (a *ActPlan) worksOn(g *Segment) (working, untouched bool, err error) {
	look, ok := g.DecidingAct()
	isLook := ok && look.Kind == campaign.AnotherLook
	untouched = isLook && g.underWay()
	for i, t := range g.AllTurns {
		switch {
		case isLook && t.Round == look.Round && g.Turns[i].Submitted:
			working, untouched = working || g.underWay(), false
		case t.state == campaign.Reported && t.Stored.Work != campaign.WorkOver:
			working = true
		case t.state == campaign.InWork && t.Stored.Work != campaign.WorkOver:
			begun := !isLook || t.Round != look.Round
			if !begun {
				if err := database.Scan(a.db.Raw("SELECT EXISTS (SELECT 1 FROM drafts WHERE assignment_id = ?)", t.id), &begun); err != nil {
					return false, false, err
				}
			}
			working = working || begun
		}
	}
	return working, untouched && !working, nil
}

// startOver plans that a segment is handed out as if nobody had rated it: what leads decided is taken back, and nobody
// takes over from those who rated it.
func (a *ActPlan) startOver(g *Segment) (string, error) {
	restored := map[string]bool{}
	for _, x := range slices.Backward(g.Acts) {
		switch {
		case x.Undone:
		case x.Kind == campaign.Restore:
			restored[x.Restores] = true
		case x.Kind.Decides() && !restored[x.ID]:
			a.Add(g, campaign.Act{Kind: campaign.Restore, Restores: x.ID})
		}
	}
	for i, t := range g.Turns {
		if t.Round == 1 && t.Submitted && !t.SetAside && !g.AllTurns[i].Stored.Replaced {
			a.Add(g, campaign.Act{Kind: campaign.Replace, Round: 1, From: t.Annotator})
		}
	}
	a.AnswerProblems(g)
	return "for whoever may have it", nil
}

// closePages gives the unfinished assignments of segments whose text is replaced another seed, and so their cards other ids: pages with the
// text before are out of date. Its parameter is the seed.
const closePages = "UPDATE assignments SET seed = ? WHERE state NOT IN ('submitted', 'adjudicated') AND set_aside <> 'submitted'"

// storeTexts replaces the texts of segments by their new ones.
func (a *ActPlan) storeTexts(tx *database.Tx) error {
	for _, id := range slices.Sorted(maps.Keys(a.texts)) {
		n := a.texts[id]
		err := cmp.Or(
			tx.Exec("UPDATE lineage SET brought = ? WHERE segment_id = ? AND depth = 1", n.Brought, id).Error,
			tx.Exec(closePages+" AND segment_id = ?", database.NewSeed(), id).Error,
		)
		if err == nil && n.Source != "" {
			err = tx.Exec("UPDATE all_segments SET source = ? WHERE id = ?", n.Source, id).Error
		}
		if err == nil && n.Reference != "" {
			err = tx.Exec("UPDATE all_reference_texts SET text = ? WHERE segment_id = ? AND name = ?", n.Reference, id, campaign.MainReference).Error
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newTextOf returns the act with which a segment got a new text in a batch; false if there is none.
func (g *Segment) newTextOf(batch string) (campaign.Act, bool) {
	i := slices.IndexFunc(g.Acts, func(x campaign.Act) bool { return x.Kind.ReplacesText() && !x.Undone && g.batches[x.ID] == batch })
	if i < 0 {
		return campaign.Act{}, false
	}
	return g.Acts[i], true
}
