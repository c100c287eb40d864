// Package annotating answers the pages on which annotators and adjudicators work: My work, the annotate page, the guide, the
// instructions, training as a trainee sees it, questions and announcements.
package annotating

import (
	"annotate/internal/accounts"
	"annotate/internal/desk"
	"annotate/internal/qualification"
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
	plan     *work.Plans
	training *qualification.Store
	work     *work.Store
	desk     *desk.Store
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	return &Handlers{Site: s, records: st.Records, rounds: st.Rounds, accounts: st.Accounts, plan: st.Plan,
		training: st.Training, work: st.Work, desk: st.Desk}
}
