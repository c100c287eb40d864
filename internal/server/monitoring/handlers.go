// Package monitoring answers the pages on which a lead watches a campaign: overview, agreement, annotators, checks and
// plan.
package monitoring

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
	store    *store.Store
	records  *records.Store
	rounds   *rounds.Store
	accounts *accounts.Store
	plan     *work.Plans
	training *qualification.Store
	work     *work.Store
	desk     *desk.Store
	Judged   *JudgeAgreements
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	return &Handlers{
		Site:     s,
		store:    st,
		records:  st.Records,
		rounds:   st.Rounds,
		accounts: st.Accounts,
		plan:     st.Plan,
		training: st.Training,
		work:     st.Work,
		desk:     st.Desk,
		Judged:   newJudgeAgreements(s, st.Desk),
	}
}

// Stop ends the jobs that are under way.
func (h *Handlers) Stop() { h.Judged.Runner.Stop() }
