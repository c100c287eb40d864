package monitoring

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns", site.Readers, h.campaigns),
		site.Get("/campaigns/:slug", site.Readers, h.overview),
		site.Get("/campaigns/:slug/version", site.Readers, h.version),
		site.Post("/campaigns/:slug/state", site.Managers, h.changeState),

		site.Get("/campaigns/:slug/agreement", site.Readers, h.agreement),
		site.Get("/campaigns/:slug/agreement.csv", site.Readers, h.agreementCSV),
		site.Get("/campaigns/:slug/agreement/pairs/:a/:b", site.Readers, h.agreementPair),

		site.Get("/campaigns/:slug/annotators", site.Readers, h.annotators),
		site.Get("/campaigns/:slug/annotators/:login", site.Readers, h.annotator),
		site.Get("/campaigns/:slug/checks", site.Readers, h.checks),
		site.Post("/campaigns/:slug/checks", site.Managers, h.changeChecks),
		site.Get("/campaigns/:slug/hours.csv", site.Readers, h.hours),
		site.Get("/campaigns/:slug/annotators/:login/set-aside", site.Managers, h.askSetAside),
		site.Post("/campaigns/:slug/annotators/:login/set-aside", site.Managers, h.setAside),
		site.Get("/campaigns/:slug/annotators/:login/restore", site.Managers, h.askRestore),
		site.Post("/campaigns/:slug/annotators/:login/restore", site.Managers, h.restore),

		site.Get("/campaigns/:slug/plan", site.Managers, h.planPage),
		site.Post("/campaigns/:slug/plan", site.Managers, h.changePlan),
		site.Post("/campaigns/:slug/plan/file", site.Managers, h.planFromFile),
		site.Get("/campaigns/:slug/plan.csv", site.Managers, h.planCSV),
		site.Post("/campaigns/:slug/archive", site.Managers, h.archive),
	}
}
