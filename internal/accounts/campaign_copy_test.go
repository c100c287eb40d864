package accounts_test

import (
	"slices"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestCopyCampaign checks that a copy has the protocol, the settings, the guide, the instructions and
// the chosen members in their roles, that it has no data, and that an error leaves no campaign.
func TestCopyCampaign(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Annotators(3), storetest.Set("redundancy=3", "flag_fast=0.2"))
		storetest.Check(t, db.Records.SetGuide(t.Context(), s.Campaign.ID, s.Lead.ID, "Be kind.", ""))
		storetest.Check(t, db.Training.SetInstructions(t.Context(), s.Campaign.ID, "Be late.", 0, s.Lead.ID))
		storetest.Check(t, db.Training.SetInstructions(t.Context(), s.Campaign.ID, "Be fair.", 1, s.Lead.ID))
		storetest.Check(t, db.Training.Accept(t.Context(), s.Campaign.ID, 2, s.Annotators[0].ID))
		s.Join(t, "ann2", campaign.Adjudicator)
		s.Remove(t, "ann3")
		s.Reload(t)
		copied := accounts.CampaignCopy{Slug: "next", Title: "Next", SourceLang: "ja", TargetLang: "de", Members: []string{"ann1", "ann2", "researcher", "lead"}}
		next := storetest.Must(db.Accounts.CopyCampaign(t.Context(), s.Campaign, copied, s.Lead.ID))(t)
		got := storetest.Must(db.Records.Campaign(t.Context(), "next"))(t)
		if got.ID != next.ID || got.Title != "Next" || got.LanguagePair() != "ja-de" || got.Protocol != "mqm" || got.Settings != s.Campaign.Settings || got.Guide != "Be kind." || got.State != campaign.Open {
			t.Errorf("the copy is %+v", got)
		}
		storetest.WantCount(t, db, 0, "all_segments WHERE campaign_id = ?", next.ID)
		if in := storetest.Must(db.Training.Instructions(t.Context(), next.ID))(t); in.Version != 1 || in.Text != "Be fair." {
			t.Errorf("the instructions of the copy are %+v", in)
		}
		if must := storetest.Must(db.Training.MustAccept(t.Context(), next.ID, s.Annotators[0].ID))(t); !must {
			t.Error("what was accepted in the other campaign counts as accepted in the copy")
		}
		members := func(id string) (out []string) {
			for _, m := range storetest.Must(db.Accounts.Members(t.Context(), id))(t) {
				role := m.Login + " " + string(m.Role)
				if m.Adjudicates {
					role += "+"
				}
				out = append(out, role)
			}
			return out
		}
		want := []string{"ann1 annotator", "ann2 annotator+", "lead lead", "researcher researcher"}
		if got := members(next.ID); !slices.Equal(got, want) {
			t.Errorf("the members are %v, want %v", got, want)
		}
		log := storetest.Query[string](t, db, "SELECT subject FROM audit_log WHERE campaign_id = ? ORDER BY id", next.ID)
		if len(log) != 4 || log[0] != "next, from sample" || !slices.Contains(log, "ann2 as annotator, from sample") {
			t.Errorf("the audit log says %q", log)
		}
		// The command line has no user, so the author of the instructions stays the same.
		alone := storetest.Must(db.Accounts.CopyCampaign(t.Context(), s.Campaign, accounts.CampaignCopy{Slug: "alone", Title: "Alone"}, ""))(t)
		if in := storetest.Must(db.Training.Instructions(t.Context(), alone.ID))(t); in.Text != "Be fair." || in.Login != "lead" {
			t.Errorf("the instructions of a copy by the command line are %+v", in)
		}
		for _, bad := range []accounts.CampaignCopy{
			{Slug: "next", Title: "Taken"}, {Slug: "other", Title: "Other", Members: []string{"ann1", "ann3"}}, {Slug: "other", Title: "Other", Members: []string{"nobody"}}, {Slug: "", Title: ""},
		} {
			if _, err := db.Accounts.CopyCampaign(t.Context(), s.Campaign, bad, s.Lead.ID); err == nil {
				t.Errorf("%+v was copied", bad)
			}
		}
		storetest.WantCount(t, db, 3, "campaigns")

		// CopyMembers adds all given members or none. Existing members keep their roles.
		empty := storetest.Must(db.Accounts.CreateCampaign(t.Context(), storetest.NewCampaign(t, "empty"), ""))(t)
		storetest.Check(t, db.Accounts.AddMember(t.Context(), empty.ID, "ann1", campaign.Researcher, ""))
		if added := storetest.Must(db.Accounts.CopyMembers(t.Context(), empty, s.Campaign, []string{"ann2", "ann1", "ann2"}, s.Lead.ID))(t).Added; !slices.Equal(added, []string{"ann2"}) {
			t.Errorf("added %v", added)
		}
		if got := members(empty.ID); !slices.Equal(got, []string{"ann1 researcher", "ann2 annotator+"}) {
			t.Errorf("the members are %v", got)
		}
		_, err := db.Accounts.CopyMembers(t.Context(), empty, s.Campaign, []string{"lead", "ann3"}, s.Lead.ID)
		storetest.WantErr(t, err, campaign.ErrNotFound)
		if err == nil || !strings.Contains(err.Error(), "ann3") || len(members(empty.ID)) != 2 {
			t.Errorf("%v, members %v", err, members(empty.ID))
		}
	})
}
