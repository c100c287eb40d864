package results

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns/:slug/export", site.Researchers|site.Leads|site.Admins, h.exports),
		site.Get("/campaigns/:slug/export/:format", site.Researchers|site.Leads|site.Admins, h.download),
		site.Get("/campaigns/:slug/pseudonym-key.csv", site.Leads|site.Admins, h.pseudonymKey),
		site.Get("/campaigns/:slug/export/:format/left-out", site.Researchers|site.Leads|site.Admins, h.leftOut),

		site.Get("/campaigns/:slug/files/:file", site.Researchers|site.Leads|site.Admins, h.file),
		site.Post("/campaigns/:slug/files/:file", site.Researchers|site.Leads|site.Admins, h.prepareFile),
		site.Get("/campaigns/:slug/files/:file/status", site.Researchers|site.Leads|site.Admins, h.fileStatus),
		site.Get("/campaigns/:slug/files/:file/download", site.Researchers|site.Leads|site.Admins, h.downloadFile),

		site.Get("/campaigns/:slug/report", site.Researchers|site.Leads|site.Admins, h.report),
		site.Post("/campaigns/:slug/report", site.Researchers|site.Leads|site.Admins, h.computeReport),
		site.Get("/campaigns/:slug/report/status", site.Researchers|site.Leads|site.Admins, h.reportStatus),
		site.Get("/campaigns/:slug/report/tables/:file", site.Researchers|site.Leads|site.Admins, h.withReport(h.reportTable)),
		site.Get("/campaigns/:slug/report/figures/:file", site.Researchers|site.Leads|site.Admins, h.withReport(h.reportFigure)),
		site.Get("/campaigns/:slug/report.html", site.Researchers|site.Leads|site.Admins, h.withReport(h.reportFile)),
		site.Get("/campaigns/:slug/report/archive.zip", site.Researchers|site.Leads|site.Admins, h.withReport(h.reportArchive)),
	}
}
