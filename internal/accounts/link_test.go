package accounts_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

func TestLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.AddUser(t, db, "mia")
		link := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
		if got := storetest.Must(db.Accounts.LinkUser(t.Context(), link))(t); got.ID != u.ID {
			t.Errorf("the link is for %q, want mia", got.Login)
		}
		session := storetest.Must(db.Accounts.UseLink(t.Context(), link, "browser"))(t) // looking at it spent nothing
		if got := storetest.Must(db.SessionUser(t.Context(), session))(t); got.ID != u.ID {
			t.Errorf("signed in %q, want mia", got.Login)
		}
		_, err := db.Accounts.UseLink(t.Context(), link, "browser")
		storetest.WantErr(t, err, accounts.ErrLinkUsed)
		_, err = db.Accounts.LinkUser(t.Context(), link)
		storetest.WantErr(t, err, accounts.ErrLinkUsed)
		if _, err := db.SessionUser(t.Context(), session); err != nil {
			t.Errorf("the session ended with the link: %v", err)
		}
		_, err = db.Accounts.UseLink(t.Context(), "made up", "browser")
		storetest.WantErr(t, err, accounts.ErrLinkUnknown)
		for _, kind := range []error{accounts.ErrLinkUsed, accounts.ErrLinkUnknown, accounts.ErrLinkExpired} {
			storetest.WantErr(t, kind, campaign.ErrNotFound)
		}
		storetest.WantCount(t, db, 0, "sign_in_links WHERE token_hash = ?", link)
		storetest.WantCount(t, db, 0, "sessions WHERE token_hash = ?", session)
	})
}

func TestLinkExpires(t *testing.T) {
	db := storetest.Open(t)
	u := storetest.AddUser(t, db, "mia")
	link, late := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t), storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
	db.Clock.Advance(accounts.LinkLifetime - time.Second)
	storetest.Must(db.Accounts.UseLink(t.Context(), link, ""))(t)
	db.Clock.Advance(2 * time.Second)
	_, err := db.Accounts.UseLink(t.Context(), late, "")
	storetest.WantErr(t, err, accounts.ErrLinkExpired)
}

// If several people use one link at the same time, exactly one of them is signed in.
func TestLinkUsedAtTheSameTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.AddUser(t, db, "mia")
		for range 10 {
			link := storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t)
			var won atomic.Int64
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					_, err := db.Accounts.UseLink(t.Context(), link, "")
					if err == nil {
						won.Add(1)
					} else if !errors.Is(err, accounts.ErrLinkUsed) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if won.Load() != 1 {
				t.Fatalf("%d sessions began with one link", won.Load())
			}
		}
	})
}
