// Package outbox stores deliveries: events for webhooks, and mails to people. A delivery is written in the transaction
// of the change that it reports. So every change that happened is reported, and no other. Servers send deliveries later
// ([Store.SendDue]). If the receiver does not take a delivery, they try again for 22 hours. They keep the result for
// [logLasts]. A delivery may arrive twice, for example if a server dies before it has stored the answer. Both then have
// the same id.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
	"annotate/internal/secrets"
	"annotate/internal/wording"
)

// A Store keeps webhooks and deliveries.
type Store struct {
	db      *database.DB
	records *records.Store
	box     *secrets.Box
	woken   chan struct{} // signals deliveries that are due at once
	mails   bool          // servers send mail
	baseURL string        // the beginning of links in mails
}

// New returns a store on an open database.
func New(db *database.DB, records *records.Store, box *secrets.Box) *Store {
	return &Store{db: db, records: records, box: box, woken: make(chan struct{}, 1)}
}

// The events that webhooks can get.
const (
	SegmentSettled   = "segment.settled"
	GoldChanged      = "gold.changed"
	RoundComplete    = "round.complete"
	CampaignComplete = "campaign.complete"
	ImportDone       = "import.done"
	ImportUndone     = "import.undone"
	JudgeEnded       = "judge.ended"
	// Ping is sent to a webhook when it is made, and on demand.
	Ping = "ping"
)

// An Event is a kind of event that webhooks can get.
type Event struct {
	Name string
	Help string // when it happens, in words
}

// Events lists the events that a webhook can get.
var Events = []Event{
	{SegmentSettled, "a segment needs no more ratings"},
	{GoldChanged, "a segment enters gold or leaves it, or other ratings decide its gold"},
	{RoundComplete, "all annotators of a round of a segment have submitted"},
	{CampaignComplete, "the last segment of a campaign is settled; it may come again if the campaign gets more work"},
	{ImportDone, "an import is done"},
	{ImportUndone, "an import is undone"},
	{JudgeEnded, "a run of a judge is done, or stopped"},
}

func isEvent(name string) bool {
	return slices.ContainsFunc(Events, func(e Event) bool { return e.Name == name })
}

// The limits of webhooks.
const (
	maxWebhooks = 20 // of a campaign, or of the site
	maxURL      = 2000
)

// CheckURL returns an error if a webhook cannot have this address. The sender checks the address of the host at each
// delivery.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return campaign.Invalid("url", "give an address such as https://example.org/annotate")
	case u.User != nil:
		return campaign.Invalid("url", "give an address without a user or a password; the signature proves the sender")
	case u.Fragment != "":
		return campaign.Invalid("url", "give an address without # and the part after it, which is never sent")
	case len(address) > maxURL:
		return campaign.Invalid("url", fmt.Sprintf("give an address of at most %d characters", maxURL))
	}
	return nil
}

// checkEvents returns the events of a webhook in the order of [Events].
func checkEvents(names []string) (out []string, err error) {
	for _, n := range names {
		if !isEvent(n) {
			var known []string
			for _, e := range Events {
				known = append(known, e.Name)
			}
			return nil, campaign.Invalid("events", fmt.Sprintf("there is no event %q; use %s", n, wording.List(known)))
		}
	}
	for _, e := range Events {
		if slices.Contains(names, e.Name) {
			out = append(out, e.Name)
		}
	}
	if len(out) == 0 {
		return nil, campaign.Invalid("events", "choose at least one event")
	}
	return out, nil
}

// of is the SQL condition on the column campaign_id that a webhook belongs to a campaign or, if the campaign is empty,
// to the site. It takes its argument twice.
const of = "(campaign_id = ? OR ? = '' AND campaign_id IS NULL)"

