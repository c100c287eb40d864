package main

import (
	"errors"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/store/storetest"
)

// No command acts on a side campaign: an import into it, or other settings, would change what
// annotators are trained on or checked with.
func TestSideCampaignHasNoCommands(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	s.MakeSide(t, campaign.Checks, 1)
	if _, err := command.FindCampaign(t.Context(), db.Store, s.Campaign.Slug); err != nil {
		t.Error(err)
	}
	_, err := command.FindCampaign(t.Context(), db.Store, s.Campaign.Slug+"~checks")
	if _, ok := errors.AsType[*campaign.InvalidError](err); !ok {
		t.Errorf("a command on a side campaign gets %v", err)
	}
}
