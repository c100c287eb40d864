package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A change of settings applies at once to everything that happens after it. The states of the
// existing segments follow the change. If the segments are few, they follow in the same
// transaction. If they are many, they follow in a [job]. Until its last step
// [records.RefuseCompleting] keeps leads from the campaign, so that nobody sees states of which only
// some follow the change. Annotators can go on working.

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
	f := s.NewFollowing(tx, c)
	f.Effect = e.SettingsPreview
	_, err := f.Segments(ids)
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
		_, err := job{ID: c.ID, Kind: settingsJob, CampaignID: c.ID, UserID: userID, Total: segments, State: e.encode()}.begin(tx)
		return e, true, err
	}
	err := EachSegmentBatch(tx.DB, c.ID, FollowBatch, func(ids []string) error {
		if err := records.LockSegmentsUnmarked(tx, ids); err != nil {
			return err
		}
		return e.extend(s, tx, c, ids)
	})
	return e, false, err
}

// FollowSettings brings the segments of a campaign, in steps, in line with a change of its
// settings that is under way.
func (s *Store) FollowSettings(ctx context.Context, campaignID string) error {
	return s.doJob(ctx, campaignID)
}

// followSettingsPart has some segments follow a change of settings.
func (s *Store) followSettingsPart(tx *database.Tx, c campaign.Campaign, j job, ids []string) error {
	e, err := effectOf(j)
	if err != nil {
		return err
	}
	if err := records.LockSegmentsUnmarked(tx, ids); err != nil {
		return err
	}
	if err := e.extend(s, tx, c, ids); err != nil {
		return err
	}
	return tx.Exec("UPDATE jobs SET state = ? WHERE id = ?", e.encode(), j.ID).Error
}

// effectOf is what a job has done so far.
func effectOf(j job) (e settingsEffect, err error) {
	err = json.Unmarshal([]byte(j.State), &e)
	return e, err
}

// noteEffect writes what a change of settings did to the audit log.
func (s *Store) noteEffect(tx *database.Tx, j job) error {
	e, err := effectOf(j)
	if err != nil {
		return err
	}
	return e.note(s, tx, j.CampaignID, j.UserID)
}

// noLongerOffered lists the severities that a change of settings no longer offers and that
// ratings of the campaign have. It reads all ratings, so it runs outside of the transaction.
func (s *Store) noLongerOffered(ctx context.Context, campaignID string, change records.CampaignChange) ([]string, error) {
	db := s.db.Read(ctx)
	c, err := records.ReadCampaign(db, campaignID)
	if err != nil {
		return nil, err
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
			return nil, err
		}
		if used {
			out = append(out, severity.ID)
		}
	}
	return out, nil
}
