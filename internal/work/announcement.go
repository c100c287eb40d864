package work

import (
	"context"
	"fmt"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// Announce shows a text to the annotators of a campaign until the given time. If the time is zero,
// the announcement stays until [Store.EndAnnouncement] ends it.
func (s *Store) Announce(ctx context.Context, campaignID, text string, until time.Time, byID string) error {
	text, err := records.CleanMessage("text", text)
	if err != nil {
		return err
	}
	if !until.IsZero() && !until.After(s.db.Now()) {
		return campaign.Invalid("until", "choose a day that is not over")
	}
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		err := tx.Exec("INSERT INTO announcements (id, campaign_id, author_id, text, at, ends_at) VALUES (?, ?, ?, ?, ?, ?)",
			database.NewID(), c.ID, byID, text, database.InstantOf(tx.Now()), database.InstantOf(until)).Error
		if err != nil {
			return err
		}
		return s.records.Audit(tx, c.ID, byID, "announce", "", text)
	})
}

// EndAnnouncement ends an announcement. The error is an ErrNotFound if the campaign has no such
// announcement or the announcement has ended.
func (s *Store) EndAnnouncement(ctx context.Context, campaignID, id, byID string) error {
	return records.Change(ctx, s.db, campaignID, func(tx *database.Tx, c campaign.Campaign) error {
		now := database.InstantOf(tx.Now())
		res := tx.Exec("UPDATE announcements SET ends_at = ? WHERE id = ? AND campaign_id = ? AND (ends_at = 0 OR ends_at > ?)", now, id, c.ID, now)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return fmt.Errorf("announcement: %w", campaign.ErrNotFound)
		}
		return s.records.Audit(tx, c.ID, byID, "end announcement", "", "")
	})
}

// Announcements lists the announcements of a campaign, the latest first. Each names the annotators
// who have read it and the annotators who have not. Removed annotators are named only if they have
// read it.
func (s *Store) Announcements(ctx context.Context, campaignID string) ([]readmodel.Announcement, error) {
	var rows []struct {
		ID, Text, Login string
		At, EndsAt      database.Instant
	}
	db := s.db.Read(ctx)
	err := db.Raw("SELECT n.id, n.text, u.login, n.at, n.ends_at FROM announcements n JOIN users u ON u.id = n.author_id WHERE n.campaign_id = ? ORDER BY n.at DESC, n.id DESC", campaignID).
		Scan(&rows).
		Error
	if err != nil {
		return nil, err
	}
	var people []struct {
		AnnouncementID, Login string
		HasRead               bool
	}
	err = db.Raw(`SELECT n.id AS announcement_id, u.login, r.user_id IS NOT NULL AS has_read FROM announcements n JOIN memberships m ON m.campaign_id = n.campaign_id AND m.role = 'annotator'
		JOIN users u ON u.id = m.user_id LEFT JOIN announcement_reads r ON r.announcement_id = n.id AND r.user_id = m.user_id
		WHERE n.campaign_id = ? AND (r.user_id IS NOT NULL OR `+records.ActiveMember+`) ORDER BY u.login`, campaignID).
		Scan(&people).
		Error
	now := database.InstantOf(s.db.Now())
	out := make([]readmodel.Announcement, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Announcement{
			ID:     r.ID,
			Text:   r.Text,
			Login:  r.Login,
			At:     r.At.Time(),
			EndsAt: r.EndsAt.Time(),
			Ended:  r.EndsAt != 0 && r.EndsAt <= now,
		}
		for _, p := range people {
			switch {
			case p.AnnouncementID != r.ID:
			case p.HasRead:
				out[i].Read = append(out[i].Read, p.Login)
			default:
				out[i].Unread = append(out[i].Unread, p.Login)
			}
		}
	}
	return out, err
}

// CurrentAnnouncements lists the announcements of a campaign that have not ended, the latest first,
// without the login of the lead. New reports whether the annotator has not read the announcement.
func (s *Store) CurrentAnnouncements(ctx context.Context, campaignID, userID string) ([]readmodel.Announcement, error) {
	var rows []struct {
		ID, Text   string
		At, EndsAt database.Instant
		New        bool
	}
	err := s.db.Read(ctx).
		Raw(`SELECT n.id, n.text, n.at, n.ends_at, NOT EXISTS (SELECT 1 FROM announcement_reads r WHERE r.announcement_id = n.id AND r.user_id = ?) AS new
		FROM announcements n WHERE n.campaign_id = ? AND (n.ends_at = 0 OR n.ends_at > ?) ORDER BY n.at DESC, n.id DESC`, userID, campaignID, database.InstantOf(s.db.Now())).
		Scan(&rows).
		Error
	out := make([]readmodel.Announcement, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Announcement{ID: r.ID, Text: r.Text, At: r.At.Time(), EndsAt: r.EndsAt.Time(), New: r.New}
	}
	return out, err
}

// ReadAnnouncement stores that an annotator has read an announcement. A second call changes nothing.
func (s *Store) ReadAnnouncement(ctx context.Context, campaignID, id, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := records.RefuseArchived(tx.DB, campaignID); err != nil {
			return err
		}
		var n int
		err := database.Scan(tx.Raw("SELECT count(*) FROM announcements WHERE id = ? AND campaign_id = ?", id, campaignID), &n)
		if err == nil && n == 0 {
			err = fmt.Errorf("announcement: %w", campaign.ErrNotFound)
		}
		if err != nil {
			return err
		}
		return tx.Exec(
			"INSERT INTO announcement_reads (announcement_id, user_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, userID,
			database.InstantOf(tx.Now()),
		).Error
	})
}
