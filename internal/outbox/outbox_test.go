package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/outbox"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// allEvents are the names of the events that webhooks can be told of.
func allEvents() (names []string) {
	for _, e := range outbox.Events {
		names = append(names, e.Name)
	}
	return names
}

// addWebhook makes a webhook that is told of all events, and forgets its ping.
func addWebhook(t *testing.T, db *storetest.DB, campaignID string) (id string) {
	t.Helper()
	id, secret, err := db.Outbox.AddWebhook(t.Context(), campaignID, "https://example.org/hook", allEvents(), "")
	storetest.Check(t, err)
	if !strings.HasPrefix(secret, "whsec_") || len(secret) < 40 {
		t.Errorf("the secret is %q", secret)
	}
	storetest.Exec(t, db, "DELETE FROM deliveries")
	return id
}

// events lists what waits to be sent since the last call, as "event data".
func events(t *testing.T, db *storetest.DB) (out []string) {
	t.Helper()
	out = storetest.Query[string](t, db, "SELECT event || ' ' || body FROM deliveries ORDER BY id")
	storetest.Exec(t, db, "DELETE FROM deliveries")
	return out
}

func segment(event, id string, round int, status campaign.Status) string {
	return fmt.Sprintf(`%s {"segments":[{"doc_id":"d1","segment_id":%q,"round":%d,"status":%q}]}`, event, id, round, status)
}

// TestEvents: each act tells what happened in its own transaction, on both databases, and without a webhook nothing is written.
func TestEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.PerDocument(2), storetest.Annotators(3))
		other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Segments(2), storetest.PerDocument(2))
		want := func(what string, want ...string) {
			t.Helper()
			if got := events(t, db); !slices.Equal(got, want) {
				t.Errorf("%s tells\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		a := storetest.Leading{T: t, Sample: s}
		storetest.RateBoth(t, db, other, 1, 0, 2, 4)
		want("a campaign without a webhook")
		addWebhook(t, db, s.Campaign.ID)

		storetest.RateFirst(t, db, s, 1, 0, 0, 2, 4)
		want("the first of two annotators")
		storetest.RateFirst(t, db, s, 1, 1, 0, 2, 4)
		want("a segment that passes", segment(outbox.RoundComplete, "s1", 1, campaign.Agreed), segment(outbox.SegmentSettled, "s1", 1, campaign.Agreed), segment(outbox.GoldChanged, "s1", 1, campaign.Agreed))
		storetest.RateBoth(t, db, s, 2, 4, 2, 0)
		want("a segment that fails", segment(outbox.RoundComplete, "s2", 2, campaign.Reannotate))
		a.Done(a.Discard("s2"))
		want("the last segment", segment(outbox.SegmentSettled, "s2", 1, campaign.Discarded), outbox.CampaignComplete+` {"segments":2}`)
		storetest.SetAside(t, s, 0)
		want("an annotator who is set aside", segment(outbox.GoldChanged, "s1", 1, campaign.Pending))
		storetest.Restore(t, s, 0)
		want("an annotator who is restored", `round.complete {"segments":[{"doc_id":"d1","segment_id":"s1","round":1,"status":"agreed"},{"doc_id":"d1","segment_id":"s2","round":1,"status":"discarded"}]}`, segment(outbox.SegmentSettled, "s1", 1, campaign.Agreed), segment(outbox.GoldChanged, "s1", 1, campaign.Agreed), outbox.CampaignComplete+` {"segments":2}`)

		storetest.RateBoth(t, db, other, 2, 0, 2, 4)
		want("another campaign")
		ofSite := addWebhook(t, db, "")
		storetest.Must(db.Intake.ImportScores(t.Context(), other.Campaign.ID, storetest.ScoreLines([]campaign.MetricScore{{Metric: "m", System: other.Systems[0], Score: 2}}), intake.ImportOptions{File: "m.sys.score"}))(t)
		want("an import, to the site", `import.done {"kind":"scores","files":"m.sys.score","brought":"1 scores"}`)
		storetest.Check(t, db.Outbox.RemoveWebhook(t.Context(), "", ofSite, ""))

		failure := errors.New("not this time")
		err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
			storetest.Check(t, db.Outbox.Tell(tx, s.Campaign.ID, outbox.ImportDone, "x"))
			return failure
		})
		storetest.WantErr(t, err, failure)
		want("what is rolled back")
	})
}

// TestLastTwoSegments: two transactions that settle the last two segments at the same time tell once that the campaign is complete.
func TestLastTwoSegments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(2), storetest.PerDocument(2))
		addWebhook(t, db, s.Campaign.ID)
		for n := range 2 {
			storetest.RateFirst(t, db, s, n+1, 0, 0, 2, 4)
		}
		var group sync.WaitGroup
		errs := make([]error, 2)
		for n := range 2 {
			id := storetest.HandOut(t, db, s, n+1, 1)
			group.Go(func() { errs[n] = s.TryRate(t.Context(), 1, id, 0, 2, 4) })
		}
		group.Wait()
		storetest.Check(t, errors.Join(errs...))
		storetest.WantCount(t, db, 1, "deliveries WHERE event = ?", outbox.CampaignComplete)
	})
}

// A receiver takes what it is sent, or not.
type receiver struct {
	mu    sync.Mutex
	fails bool
	got   []outbox.Message
	stop  func() // is called while a message is received
}

func (r *receiver) Send(_ context.Context, m outbox.Message) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, m)
	if r.stop != nil {
		r.stop()
	}
	if r.fails {
		return 503, errors.New("the receiver answered with status 503")
	}
	return 200, nil
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

