package desk

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"annotate/internal/database"
)

// reportsKept is how many reports of a campaign are kept, each for other choices:
// beyond it the oldest goes.
const reportsKept = 24

// A KeptReport is a report as it was computed for some choices.
type KeptReport struct {
	Choices    string // names what was chosen; unique in the campaign
	State      string // of the data that it was computed from, as ReportState tells it
	Program    string // version that computed it
	ComputedAt time.Time
	Body       []byte // encoded by whoever keeps it
}

// KeepReport keeps a report of a campaign in place of the one for the same choices.
func (s *Store) KeepReport(ctx context.Context, campaignID string, r KeptReport) error {
	if err := database.CheckText("choices", r.Choices+r.State+r.Program); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		err := tx.Exec(`INSERT INTO reports (campaign_id, choices, state, program, computed_at, body) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (campaign_id, choices) DO UPDATE SET state = excluded.state, program = excluded.program, computed_at = excluded.computed_at, body = excluded.body`,
			campaignID, r.Choices, r.State, r.Program, database.InstantOf(r.ComputedAt), base64.StdEncoding.EncodeToString(r.Body)).Error
		if err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM reports WHERE campaign_id = ? AND choices NOT IN
			(SELECT choices FROM reports WHERE campaign_id = ? ORDER BY computed_at DESC, choices LIMIT ?)`, campaignID, campaignID, reportsKept).Error
	})
}

// KeptReport is the report of a campaign that is kept for some choices; ErrNotFound
// if none is.
func (s *Store) KeptReport(ctx context.Context, campaignID, choices string) (KeptReport, error) {
	r := KeptReport{Choices: choices}
	var at database.Instant
	var body string
	err := database.Scan(
		s.db.Read(ctx).Raw("SELECT state, program, computed_at, body FROM reports WHERE campaign_id = ? AND choices = ?", campaignID, choices),
		&r.State, &r.Program, &at, &body,
	)
	if err != nil {
		return r, err
	}
	r.ComputedAt = at.Time()
	if r.Body, err = base64.StdEncoding.DecodeString(body); err != nil {
		return r, fmt.Errorf("report %q of campaign %s: %w", choices, campaignID, err)
	}
	return r, nil
}

// ReportState names the state of everything that a report of a campaign is computed
// from: two are equal if nothing changed between them. It is [Store.Version] with
// the number of imports, since scores and references count nowhere else.
func (s *Store) ReportState(ctx context.Context, campaignID string) (string, error) {
	version, err := s.Version(ctx, campaignID)
	if err != nil {
		return "", err
	}
	var imports int64
	err = database.Scan(s.db.Read(ctx).Raw("SELECT imports FROM campaigns WHERE id = ?", campaignID), &imports)
	return fmt.Sprintf("%d.%d", version, imports), err
}
