package intake

import (
	"context"
	"time"

	"annotate/internal/database"
)

// An importMark says that a server began an import for a page, and what came of it.
type importMark struct {
	Files   string // names of the files
	BeganAt time.Time
	// Stored: an import into the campaign was finished since.
	Stored bool
	// Outcome is JSON of the server that imported; empty if the import is under way, or the server was stopped.
	Outcome string
}

// MarkImport marks a campaign: without an outcome, an import or the undoing of one has begun; with an outcome, it has ended. The mark
// stays until UnmarkImport deletes it or another mark replaces it.
func (s *Store) MarkImport(ctx context.Context, campaignID, files, outcome string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec(`INSERT INTO web_imports (campaign_id, files, began_at, imports, outcome) SELECT id, ?, ?, imports, ? FROM campaigns WHERE id = ?
			ON CONFLICT (campaign_id) DO UPDATE SET files = excluded.files, began_at = excluded.began_at, imports = excluded.imports, outcome = excluded.outcome`,
			database.Storable(files), database.InstantOf(tx.Now()), outcome, campaignID).Error
	})
}

// UnmarkImport deletes the mark of a campaign after the page has shown the outcome.
func (s *Store) UnmarkImport(ctx context.Context, campaignID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM web_imports WHERE campaign_id = ?", campaignID).Error
	})
}

// MarkedImport reads the mark of a campaign; ErrNotFound if there is none.
func (s *Store) MarkedImport(ctx context.Context, campaignID string) (importMark, error) {
	var m importMark
	var began database.Instant
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT m.files, m.began_at, c.imports > m.imports, m.outcome FROM web_imports m JOIN campaigns c ON c.id = m.campaign_id
		WHERE m.campaign_id = ?`, campaignID), &m.Files, &began, &m.Stored, &m.Outcome)
	m.BeganAt = began.Time()
	return m, err
}
