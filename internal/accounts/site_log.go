package accounts

import (
	"context"
	"strings"

	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// A SiteFilter chooses entries of the site's log. An empty field chooses all.
type SiteFilter struct {
	Text   string // part of a login, act, subject, detail or address; ignores case
	Before string // id of an entry; only entries that are older than it
	Offset int
	Limit  int
}

// LogSite writes an entry of the site's log in the name of the context's [records.Actor].
func (s *Store) LogSite(tx *database.Tx, act, subject, detail string) error {
	return s.siteLogBy(tx, records.ActorOf(tx.Context()).UserID, act, subject, detail)
}

// siteLogBy is [Store.LogSite] in the name of the user byID, for requests whose context does not
// name the user, such as signing in.
func (s *Store) siteLogBy(tx *database.Tx, byID, act, subject, detail string) error {
	a := records.ActorOf(tx.Context())
	var by any
	if byID != "" {
		by = byID
	}
	return tx.Exec("INSERT INTO site_log (id, at, user_id, act, subject, detail, address, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		database.NewID(), database.InstantOf(tx.Now()), by, act, database.Storable(subject), database.Storable(detail), database.Storable(a.Address), a.Request).Error
}

// SiteLog lists the entries of the site's log that a filter chooses, the latest first. It also
// returns their number without Limit and Offset.
func (s *Store) SiteLog(ctx context.Context, f SiteFilter) ([]readmodel.SiteEntry, int, error) {
	where, args := "1 = 1", []any{}
	if f.Text != "" {
		pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(database.Storable(f.Text))) + "%"
		where = `(lower(coalesce(u.login, '') || ' ' || l.act || ' ' || l.subject || ' ' || l.detail || ' ' || l.address) LIKE ? ESCAPE '\')`
		args = append(args, pattern)
	}
	if f.Before != "" {
		where, args = where+" AND l.id < ?", append(args, f.Before)
	}
	const from = " FROM site_log l LEFT JOIN users u ON u.id = l.user_id WHERE "
	var total int
	if err := database.Scan(s.db.Read(ctx).Raw("SELECT count(*)"+from+where, args...), &total); err != nil {
		return nil, 0, database.Translate(err)
	}
	var rows []struct {
		ID, Login, Act, Subject, Detail, Address, RequestID string
		At                                                  database.Instant
	}
	err := s.db.Read(ctx).Raw("SELECT l.id, l.at, coalesce(u.login, '') AS login, l.act, l.subject, l.detail, l.address, l.request_id"+from+where+
		" ORDER BY l.id DESC LIMIT ? OFFSET ?", append(args, f.Limit, max(0, f.Offset))...).Scan(&rows).Error
	out := make([]readmodel.SiteEntry, len(rows))
	for i, r := range rows {
		out[i] = readmodel.SiteEntry{ID: r.ID, At: r.At.Time(), Login: r.Login, Act: r.Act, Subject: r.Subject, Detail: r.Detail, Address: r.Address, Request: r.RequestID}
	}
	return out, total, database.Translate(err)
}
