package accounts_test

import (
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestRoles goes through what members become, and what nobody may become. Who may have seen systems and ratings
// can't rate, who has annotated stays an annotator, and a campaign keeps a lead who can sign in.
func TestRoles(t *testing.T) {
	db, s := storetest.New(t)
	other := storetest.Campaign(t, db.Store, storetest.Slug("other"), storetest.Annotators(0))
	ids := map[string]string{"lead": s.Lead.ID, "researcher": s.Researcher.ID, "ann1": s.Annotators[0].ID}
	for login, role := range map[string]string{"mia": accounts.Member, "second": accounts.Member, "boss": accounts.Admin, "root": accounts.Admin} {
		ids[login] = storetest.Must(db.Accounts.AddUser(t.Context(), login, "", role))(t).ID
	}
	for n, step := range []struct {
		by, who, becomes string
		refused          error
	}{
		{"lead", "mia", "lead", nil}, {"lead", "mia", "annotator", nil}, {"lead", "mia", "researcher", nil}, {"lead", "mia", "adjudicator", nil},
		{"lead", "mia", "annotator", nil}, {"lead", "nobody", "lead", campaign.ErrNotFound},
		{"lead", "researcher", "annotator", nil}, {"lead", "researcher", "researcher", nil}, // before the first rating

		{"lead", "ann1", "at work", nil}, {"lead", "ann1", "lead", campaign.ErrConflict}, {"lead", "ann1", "invited as researcher", campaign.ErrConflict},
		{"lead", "ann1", "removed", nil}, {"lead", "ann1", "lead", campaign.ErrConflict}, {"lead", "ann1", "annotator", nil},
		{"", "ann1", accounts.Admin, campaign.ErrConflict},

		{"lead", "lead", "researcher", campaign.ErrConflict}, {"lead", "lead", "removed", campaign.ErrConflict}, {"lead", "second", "lead", nil},
		{"lead", "researcher", "annotator", campaign.ErrConflict}, {"lead", "lead", "annotator", campaign.ErrConflict}, {"lead", "researcher", "removed", nil},
		{"lead", "researcher", "annotator", campaign.ErrConflict}, {"lead", "researcher", "invited as annotator", campaign.ErrConflict}, {"lead", "researcher", "researcher", nil},
		{"lead", "root", "annotator", campaign.ErrConflict}, {"lead", "root", "researcher", nil}, {"", "researcher", accounts.Admin, nil},

		{"", "second", "disabled", nil}, {"lead", "lead", "researcher", campaign.ErrConflict}, {"", "second", "enabled", nil}, {"lead", "lead", "researcher", nil},
		{"lead", "second", "removed", campaign.ErrConflict}, {"boss", "second", "removed", nil}, {"boss", "second", "removed", campaign.ErrNotFound},
	} {
		var err error
		switch id := ids[step.who]; step.becomes {
		case "at work":
			if storetest.MembershipOf(t, s, step.who).Fixed {
				t.Error("the role is fixed before the first segment")
			}
			s.RateNext(t, 0, 0, 1, 2)
			if !storetest.MembershipOf(t, s, step.who).Fixed {
				t.Error("the role is not fixed after a segment")
			}
		case "removed":
			err = db.Accounts.RemoveMember(t.Context(), s.Campaign.ID, step.who, ids[step.by])
		case "disabled", "enabled":
			err = db.Accounts.SetDisabled(t.Context(), id, step.becomes == "disabled")
		case accounts.Admin:
			err = db.Accounts.SetRole(t.Context(), id, accounts.Admin)
		case "invited as researcher", "invited as annotator":
			_, err = db.Accounts.Invite(t.Context(), s.Campaign.ID, step.who, "", campaign.Role(step.becomes[len("invited as "):]), ids[step.by])
		default:
			role := campaign.Role(step.becomes)
			err = db.Accounts.AddMember(t.Context(), s.Campaign.ID, step.who, role, ids[step.by])
			if got := storetest.RoleIn(t, db, s.Campaign.Slug, id); err == nil && got != role {
				t.Errorf("step %d: %s is %q", n+1, step.who, got)
			}
		}
		if storetest.WantErr(t, err, step.refused); t.Failed() {
			t.Fatalf("step %d: %+v", n+1, step)
		}
	}
	storetest.WantInvalid(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, "mia", "owner", s.Lead.ID), "role")
	storetest.Check(t, db.Accounts.AddMember(t.Context(), other.Campaign.ID, "ann1", campaign.Lead, s.Lead.ID))
}
