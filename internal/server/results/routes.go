package results

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns/:slug/export", site.Readers, h.exports),
		site.Get("/campaigns/:slug/export/:format", site.Readers, h.download),
		site.Get("/campaigns/:slug/pseudonym-key.csv", site.Managers, h.pseudonymKey),
		site.Get("/campaigns/:slug/export/:format/left-out", site.Readers, h.leftOut),

		site.Get("/campaigns/:slug/files/:file", site.Readers, h.file),
		site.Post("/campaigns/:slug/files/:file", site.Readers, h.prepareFile),
		site.Get("/campaigns/:slug/files/:file/status", site.Readers, h.fileStatus),
		site.Get("/campaigns/:slug/files/:file/download", site.Readers, h.downloadFile),

		site.Get("/campaigns/:slug/report", site.Readers, h.report),
		site.Post("/campaigns/:slug/report", site.Readers, h.computeReport),
		site.Get("/campaigns/:slug/report/status", site.Readers, h.reportStatus),
		site.Get("/campaigns/:slug/report/tables/:file", site.Readers, h.withReport(h.reportTable)),
		site.Get("/campaigns/:slug/report/figures/:file", site.Readers, h.withReport(h.reportFigure)),
		site.Get("/campaigns/:slug/report.html", site.Readers, h.withReport(h.reportFile)),
		site.Get("/campaigns/:slug/report/archive.zip", site.Readers, h.withReport(h.reportArchive)),
	}
}
