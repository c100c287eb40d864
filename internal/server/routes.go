package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"annotate/web"
)

// A route is one row of the table of everything that the server answers.
type route struct {
	method  string
	path    string
	who     people // may ask for it; everybody else is refused
	handler echo.HandlerFunc
}

// table lists every route with the people who may use it, in the order of the
// pages. A path with :slug is a page of that campaign, and counts the role that a
// person has there. On any other path all roles count that a person has in some
// campaign.
func (s *Server) table() []route {
	return []route{
		{http.MethodGet, "/healthz", everybody, s.answerHealth},
		{http.MethodHead, "/healthz", everybody, s.answerHealth},
		{http.MethodGet, web.Prefix() + "/*", everybody, s.static()},
		{http.MethodGet, "/", everybody, s.start},

		{http.MethodGet, "/sign-in", everybody, s.showSignIn},
		{http.MethodPost, "/sign-in", everybody, s.signIn},
		{http.MethodGet, "/sign-in/link/:token", everybody, s.showLink},
		{http.MethodPost, "/sign-in/link/:token", everybody, s.useLink},
		{http.MethodPost, "/sign-out", everybody, s.signOut},

		{http.MethodGet, "/work", signedIn, s.myWork},
		{http.MethodGet, "/account", signedIn, s.account},
		{http.MethodPost, "/account/name", signedIn, s.changeName},
		{http.MethodPut, "/account/keys", signedIn, s.changeKeys},
		{http.MethodPost, "/account/password", signedIn, s.changePassword},
		{http.MethodPost, "/account/sessions/:id/end", signedIn, s.endSession},
		{http.MethodPost, "/account/sessions/end", signedIn, s.endSessions},

		{http.MethodGet, "/users", admins, s.users},
		{http.MethodPost, "/users", admins, s.addUser},
		{http.MethodPost, "/users/:login/link", admins, s.userLink},
		{http.MethodPost, "/users/:login/disable", admins, s.disableUser},
		{http.MethodPost, "/users/:login/enable", admins, s.enableUser},
		{http.MethodPost, "/users/:login/role", admins, s.userRole},
		{http.MethodPost, "/users/:login/sessions/end", admins, s.endUserSessions},

		{http.MethodGet, "/audit", admins, s.siteLog},
		{http.MethodGet, "/audit.csv", admins, s.siteLogCSV},

		{http.MethodGet, "/campaigns", researchers | leads | admins, s.campaigns},
		{http.MethodGet, "/campaigns/new", leads | admins, s.newCampaign},
		{http.MethodPost, "/campaigns/new", leads | admins, s.createCampaign},
		{http.MethodPost, "/campaigns/new/preview", leads | admins, s.previewCampaign},
		{http.MethodGet, "/campaigns/new/protocols/:protocol", leads | admins, s.protocolFile},

		{http.MethodPost, "/campaigns/:slug/next", annotators, s.next},
		{http.MethodGet, "/campaigns/:slug/finished", annotators, s.own},
		{http.MethodGet, "/campaigns/:slug/numbers", annotators, s.numbers},
		{http.MethodGet, "/campaigns/:slug/adjudicate", adjudicators | leads | admins, s.toAdjudicate},
		{http.MethodPost, "/campaigns/:slug/adjudicate", adjudicators | leads | admins, s.openAdjudication},
		{http.MethodGet, "/campaigns/:slug/assignments/:assignment", annotators | adjudicators | leads | admins, s.annotate},
		{http.MethodPut, "/campaigns/:slug/assignments/:assignment/cards/:card", annotators | adjudicators | leads | admins, s.saveCard},
		{http.MethodPost, "/campaigns/:slug/assignments/:assignment/submit", annotators | adjudicators | leads | admins, s.submit},
		{http.MethodPost, "/campaigns/:slug/assignments/:assignment/skip", annotators, s.ofWork(s.skip)},
		{http.MethodPost, "/campaigns/:slug/assignments/:assignment/take-back", annotators, s.ofWork(s.takeBack)},
		{http.MethodGet, "/campaigns/:slug/assignments/:assignment/document", annotators | adjudicators | leads | admins, s.document},
		{http.MethodPost, "/campaigns/:slug/assignments/:assignment/problem", annotators, s.ofWork(s.reportProblem)},
		{http.MethodGet, "/campaigns/:slug/assignments/:assignment/thread", annotators, s.ofWork(s.thread)},
		{http.MethodPost, "/campaigns/:slug/assignments/:assignment/thread", annotators, s.ofWork(s.ask)},
		{http.MethodPut, "/campaigns/:slug/assignments/:assignment/thread", annotators, s.ofWork(s.readThread)},

		{http.MethodGet, "/campaigns/:slug/guide", annotators | adjudicators | researchers | leads | admins, s.guide},
		{http.MethodPost, "/campaigns/:slug/guide", leads | admins, s.changeGuide},
		{http.MethodPost, "/campaigns/:slug/guide/closed", annotators, s.closeGuide},

		{http.MethodGet, "/campaigns/:slug/instructions", annotators | leads | admins, s.instructions},
		{http.MethodPost, "/campaigns/:slug/instructions", leads | admins, s.changeInstructions},
		{http.MethodPost, "/campaigns/:slug/instructions/accept", annotators, s.accept},

		{http.MethodGet, "/campaigns/:slug/train", annotators, s.train},
		{http.MethodPost, "/campaigns/:slug/train/next", annotators, s.nextTraining},
		{http.MethodGet, "/campaigns/:slug/train/results/:result", annotators, s.result},
		{http.MethodPost, "/campaigns/:slug/practise", annotators, s.practise},
		{http.MethodGet, "/campaigns/:slug/training", leads | admins, s.training},
		{http.MethodPost, "/campaigns/:slug/training", leads | admins, s.changeTraining},
		{http.MethodGet, "/campaigns/:slug/training/add", leads | admins, s.askTrainingSegments},
		{http.MethodPost, "/campaigns/:slug/training/add", leads | admins, s.addTrainingSegments},
		{http.MethodPost, "/campaigns/:slug/training/import", leads | admins, s.importTraining},
		{http.MethodGet, "/campaigns/:slug/training/segments/:segment", leads | admins, s.trainingSegment},
		{http.MethodPost, "/campaigns/:slug/training/segments/:segment", leads | admins, s.changeTrainingSegment},
		{http.MethodPost, "/campaigns/:slug/training/segments/:segment/answer", leads | admins, s.openAnswer},
		{http.MethodPost, "/campaigns/:slug/training/segments/:segment/try", leads | admins, s.tryTraining},
		{http.MethodGet, "/campaigns/:slug/training/people/:login", leads | admins, s.trainee},
		{http.MethodPost, "/campaigns/:slug/training/people/:login", leads | admins, s.decideTrainee},
		{http.MethodGet, "/campaigns/:slug/training/results/:result", leads | admins, s.traineeResult},

		{http.MethodGet, "/campaigns/:slug", researchers | leads | admins, s.overview},
		{http.MethodGet, "/campaigns/:slug/version", researchers | leads | admins, s.version},
		{http.MethodPost, "/campaigns/:slug/state", leads | admins, s.changeState},

		{http.MethodGet, "/campaigns/:slug/segments", researchers | leads | admins | sides, s.segments},
		{http.MethodPost, "/campaigns/:slug/segments", leads | admins, s.decideSegments},
		{http.MethodGet, "/campaigns/:slug/segments/:segment", researchers | leads | admins | sides, s.segment},
		{http.MethodGet, "/campaigns/:slug/segments/:segment/trace", researchers | leads | admins, s.trace},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/adjudicate", leads | admins, s.adjudicateSegment},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/further", leads | admins, s.addToSegment},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/replace", leads | admins, s.replaceInSegment},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/restore", leads | admins, s.restoreSegment},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/look", leads | admins, s.lookAgain},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/ask-adjudication", leads | admins, s.askAdjudication},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/looked-at", leads | admins, s.lookAtRatings},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/undo", leads | admins, s.undoAct},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/discard", leads | admins, s.discardSegment},
		{http.MethodPost, "/campaigns/:slug/segments/:segment/withdraw", leads | admins, s.withdrawSegment},

		{http.MethodGet, "/campaigns/:slug/queue", researchers | leads | admins, s.queue},
		{http.MethodPost, "/campaigns/:slug/queue", leads | admins, s.decideQueue},
		{http.MethodGet, "/campaigns/:slug/announcements", leads | admins, s.announcements},
		{http.MethodPost, "/campaigns/:slug/announcements", leads | admins, s.announce},
		{http.MethodPost, "/campaigns/:slug/announcements/:announcement/end", leads | admins, s.endAnnouncement},
		{http.MethodPost, "/campaigns/:slug/announcements/:announcement/read", annotators, s.readAnnouncement},
		{http.MethodGet, "/campaigns/:slug/messages", leads | admins | sides, s.messages},
		{http.MethodPost, "/campaigns/:slug/messages", leads | admins | sides, s.answerMessage},

		{http.MethodGet, "/campaigns/:slug/agreement", researchers | leads | admins, s.agreement},
		{http.MethodGet, "/campaigns/:slug/agreement.csv", researchers | leads | admins, s.agreementCSV},
		{http.MethodGet, "/campaigns/:slug/agreement/pairs/:a/:b", researchers | leads | admins, s.agreementPair},

		{http.MethodGet, "/campaigns/:slug/annotators", researchers | leads | admins, s.annotators},
		{http.MethodGet, "/campaigns/:slug/annotators/:login", researchers | leads | admins, s.annotator},
		{http.MethodGet, "/campaigns/:slug/checks", researchers | leads | admins, s.checks},
		{http.MethodPost, "/campaigns/:slug/checks", leads | admins, s.changeChecks},
		{http.MethodGet, "/campaigns/:slug/hours.csv", researchers | leads | admins, s.hours},
		{http.MethodGet, "/campaigns/:slug/annotators/:login/set-aside", leads | admins, s.askSetAside},
		{http.MethodPost, "/campaigns/:slug/annotators/:login/set-aside", leads | admins, s.setAside},
		{http.MethodGet, "/campaigns/:slug/annotators/:login/restore", leads | admins, s.askRestore},
		{http.MethodPost, "/campaigns/:slug/annotators/:login/restore", leads | admins, s.restore},

		{http.MethodGet, "/campaigns/:slug/plan", leads | admins, s.plan},
		{http.MethodPost, "/campaigns/:slug/plan", leads | admins, s.changePlan},
		{http.MethodPost, "/campaigns/:slug/plan/file", leads | admins, s.planFromFile},
		{http.MethodGet, "/campaigns/:slug/plan.csv", leads | admins, s.planCSV},

		{http.MethodGet, "/campaigns/:slug/members", leads | admins, s.members},
		{http.MethodPost, "/campaigns/:slug/members", leads | admins, s.invite},
		{http.MethodGet, "/campaigns/:slug/members/copy", leads | admins, s.askCopyMembers},
		{http.MethodPost, "/campaigns/:slug/members/copy", leads | admins, s.copyMembers},
		{http.MethodPost, "/campaigns/:slug/members/:login/link", leads | admins, s.memberLink},
		{http.MethodPost, "/campaigns/:slug/members/:login/role", leads | admins, s.memberRole},
		{http.MethodPost, "/campaigns/:slug/members/:login/remove", leads | admins, s.removeMember},

		{http.MethodGet, "/campaigns/:slug/judges", researchers | leads | admins, s.judges},
		{http.MethodPost, "/campaigns/:slug/judges", researchers | leads | admins, s.startJudge},
		{http.MethodGet, "/campaigns/:slug/judges/unread", researchers | leads | admins, s.unreadOfJudge},
		{http.MethodGet, "/campaigns/:slug/judges/version", researchers | leads | admins, s.judgesVersion},
		{http.MethodPost, "/campaigns/:slug/judges/stop", researchers | leads | admins, s.stopJudge},
		{http.MethodPost, "/campaigns/:slug/judges/suggest", leads | admins, s.suggestFromJudge},

		{http.MethodGet, "/campaigns/:slug/import", leads | admins, s.showImport},
		{http.MethodPost, "/campaigns/:slug/import", leads | admins, s.importFile},
		{http.MethodGet, "/campaigns/:slug/import/status", leads | admins, s.importStatus},
		{http.MethodGet, "/campaigns/:slug/import/tables/:upload", leads | admins, s.showTable},
		{http.MethodPost, "/campaigns/:slug/import/tables/:upload", leads | admins, s.importTable},
		{http.MethodGet, "/campaigns/:slug/import/:import/undo", leads | admins, s.askUndoImport},
		{http.MethodPost, "/campaigns/:slug/import/:import/undo", leads | admins, s.undoImport},
		{http.MethodGet, "/campaigns/:slug/export", researchers | leads | admins, s.exports},
		{http.MethodGet, "/campaigns/:slug/export/:format", researchers | leads | admins, s.download},
		{http.MethodGet, "/campaigns/:slug/pseudonym-key.csv", leads | admins, s.pseudonymKey},
		{http.MethodGet, "/campaigns/:slug/export/:format/left-out", researchers | leads | admins, s.leftOut},

		{http.MethodGet, "/campaigns/:slug/files/:file", researchers | leads | admins, s.file},
		{http.MethodPost, "/campaigns/:slug/files/:file", researchers | leads | admins, s.prepareFile},
		{http.MethodGet, "/campaigns/:slug/files/:file/status", researchers | leads | admins, s.fileStatus},
		{http.MethodGet, "/campaigns/:slug/files/:file/download", researchers | leads | admins, s.downloadFile},

		{http.MethodGet, "/campaigns/:slug/report", researchers | leads | admins, s.report},
		{http.MethodPost, "/campaigns/:slug/report", researchers | leads | admins, s.computeReport},
		{http.MethodGet, "/campaigns/:slug/report/status", researchers | leads | admins, s.reportStatus},
		{http.MethodGet, "/campaigns/:slug/report/tables/:file", researchers | leads | admins, s.withReport(s.reportTable)},
		{http.MethodGet, "/campaigns/:slug/report/figures/:file", researchers | leads | admins, s.withReport(s.reportFigure)},
		{http.MethodGet, "/campaigns/:slug/report.html", researchers | leads | admins, s.withReport(s.reportFile)},
		{http.MethodGet, "/campaigns/:slug/report/archive.zip", researchers | leads | admins, s.withReport(s.reportArchive)},

		{http.MethodGet, "/campaigns/:slug/settings", leads | admins, s.settings},
		{http.MethodPost, "/campaigns/:slug/settings", leads | admins, s.changeSettings},
		{http.MethodPost, "/campaigns/:slug/archive", leads | admins, s.archive},
		{http.MethodGet, "/campaigns/:slug/copy", leads | admins, s.askCopy},
		{http.MethodPost, "/campaigns/:slug/copy", leads | admins, s.copyCampaign},
		{http.MethodGet, "/campaigns/:slug/delete", leads | admins, s.askDelete},
		{http.MethodPost, "/campaigns/:slug/delete", leads | admins, s.deleteCampaign},
		{http.MethodGet, "/campaigns/:slug/audit", leads | admins, s.audit},
		{http.MethodGet, "/campaigns/:slug/audit.csv", leads | admins, s.auditCSV},
	}
}

// register adds the routes of a table, each behind its guard. It panics for a route
// that is for nobody, which somebody forgot to write down.
func (s *Server) register(e *echo.Echo, table []route) {
	for _, r := range table {
		if r.who == 0 {
			panic("server: no role may use " + r.method + " " + r.path)
		}
		e.Add(r.method, r.path, r.handler, s.guard(r.who))
	}
}