// AddWebhook makes a webhook of a campaign or, if the campaign is empty, one for all campaigns. It returns the secret
// that signs deliveries, which is not shown again. The first delivery is a [Ping]. The error is a
// *[campaign.InvalidError] of url or events.
func (s *Store) AddWebhook(ctx context.Context, campaignID, address string, events []string, userID string) (id, secret string, err error) {
	if err := CheckURL(address); err != nil {
		return "", "", err
	}
	if events, err = checkEvents(events); err != nil {
		return "", "", err
	}
	if err := s.box.Prepare(ctx); err != nil {
		return "", "", err
	}
	id, secret = database.NewID(), newSecret()
	sealed, err := s.box.Seal(ctx, purpose(id), secret)
	if err != nil {
		return "", "", err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		var has int
		if err := database.Scan(tx.Raw("SELECT count(*) FROM webhooks WHERE "+of, campaignID, campaignID), &has); err != nil {
			return err
		}
		if has >= maxWebhooks {
			return campaign.Invalid("url", fmt.Sprintf("there are already %d webhooks; remove one that you do not use", has))
		}
		err := tx.Exec("INSERT INTO webhooks (id, campaign_id, url, events, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)",
			id, database.OrNull(campaignID), address, " "+strings.Join(events, " ")+" ", sealed, database.InstantOf(tx.Now())).Error
		if err != nil {
			return err
		}
		if err := s.log(tx, campaignID, userID, "add webhook", address, strings.Join(events, ", ")); err != nil {
			return err
		}
		return s.ping(tx, id, campaignID)
	})
	return id, secret, err
}

// log writes an act on a webhook to the log of its campaign or of the site.
func (s *Store) log(tx *database.Tx, campaignID, userID, act, subject, detail string) error {
	if campaignID == "" {
		return records.LogSite(tx, userID, act, subject, detail)
	}
	return s.records.Audit(tx, campaignID, userID, act, subject, detail)
}

// find returns the address of a webhook of a campaign or of the site. The error is ErrNotFound if there is no such
// webhook.
func find(tx *database.Tx, campaignID, id string) (address string, err error) {
	err = database.Scan(tx.Raw("SELECT url FROM webhooks WHERE id = ? AND "+of, id, campaignID, campaignID), &address)
	if errors.Is(err, campaign.ErrNotFound) {
		err = fmt.Errorf("there is no webhook %q: %w", id, campaign.ErrNotFound)
	}
	return address, err
}

// RemoveWebhook deletes a webhook of a campaign (or, if the campaign is empty, of the site) with its deliveries. The
// error is ErrNotFound if there is no such webhook.
func (s *Store) RemoveWebhook(ctx context.Context, campaignID, id, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		address, err := find(tx, campaignID, id)
		if err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM webhooks WHERE id = ?", id).Error; err != nil {
			return err
		}
		return s.log(tx, campaignID, userID, "remove webhook", address, "")
	})
}

// SendPing sends a [Ping] to a webhook of a campaign or, if the campaign is empty, of the site. The error is
// ErrNotFound if there is no such webhook.
func (s *Store) SendPing(ctx context.Context, campaignID, id string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if _, err := find(tx, campaignID, id); err != nil {
			return err
		}
		return s.ping(tx, id, campaignID)
	})
}

func (s *Store) ping(tx *database.Tx, webhookID, campaignID string) error {
	now := database.InstantOf(tx.Now())
	tx.AfterCommit(s.wake)
	return tx.Exec("INSERT INTO deliveries (id, webhook_id, campaign_id, event, body, state, created_at, next_at) VALUES (?, ?, ?, ?, '{}', 'waiting', ?, ?)",
		database.NewID(), webhookID, database.OrNull(campaignID), Ping, now, now).Error
}

// Webhooks lists the webhooks of a campaign or, if the campaign is empty, of the site, the oldest first.
func (s *Store) Webhooks(ctx context.Context, campaignID string) ([]readmodel.Webhook, error) {
	var rows []struct {
		ID, Campaign, URL, Events string
		CreatedAt                 database.Instant
		Waiting, Failed           int
	}
	err := s.db.Read(ctx).Raw(`SELECT w.id, coalesce(c.slug, '') AS campaign, w.url, w.events, w.created_at,
			(SELECT count(*) FROM deliveries d WHERE d.webhook_id = w.id AND d.state = 'waiting') AS waiting,
			(SELECT count(*) FROM deliveries d WHERE d.webhook_id = w.id AND d.state = 'failed') AS failed
		FROM webhooks w LEFT JOIN campaigns c ON c.id = w.campaign_id WHERE w.`+of[1:len(of)-1]+` ORDER BY w.id`, campaignID, campaignID).Scan(&rows).Error
	out := make([]readmodel.Webhook, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Webhook{
			ID:        r.ID,
			Campaign:  r.Campaign,
			URL:       r.URL,
			Events:    strings.Fields(r.Events),
			CreatedAt: r.CreatedAt.Time(),
			Waiting:   r.Waiting,
			Failed:    r.Failed,
		}
	}
	return out, err
}

