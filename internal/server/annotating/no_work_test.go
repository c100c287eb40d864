package annotating

import (
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/web/templates/annotating"
)

// A campaign offers a next segment until the quota is reached. What is begun, and second looks, are finished all the same.
func TestBlocked(t *testing.T) {
	open := campaign.Campaign{State: campaign.Open}
	trained := campaign.Standing{State: campaign.TrainingPassed}
	for _, c := range []struct {
		name string
		of   campaign.Campaign
		item annotating.WorkItem
		want string
	}{
		{"work", open, annotating.WorkItem{Available: 3, Quota: 10, RatingsToday: 9, Training: trained}, ""},
		{"quota", open, annotating.WorkItem{Available: 3, Quota: 10, RatingsToday: 10, Training: trained}, "quota"},
		{"no quota", open, annotating.WorkItem{Available: 3, RatingsToday: 10, Training: trained}, ""},
		{"begun", open, annotating.WorkItem{Available: 3, Quota: 10, RatingsToday: 10, Begun: true, Training: trained}, ""},
		{"second look", open, annotating.WorkItem{Quota: 10, RatingsToday: 10, SecondLooks: 1, Training: trained}, ""},
		{"nothing left", open, annotating.WorkItem{Training: trained}, "No segment is left"},
		{"no segments", open, annotating.WorkItem{Empty: true, Training: trained}, "has no segments yet"},
		{"must train", open, annotating.WorkItem{Training: campaign.Standing{State: campaign.TrainingNeeded}}, ""},
		{"paused", campaign.Campaign{State: campaign.Paused}, annotating.WorkItem{Available: 3, Begun: true, Training: trained}, "paused"},
		{"closed", campaign.Campaign{State: campaign.Closed}, annotating.WorkItem{Available: 3, Training: trained}, "closed"},
	} {
		if got := blocked(c.of, c.item); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
