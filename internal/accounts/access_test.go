package accounts_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// TestAccessIsOfNow: what a request is told of its session and its campaign follows from what another program, which this one
// does not hear of, has changed just before.
func TestAccessIsOfNow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store)
		mia := s.Annotators[0]
		session := storetest.Must(db.Accounts.StartSession(t.Context(), mia, ""))(t)
		asks := func() (accounts.User, campaign.Campaign, []campaign.Role, error) {
			u, _, err := db.Accounts.Visit(t.Context(), session)
			c, _, roles, refused := db.Accounts.CampaignFor(t.Context(), s.Campaign.Slug, mia.ID, "")
			if err == nil {
				err = refused
			}
			return u, c, roles, err
		}
		for i, step := range []struct {
			change string
			says   string // nothing: the request is refused
		}{
			{"UPDATE users SET name = 'Mia'", "Mia false open [annotator]"},
			{"INSERT INTO second_factors (user_id, secret, confirmed_at) SELECT id, '', 1 FROM users", "Mia true open [annotator]"},
			{"UPDATE second_factors SET confirmed_at = 0", "Mia false open [annotator]"},
			{"UPDATE second_factors SET confirmed_at = 1", "Mia true open [annotator]"},
			{"DELETE FROM second_factors", "Mia false open [annotator]"},
			{"UPDATE memberships SET adjudicates = TRUE", "Mia false open [annotator adjudicator]"},
			{"DELETE FROM memberships", "Mia false open []"},
			{"INSERT INTO memberships (campaign_id, user_id, role, created_at) SELECT c.id, u.id, 'lead', 0 FROM campaigns c, users u", "Mia false open [lead]"},
			{"UPDATE campaigns SET state = 'paused'", "Mia false paused [lead]"},
			{"UPDATE campaigns SET deleted = TRUE", ""},
			{"UPDATE campaigns SET deleted = FALSE", "Mia false paused [lead]"},
			{"UPDATE users SET disabled = TRUE", ""},
			{"UPDATE users SET disabled = FALSE", "Mia false paused [lead]"},
			{"UPDATE sessions SET expires_at = 1", ""},
			{"UPDATE sessions SET expires_at = 9000000000000000", "Mia false paused [lead]"},
			{"DELETE FROM sessions", ""},
		} {
			storetest.Exec(t, db, step.change)
			for range 2 { // the second answer may be a kept one
				told := ""
				if u, c, roles, err := asks(); err == nil {
					told = fmt.Sprintf("%s %t %s %v", u.Name, u.SecondFactor, c.State, roles)
				}
				if told != step.says {
					t.Errorf("after change %d, %s, a request is told %q, want %q", i+1, step.change, told, step.says)
				}
			}
		}
	})
}

// TestAccessKeepsNoAddress: what is kept of a question takes no more memory if the address of the request is long.
func TestAccessKeepsNoAddress(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 50 {
		address := fmt.Sprintf("%032d", i) + strings.Repeat("x", 1<<20)
		for _, assignment := range []string{address, address[:32]} {
			_, _, roles, err := db.Accounts.CampaignFor(t.Context(), s.Campaign.Slug, s.Annotators[0].ID, assignment)
			if err != nil || len(roles) != 1 {
				t.Fatalf("the annotator has the roles %v, %v", roles, err)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if more := int64(after.HeapAlloc) - int64(before.HeapAlloc); more > 10<<20 {
		t.Errorf("after questions with addresses of 1 MiB, %d more bytes are in use", more)
	}
}