// Deliveries lists the deliveries, sent and waiting, to the webhooks of a campaign or, if the campaign is empty, of the
// site, the latest first. It also returns their number without offset and limit.
func (s *Store) Deliveries(ctx context.Context, campaignID string, offset, limit int) ([]readmodel.Delivery, int, error) {
	const from = " FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN campaigns c ON c.id = d.campaign_id WHERE (w.campaign_id = ? OR ? = '' AND w.campaign_id IS NULL)"
	return s.deliveries(ctx, from, "d.webhook_id, w.url AS address", []any{campaignID, campaignID}, offset, limit)
}

// deliveries lists a part of the rows that the SQL clause from chooses. receiver selects webhook_id
// and address.
func (s *Store) deliveries(ctx context.Context, from, receiver string, args []any, offset, limit int) ([]readmodel.Delivery, int, error) {
	db := s.db.Read(ctx)
	var total int
	if err := database.Scan(db.Raw("SELECT count(*)"+from, args...), &total); err != nil {
		return nil, 0, err
	}
	var rows []struct {
		ID, WebhookID, Address, Campaign, Event, State, Problem string
		Attempts, Status                                        int
		CreatedAt, NextAt, EndedAt                              database.Instant
	}
	err := db.Raw("SELECT d.id, "+receiver+", coalesce(c.slug, '') AS campaign, d.event, d.state, d.attempts, d.created_at, d.next_at, d.ended_at, d.status, d.problem"+from+
		" ORDER BY d.id DESC LIMIT ? OFFSET ?", append(args, limit, max(0, offset))...).
		Scan(&rows).
		Error
	out := make([]readmodel.Delivery, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Delivery{ID: r.ID, WebhookID: r.WebhookID, To: r.Address, Campaign: r.Campaign, Event: r.Event, State: r.State, Attempts: r.Attempts,
			CreatedAt: r.CreatedAt.Time(), EndedAt: r.EndedAt.Time(), Status: r.Status, Problem: r.Problem}
		if r.State == waiting {
			out[i].NextAt = r.NextAt.Time()
		}
	}
	return out, total, err
}

// SendAgain makes a delivery to a webhook of a campaign or, if the campaign is empty, of the site due now, as if it had
// not been tried. The error is ErrNotFound if there is no such delivery.
func (s *Store) SendAgain(ctx context.Context, campaignID, id string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		found, err := s.again(tx, "id = ? AND webhook_id IN (SELECT id FROM webhooks WHERE "+of+")", id, campaignID, campaignID)
		if err == nil && !found {
			err = fmt.Errorf("there is no delivery %q: %w", id, campaign.ErrNotFound)
		}
		return err
	})
}

// again makes the delivery that meets a condition due now, as if it had not been tried. It reports whether there is
// such a delivery.
func (s *Store) again(tx *database.Tx, where string, args ...any) (found bool, err error) {
	tx.AfterCommit(s.wake)
	res := tx.Exec(
		"UPDATE deliveries SET state = 'waiting', attempts = 0, next_at = ?, problem = '' WHERE "+where,
		append([]any{database.InstantOf(tx.Now())}, args...)...)
	return res.RowsAffected > 0, res.Error
}

// wake makes this server send waiting deliveries at once.
func (s *Store) wake(context.Context) {
	select {
	case s.woken <- struct{}{}:
	default: // the server is already woken
	}
}

// logLasts is how long deliveries are kept.
const logLasts = 30 * 24 * time.Hour

// DeleteOld deletes deliveries that have been sent or given up and are older than [logLasts].
func (s *Store) DeleteOld(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		return tx.Exec("DELETE FROM deliveries WHERE state <> 'waiting' AND created_at < ?", database.InstantOf(tx.Now().Add(-logLasts))).Error
	})
}
