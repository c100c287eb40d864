package accounts_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

func TestDisabledAccount(t *testing.T) {
	db := storetest.Open(t)
	u := storetest.AddUser(t, db, "mia")
	link := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
	session := storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
	storetest.Check(t, db.Accounts.SetDisabled(t.Context(), u.ID, true))
	later := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
	_, err := db.SessionUser(t.Context(), session)
	storetest.WantErr(t, err, campaign.ErrNotFound)
	_, err = db.Accounts.UseLink(t.Context(), link, "")
	storetest.WantErr(t, err, accounts.ErrLinkUnknown)
	_, err = db.Accounts.UseLink(t.Context(), later, "")
	storetest.WantErr(t, err, campaign.ErrForbidden)
	_, err = db.Accounts.StartSession(t.Context(), u, "")
	storetest.WantErr(t, err, campaign.ErrForbidden)
	storetest.Check(t, db.Accounts.SetDisabled(t.Context(), u.ID, false))
	_, err = db.SessionUser(t.Context(), session)
	storetest.WantErr(t, err, campaign.ErrNotFound) // it has ended for good
	storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
}

func TestSessionExpires(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.AddUser(t, db, "mia")
		session := storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
		for range 3 { // each visit begins the time anew
			db.Clock.Advance(accounts.SessionLifetime - time.Minute)
			storetest.Must(db.SessionUser(t.Context(), session))(t)
			storetest.WaitForVisits(db.Store)
		}
		if seen := storetest.Must(db.Accounts.LastSeen(t.Context()))(t)[u.ID]; !seen.Equal(db.Clock.Now()) {
			t.Errorf("last seen %v, want %v", seen, db.Clock.Now())
		}
		db.Clock.Advance(accounts.SessionLifetime + time.Second)
		_, err := db.SessionUser(t.Context(), session)
		storetest.WantErr(t, err, campaign.ErrNotFound)
		if list := storetest.Must(db.Accounts.Sessions(t.Context(), u.ID, session))(t); len(list) != 0 {
			t.Errorf("expired sessions are listed: %+v", list)
		}
	})
}

// A session ends after its longest lifetime, however often it is used.
func TestSessionLimit(t *testing.T) {
	db := storetest.Open(t)
	u := storetest.AddUser(t, db, "mia")
	session := storetest.Must(db.Accounts.StartSession(t.Context(), u, ""))(t)
	for age := time.Duration(0); age < accounts.SessionLimit; age += 24 * time.Hour {
		if _, err := db.SessionUser(t.Context(), session); err != nil {
			t.Fatalf("after %v: %v", age, err)
		}
		storetest.WaitForVisits(db.Store)
		db.Clock.Advance(24 * time.Hour)
	}
	_, err := db.SessionUser(t.Context(), session)
	storetest.WantErr(t, err, campaign.ErrNotFound)
}

func TestEndSessions(t *testing.T) {
	db := storetest.Open(t)
	u, other := storetest.AddUser(t, db, "mia"), storetest.AddUser(t, db, "noa")
	first := storetest.Must(db.Accounts.StartSession(t.Context(), u, "first"))(t)
	db.Clock.Advance(time.Minute)
	second := storetest.Must(db.Accounts.StartSession(t.Context(), u, "second"))(t)
	db.Clock.Advance(time.Minute)
	third := storetest.Must(db.Accounts.StartSession(t.Context(), u, "third"))(t)

	list := storetest.Must(db.Accounts.Sessions(t.Context(), u.ID, second))(t)
	if len(list) != 3 || list[0].Agent != "third" || list[2].Agent != "first" || !list[1].Current || list[0].Current || list[2].Current {
		t.Fatalf("sessions %+v, want the latest first and the second as the current one", list)
	}
	storetest.WantErr(t, db.Accounts.RevokeSession(t.Context(), other.ID, list[0].ID), campaign.ErrNotFound)
	storetest.WantErr(t, db.Accounts.RevokeSession(t.Context(), u.ID, ""), campaign.ErrNotFound)
	storetest.Check(t, db.Accounts.RevokeSession(t.Context(), u.ID, list[0].ID))
	_, err := db.SessionUser(t.Context(), third)
	storetest.WantErr(t, err, campaign.ErrNotFound)

	storetest.Check(t, db.Accounts.EndSessions(t.Context(), u.ID, second))
	_, err = db.SessionUser(t.Context(), first)
	storetest.WantErr(t, err, campaign.ErrNotFound)
	if _, err = db.SessionUser(t.Context(), second); err != nil {
		t.Errorf("the session that was to be kept ended: %v", err)
	}
	storetest.Check(t, db.Accounts.EndSession(t.Context(), second))
	_, err = db.SessionUser(t.Context(), second)
	storetest.WantErr(t, err, campaign.ErrNotFound)
	storetest.Check(t, db.Accounts.EndSession(t.Context(), second))
}

// The name that a browser gives itself may be any text.
func TestAgent(t *testing.T) {
	db := storetest.Open(t)
	u := storetest.AddUser(t, db, "mia")
	for _, agent := range []string{"Fire\xffcat", "nul\x00", strings.Repeat("é", 151), "x" + strings.Repeat("🙂", 100)} {
		session := storetest.Must(db.Accounts.StartSession(t.Context(), u, agent))(t)
		if _, err := db.SessionUser(t.Context(), session); err != nil {
			t.Errorf("%q: %v", agent, err)
		}
	}
}

func TestSessionKey(t *testing.T) {
	db := storetest.Open(t)
	keys := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = db.Accounts.SessionKey(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again := storetest.Must(db.Accounts.SessionKey(t.Context()))(t)
	if len(again) != 64 || bytes.Equal(again, make([]byte, 64)) {
		t.Fatalf("key %x", again)
	}
	for i, key := range keys {
		if !bytes.Equal(key, again) {
			t.Errorf("call %d got another key", i)
		}
	}
}
