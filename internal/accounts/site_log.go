package accounts

import (
	"annotate/internal/database"
	"annotate/internal/records"
)

// LogSite writes an entry of the site's log in the name of the context's [records.Actor].
func (s *Store) LogSite(tx *database.Tx, act, subject, detail string) error {
	return records.LogSite(tx, records.ActorOf(tx.Context()).UserID, act, subject, detail)
}

// siteLogBy is [Store.LogSite] in the name of the user byID, for requests whose context does not
// name the user, such as signing in.
func (s *Store) siteLogBy(tx *database.Tx, byID, act, subject, detail string) error {
	return records.LogSite(tx, byID, act, subject, detail)
}
