package work

import (
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/database"
	"annotate/internal/plan"
)

// poolNewDocuments puts documents that were imported since it last ran into the pools that take them. It
// also looks again at turns that were noted as finished, because their documents may have new segments.
func poolNewDocuments(tx *database.Tx, campaignID string) error {
	var seen, last int64
	err := database.Scan(
		tx.Raw(
			`SELECT seen_position, coalesce((SELECT s.position FROM segments s WHERE s.campaign_id = plans.campaign_id ORDER BY s.position DESC LIMIT 1), 0) FROM plans WHERE campaign_id = ?`,
			campaignID,
		),
		&seen,
		&last,
	)
	switch {
	case errors.Is(err, database.ErrNoRows) || err == nil && last == seen:
		return nil
	case err != nil:
		return err
	}
	pools, err := readPools(tx.DB, campaignID)
	if err != nil {
		return err
	}
	var documents []struct{ ID, DocID, Domain string }
	err = tx.Raw(`SELECT d.id, d.doc_id, f.domain FROM documents d JOIN segments f ON f.document_id = d.id
		WHERE d.campaign_id = ? AND f.position = (SELECT min(s.position) FROM segments s WHERE s.document_id = d.id) AND f.position > ?
		AND NOT EXISTS (SELECT 1 FROM plan_documents p WHERE p.document_id = d.id AND p.pool <> '') ORDER BY f.position`, campaignID, seen).Scan(&documents).Error
	if err != nil {
		return err
	}
	for _, d := range documents {
		for _, p := range pools {
			if p.Takes(d.Domain, d.DocID) {
				err := tx.Exec(
					"INSERT INTO plan_documents (document_id, campaign_id, pool) VALUES (?, ?, ?) ON CONFLICT (document_id) DO UPDATE SET pool = excluded.pool",
					d.ID, campaignID, p.Name,
				).Error
				if err != nil {
					return err
				}
				break
			}
		}
	}
	if err := tx.Exec("UPDATE plan_turns SET finished = FALSE WHERE campaign_id = ? AND finished", campaignID).Error; err != nil {
		return err
	}
	return tx.Exec("UPDATE plans SET seen_position = ? WHERE campaign_id = ?", last, campaignID).Error
}

// readPools reads the pools of a plan with their members.
func readPools(db *gorm.DB, campaignID string) (pools []plan.Pool, err error) {
	var rows []struct{ Name, Domain, Pattern string }
	if err := db.Raw("SELECT name, domain, pattern FROM plan_pools WHERE campaign_id = ? ORDER BY name",
		campaignID).Scan(&rows).Error; err != nil ||
		len(rows) == 0 {
		return nil, err
	}
	for _, r := range rows {
		pools = append(pools, plan.Pool{Name: r.Name, Domain: r.Domain, Pattern: r.Pattern})
	}
	var members []struct{ Pool, Login string }
	err = db.Raw("SELECT m.pool, u.login FROM plan_pool_members m JOIN users u ON u.id = m.user_id WHERE m.campaign_id = ?",
		campaignID).Scan(&members).Error
	for _, m := range members {
		if i := slices.IndexFunc(pools, func(p plan.Pool) bool { return p.Name == m.Pool }); i >= 0 {
			pools[i].Members = append(pools[i].Members, m.Login)
		}
	}
	slices.SortFunc(pools, func(a, b plan.Pool) int { return strings.Compare(a.Name, b.Name) })
	for i := range pools {
		slices.Sort(pools[i].Members)
	}
	return pools, err
}
