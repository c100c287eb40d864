package rounds

import (
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// An Adjudicating is what somebody may do as an adjudicator in a campaign.
type Adjudicating struct {
	Login string
	May   bool
	Leads bool // may adjudicate any complete segment, whether anybody asks for it or not
	Own   bool // may adjudicate what they annotated, by the settings of the campaign
}

// AdjudicatingOf reads what a user may do as an adjudicator in a campaign.
func AdjudicatingOf(db *gorm.DB, campaignID, userID string) (Adjudicating, error) {
	var who Adjudicating
	err := database.Scan(db.Raw(`SELECT u.login, u.role = 'admin' OR coalesce(m.role = 'lead', FALSE), u.role = 'admin' OR coalesce(m.role IN ('lead', 'adjudicator') OR m.adjudicates, FALSE)
		FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ? AND NOT m.removed WHERE u.id = ?`, campaignID, userID), &who.Login, &who.Leads, &who.May)
	return who, err
}

// Refuses says why somebody can't adjudicate a segment; nil if they can.
func (who Adjudicating) Refuses(g LeadSegment) error {
	switch {
	case !who.May:
		return fmt.Errorf("only adjudicators and leads of the campaign adjudicate: %w", campaign.ErrForbidden)
	case g.Status == campaign.Withdrawn:
		return g.refuse("is withdrawn")
	case who.Leads && g.Stored.Complete == 0 && !campaign.WaitsForAdjudicator(g.Acts):
		return g.refuse("has no complete round to adjudicate")
	case !who.Leads && !campaign.WaitsForAdjudicator(g.Acts):
		return g.refuse("does not wait for an adjudicator")
	case g.annotatedBy(who.Login) && !who.Own && !campaign.MayAdjudicateOwn(g.Acts, who.Login):
		return g.refuse("was given to you to annotate, so somebody else adjudicates it, unless a lead says that you may")
	}
	return nil
}
