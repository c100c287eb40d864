// Package account answers the pages of signing in, of one's own account, of users, and of the audit logs.
package account

import (
	"time"

	"annotate/internal/accounts"
	"annotate/internal/records"
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	records  *records.Store
	accounts *accounts.Store
	// These count failures to sign in: by address, by login and address, and by login.
	failedAt, failedForAt, failedFor *limiter
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	return &Handlers{
		Site: s, records: st.Records, accounts: st.Accounts,
		// An office signs in through one address, so many failures are allowed for an address. A login is what an
		// attacker has to guess at, from one address or from many. Strangers who use up the failures of a login must
		// not lock its user out, so the user's own addresses are exempt from the last limit.
		failedAt:    newLimiter(time.Second, 300, s.Now),
		failedForAt: newLimiter(15*time.Second, 10, s.Now),
		failedFor:   newLimiter(15*time.Second, 100, s.Now),
	}
}
