package storetest

import (
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/protocol"
)

// MembershipOf is the membership of a login in the campaign.
func MembershipOf(t *testing.T, s *Sample, login string) accounts.Membership {
	t.Helper()
	for _, m := range Must(s.Store.Accounts.Members(t.Context(), s.Campaign.ID))(t) {
		if m.User.Login == login {
			return m
		}
	}
	t.Fatalf("%s is no member", login)
	return accounts.Membership{}
}

// RoleIn is the user's role in a campaign; empty for someone who is no member.
func RoleIn(t *testing.T, db *DB, slug, userID string) campaign.Role {
	t.Helper()
	_, _, roles, err := db.Accounts.CampaignFor(t.Context(), slug, userID, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(roles) == 0 {
		return ""
	}
	return roles[0]
}

// AddUser makes an account.
func AddUser(t *testing.T, db *DB, login string) accounts.User {
	t.Helper()
	return Must(db.Accounts.AddUser(t.Context(), login, "", accounts.Member))(t)
}

// NewCampaign is a valid campaign that is not stored yet.
func NewCampaign(t *testing.T, slug string) campaign.Campaign {
	t.Helper()
	p, ok := protocol.Lookup("sqm")
	if !ok {
		t.Fatal("no protocol sqm")
	}
	return campaign.Campaign{Slug: slug, Title: "News zh–en", Protocol: "sqm", Settings: campaign.DefaultSettings(p)}
}

// FourSegments makes a campaign of four segments by four systems. The first two are agreed, the third is
// sent back, and the fourth has been rated by one annotator.
func FourSegments(t *testing.T, db *DB) *Sample {
	t.Helper()
	s := Campaign(t, db.Store, Systems(4), PerDocument(4))
	for _, scores := range [][2][]float64{
		{{0, 1, 2, 3}, {1, 2, 3, 4}}, // r = 1, ann2 is a point higher
		{{2, 2, 2, 2}, {2, 2, 2, 3}}, // undefined, a quarter of a point apart
		{{0, 1, 2, 3}, {3, 2, 1, 0}}, // r = -1
	} {
		for i, given := range scores {
			a := s.Next(t, i)
			if s.Work(t, i, a).Assignment.Round > 1 {
				t.Fatal("a second look came too early")
			}
			s.Rate(t, i, a, given...)
		}
		db.Clock.Advance(time.Minute)
	}
	return s
}
