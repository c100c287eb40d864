package accounts_test

import (
	"testing"
	"time"

	"annotate/internal/accounts"
	"annotate/internal/store"
	"annotate/internal/store/storetest"
)

// TestFailuresOfTwoServers: servers on one database count failures together; failures are forgiven one after the other.
func TestFailuresOfTwoServers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		cfg := db.Config
		cfg.Now = db.Clock.Now
		second := storetest.Must(store.Open(t.Context(), cfg))(t)
		defer second.Close()
		limit := accounts.FailureLimit{Every: 15 * time.Second, Burst: 3}
		address, login := accounts.Attempt{Subject: "address", Limit: accounts.FailureLimit{Every: time.Second, Burst: 300}}, accounts.Attempt{Subject: "login", Limit: limit}
		for i, st := range []*store.Store{db.Store, second, db.Store, second, db.Store} {
			want := 2
			if i >= 3 {
				want = 1
			}
			if n, err := st.Accounts.CountAttempts(t.Context(), address, login); err != nil || n != want {
				t.Errorf("attempt %d: %d are counted, want %d: %v", i+1, n, want, err)
			}
		}
		db.Clock.Advance(14 * time.Second)
		if n, err := second.Accounts.CountAttempts(t.Context(), login); err != nil || n != 0 {
			t.Errorf("before one is forgiven, %d are counted: %v", n, err)
		}
		db.Clock.Advance(time.Second)
		for want := 1; want >= 0; want-- {
			if n, err := second.Accounts.CountAttempts(t.Context(), login); err != nil || n != want {
				t.Errorf("after one is forgiven, %d are counted, want %d: %v", n, want, err)
			}
		}
		if err := second.Accounts.TakeBackAttempts(t.Context(), login); err != nil {
			t.Fatal(err)
		}
		if n, err := db.Accounts.CountAttempts(t.Context(), login); err != nil || n != 1 {
			t.Errorf("after a success, %d are counted: %v", n, err)
		}
		db.Clock.Advance(time.Hour + time.Second)
		if err := db.Accounts.ForgiveFailures(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := db.DB.Conn.Raw("SELECT count(*) FROM sign_in_failures").Scan(&left).Error; err != nil || left != 0 {
			t.Errorf("%d rows are left: %v", left, err)
		}
	})
}
