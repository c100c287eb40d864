// Package setup answers the pages on which a lead creates a campaign, copies, changes and deletes it, brings data and
// members into it, and runs judges.
package setup

import (
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	store     *store.Store
	Imports   *Imports
	uploads   keptUploads
	JudgeRuns *JudgeRuns
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	uploads := keptUploads{s.Folder}
	h := &Handlers{s, st, newImports(s, st, uploads), uploads, newJudgeRuns(s, st.JudgeRuns)}
	s.Works.Opens["judge"] = h.openJudge
	return h
}

// Stop ends the imports that are under way and the runs of judges, which a person can resume.
func (h *Handlers) Stop() {
	h.Imports.Runner.Stop()
	h.JudgeRuns.Runner.Stop()
}
