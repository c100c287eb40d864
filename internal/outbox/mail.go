package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
)

// A Letter is what a person is sent by mail. It is sealed while it waits, and deleted once it is sent.
type Letter struct {
	About   string `json:"-"` // what the log says of it: a few words without a secret
	Subject string `json:"subject"`
	Text    string `json:"text"` // paragraphs with an empty line between them
}

// SendMails says that servers send mail, and how the links in it begin. Until then [Store.Mail] writes nothing.
func (s *Store) SendMails(ctx context.Context, baseURL string) error {
	s.mails, s.baseURL = true, baseURL
	return s.box.Prepare(ctx)
}

// Mails reports whether servers send mail.
func (s *Store) Mails() bool { return s.mails }

// mailPurpose is what the text of a mail is sealed for.
func mailPurpose(id string) string { return "mail " + id }

// Mail has a letter sent to an address. campaignID says what it is about; it may be empty. Without mail, or without an address, nothing
// happens.
func (s *Store) Mail(tx *database.Tx, campaignID, address string, l Letter) error {
	if !s.mails || address == "" {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	id := database.NewID()
	sealed, err := s.box.Seal(tx.Context(), mailPurpose(id), string(text))
	if err != nil {
		return err
	}
	now := database.InstantOf(tx.Now())
	tx.AfterCommit(s.wake)
	return tx.Exec("INSERT INTO deliveries (id, campaign_id, recipient, event, body, state, created_at, next_at) VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)",
		id, database.OrNull(campaignID), address, l.About, sealed, now, now).Error
}

// MailWork has a letter about work sent to a user, who may have turned such mails off.
func (s *Store) MailWork(tx *database.Tx, campaignID, userID string, l Letter) error {
	if !s.mails {
		return nil
	}
	var address string
	err := database.Scan(tx.Raw("SELECT mail FROM users WHERE id = ? AND NOT mail_off AND NOT disabled", userID), &address)
	if errors.Is(err, campaign.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	l.Text += "\n\nYou can turn such mails off on your account page: " + s.baseURL + "/account"
	return s.Mail(tx, campaignID, address, l)
}

// Letters lists what was mailed or is to be mailed, the latest first. It also returns the number of all without offset and limit.
func (s *Store) Letters(ctx context.Context, offset, limit int) ([]readmodel.Delivery, int, error) {
	return s.deliveries(ctx, " FROM deliveries d LEFT JOIN campaigns c ON c.id = d.campaign_id WHERE d.webhook_id IS NULL", "'' AS webhook_id, d.recipient AS address", nil, offset, limit)
}

// MailAgain has a mail sent again that waits or was given up. The error is ErrNotFound if there is none, and ErrConflict if it was sent.
func (s *Store) MailAgain(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		var state string
		err := database.Scan(tx.Raw("SELECT state FROM deliveries WHERE id = ? AND webhook_id IS NULL", id), &state)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			return fmt.Errorf("there is no mail %q: %w", id, campaign.ErrNotFound)
		case err == nil && state == sent:
			return fmt.Errorf("this mail was sent, and its text is not kept; make a new link in place of a lost one: %w", campaign.ErrConflict)
		case err == nil:
			_, err = s.again(tx, "id = ?", id)
		}
		return err
	})
}

// A Mail is a mail as it is sent.
type Mail struct {
	ID      string // of the delivery; the same each time it is sent
	To      string
	Subject string
	Text    string
}

// A Mailer sends a mail once. status is the code with which the server took this mail or refused it; it is 0 if the mail did
// not come that far. The error says in words why the mail was not taken.
type Mailer interface {
	Send(ctx context.Context, m Mail) (status int, err error)
}

// refusedForGood is the least code with which a server refuses a mail so that it need not be sent again (RFC 5321, section 4.2.1).
const refusedForGood = 500

// sendMails sends the mails that are due, and stops at one that is to be sent again later: the server may be down.
func (s *Store) sendMails(ctx context.Context, mailer Mailer) (more bool, err error) {
	var due []dueRow
	err = s.db.Read(ctx).Raw("SELECT id, recipient AS url, body, attempts FROM deliveries WHERE webhook_id IS NULL AND state = 'waiting' AND next_at <= ? ORDER BY id LIMIT ?",
		database.InstantOf(s.db.Now()), perReceiver).Scan(&due).Error
	if err != nil {
		return false, err
	}
	return s.sendEach(ctx, due, func(d dueRow) (status int, forGood bool, err error) {
		text, err := s.box.Open(ctx, mailPurpose(d.ID), d.Body)
		if err != nil {
			return 0, true, err
		}
		var l Letter
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			return 0, true, err
		}
		status, err = mailer.Send(ctx, Mail{ID: d.ID, To: d.URL, Subject: l.Subject, Text: l.Text})
		return status, status >= refusedForGood, err
	})
}
