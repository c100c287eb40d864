package rounds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A change of settings applies at once to everything that happens after it. The states of the
// existing segments follow the change. If the segments are few, they follow in the same
// transaction. If they are many, they follow in steps after it, so that no save waits for all
// of them. Until the last step [records.RefuseCompleting] keeps leads from the campaign, so
// that nobody sees states of which only some follow the change. Annotators can go on working.
// A step begins where the last one ended, even if another process did that one.

// A settingsEffect is what a change of settings has done so far.
type settingsEffect struct {
	readmodel.SettingsPreview
	Rescores       bool     // the scores of ratings are computed again
	Read, Rescored int      // number of ratings with errors, and of those whose score changed
	Kept           []string // severities that are no longer offered, but that ratings have
}

// words describes the effect on the scores of ratings; empty if they are not computed again.
func (e settingsEffect) words() string {
	if !e.Rescores {
		return ""
	}
	report := fmt.Sprintf("%d of %d ratings with errors have another score", e.Rescored, e.Read)
	for _, id := range e.Kept {
		report += fmt.Sprintf("; %q is used, stays as the campaign's own and costs nothing", id)
	}
	return report
}

// preview returns the effect in the form that is shown to people.
func (e settingsEffect) preview() readmodel.SettingsPreview {
	out := e.SettingsPreview
	out.Rescored = e.words()
	return out
}

// encode returns the effect in the form that is stored.
func (e settingsEffect) encode() string {
	text, _ := json.Marshal(e) // numbers and texts can't fail
	return string(text)
}

// extend brings the states of some segments, which are locked, in line with the settings of c,
// and adds the changes to the effect.
func (e *settingsEffect) extend(s *Store, tx *database.Tx, c campaign.Campaign, ids []string) error {
	if e.Rescores {
		var err error
		if c, err = e.rescore(tx, c, ids); err != nil {
			return err
		}
	}
	f, err := s.NewFollowing(tx, c)
	if err != nil {
		return err
	}
	f.Effect = e.SettingsPreview
	err = f.Segments(ids)
	e.SettingsPreview = f.Effect
	return err
}

// rescore computes the scores of some segments again. It returns the campaign with the
// severities and categories that the ratings have and the protocol lacks.
func (e *settingsEffect) rescore(tx *database.Tx, c campaign.Campaign, ids []string) (campaign.Campaign, error) {
	terms, err := records.NewOwnTerms(c)
	if err != nil {
		return c, err
	}
	r := rescoring{tx: tx, terms: terms}
	if err := r.segments(ids); err != nil {
		return c, err
	}
	e.Read, e.Rescored = e.Read+r.read, e.Rescored+r.changed
	if len(terms.Own.Severities) == len(c.Own.Severities) && len(terms.Own.Categories) == len(c.Own.Categories) {
		return c, nil
	}
	e.Kept = append(e.Kept, terms.Own.Severities[len(c.Own.Severities):]...)
	c.Own, c.Rules = terms.Own, terms.Rules
	return c, tx.Exec("UPDATE campaigns SET own_terms = ? WHERE id = ?", records.EncodeOwn(c.Own), c.ID).Error
}

// note writes the effect to the audit log.
func (e settingsEffect) note(s *Store, tx *database.Tx, campaignID, userID string) error {
	if e.Rescores {
		if err := s.records.Audit(tx, campaignID, userID, "recompute scores", e.words(), ""); err != nil {
			return err
		}
	}
	if len(e.Moves) == 0 {
		return nil
	}
	return s.records.Audit(tx, campaignID, userID, "decide anew", e.String(), "")
}

