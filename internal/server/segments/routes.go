package segments

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns/:slug/segments", site.Readers|site.Sides, h.segments),
		site.Post("/campaigns/:slug/segments", site.Managers, h.decideSegments),
		site.Get("/campaigns/:slug/segments/:segment", site.Readers|site.Sides, h.segment),
		site.Get("/campaigns/:slug/segments/:segment/trace", site.Readers, h.trace),
		site.Post("/campaigns/:slug/segments/:segment/:act", site.Managers, h.act),

		site.Get("/campaigns/:slug/queue", site.Readers, h.queue),
		site.Post("/campaigns/:slug/queue", site.Managers, h.decideQueue),
		site.Get("/campaigns/:slug/messages", site.Managers|site.Sides, h.messages),
		site.Post("/campaigns/:slug/messages", site.Managers|site.Sides, h.answerMessage),
	}
}
