package intake

import (
	"context"
	"time"

	"annotate/internal/database"
)

// An importMark says that a server began an import for a page, and has not said that
// it is over.
type importMark struct {
	Files   string // names of the files
	BeganAt time.Time
	// Stored: an import into the campaign was finished since.
	Stored bool
}

// MarkImport notes that an import into a campaign begins. The mark stays until
// UnmarkImport deletes it, or another one takes its place.
func (s *Store) MarkImport(ctx context.Context, campaignID, files string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec(`INSERT INTO web_imports (campaign_id, files, began_at, imports) SELECT id, ?, ?, imports FROM campaigns WHERE id = ?
			ON CONFLICT (campaign_id) DO UPDATE SET files = excluded.files, began_at = excluded.began_at, imports = excluded.imports`,
			database.Storable(files), database.InstantOf(tx.Now()), campaignID).Error
	})
}

// UnmarkImport notes that the marked import into a campaign is over.
func (s *Store) UnmarkImport(ctx context.Context, campaignID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM web_imports WHERE campaign_id = ?", campaignID).Error
	})
}

// MarkedImport reads the mark of a campaign; ErrNotFound if there is none.
func (s *Store) MarkedImport(ctx context.Context, campaignID string) (importMark, error) {
	var m importMark
	var began database.Instant
	err := database.Scan(s.db.Read(ctx).Raw(`SELECT m.files, m.began_at, c.imports > m.imports FROM web_imports m JOIN campaigns c ON c.id = m.campaign_id
		WHERE m.campaign_id = ?`, campaignID), &m.Files, &began, &m.Stored)
	m.BeganAt = began.Time()
	return m, err
}
