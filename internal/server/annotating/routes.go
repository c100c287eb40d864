package annotating

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/work", site.SignedIn, h.myWork),
		site.Put("/account/keys", site.SignedIn, h.changeKeys),

		site.Post("/campaigns/:slug/next", site.Annotators, h.next),
		site.Get("/campaigns/:slug/finished", site.Annotators, h.own),
		site.Get("/campaigns/:slug/numbers", site.Annotators, h.numbers),
		site.Get("/campaigns/:slug/adjudicate", site.Adjudicators|site.Managers, h.toAdjudicate),
		site.Post("/campaigns/:slug/adjudicate", site.Adjudicators|site.Managers, h.openAdjudication),
		site.Get("/campaigns/:slug/assignments/:assignment", site.Annotators|site.Adjudicators|site.Managers, h.annotate),
		site.Put("/campaigns/:slug/assignments/:assignment/cards/:card", site.Annotators|site.Adjudicators|site.Managers, h.saveCard),
		site.Post("/campaigns/:slug/assignments/:assignment/submit", site.Annotators|site.Adjudicators|site.Managers, h.submit),
		site.Post("/campaigns/:slug/assignments/:assignment/skip", site.Annotators, h.ofWork(h.skip)),
		site.Post("/campaigns/:slug/assignments/:assignment/take-back", site.Annotators, h.ofWork(h.takeBack)),
		site.Get("/campaigns/:slug/assignments/:assignment/document", site.Annotators|site.Adjudicators|site.Managers, h.document),
		site.Post("/campaigns/:slug/assignments/:assignment/problem", site.Annotators, h.ofWork(h.reportProblem)),
		site.Get("/campaigns/:slug/assignments/:assignment/thread", site.Annotators, h.ofWork(h.thread)),
		site.Post("/campaigns/:slug/assignments/:assignment/thread", site.Annotators, h.ofWork(h.ask)),
		site.Put("/campaigns/:slug/assignments/:assignment/thread", site.Annotators, h.ofWork(h.readThread)),

		site.Get("/campaigns/:slug/guide", site.Annotators|site.Adjudicators|site.Readers, h.guide),
		site.Post("/campaigns/:slug/guide", site.Managers, h.changeGuide),
		site.Post("/campaigns/:slug/guide/closed", site.Annotators, h.closeGuide),

		site.Get("/campaigns/:slug/instructions", site.Annotators|site.Managers, h.instructions),
		site.Post("/campaigns/:slug/instructions", site.Managers, h.changeInstructions),
		site.Post("/campaigns/:slug/instructions/accept", site.Annotators, h.accept),

		site.Get("/campaigns/:slug/train", site.Annotators, h.train),
		site.Post("/campaigns/:slug/train/next", site.Annotators, h.nextTraining),
		site.Post("/campaigns/:slug/practise", site.Annotators, h.practise),
		site.Get("/campaigns/:slug/announcements", site.Managers, h.announcements),
		site.Post("/campaigns/:slug/announcements", site.Managers, h.announce),
		site.Post("/campaigns/:slug/announcements/:announcement/end", site.Managers, h.endAnnouncement),
		site.Post("/campaigns/:slug/announcements/:announcement/read", site.Annotators, h.readAnnouncement),
	}
}
