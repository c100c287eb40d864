package records_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/records"
	"annotate/internal/store/storetest"
)

func TestSetGuide(t *testing.T) {
	db := storetest.Open(t)
	lead := storetest.AddUser(t, db, "lead")
	c := storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "news"), lead.ID))(t)
	guide := func() string {
		found, _, _, err := db.Accounts.CampaignFor(t.Context(), "news", lead.ID, "")
		storetest.Check(t, err)
		if again := storetest.Must(db.Records.Campaign(t.Context(), "news"))(t); again.Guide != found.Guide {
			t.Errorf("it is %q and %q", found.Guide, again.Guide)
		}
		if of := storetest.Must(db.Accounts.CampaignsOf(t.Context(), lead.ID))(t); of[0].Campaign.Guide != found.Guide {
			t.Errorf("it is %q and %q", found.Guide, of[0].Campaign.Guide)
		}
		return found.Guide
	}
	set := func(text, was string) error { return db.Records.SetGuide(t.Context(), c.ID, lead.ID, text, was) }
	none := campaign.GuideVersion("")
	if err := set("\ufeff# One\r\n\r\nтекст 文", none); err != nil || guide() != "# One\n\nтекст 文" {
		t.Fatalf("it is %q, %v", guide(), err)
	}
	// Another lead edited the earlier version of the guide.
	storetest.WantErr(t, set("# Other", none), campaign.ErrConflict)
	storetest.WantErr(t, db.Records.SetGuide(t.Context(), "nosuch", lead.ID, "x", ""), campaign.ErrNotFound)
	for _, bad := range []string{strings.Repeat("x", campaign.MaxGuide+1), "a\x00b", "a\xff"} {
		if err := set(bad, ""); err == nil || !strings.HasPrefix(err.Error(), "guide: ") {
			t.Errorf("%.10q: %v", bad, err)
		}
	}
	if guide() != "# One\n\nтекст 文" {
		t.Errorf("a refused change made it %q", guide())
	}
	if err := set("# One\n\nтекст 文", none); err != nil { // what was wanted is there
		t.Error(err)
	}
	if err := set(strings.Repeat("x", campaign.MaxGuide), ""); err != nil || len(guide()) != campaign.MaxGuide {
		t.Errorf("it has %d bytes, %v", len(guide()), err)
	}
	if err := set(" \r\n\t", campaign.GuideVersion(guide())); err != nil || guide() != "" {
		t.Errorf("cleared it is %q, %v", guide(), err)
	}
	log, _, err := db.AuditLog(t.Context(), c.ID, 0, 10)
	storetest.Check(t, err)
	var acts []string
	for _, e := range log {
		if strings.Contains(e.Act, "guide") {
			acts = append(acts, e.Login+": "+e.Act+": "+e.Subject)
		}
	}
	want := []string{"lead: clear guide: the protocol's own is shown", "lead: set guide: 21 -> 102400 bytes", "lead: set guide: 0 -> 21 bytes"}
	if !slices.Equal(acts, want) {
		t.Errorf("the log says %q, want %q", acts, want)
	}
	// Other changes do not change the guide.
	storetest.Check(t, set("kept", ""))
	title := "Another title"
	storetest.Check(t, db.Rounds.ChangeCampaign(t.Context(), c.ID, "", records.CampaignChange{Title: &title}))
	if guide() != "kept" {
		t.Errorf("after a change of the title it is %q", guide())
	}
}
