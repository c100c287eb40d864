package outbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// A mailServer takes mails, or refuses them with a status.
type mailServer struct {
	mu     sync.Mutex
	status int // 0: it does not answer
	got    []outbox.Mail
}

func (s *mailServer) Send(_ context.Context, m outbox.Mail) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, m)
	if s.status != 250 {
		return s.status, errors.New("the mail server is busy")
	}
	return s.status, nil
}

func sendMails(t *testing.T, st *store.Store, s *mailServer) {
	t.Helper()
	storetest.Must(st.Outbox.SendDue(t.Context(), outbox.Senders{Mail: s}, ""))(t)
}

// TestMails: a mail is written with the change that it tells of, and only where servers send mail; it is sealed while it waits, sent by one of
// several servers, and its text is deleted then. What the server refuses for good is not tried again, and all else is tried for a day.
func TestMails(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		const secret = "https://annotate.example.org/sign-in/link/t0k3n"
		write := func(failure error) {
			t.Helper()
			err := storetest.Write(t.Context(), db.Store, func(tx *database.Tx) error {
				storetest.Check(t, db.Outbox.Mail(tx, "", "mara@example.org", db.Outbox.SignInLink("/sign-in/link/t0k3n", "an hour")))
				storetest.Check(t, db.Outbox.Mail(tx, "", "", db.Outbox.SignInLink("/", "an hour")))
				return failure
			})
			storetest.WantErr(t, err, failure)
		}
		write(nil)
		storetest.WantCount(t, db, 0, "deliveries")
		storetest.SendMails(t, db)
		failure := errors.New("not this time")
		write(failure)
		storetest.WantCount(t, db, 0, "deliveries")
		write(nil)
		storetest.WantCount(t, db, 1, "deliveries WHERE body NOT LIKE '%t0k3n%' AND body <> ''")

		busy, good := &mailServer{status: 451}, &mailServer{status: 250}
		sendMails(t, db.Store, busy)
		sendMails(t, db.Store, good)
		if len(busy.got) != 1 || len(good.got) != 0 {
			t.Errorf("a mail that is to wait is tried %d and %d times", len(busy.got), len(good.got))
		}
		db.Clock.Advance(time.Minute)
		other := storetest.Reopen(t, db)
		var group sync.WaitGroup
		for _, st := range []*store.Store{db.Store, other} {
			group.Go(func() { sendMails(t, st, good) })
		}
		group.Wait()
		if len(good.got) != 1 || good.got[0].To != "mara@example.org" || !strings.Contains(good.got[0].Text, secret) || good.got[0].ID != busy.got[0].ID {
			t.Errorf("sent is %+v", good.got)
		}
		storetest.WantCount(t, db, 1, "deliveries WHERE state = 'sent' AND body = '' AND attempts = 2 AND problem = ''")
		list, total, err := db.Outbox.Letters(t.Context(), 0, 10)
		storetest.Check(t, err)
		if total != 1 || list[0].Event != "sign-in link" || list[0].To != "mara@example.org" || list[0].WebhookID != "" {
			t.Errorf("the log is %+v", list)
		}
		storetest.WantErr(t, db.Outbox.MailAgain(t.Context(), list[0].ID), campaign.ErrConflict)
		storetest.WantErr(t, db.Outbox.MailAgain(t.Context(), "nosuch"), campaign.ErrNotFound)

		write(nil)
		write(nil)
		refuses := &mailServer{status: 550}
		sendMails(t, db.Store, refuses)
		if len(refuses.got) != 2 {
			t.Errorf("one refused mail keeps back the others: %d were tried", len(refuses.got))
		}
		db.Clock.Advance(time.Hour)
		sendMails(t, db.Store, refuses)
		storetest.WantCount(t, db, 2, "deliveries WHERE state = 'failed' AND attempts = 1 AND status = 550")
		for _, id := range storetest.Query[string](t, db, "SELECT id FROM deliveries WHERE state = 'failed'") {
			storetest.Check(t, db.Outbox.MailAgain(t.Context(), id))
		}
		down := &mailServer{}
		for range 24 * 60 {
			sendMails(t, db.Store, down)
			db.Clock.Advance(time.Minute)
		}
		storetest.WantCount(t, db, 2, "deliveries WHERE state = 'failed' AND attempts = 9")
		if len(down.got) != 18 {
			t.Errorf("a server that is down was asked %d times", len(down.got))
		}
		storetest.WantErr(t, db.Outbox.SendAgain(t.Context(), "", list[0].ID), campaign.ErrNotFound) // it is of no webhook
	})
}
