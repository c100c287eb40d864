package monitoring

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns", site.Researchers|site.Leads|site.Admins, h.campaigns),
		site.Get("/campaigns/:slug", site.Researchers|site.Leads|site.Admins, h.overview),
		site.Get("/campaigns/:slug/version", site.Researchers|site.Leads|site.Admins, h.version),
		site.Post("/campaigns/:slug/state", site.Leads|site.Admins, h.changeState),

		site.Get("/campaigns/:slug/agreement", site.Researchers|site.Leads|site.Admins, h.agreement),
		site.Get("/campaigns/:slug/agreement.csv", site.Researchers|site.Leads|site.Admins, h.agreementCSV),
		site.Get("/campaigns/:slug/agreement/pairs/:a/:b", site.Researchers|site.Leads|site.Admins, h.agreementPair),

		site.Get("/campaigns/:slug/annotators", site.Researchers|site.Leads|site.Admins, h.annotators),
		site.Get("/campaigns/:slug/annotators/:login", site.Researchers|site.Leads|site.Admins, h.annotator),
		site.Get("/campaigns/:slug/checks", site.Researchers|site.Leads|site.Admins, h.checks),
		site.Post("/campaigns/:slug/checks", site.Leads|site.Admins, h.changeChecks),
		site.Get("/campaigns/:slug/hours.csv", site.Researchers|site.Leads|site.Admins, h.hours),
		site.Get("/campaigns/:slug/annotators/:login/set-aside", site.Leads|site.Admins, h.askSetAside),
		site.Post("/campaigns/:slug/annotators/:login/set-aside", site.Leads|site.Admins, h.setAside),
		site.Get("/campaigns/:slug/annotators/:login/restore", site.Leads|site.Admins, h.askRestore),
		site.Post("/campaigns/:slug/annotators/:login/restore", site.Leads|site.Admins, h.restore),

		site.Get("/campaigns/:slug/plan", site.Leads|site.Admins, h.planPage),
		site.Post("/campaigns/:slug/plan", site.Leads|site.Admins, h.changePlan),
		site.Post("/campaigns/:slug/plan/file", site.Leads|site.Admins, h.planFromFile),
		site.Get("/campaigns/:slug/plan.csv", site.Leads|site.Admins, h.planCSV),
		site.Post("/campaigns/:slug/archive", site.Leads|site.Admins, h.archive),
	}
}
