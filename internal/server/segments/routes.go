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
		site.Post("/campaigns/:slug/segments/:segment/:act", site.Leads|site.Admins, h.act),

		site.Get("/campaigns/:slug/queue", site.Researchers|site.Leads|site.Admins, h.queue),
		site.Post("/campaigns/:slug/queue", site.Leads|site.Admins, h.decideQueue),
		site.Get("/campaigns/:slug/messages", site.Leads|site.Admins|site.Sides, h.messages),
		site.Post("/campaigns/:slug/messages", site.Leads|site.Admins|site.Sides, h.answerMessage),
	}
}
