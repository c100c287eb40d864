package storetest

import (
	"context"
	"testing"

	"annotate/internal/outbox"
)

// SendMails has the outbox write mails from now on.
func SendMails(t testing.TB, db *DB) {
	t.Helper()
	Check(t, db.Outbox.SendMails(t.Context(), "https://annotate.example.org"))
}

// Mailed returns what waits to be mailed, which is then sent.
func Mailed(t testing.TB, db *DB) []outbox.Mail {
	t.Helper()
	var p postbox
	for more := true; more; {
		more = Must(db.Outbox.SendDue(t.Context(), outbox.Senders{Mail: &p}, ""))(t)
	}
	return p.mails
}

type postbox struct{ mails []outbox.Mail }

func (p *postbox) Send(_ context.Context, m outbox.Mail) (int, error) {
	p.mails = append(p.mails, m)
	return 250, nil
}
