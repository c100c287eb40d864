// Package segments answers the pages of segments for researchers and leads: the list, a segment with its history, the acts of a
// lead, the queue and the messages.
package segments

import (
	"annotate/internal/accounts"
	"annotate/internal/desk"
	"annotate/internal/intake"
	"annotate/internal/records"
	"annotate/internal/rounds"
	"annotate/internal/server/site"
	"annotate/internal/store"
	"annotate/internal/work"
)

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	records  *records.Store
	rounds   *rounds.Store
	accounts *accounts.Store
	work     *work.Store
	desk     *desk.Store
	intake   *intake.Store
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	return &Handlers{Site: s, records: st.Records, rounds: st.Rounds, accounts: st.Accounts, work: st.Work, desk: st.Desk, intake: st.Intake}
}
