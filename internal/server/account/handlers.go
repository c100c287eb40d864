// Package account answers the pages of signing in, of one's own account, of users, and of the audit logs.
package account

import (
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
	provider *provider
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	return &Handlers{Site: s, records: st.Records, accounts: st.Accounts, provider: &provider{}}
}
