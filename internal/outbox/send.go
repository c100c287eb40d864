package outbox

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"annotate/internal/database"
	"annotate/internal/wording"
)

// The states of a delivery.
const (
	waiting = "waiting"
	sent    = "sent"
	failed  = "failed"
)

// waits are the times between the attempts of a delivery, of webhooks and of mails. A delivery has one attempt more, and is given up
// 22 hours after the first. docs/api.md and docs/operating.md name the times.
var waits = []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour}

const (
	// attemptLasts is how long an attempt belongs to the server that began it. If this server dies, another server sends
	// the delivery after that time.
	attemptLasts = time.Minute
	// lookEvery is the time after which a server looks again for deliveries that other servers have
	// left.
	lookEvery = 5 * time.Second
	// perReceiver is the number of deliveries to a webhook, or of mails, that are sent before other webhooks get their
	// turn.
	perReceiver = 20
	// atOnce is the number of webhooks to which a server sends at the same time.
	atOnce = 4
)

// A Message is a delivery in the form that a webhook gets.
type Message struct {
	ID     string // id of the delivery; the same in each attempt
	URL    string
	Secret string
	Body   []byte // JSON
}

// A Sender sends a message to a webhook once. status is the status of the receiver's answer, or 0 without an answer.
// The error says in words why the receiver did not take the message.
type Sender interface {
	Send(ctx context.Context, m Message) (status int, err error)
}

// newSecret makes a secret in the form of the Standard Webhooks specification.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// purpose is the purpose for which the secret of a webhook is sealed.
func purpose(webhookID string) string { return "webhook " + webhookID }

// Senders are the ways in which a server sends. A nil field sends nothing.
type Senders struct {
	Webhooks Sender
	Mail     Mailer
}

// Run sends waiting deliveries until ctx ends. baseURL begins the addresses in events; it may be
// empty.
func (s *Store) Run(ctx context.Context, by Senders, baseURL string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		more, err := s.SendDue(ctx, by, baseURL)
		if err != nil && ctx.Err() == nil {
			s.db.Log.Error("send waiting deliveries", "error", err)
		}
		if more {
			s.wake(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.woken:
		case <-tick.C:
		}
	}
}

// SendDue sends deliveries that are due. Each webhook gets up to [perReceiver] deliveries in their order, and SendDue
// stops at one that the webhook does not take. It also sends up to [perReceiver] mails. more reports that more
// deliveries may be due.
func (s *Store) SendDue(ctx context.Context, by Senders, baseURL string) (more bool, err error) {
	var hooks []string
	if by.Webhooks != nil {
		err = s.db.Read(ctx).
			Raw("SELECT DISTINCT webhook_id FROM deliveries WHERE state = 'waiting' AND next_at <= ? AND webhook_id IS NOT NULL", database.InstantOf(s.db.Now())).
			Scan(&hooks).
			Error
		if err != nil {
			return false, err
		}
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	places := make(chan struct{}, atOnce)
	send := func(to func() (bool, error)) {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			left, failure := to()
			mu.Lock()
			defer mu.Unlock()
			more, err = more || left, errors.Join(err, failure)
		})
	}
	if by.Mail != nil {
		send(func() (bool, error) { return s.sendMails(ctx, by.Mail) })
	}
	for _, id := range hooks {
		send(func() (bool, error) { return s.sendTo(ctx, by.Webhooks, baseURL, id) })
	}
	group.Wait()
	return more, err
}

type dueRow struct {
	ID, URL, Secret, Event, Body, Slug string
	Attempts                           int
	CreatedAt                          database.Instant
}

// sendTo sends the deliveries that are due to one webhook.
func (s *Store) sendTo(ctx context.Context, sender Sender, baseURL, webhookID string) (more bool, err error) {
	var due []dueRow
	err = s.db.Read(ctx).Raw(`SELECT d.id, w.url, w.secret, d.event, d.body, coalesce(c.slug, '') AS slug, d.attempts, d.created_at
		FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN campaigns c ON c.id = d.campaign_id
		WHERE d.webhook_id = ? AND d.state = 'waiting' AND d.next_at <= ? ORDER BY d.id LIMIT ?`, webhookID, database.InstantOf(s.db.Now()), perReceiver).Scan(&due).Error
	if err != nil {
		return false, err
	}
	return s.sendEach(ctx, due, func(d dueRow) (int, bool, error) {
		status, err := s.attempt(ctx, sender, baseURL, webhookID, d)
		return status, false, err
	})
}

