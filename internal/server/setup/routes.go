package setup

import (
	"slices"

	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return slices.Concat([]site.Route{
		site.Get("/campaigns/new", site.Leads|site.Admins, h.newCampaign),
		site.Post("/campaigns/new", site.Leads|site.Admins, h.createCampaign),
		site.Post("/campaigns/new/preview", site.Leads|site.Admins, h.previewCampaign),
		site.Get("/campaigns/new/protocols/:protocol", site.Leads|site.Admins, h.protocolFile),

		site.Get("/campaigns/:slug/members", site.Leads|site.Admins, h.members),
		site.Post("/campaigns/:slug/members", site.Leads|site.Admins, h.invite),
		site.Get("/campaigns/:slug/members/copy", site.Leads|site.Admins, h.askCopyMembers),
		site.Post("/campaigns/:slug/members/copy", site.Leads|site.Admins, h.copyMembers),
		site.Post("/campaigns/:slug/members/:login/link", site.Leads|site.Admins, h.memberLink),
		site.Post("/campaigns/:slug/members/:login/role", site.Leads|site.Admins, h.memberRole),
		site.Post("/campaigns/:slug/members/:login/remove", site.Leads|site.Admins, h.removeMember),
		site.Post("/campaigns/:slug/members/:login/join-link", site.Leads|site.Admins, h.joinLink),
		site.Post("/campaigns/:slug/members/:login/withdraw", site.Leads|site.Admins, h.withdraw),

		site.Get("/campaigns/:slug/judges", site.Researchers|site.Leads|site.Admins, h.judges),
		site.Post("/campaigns/:slug/judges", site.Researchers|site.Leads|site.Admins, h.startJudge),
		site.Get("/campaigns/:slug/judges/unread", site.Researchers|site.Leads|site.Admins, h.unreadOfJudge),
		site.Get("/campaigns/:slug/judges/version", site.Researchers|site.Leads|site.Admins, h.judgesVersion),
		site.Post("/campaigns/:slug/judges/stop", site.Researchers|site.Leads|site.Admins, h.stopJudge),
		site.Post("/campaigns/:slug/judges/suggest", site.Leads|site.Admins, h.suggestFromJudge),

		site.Get("/campaigns/:slug/import", site.Leads|site.Admins, h.showImport),
		site.Post("/campaigns/:slug/import", site.Leads|site.Admins, h.importFile),
		site.Post("/campaigns/:slug/import/follow", site.Leads|site.Admins, h.follow),
		site.Post("/campaigns/:slug/import/unfollow", site.Leads|site.Admins, h.unfollow),
		site.Post("/campaigns/:slug/import/take-over", site.Leads|site.Admins, h.takeOver),
		site.Post("/campaigns/:slug/import/new-texts", site.Leads|site.Admins, h.takeNewTexts),
		site.Get("/campaigns/:slug/import/status", site.Leads|site.Admins, h.importStatus),
		site.Get("/campaigns/:slug/import/tables/:upload", site.Leads|site.Admins, h.showTable),
		site.Post("/campaigns/:slug/import/tables/:upload", site.Leads|site.Admins, h.importTable),
		site.Get("/campaigns/:slug/import/:import/undo", site.Leads|site.Admins, h.askUndoImport),
		site.Post("/campaigns/:slug/import/:import/undo", site.Leads|site.Admins, h.undoImport),

		site.Get("/campaigns/:slug/settings", site.Leads|site.Admins, h.settings),
		site.Post("/campaigns/:slug/settings", site.Leads|site.Admins, h.changeSettings),
		site.Get("/campaigns/:slug/copy", site.Leads|site.Admins, h.askCopy),
		site.Post("/campaigns/:slug/copy", site.Leads|site.Admins, h.copyCampaign),
		site.Get("/campaigns/:slug/delete", site.Leads|site.Admins, h.askDelete),
		site.Post("/campaigns/:slug/delete", site.Leads|site.Admins, h.deleteCampaign),
	}, h.webhookRoutes("/campaigns/:slug", site.Leads|site.Admins), h.webhookRoutes("", site.Admins), []site.Route{
		site.Get("/mails", site.Admins, h.mails),
		site.Post("/mails/:mail/again", site.Admins, h.mailAgain),
	})
}