// followChange brings the states of all segments in line with a change of settings, if the
// change can affect them. It returns true if there are many, and leaves them to
// [Store.FollowSettings].
func (s *Store) followChange(tx *database.Tx, before, c campaign.Campaign, userID string, e settingsEffect) (settingsEffect, bool, error) {
	if !decidesAnew(before, c) {
		return e, false, nil
	}
	var segments int
	if err := database.Scan(tx.Raw("SELECT count(*) FROM segments WHERE campaign_id = ?", c.ID), &segments); err != nil {
		return e, false, err
	}
	if segments > s.db.ActStep {
		if err := tx.Exec("DELETE FROM settings_effects WHERE campaign_id = ?", c.ID).Error; err != nil { // an earlier change, which is completed
			return e, false, err
		}
		return e, true, tx.Exec("INSERT INTO settings_effects (campaign_id, version, by_id, rescores, segments, effect) VALUES (?, ?, ?, ?, ?, ?)",
			c.ID, c.SettingsVersion, database.OrNull(userID), e.Rescores, segments, e.encode()).Error
	}
	err := EachSegmentBatch(tx.DB, c.ID, FollowBatch, func(ids []string) error {
		if err := records.LockSegmentsUnmarked(tx, ids); err != nil {
			return err
		}
		return e.extend(s, tx, c, ids)
	})
	return e, false, err
}

// An effectRow is a row of settings_effects: a change of settings that not all segments
// follow yet.
type effectRow struct {
	Version, Position, Followed int
	UserID                      string
	Effect                      settingsEffect
}

// readEffect reads how far the segments follow a change of settings. The error is ErrNoRows
// if no change is under way.
func readEffect(db *gorm.DB, campaignID string) (r effectRow, err error) {
	var text string
	err = database.Scan(db.Raw("SELECT version, position, followed, coalesce(by_id, ''), effect FROM settings_effects WHERE campaign_id = ? AND NOT done", campaignID),
		&r.Version, &r.Position, &r.Followed, &r.UserID, &text)
	if err == nil {
		err = json.Unmarshal([]byte(text), &r.Effect)
	}
	return r, err
}