// sendEach sends deliveries in their order, and stops at one that must be sent again later. An attempt that fails for
// good is the last one.
func (s *Store) sendEach(ctx context.Context, due []dueRow, attempt func(dueRow) (status int, forGood bool, err error)) (more bool, err error) {
	for _, d := range due {
		ours, err := s.take(ctx, d.ID)
		if err != nil {
			return false, err
		}
		if !ours {
			continue
		}
		status, forGood, problem := attempt(d)
		if ctx.Err() != nil {
			return false, nil // the server stops; the delivery is sent again
		}
		if err := s.note(ctx, d, status, problem, forGood); err != nil {
			return false, err
		}
		if problem != nil && !forGood {
			return false, nil
		}
	}
	return len(due) == perReceiver, nil
}

// take gives the next attempt of a delivery to this server. It is false if another server was faster.
func (s *Store) take(ctx context.Context, id string) (ours bool, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		now := tx.Now()
		res := tx.Exec("UPDATE deliveries SET next_at = ?, attempts = attempts + 1 WHERE id = ? AND state = 'waiting' AND next_at <= ?",
			database.InstantOf(now.Add(attemptLasts)), id, database.InstantOf(now))
		ours = res.RowsAffected == 1
		return res.Error
	})
	return ours, err
}

func (s *Store) attempt(ctx context.Context, sender Sender, baseURL, webhookID string, d dueRow) (status int, err error) {
	secret, err := s.box.Open(ctx, purpose(webhookID), d.Secret)
	if err != nil {
		return 0, err
	}
	body, err := bodyOf(d, baseURL)
	if err != nil {
		return 0, err
	}
	return sender.Send(ctx, Message{ID: d.ID, URL: d.URL, Secret: secret, Body: body})
}

// An Envelope is the JSON that a webhook gets.
type Envelope struct {
	ID       string          `json:"id"`
	Event    string          `json:"event"`
	At       time.Time       `json:"at"`                 // time of the event
	Campaign string          `json:"campaign,omitempty"` // slug
	Read     string          `json:"read,omitempty"`     // address at which a program reads more, with a token
	Page     string          `json:"page,omitempty"`     // address at which a person reads more
	Data     json.RawMessage `json:"data"`
}

// places has the address below a campaign where programs and people read more of an event.
var places = map[string][2]string{
	SegmentSettled: {
		"/progress",
		"/segments",
	}, GoldChanged: {"/exports/gold-jsonl", "/segments"}, RoundComplete: {"/progress", "/queue"}, CampaignComplete: {"/exports/gold-jsonl", ""},
	ImportDone: {"/imports", "/import"}, ImportUndone: {"/imports", "/import"}, JudgeEnded: {"/judges", "/judges"},
}

func bodyOf(d dueRow, baseURL string) ([]byte, error) {
	e := Envelope{ID: d.ID, Event: d.Event, At: d.CreatedAt.Time().UTC(), Campaign: d.Slug, Data: json.RawMessage(d.Body)}
	if d.Slug != "" {
		at := "/campaigns/" + d.Slug
		e.Read, e.Page = baseURL+"/api/v1"+at+places[d.Event][0], baseURL+at+places[d.Event][1]
	}
	return json.Marshal(e)
}

// note stores the result of an attempt, and deletes the text of a mail that was sent.
func (s *Store) note(ctx context.Context, d dueRow, status int, problem error, forGood bool) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		now := tx.Now()
		state, next, words := sent, now, ""
		if problem != nil {
			words = database.Storable(wording.Cut(strings.TrimSpace(problem.Error()), 300))
			state = failed
			if !forGood && d.Attempts < len(waits) {
				state, next = waiting, now.Add(waits[d.Attempts])
			}
		}
		err := tx.Exec("UPDATE deliveries SET state = ?, next_at = ?, ended_at = ?, status = ?, problem = ? WHERE id = ?",
			state, database.InstantOf(next), database.InstantOf(now), status, words, d.ID).Error
		if err != nil {
			return err
		}
		return tx.Exec("UPDATE deliveries SET body = '' WHERE id = ? AND webhook_id IS NULL AND state = 'sent'", d.ID).Error
	})
}
