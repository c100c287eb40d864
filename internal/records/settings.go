package records

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

// NoteChanges stores each changed value of a campaign: in the audit log, in the changes by
// version and, if it is a setting, in the interventions. c is the campaign after the change.
func (s *Store) NoteChanges(tx *database.Tx, userID string, c campaign.Campaign, changes []campaign.SettingChange) error {
	now := database.InstantOf(tx.Now())
	changed := database.NewRows("campaign_changes", "campaign_id", "version", "item", "was", "became", "by_id", "at")
	settings := database.NewRows("settings_changes", "id", "campaign_id", "setting", "was", "became", "by_id", "at")
	for _, x := range changes {
		if err := s.Audit(tx, c.ID, userID, "set "+strings.ReplaceAll(x.Key, "_lang", " language"),
			fmt.Sprintf("%s -> %s", x.From, x.To), ""); err != nil {
			return err
		}
		changed.Add(c.ID, c.SettingsVersion, x.Key, x.From, x.To, database.OrNull(userID), now)
		if campaign.IsSetting(x.Key) {
			settings.Add(database.NewID(), c.ID, x.Key, x.From, x.To, database.OrNull(userID), now)
		}
	}
	if err := changed.Insert(tx); err != nil {
		return err
	}
	return settings.Insert(tx)
}

// SettingsSince lists the changes of a campaign since a version of its settings, the earliest
// first. A version that does not exist is a *campaign.InvalidError.
func (s *Store) SettingsSince(ctx context.Context, c campaign.Campaign, version int) ([]campaign.SettingChange, error) {
	changes, err := settingsSince(s.db.Read(ctx), c, version)
	return changes, err
}

func settingsSince(db *gorm.DB, c campaign.Campaign, version int) ([]campaign.SettingChange, error) {
	if version < 1 || version > c.SettingsVersion {
		return nil, campaign.Invalid("version",
			fmt.Sprintf("the settings of campaign %q have the versions 1 to %d, but not %d", c.Slug, c.SettingsVersion, version))
	}
	var rows []struct {
		Item, Was, Became, ByLogin string
		At                         database.Instant
	}
	err := db.Raw(`SELECT x.item, x.was, x.became, coalesce(b.login, '') AS by_login, x.at FROM campaign_changes x
		LEFT JOIN users b ON b.id = x.by_id WHERE x.campaign_id = ? AND x.version > ? AND x.version <= ? ORDER BY x.version, x.item`,
		c.ID, version, c.SettingsVersion).Scan(&rows).Error
	out := make([]campaign.SettingChange, len(rows))
	for i, r := range rows {
		out[i] = campaign.SettingChange{Key: r.Item, From: r.Was, To: r.Became, At: r.At.Time(), By: r.ByLogin}
	}
	return out, err
}

// CheckCollisions returns a *campaign.CollisionError if changes that were made from a version
// of the settings would undo changes that others have made since. For version 0 it checks
// nothing.
func CheckCollisions(db *gorm.DB, c campaign.Campaign, version int, changes []campaign.SettingChange) error {
	if version == 0 {
		return nil
	}
	since, err := settingsSince(db, c, version)
	if err != nil {
		return err
	}
	if collisions := campaign.Collide(since, changes); len(collisions) > 0 {
		return &campaign.CollisionError{From: version, Now: c.SettingsVersion, Collisions: collisions}
	}
	return nil
}
