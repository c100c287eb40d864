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

// A Letter is the content of a mail to a person. It is sealed while it waits, and deleted once it is sent.
type Letter struct {
	About   string `json:"-"` // a few words for the log, without a secret
	Subject string `json:"subject"`
	Text    string `json:"text"` // paragraphs with an empty line between them
}

// SendMails switches mail on, and sets the beginning of the links in mails. Before it is called, [Store.Mail] writes
// nothing.
func (s *Store) SendMails(ctx context.Context, baseURL string) error {
	s.mails, s.baseURL = true, baseURL
	return s.box.Prepare(ctx)
}

// Mails reports whether servers send mail.
func (s *Store) Mails() bool { return s.mails }

// mailPurpose is the purpose for which the text of a mail is sealed.
func mailPurpose(id string) string { return "mail " + id }

// Mail queues a letter to an address. campaignID is the campaign that the letter is about, or empty. Without mail, or
// without an address, Mail does nothing.
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

// MailWork queues a letter about work to a user, unless the user has turned these mails off.
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
	l.Text += "\n\nYou can turn mails about work off on your account page: " + s.baseURL + "/account"
	return s.Mail(tx, campaignID, address, l)
}

// Letters lists mails that were sent or wait, the latest first. It also returns their number without offset and limit.
func (s *Store) Letters(ctx context.Context, offset, limit int) ([]readmodel.Delivery, int, error) {
	return s.deliveries(
		ctx, " FROM deliveries d LEFT JOIN campaigns c ON c.id = d.campaign_id WHERE d.webhook_id IS NULL",
		"'' AS webhook_id, d.recipient AS address", nil, offset, limit,
	)
}

// MailAgain makes a mail that waits or was given up due now. The error is ErrNotFound if there is no such mail, and
// ErrConflict if it was sent.
func (s *Store) MailAgain(ctx context.Context, id string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		var state string
		err := database.Scan(tx.Raw("SELECT state FROM deliveries WHERE id = ? AND webhook_id IS NULL", id), &state)
		switch {
		case errors.Is(err, campaign.ErrNotFound):
			return fmt.Errorf("there is no mail %q: %w", id, campaign.ErrNotFound)
		case err == nil && state == sent:
			return fmt.Errorf("this mail was sent, and its text is not kept; if a link is lost, make a new one: %w", campaign.ErrConflict)
		case err == nil:
			_, err = s.again(tx, "id = ?", id)
		}
		return err
	})
}

// A Mail is a mail as it is sent.
type Mail struct {
	ID      string // id of the delivery; the same in each attempt
	To      string
	Subject string
	Text    string
}

// A Mailer sends a mail once. status is the code with which the mail server took or refused the mail, or 0 if the
// server gave none. The error says in words why the mail server did not take the mail.
type Mailer interface {
	Send(ctx context.Context, m Mail) (status int, err error)
}

// refusedForGood is the least code of a mail server that refuses a mail for good (RFC 5321, section 4.2.1).
const refusedForGood = 500

// sendMails sends the mails that are due. It stops at a mail that must be sent again later, since the mail server may
// be down.
func (s *Store) sendMails(ctx context.Context, mailer Mailer) (more bool, err error) {
	var due []dueRow
	err = s.db.Read(ctx).
		Raw("SELECT id, recipient AS url, body, attempts FROM deliveries WHERE webhook_id IS NULL AND state = 'waiting' AND next_at <= ? ORDER BY id LIMIT ?",
			database.InstantOf(s.db.Now()), perReceiver).
		Scan(&due).
		Error
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
