package account

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/", site.Everybody, h.start),

		site.Get("/sign-in", site.Everybody, h.showSignIn),
		site.Post("/sign-in", site.Everybody, h.signIn),
		site.Get("/sign-in/link/:token", site.Everybody, h.showLink),
		site.Post("/sign-in/link/:token", site.Everybody, h.useLink),
		site.Get("/sign-in/oidc", site.Everybody, h.beginOIDC),
		site.Get("/sign-in/oidc/callback", site.Everybody, h.endOIDC),
		site.Get("/sign-in/code", site.Everybody, h.showCode),
		site.Post("/sign-in/code", site.Everybody, h.giveCode),
		site.Get("/sign-in/forgotten", site.Everybody, h.showForgotten),
		site.Post("/sign-in/forgotten", site.Everybody, h.forgotten),
		site.Post("/sign-out", site.Everybody, h.signOut),
		site.Get("/join/:token", site.SignedIn, h.showJoin),
		site.Post("/join/:token", site.SignedIn, h.join),
		site.Post("/invitations/:campaign/accept", site.SignedIn, h.acceptInvitation),
		site.Post("/invitations/:campaign/decline", site.SignedIn, h.declineInvitation),
		site.Get("/account", site.SignedIn, h.account),
		site.Post("/account/name", site.SignedIn, h.changeName),
		site.Post("/account/password", site.SignedIn, h.changePassword),
		site.Post("/account/sessions/:id/end", site.SignedIn, h.endSession),
		site.Post("/account/sessions/end", site.SignedIn, h.endSessions),

		site.Get("/account/second-factor", site.SignedIn, h.secondFactor),
		site.Post("/account/second-factor", site.SignedIn, h.offerSecondFactor),
		site.Post("/account/second-factor/confirm", site.SignedIn, h.confirmSecondFactor),
		site.Post("/account/second-factor/codes", site.SignedIn, h.renewCodes),
		site.Post("/account/second-factor/off", site.SignedIn, h.endSecondFactor),

		site.Get("/account/mail", site.SignedIn, h.mail),
		site.Post("/account/mail", site.SignedIn, h.changeMail),
		site.Post("/account/mail/work", site.SignedIn, h.changeMailWork),

		site.Post("/account/tokens", site.SignedIn, h.addToken),
		site.Post("/account/tokens/:token/revoke", site.SignedIn, h.revokeToken),

		site.Get("/users", site.Admins, h.users),
		site.Post("/users", site.Admins, h.addUser),
		site.Post("/users/:login/link", site.Admins, h.userLink),
		site.Post("/users/:login/disable", site.Admins, h.disableUser),
		site.Post("/users/:login/enable", site.Admins, h.enableUser),
		site.Post("/users/:login/role", site.Admins, h.userRole),
		site.Post("/users/:login/second-factor/reset", site.Admins, h.resetSecondFactor),
		site.Post("/users/:login/sessions/end", site.Admins, h.endUserSessions),
		site.Post("/users/:login/mail", site.Admins, h.userMail),
		site.Post("/users/:login/subjects/unbind", site.Admins, h.unbindSubject),

		site.Get("/tokens", site.Admins, h.allTokens),
		site.Post("/tokens/:token/revoke", site.Admins, h.revokeAnyToken),

		site.Get("/audit", site.Admins, h.audit),
		site.Get("/audit.csv", site.Admins, h.auditCSV),
		site.Get("/campaigns/:slug/audit", site.Leads|site.Admins, h.audit),
		site.Get("/campaigns/:slug/audit.csv", site.Leads|site.Admins, h.auditCSV),
	}
}