// FollowSettings brings the segments of a campaign, in steps, in line with a change of its
// settings that is under way. Several processes may do so at the same time. If no change is
// under way, it does nothing and does not wait for other programs that write: every command
// that reads a campaign calls it.
func (s *Store) FollowSettings(ctx context.Context, campaignID string) error {
	_, err := readEffect(s.db.Read(ctx), campaignID)
	switch {
	case errors.Is(err, database.ErrNoRows):
		return nil
	case err != nil:
		return database.Translate(err)
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.db.WriteLong(ctx, func(tx *database.Tx) (err error) {
			more, err = s.followSettingsStep(tx, campaignID)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// followSettingsStep does one step of [Store.FollowSettings], and reports whether to go on.
func (s *Store) followSettingsStep(tx *database.Tx, campaignID string) (more bool, err error) {
	c, err := records.LockEvenCompleting(tx, campaignID)
	if err != nil {
		return false, err
	}
	r, err := readEffect(tx.DB, campaignID)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var rows []struct {
		ID       string
		Position int
	}
	err = tx.Raw("SELECT id, position FROM segments WHERE campaign_id = ? AND position > ? ORDER BY position LIMIT ?", campaignID, r.Position, s.db.ActStep).Scan(&rows).Error
	if err != nil {
		return false, err
	}
	if len(rows) == 0 {
		var early int // number of ratings that RescoreAhead gave another score
		if err := database.Scan(tx.Raw("SELECT early FROM settings_effects WHERE campaign_id = ? AND version = ?", campaignID, r.Version), &early); err != nil {
			return false, err
		}
		r.Effect.Rescored += early
		if err := r.Effect.note(s, tx, campaignID, r.UserID); err != nil {
			return false, err
		}
		return false, tx.Exec("UPDATE settings_effects SET done = TRUE, effect = ? WHERE campaign_id = ? AND version = ?", r.Effect.encode(), campaignID, r.Version).Error
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	slices.Sort(ids)
	if err := records.LockSegmentsUnmarked(tx, ids); err != nil {
		return false, err
	}
	if err := r.Effect.extend(s, tx, c, ids); err != nil {
		return false, err
	}
	return true, tx.Exec("UPDATE settings_effects SET position = ?, followed = ?, effect = ? WHERE campaign_id = ? AND version = ?",
		rows[len(rows)-1].Position, r.Followed+len(rows), r.Effect.encode(), campaignID, r.Version).Error
}

// RescoreAhead computes the scores of a segment's ratings again, if a change of settings that
// is under way has not reached the segment yet. The caller has locked the segment.
func RescoreAhead(tx *database.Tx, c campaign.Campaign, segmentID string) (campaign.Campaign, error) {
	var left bool
	err := database.Scan(tx.Raw("SELECT count(*) > 0 FROM settings_effects x JOIN segments g ON g.campaign_id = x.campaign_id WHERE x.campaign_id = ? AND x.rescores AND NOT x.done AND g.id = ? AND g.position > x.position",
		c.ID, segmentID), &left)
	if err != nil || !left {
		return c, err
	}
	var e settingsEffect
	if c, err = e.rescore(tx, c, []string{segmentID}); err != nil || e.Rescored == 0 {
		return c, err
	}
	return c, tx.Exec("UPDATE settings_effects SET early = early + ? WHERE campaign_id = ? AND NOT done", e.Rescored, c.ID).Error
}

// ResumeSettingsChanges completes the changes of settings that programs had not completed
// when they were killed.
func (s *Store) ResumeSettingsChanges(ctx context.Context) error {
	var ids []string
	if err := s.db.Read(ctx).Raw("SELECT campaign_id FROM settings_effects WHERE NOT done ORDER BY campaign_id").Scan(&ids).Error; err != nil {
		return database.Translate(err)
	}
	for _, id := range ids {
		if err := s.FollowSettings(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// effectOf reads the effect of a change that is completed. It is empty if somebody has changed
// the settings again since.
func (s *Store) effectOf(ctx context.Context, campaignID string, version int) (readmodel.SettingsPreview, error) {
	var text string
	err := database.Scan(s.db.Read(ctx).Raw("SELECT effect FROM settings_effects WHERE campaign_id = ? AND version = ?", campaignID, version), &text)
	if errors.Is(err, database.ErrNoRows) {
		return readmodel.SettingsPreview{}, nil
	}
	var e settingsEffect
	if err == nil {
		err = json.Unmarshal([]byte(text), &e)
	}
	return e.preview(), database.Translate(err)
}

// noLongerOffered lists the severities that a change of settings no longer offers and that
// ratings of the campaign have. It reads all ratings, so it runs outside of the transaction.
func (s *Store) noLongerOffered(ctx context.Context, campaignID string, change records.CampaignChange) ([]string, error) {
	db := s.db.Read(ctx)
	c, err := records.ReadCampaign(db, campaignID)
	if err != nil {
		return nil, database.Translate(err)
	}
	settings, err := c.Settings.WithPairs(change.Settings)
	if err != nil {
		return nil, err
	}
	after, err := withSettings(c, settings)
	if err != nil || c.Rules.Spans == nil {
		return nil, err
	}
	var out []string
	for _, severity := range c.Rules.Spans.Severities {
		if _, ok := after.Rules.Spans.Severity(severity.ID); ok {
			continue
		}
		name, _ := json.Marshal(severity.ID) // a text can't fail
		var used bool
		err := database.Scan(db.Raw(`SELECT EXISTS (SELECT 1 FROM assignments a JOIN ratings r ON r.assignment_id = a.id
			WHERE a.campaign_id = ? AND r.spans LIKE ? ESCAPE '!')`, campaignID, `%"severity":`+strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(string(name))+`%`), &used)
		if err != nil {
			return nil, database.Translate(err)
		}
		if used {
			out = append(out, severity.ID)
		}
	}
	return out, nil
}
