package segments

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns/:slug/segments", site.Researchers|site.Leads|site.Admins|site.Sides, h.segments),
		site.Post("/campaigns/:slug/segments", site.Leads|site.Admins, h.decideSegments),
		site.Get("/campaigns/:slug/segments/:segment", site.Researchers|site.Leads|site.Admins|site.Sides, h.segment),
		site.Get("/campaigns/:slug/segments/:segment/trace", site.Researchers|site.Leads|site.Admins, h.trace),
		site.Post("/campaigns/:slug/segments/:segment/adjudicate", site.Leads|site.Admins, h.adjudicateSegment),
		site.Post("/campaigns/:slug/segments/:segment/further", site.Leads|site.Admins, h.addToSegment),
		site.Post("/campaigns/:slug/segments/:segment/replace", site.Leads|site.Admins, h.replaceInSegment),
		site.Post("/campaigns/:slug/segments/:segment/restore", site.Leads|site.Admins, h.restoreSegment),
		site.Post("/campaigns/:slug/segments/:segment/look", site.Leads|site.Admins, h.lookAgain),
		site.Post("/campaigns/:slug/segments/:segment/ask-adjudication", site.Leads|site.Admins, h.askAdjudication),
		site.Post("/campaigns/:slug/segments/:segment/looked-at", site.Leads|site.Admins, h.lookAtRatings),
		site.Post("/campaigns/:slug/segments/:segment/undo", site.Leads|site.Admins, h.undoAct),
		site.Post("/campaigns/:slug/segments/:segment/discard", site.Leads|site.Admins, h.discardSegment),
		site.Post("/campaigns/:slug/segments/:segment/withdraw", site.Leads|site.Admins, h.withdrawSegment),

		site.Get("/campaigns/:slug/queue", site.Researchers|site.Leads|site.Admins, h.queue),
		site.Post("/campaigns/:slug/queue", site.Leads|site.Admins, h.decideQueue),
		site.Get("/campaigns/:slug/messages", site.Leads|site.Admins|site.Sides, h.messages),
		site.Post("/campaigns/:slug/messages", site.Leads|site.Admins|site.Sides, h.answerMessage),
	}
}
