package training

import (
	"annotate/internal/server/site"
)

// Routes lists the routes of this group, with the people who may use each.
func (h *Handlers) Routes() []site.Route {
	return []site.Route{
		site.Get("/campaigns/:slug/train/results/:result", site.Annotators, h.result),
		site.Get("/campaigns/:slug/training", site.Leads|site.Admins, h.training),
		site.Post("/campaigns/:slug/training", site.Leads|site.Admins, h.changeTraining),
		site.Get("/campaigns/:slug/training/add", site.Leads|site.Admins, h.askTrainingSegments),
		site.Post("/campaigns/:slug/training/add", site.Leads|site.Admins, h.addTrainingSegments),
		site.Post("/campaigns/:slug/training/import", site.Leads|site.Admins, h.importTraining),
		site.Get("/campaigns/:slug/training/segments/:segment", site.Leads|site.Admins, h.trainingSegment),
		site.Post("/campaigns/:slug/training/segments/:segment", site.Leads|site.Admins, h.changeTrainingSegment),
		site.Post("/campaigns/:slug/training/segments/:segment/answer", site.Leads|site.Admins, h.openAnswer),
		site.Post("/campaigns/:slug/training/segments/:segment/try", site.Leads|site.Admins, h.tryTraining),
		site.Get("/campaigns/:slug/training/people/:login", site.Leads|site.Admins, h.trainee),
		site.Post("/campaigns/:slug/training/people/:login", site.Leads|site.Admins, h.decideTrainee),
		site.Get("/campaigns/:slug/training/results/:result", site.Leads|site.Admins, h.traineeResult),
	}
}