func send(t *testing.T, st *store.Store, r *receiver) {
	t.Helper()
	storetest.Must(st.Outbox.SendDue(t.Context(), outbox.Senders{Webhooks: r}, "https://annotate.example.org"))(t)
}

// TestBackOff: what a receiver does not take is sent again for about a day and then given up; a person has it sent again. What
// follows it waits, and comes in order.
func TestBackOff(t *testing.T) {
	db, s := storetest.New(t, storetest.Segments(2), storetest.PerDocument(2))
	hook := addWebhook(t, db, s.Campaign.ID)
	storetest.RateBoth(t, db, s, 1, 0, 2, 4)
	r := &receiver{fails: true}
	var first, last time.Time
	for range 24 * 60 * 4 {
		before := r.count()
		send(t, db.Store, r)
		if n := r.count(); n > before {
			if last = db.Clock.Now(); first.IsZero() {
				first = last
			}
		}
		db.Clock.Advance(15 * time.Second)
	}
	if d := last.Sub(first); d < 20*time.Hour || d > 24*time.Hour {
		t.Errorf("the last attempt came %s after the first", d)
	}
	storetest.WantCount(t, db, 3, "deliveries WHERE state = 'failed' AND attempts = 9 AND status = 503")
	list, total, err := db.Outbox.Deliveries(t.Context(), s.Campaign.ID, 0, 10)
	storetest.Check(t, err)
	if total != 3 || list[0].Problem == "" || !list[0].NextAt.IsZero() {
		t.Errorf("the log has %d deliveries, the latest is %+v", total, list[0])
	}
	r.fails, r.got = false, nil
	send(t, db.Store, r)
	if len(r.got) > 0 {
		t.Error("what was given up is sent again")
	}
	storetest.WantErr(t, db.Outbox.SendAgain(t.Context(), "", list[2].ID), campaign.ErrNotFound)
	for _, d := range list {
		storetest.Check(t, db.Outbox.SendAgain(t.Context(), s.Campaign.ID, d.ID))
	}
	send(t, db.Store, r)
	var e outbox.Envelope
	storetest.Check(t, json.Unmarshal(r.got[0].Body, &e))
	if len(r.got) != 3 || e.Event != outbox.RoundComplete || e.ID != list[2].ID || e.Campaign != s.Campaign.Slug || e.Read != "https://annotate.example.org/api/v1/campaigns/sample/progress" || !e.At.Equal(storetest.Start) {
		t.Errorf("%d messages came, the first is %s", len(r.got), r.got[0].Body)
	}
	storetest.WantCount(t, db, 3, "deliveries WHERE state = 'sent' AND status = 200")
	send(t, db.Store, r)
	if len(r.got) != 3 {
		t.Error("what was sent is sent twice")
	}
	storetest.Check(t, db.Outbox.RemoveWebhook(t.Context(), s.Campaign.ID, hook, s.Lead.ID))
	storetest.WantCount(t, db, 0, "deliveries")
}

// TestSenders: of several servers, one sends each delivery. One that dies while it sends leaves the delivery to another.
func TestSenders(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Segments(1))
		addWebhook(t, db, s.Campaign.ID)
		storetest.RateBoth(t, db, s, 1, 0, 2, 4)
		other := storetest.Reopen(t, db)
		ctx, die := context.WithCancel(t.Context())
		dying := &receiver{stop: die}
		storetest.Must(db.Outbox.SendDue(ctx, outbox.Senders{Webhooks: dying}, ""))(t)
		storetest.WantCount(t, db, 0, "deliveries WHERE state = 'sent'")
		r := &receiver{}
		send(t, other, r)
		if n := len(r.got); n != 3 {
			t.Errorf("the other server sends %d deliveries, want those that nobody has begun", n)
		}
		db.Clock.Advance(2 * time.Minute)
		var group sync.WaitGroup
		for _, st := range []*store.Store{db.Store, other} {
			group.Go(func() { send(t, st, r) })
		}
		group.Wait()
		if len(r.got) != 4 || r.got[3].ID != dying.got[0].ID {
			t.Errorf("%d deliveries were sent, want the one of the dead server once more", len(r.got))
		}
		storetest.WantCount(t, db, 4, "deliveries WHERE state = 'sent'")
	})
}

// TestWebhookRefused: what can be no webhook is refused with its field.
func TestWebhookRefused(t *testing.T) {
	db, s := storetest.New(t)
	for address, field := range map[string]string{
		"ftp://example.org": "url", "example.org/x": "url", "https://": "url", "https://me:secret@example.org": "url", "https://example.org/#x": "url",
		"https://example.org/" + strings.Repeat("x", 2000): "url",
	} {
		_, _, err := db.Outbox.AddWebhook(t.Context(), s.Campaign.ID, address, allEvents(), s.Lead.ID)
		storetest.WantInvalid(t, err, field)
	}
	for _, events := range [][]string{nil, {"gold"}} {
		_, _, err := db.Outbox.AddWebhook(t.Context(), s.Campaign.ID, "https://example.org", events, s.Lead.ID)
		storetest.WantInvalid(t, err, "events")
	}
	storetest.WantCount(t, db, 0, "webhooks")
	storetest.WantErr(t, db.Outbox.RemoveWebhook(t.Context(), s.Campaign.ID, addWebhook(t, db, ""), s.Lead.ID), campaign.ErrNotFound)
}
