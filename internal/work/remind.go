package work

import (
	"context"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
)

const (
	// remindBefore is the number of days before a due date from which an annotator gets a mail.
	remindBefore = 2
	// remindFrom is the hour of the day, in the campaign's time zone, from which mails about due dates are sent.
	remindFrom = 8
)

// Remind mails the annotators of a campaign whose planned documents are due within [remindBefore] days, or were due
// before today. It checks each annotator once before and once after each due date, and mails them if documents wait for
// them at that time.
func (s *Plans) Remind(ctx context.Context, c campaign.Campaign) error {
	now := s.db.Now().In(c.Settings.Location())
	if now.Hour() < remindFrom {
		return nil
	}
	today, soon := now.Format("2006-01-02"), now.AddDate(0, 0, remindBefore).Format("2006-01-02")
	var rows []struct {
		UserID, DueOn string
		Overdue       bool
	}
	err := s.db.Read(ctx).Raw(`SELECT DISTINCT t.user_id, b.due_on, b.due_on < ? AS overdue FROM plan_batches b
		JOIN plan_documents p ON p.campaign_id = b.campaign_id AND p.batch = b.name JOIN plan_turns t ON t.document_id = p.document_id JOIN users u ON u.id = t.user_id
		WHERE b.campaign_id = ? AND b.due_on <> '' AND b.due_on <= ? AND u.mail <> '' AND NOT u.mail_off AND NOT u.disabled
			AND NOT EXISTS (SELECT 1 FROM reminders r WHERE r.campaign_id = b.campaign_id AND r.user_id = t.user_id AND r.due_on = b.due_on AND r.overdue = (b.due_on < ?))
		ORDER BY t.user_id, b.due_on`, today, c.ID, soon, today).Scan(&rows).Error
	if err != nil {
		return err
	}
	days := map[string]map[bool][]string{} // by user and whether they are overdue
	for _, r := range rows {
		if days[r.UserID] == nil {
			days[r.UserID] = map[bool][]string{}
		}
		days[r.UserID][r.Overdue] = append(days[r.UserID][r.Overdue], r.DueOn)
	}
	for userID, of := range days {
		due, err := s.DueWork(ctx, c, userID)
		if err != nil {
			return err
		}
		for overdue, days := range of {
			if err := s.remind(ctx, c, userID, overdue, days, due); err != nil {
				return err
			}
		}
	}
	return nil
}

// remind stores that an annotator was checked for some days, and mails the annotator the documents
// that are due on these days.
func (s *Plans) remind(ctx context.Context, c campaign.Campaign, userID string, overdue bool, days []string, due []DueWork) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		var out []outbox.DueDay
		for _, day := range days {
			res := tx.Exec(
				"INSERT INTO reminders (campaign_id, user_id, due_on, overdue) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", c.ID, userID, day,
				overdue,
			)
			if res.Error != nil {
				return res.Error
			}
			for _, d := range due {
				if d.Due == day && res.RowsAffected > 0 { // otherwise another server was faster
					out = append(out, outbox.DueDay{Day: day, Documents: d.Documents})
				}
			}
		}
		if len(out) == 0 {
			return nil
		}
		return s.outbox.MailWork(tx, c.ID, userID, s.outbox.Due(c.Title, overdue, out))
	})
}
