// Package results answers the pages by which data leaves a campaign: the report, the exports, and large files that are
// prepared in the background.
package results

import (
	"annotate/internal/server/site"
	"annotate/internal/store"
)

// Handlers answer the pages of this group.
type Handlers struct {
	*site.Site
	store   *store.Store
	Reports *Reports
	Files   *Files
}

// New makes the handlers of a site.
func New(s *site.Site, st *store.Store) *Handlers {
	files := newFiles(s)
	if s.Folder.Shared {
		files.Runner.Claim = st.Jobs.Claims(fileKind)
	}
	h := &Handlers{s, st, newReports(s, st), files}
	s.Works.Opens["export"], s.Works.Opens["report"] = h.openFile, h.openReport
	return h
}

// Stop ends the jobs that are under way. Their results are not kept.
func (h *Handlers) Stop() {
	h.Reports.Runner.Stop()
	h.Files.Runner.Stop()
}
