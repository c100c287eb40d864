package accounts_test

import (
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"annotate/internal/accounts"
	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

// withFactor gives a user who signs in with a link a second factor. It returns its key and the recovery codes.
func withFactor(t *testing.T, db *storetest.DB, u accounts.User) (key string, codes []string) {
	t.Helper()
	session := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t), ""))(t)
	f := storetest.Must(db.Accounts.OfferSecondFactor(t.Context(), session, ""))(t)
	again := storetest.Must(db.Accounts.OfferedSecondFactor(t.Context(), u))(t)
	if again != f {
		t.Errorf("the second factor that was offered is read as %+v, want %+v", again, f)
	}
	_, err := db.Accounts.ConfirmSecondFactor(t.Context(), session, "000000")
	storetest.WantErr(t, err, accounts.ErrWrongCode)
	return f.Key, storetest.Must(db.Accounts.ConfirmSecondFactor(t.Context(), session, codeAt(t, f.Key, db.Clock.Now())))(t)
}

func codeAt(t *testing.T, key string, at time.Time) string {
	t.Helper()
	return storetest.Must(totp.GenerateCode(key, at))(t)
}

// TestSecondFactor: a session begins with a code only, each code and each recovery code is good once, and what is stored is no
// secret without the key.
func TestSecondFactor(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		u := storetest.AddUser(t, db, "mara")
		key, codes := withFactor(t, db, u)
		storetest.WantCount(t, db, 0, "second_factors WHERE secret LIKE ?", "%"+key+"%")
		storetest.WantCount(t, db, 0, "recovery_codes WHERE code_hash = ?", codes[0])
		if len(codes) != 10 {
			t.Errorf("there are %d recovery codes, want 10", len(codes))
		}
		begin := func() string {
			t.Helper()
			half := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t), ""))(t)
			_, err := db.SessionUser(t.Context(), half)
			storetest.WantErr(t, err, campaign.ErrNotFound)
			_, err = db.Accounts.OfferSecondFactor(t.Context(), half, "")
			storetest.WantErr(t, err, campaign.ErrForbidden)
			return half
		}
		half := begin()
		give := func(code string) error {
			t.Helper()
			token, err := db.Accounts.GiveCode(t.Context(), half, code, "")
			if err != nil {
				return err
			}
			if token == half {
				t.Error("the session goes on with the token that it had before the code")
			}
			if got := storetest.Must(db.SessionUser(t.Context(), token))(t); got.ID != u.ID || !got.SecondFactor {
				t.Errorf("the session is that of %+v", got)
			}
			half = begin()
			return nil
		}
		storetest.WantErr(t, give(codeAt(t, key, db.Clock.Now())), accounts.ErrWrongCode) // it was used to confirm
		db.Clock.Advance(time.Minute)
		now := codeAt(t, key, db.Clock.Now())
		storetest.Check(t, give(now[:3]+" "+now[3:]))
		storetest.WantErr(t, give(now), accounts.ErrWrongCode)
		storetest.WantErr(t, give(codeAt(t, key, db.Clock.Now().Add(-30*time.Second))), accounts.ErrWrongCode) // an earlier one
		storetest.WantErr(t, give(codeAt(t, key, db.Clock.Now().Add(5*time.Minute))), accounts.ErrWrongCode)
		storetest.Check(t, give(codes[0]))
		storetest.WantErr(t, give(codes[0]), accounts.ErrWrongCode)
		own := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t), ""))(t)
		own = storetest.Must(db.Accounts.GiveCode(t.Context(), own, codes[2], ""))(t)
		_, err := db.Accounts.RenewRecoveryCodes(t.Context(), own, "000000")
		storetest.WantErr(t, err, accounts.ErrWrongCode)
		former := codes[3]
		codes = storetest.Must(db.Accounts.RenewRecoveryCodes(t.Context(), own, codes[4]))(t)
		if left := storetest.Must(db.Accounts.RecoveryCodesLeft(t.Context(), u.ID))(t); left != 10 || len(codes) != 10 {
			t.Errorf("there are %d new recovery codes, and %d are left", len(codes), left)
		}
		storetest.WantErr(t, give(former), accounts.ErrWrongCode)
		storetest.Check(t, give(codes[0]))
		db.Clock.Advance(11 * time.Minute)
		storetest.WantErr(t, give(codes[1]), campaign.ErrNotFound) // the time for the code is over
		storetest.Check(t, db.Accounts.ResetSecondFactor(t.Context(), u.ID))
		storetest.WantCount(t, db, 0, "recovery_codes")
		storetest.WantErr(t, db.Accounts.ResetSecondFactor(t.Context(), u.ID), campaign.ErrConflict)
		session := storetest.Must(db.Accounts.UseLink(t.Context(), storetest.Must(db.Accounts.NewLink(t.Context(), u.ID))(t), ""))(t)
		storetest.Must(db.SessionUser(t.Context(), session))(t)
	})
}
