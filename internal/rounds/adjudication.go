package rounds

import (
	"fmt"
	"slices"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Adjudicating says what a user may adjudicate in a campaign.
type Adjudicating struct {
	Login string
	May   bool // they are an adjudicator, a lead or a site admin
	Leads bool // they may adjudicate any segment with a complete round, even if nobody has asked for it
	Own   bool // they may adjudicate segments that they annotated
}

// AdjudicatingOf reads what a user may adjudicate in a campaign. It leaves Own to the
// caller, because that is a setting of the campaign.
func AdjudicatingOf(db *gorm.DB, campaignID, userID string) (Adjudicating, error) {
	var who Adjudicating
	err := database.Scan(
		db.Raw(
			`SELECT u.login, u.role = 'admin' OR coalesce(m.role = 'lead', FALSE), u.role = 'admin' OR coalesce(m.role IN ('lead', 'adjudicator') OR m.adjudicates, FALSE)
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? AND NOT m.removed WHERE u.id = ?`,
			campaignID,
			userID,
		),
		&who.Login, &who.Leads, &who.May,
	)
	return who, err
}

// Refuses returns an error that says why the user can't adjudicate a segment; nil if they
// can.
func (who Adjudicating) Refuses(g *Segment) error {
	switch {
	case !who.May:
		return fmt.Errorf("only adjudicators and leads of the campaign adjudicate: %w", campaign.ErrForbidden)
	case g.Stored.Status == campaign.Withdrawn:
		return g.refuse("is withdrawn")
	case who.Leads && g.Stored.Complete == 0 && !g.WaitsForAdjudicator():
		return g.refuse("has no complete round to adjudicate")
	case !who.Leads && !g.WaitsForAdjudicator():
		return g.refuse("does not wait for an adjudicator")
	case g.annotatedBy(who.Login) && !who.Own && !campaign.MayAdjudicateOwn(g.Acts, who.Login):
		return g.refuse("was given to you to annotate, so another person adjudicates it, unless a lead says that you may")
	}
	return nil
}

// annotatedBy reports whether an annotator was ever given the segment to annotate.
func (s *Segment) annotatedBy(login string) bool {
	return slices.ContainsFunc(s.Turns, func(t campaign.Turn) bool { return t.Annotator == login })
}

// mayHave returns an ErrConflict if a lead can't give a segment to an annotator, because the annotator has opened it to
// adjudicate it or is kept apart from it, or because the segment waits for texts or terms.
func (a *ActPlan) mayHave(g *Segment, login string) error {
	if err := g.mayAnnotate(login); err != nil {
		return err
	}
	var judgeable int
	if err := a.db.Raw("SELECT count(*) FROM segments s WHERE s.id = ? AND "+records.Annotatable(a.c),
		g.ID).Scan(&judgeable).Error; err != nil {
		return err
	}
	if judgeable == 0 {
		return g.refuse("waits for translations, candidates or terms, so that there is nothing to judge yet; import them first")
	}
	return records.RefuseApart(a.db, a.c, g.ID, g.Name, login)
}

// mayAnnotate returns an ErrConflict if a user has opened the segment to adjudicate it,
// because they have seen the annotators' ratings.
func (g *Segment) mayAnnotate(login string) error {
	if !g.opened[login] {
		return nil
	}
	return fmt.Errorf("%s has opened segment %q to adjudicate it and has seen its ratings, so they can't annotate it: %w",
		login, g.Name, campaign.ErrConflict)
}

// WaitsForAdjudicator reports whether the segment waits for an adjudicator: a lead asks for one, or the annotators'
// answers to a question have no gold.
func (g *Segment) WaitsForAdjudicator() bool {
	return campaign.WaitsForAdjudicator(g.Acts) || len(g.Undecided) > 0
}
