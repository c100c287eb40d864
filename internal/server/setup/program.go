package setup

import (
	"slices"

	"annotate/internal/server/site"
)

// InCampaign names a campaign in an address. It is exported because huma reads no other embedded structs.
type InCampaign struct {
	Slug string `path:"slug"`
}

// None is an answer without anything to say.
type None struct{}

// ProgramRoutes lists the operations of this group for programs, with the people who may use each.
func (h *Handlers) ProgramRoutes() []site.Route {
	return slices.Concat(h.campaignOperations(), h.memberOperations(), h.importOperations(), h.followOperations(),
		h.judgeOperations(), h.webhookOperations())
}
