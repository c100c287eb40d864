// Package monitoring answers the pages on which a lead watches a campaign: overview, agreement, annotators, checks and
// plan.
package monitoring

import "annotate/internal/server/site"

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	Judged *JudgeAgreements
}

// New makes the handlers of a site.
func New(s *site.Site) *Handlers { return &Handlers{s, newJudgeAgreements(s)} }

// Stop ends the jobs that are under way.
func (h *Handlers) Stop() { h.Judged.Runner.Stop() }
