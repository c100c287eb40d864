package server

import (
	"github.com/labstack/echo/v4"

	"annotate/internal/campaign"
	"annotate/web"
)

// routes lists every route with its guard, in the order of the pages.
func (s *Server) routes(e *echo.Echo) {
	e.GET("/healthz", s.health)
	e.GET(web.Prefix()+"/*", s.static())
	e.GET("/", s.start)

	e.GET("/sign-in", s.showSignIn)
	e.POST("/sign-in", s.signIn)
	e.GET("/sign-in/link/:token", s.useLink)
	e.POST("/sign-out", s.signOut)

	people := e.Group("", s.signedIn)
	people.GET("/work", s.myWork)
	people.GET("/account", s.account)
	people.POST("/account/name", s.changeName)
	people.PUT("/account/keys", s.changeKeys)
	people.POST("/account/password", s.changePassword)
	people.POST("/account/sessions/:id/end", s.endSession)
	people.POST("/account/sessions/end", s.endOtherSessions)

	users := people.Group("/users", s.adminOnly)
	users.GET("", s.users)
	users.POST("", s.addUser)
	users.POST("/:login/link", s.userLink)
	users.POST("/:login/disable", s.disableUser)
	users.POST("/:login/enable", s.enableUser)
	users.POST("/:login/role", s.userRole)

	people.GET("/campaigns", s.campaigns)
	people.GET("/campaigns/new", s.newCampaign, s.mayCreate)
	people.POST("/campaigns/new", s.createCampaign, s.mayCreate)

	one := people.Group("/campaigns/:slug")

	annotator := s.role(campaign.Annotator)
	one.POST("/next", s.next, annotator)
	one.GET("/finished", s.finished, annotator)
	one.GET("/assignments/:assignment", s.annotate, annotator)
	one.PUT("/assignments/:assignment/cards/:card", s.saveCard, annotator)
	one.POST("/assignments/:assignment/submit", s.submit, annotator)
	one.POST("/assignments/:assignment/problem", s.reportProblem, annotator)

	readers := s.role(campaign.Lead, campaign.Researcher)
	one.GET("", s.overview, readers)
	one.GET("/segments", s.segments, readers)
	one.GET("/segments/:segment", s.segment, readers)
	one.GET("/queue", s.queue, readers)
	one.GET("/version", s.version, readers)
	one.GET("/agreement", s.agreement, readers)
	one.GET("/agreement.csv", s.agreementCSV, readers)
	one.GET("/agreement/pairs/:a/:b", s.agreementPair, readers)
	one.GET("/annotators", s.annotators, readers)
	one.GET("/annotators/:login", s.annotator, readers)
	one.GET("/hours.csv", s.hours, readers)
	one.GET("/export", s.exports, readers)
	one.GET("/export/:format", s.download, readers)
	one.GET("/export/:format/left-out", s.leftOut, readers)

	one.GET("/report", s.report, readers)
	one.POST("/report", s.computeReport, readers)
	one.GET("/report/status", s.reportStatus, readers)
	one.GET("/report/tables/:file", s.withReport(s.reportTable), readers)
	one.GET("/report/figures/:file", s.withReport(s.reportFigure), readers)
	one.GET("/report.html", s.withReport(s.reportFile), readers)
	one.GET("/report/archive.zip", s.withReport(s.reportArchive), readers)

	one.GET("/guide", s.guide, s.role(campaign.Lead, campaign.Researcher, campaign.Annotator))

	lead := s.role(campaign.Lead)
	one.POST("/state", s.changeState, lead)
	one.POST("/segments/:segment/adjudicate", s.adjudicateSegment, lead)
	one.POST("/segments/:segment/add", s.addToSegment, lead)
	one.POST("/segments/:segment/replace", s.replaceInSegment, lead)
	one.POST("/segments/:segment/reopen", s.reopenSegment, lead)
	one.POST("/segments/:segment/discard", s.discardSegment, lead)
	one.POST("/segments/:segment/withdraw", s.withdrawSegment, lead)
	one.POST("/queue", s.decideQueue, lead)
	one.GET("/problems", s.problems, lead)
	one.POST("/problems/:problem", s.resolveProblem, lead)
	one.GET("/annotators/:login/set-aside", s.askSetAside, lead)
	one.POST("/annotators/:login/set-aside", s.setAside, lead)
	one.GET("/annotators/:login/restore", s.askRestore, lead)
	one.POST("/annotators/:login/restore", s.restore, lead)
	one.GET("/members", s.members, lead)
	one.POST("/members", s.invite, lead)
	one.POST("/members/:login/link", s.memberLink, lead)
	one.POST("/members/:login/role", s.memberRole, lead)
	one.POST("/members/:login/remove", s.removeMember, lead)
	one.GET("/import", s.showImport, lead)
	one.POST("/import", s.importFile, lead)
	one.POST("/guide", s.changeGuide, lead)
	one.GET("/settings", s.settings, lead)
	one.POST("/settings", s.changeSettings, lead)
	one.GET("/audit", s.audit, lead)
	one.GET("/audit.csv", s.auditCSV, lead)
}
