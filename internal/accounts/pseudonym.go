package accounts

import (
	"context"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A Pseudonym is a person's pseudonym in a campaign, with the person's login and name.
type Pseudonym struct {
	campaign.Named
	Role campaign.Role // empty for an admin who is not a member
	// Letter names the annotator in formats that use letters, and in names of human scores
	// such as mqm-A. It is empty for a person without ratings that count.
	Letter string
}

// namedPeople selects the users u that the data of a campaign may name: members, and others who
// changed settings or set work aside. Its parameter is the campaign's id, three times.
const namedPeople = `users u LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = ?
	WHERE (m.user_id IS NOT NULL OR u.id IN (SELECT by_id FROM settings_changes WHERE campaign_id = ?) OR u.id IN (SELECT by_id FROM set_asides WHERE campaign_id = ?))`

// Pseudonyms lists the pseudonyms of a campaign: A01, A02 and so on for annotators in the order
// in which they joined, L01 for leads and admins, J01 for adjudicators, R01 for researchers. It
// gives a pseudonym to people who have none yet. A pseudonym never changes.
func (s *Store) Pseudonyms(ctx context.Context, campaignID string) ([]Pseudonym, error) {
	out, err := s.withoutLetters(ctx, campaignID)
	if err != nil {
		return nil, err
	}
	facts, err := s.records.ExportFacts(ctx, campaignID)
	if err != nil {
		return nil, err
	}
	letters := map[string]string{}
	for i, login := range facts.Logins {
		letters[login] = campaign.CardName(i)
	}
	for i := range out {
		out[i].Letter = letters[out[i].Login]
	}
	return out, nil
}

// withoutLetters is Pseudonyms without the letters, for which all ratings are looked at.
func (s *Store) withoutLetters(ctx context.Context, campaignID string) ([]Pseudonym, error) {
	db := s.db.Read(ctx)
	var missing int
	err := database.Scan(db.Raw("SELECT count(*) FROM "+namedPeople+" AND u.id NOT IN (SELECT user_id FROM pseudonyms WHERE campaign_id = ?)",
		campaignID, campaignID, campaignID, campaignID), &missing)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		if err := s.db.Write(ctx, func(tx *database.Tx) error { return givePseudonyms(tx, campaignID) }); err != nil {
			return nil, err
		}
	}
	var rows []struct{ Login, Name, Pseudonym, Role string }
	err = db.Raw(`SELECT u.login, u.name, p.pseudonym, coalesce(m.role, '') AS role FROM pseudonyms p JOIN users u ON u.id = p.user_id
		LEFT JOIN memberships m ON m.user_id = u.id AND m.campaign_id = p.campaign_id WHERE p.campaign_id = ? ORDER BY length(p.pseudonym), p.pseudonym`, campaignID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := make([]Pseudonym, len(rows))
	for i, r := range rows {
		out[i] = Pseudonym{Named: campaign.Named{Login: r.Login, Name: r.Name, Pseudonym: r.Pseudonym}, Role: campaign.Role(r.Role)}
	}
	return out, nil
}

// givePseudonyms stores a pseudonym for every person of a campaign who has none.
func givePseudonyms(tx *database.Tx, campaignID string) error {
	if _, err := records.LockCampaign(tx, campaignID); err != nil {
		return err
	}
	var given []string
	if err := tx.Raw("SELECT pseudonym FROM pseudonyms WHERE campaign_id = ?", campaignID).Scan(&given).Error; err != nil {
		return err
	}
	next := map[string]int{}
	for _, p := range given {
		next[p[:1]]++
	}
	var rows []struct{ ID, Role string }
	err := tx.Raw("SELECT u.id, coalesce(m.role, '') AS role FROM "+namedPeople+` AND u.id NOT IN (SELECT user_id FROM pseudonyms WHERE campaign_id = ?)
		ORDER BY coalesce(m.created_at, u.created_at), u.id`, campaignID, campaignID, campaignID, campaignID).Scan(&rows).Error
	if err != nil {
		return err
	}
	made := database.NewRows("pseudonyms", "campaign_id", "user_id", "pseudonym")
	for _, r := range rows {
		kind := "L"
		switch r.Role {
		case string(campaign.Annotator):
			kind = "A"
		case string(campaign.Researcher):
			kind = "R"
		case string(campaign.Adjudicator):
			kind = "J"
		}
		next[kind]++
		made.Add(campaignID, r.ID, fmt.Sprintf("%s%02d", kind, next[kind]))
	}
	return made.Insert(tx)
}

// PseudonymsOf returns the pseudonyms that exports of a campaign use; nil if its settings say
// that exports use logins.
func (s *Store) PseudonymsOf(ctx context.Context, c campaign.Campaign) (*campaign.Pseudonyms, error) {
	if !c.Settings.Pseudonyms {
		return nil, nil
	}
	list, err := s.withoutLetters(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	people := make([]campaign.Named, len(list))
	for i, p := range list {
		people[i] = p.Named
	}
	return campaign.NewPseudonyms(people), nil
}
