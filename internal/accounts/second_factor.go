package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"annotate/internal/campaign"
	"annotate/internal/database"
)

const (
	// codeLasts is how long a one-time password is valid (RFC 6238, section 5.2). The codes before and after the present
	// one are also accepted, since clocks differ.
	codeLasts = 30 * time.Second
	// awaitLasts is how long a person may take to give a code after the password or the link.
	awaitLasts = 10 * time.Minute
	// recoveryCodes is the number of codes that a person gets for the case that the second factor is
	// lost.
	recoveryCodes = 10
)

// ErrWrongCode: a code is not the present one, or was used.
var ErrWrongCode = campaign.Invalid("code",
	"this code is wrong, too old, or was used; wait for the next one, and check the clock of your device")

// A SecondFactor has the data with which an app makes one-time passwords.
type SecondFactor struct {
	URL string // otpauth://…, for a QR code
	Key string // to be typed, in base 32
}

// factorPurpose is the purpose for which the secret of a second factor is sealed.
func factorPurpose(userID string) string { return "second factor " + userID }

// OfferSecondFactor makes the secret of a second factor for the user of a session. Signing in needs no code before
// [Store.ConfirmSecondFactor]. proof is as in [Store.ChangePassword]. The error is an ErrConflict if the user has a
// second factor.
func (s *Store) OfferSecondFactor(ctx context.Context, session, proof string) (f SecondFactor, err error) {
	if err := s.box.Prepare(ctx); err != nil {
		return f, err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		row, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		if err := s.checkProof(row, u, proof); err != nil {
			return err
		}
		key, err := totp.Generate(totp.GenerateOpts{Issuer: "annotate", AccountName: u.Login, SecretSize: 20, Rand: rand.Reader})
		if err != nil {
			return err
		}
		f = SecondFactor{URL: key.URL(), Key: key.Secret()}
		sealed, err := s.box.Seal(ctx, factorPurpose(u.ID), key.Secret())
		if err != nil {
			return err
		}
		res := tx.Exec(`INSERT INTO second_factors (user_id, secret) VALUES (?, ?)
			ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret WHERE second_factors.confirmed_at = 0`, u.ID, sealed)
		if res.Error == nil && res.RowsAffected == 0 {
			return fmt.Errorf("you already have a second factor; turn it off first: %w", campaign.ErrConflict)
		}
		return res.Error
	})
	return f, err
}

// OfferedSecondFactor returns the second factor that was offered to a user and is not confirmed. The error is ErrNotFound if there is none.
func (s *Store) OfferedSecondFactor(ctx context.Context, u User) (f SecondFactor, err error) {
	var sealed string
	if err := database.Scan(s.db.Read(ctx).Raw("SELECT secret FROM second_factors WHERE user_id = ? AND confirmed_at = 0", u.ID), &sealed); err != nil {
		return f, err
	}
	secret, err := s.box.Open(ctx, factorPurpose(u.ID), sealed)
	if err != nil {
		return f, err
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return f, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "annotate", AccountName: u.Login, Secret: raw})
	if err != nil {
		return f, err
	}
	return SecondFactor{URL: key.URL(), Key: key.Secret()}, nil
}

// ConfirmSecondFactor turns on the second factor that was offered to the user of a session, if the code is right. It
// ends the other sessions of the user, and returns the recovery codes, which are not shown again. The error is
// [ErrWrongCode], or ErrNotFound if no second factor was offered.
func (s *Store) ConfirmSecondFactor(ctx context.Context, session, code string) (codes []string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		_, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		if err := s.useCode(tx, u.ID, code, false); err != nil {
			return err
		}
		if err := tx.Exec("UPDATE second_factors SET confirmed_at = ? WHERE user_id = ?", database.InstantOf(tx.Now()), u.ID).Error; err != nil {
			return err
		}
		if err := endSessions(tx, u.ID, session); err != nil {
			return err
		}
		if codes, err = storeRecoveryCodes(tx, u.ID); err != nil {
			return err
		}
		return s.LogSite(tx, "set up second factor", u.Login, "")
	})
	return codes, err
}

// storeRecoveryCodes makes the recovery codes of a user anew.
func storeRecoveryCodes(tx *database.Tx, userID string) ([]string, error) {
	if err := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ?", userID).Error; err != nil {
		return nil, err
	}
	codes := make([]string, recoveryCodes)
	rows := database.NewRows("recovery_codes", "user_id", "code_hash")
	for i := range codes {
		codes[i] = newRecoveryCode()
		rows.Add(userID, hashToken(plainCode(codes[i])))
	}
	return codes, rows.Insert(tx)
}

// RenewRecoveryCodes makes new recovery codes for the user of a session. code is a code of the second factor or a
// recovery code. The former recovery codes no longer work. The error is [ErrWrongCode], or ErrNotFound without a second
// factor.
func (s *Store) RenewRecoveryCodes(ctx context.Context, session, code string) (codes []string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		_, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		var has bool
		if err := database.Scan(tx.Raw("SELECT "+hasFactor+" FROM users u WHERE u.id = ?", u.ID), &has); err != nil {
			return err
		}
		if !has {
			return fmt.Errorf("you have no second factor: %w", campaign.ErrNotFound)
		}
		if err := s.useCode(tx, u.ID, code, true); err != nil {
			return err
		}
		if codes, err = storeRecoveryCodes(tx, u.ID); err != nil {
			return err
		}
		return s.LogSite(tx, "renew recovery codes", u.Login, "")
	})
	return codes, err
}

// RecoveryCodesLeft is the number of recovery codes that a user has not used.
func (s *Store) RecoveryCodesLeft(ctx context.Context, userID string) (left int, err error) {
	err = database.Scan(s.db.Read(ctx).Raw("SELECT count(*) FROM recovery_codes WHERE user_id = ?", userID), &left)
	return left, err
}

// EndSecondFactor turns off the second factor of the user of a session. code is a code of the second factor or a
// recovery code. The error is [ErrWrongCode].
func (s *Store) EndSecondFactor(ctx context.Context, session, code string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		_, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		if err := s.useCode(tx, u.ID, code, true); err != nil {
			return err
		}
		return s.dropSecondFactor(tx, u, "turn off second factor")
	})
}

// ResetSecondFactor deletes the second factor of a person who has lost it. Until the person sets up another one, anyone
// with the password or a link can sign in without a code.
func (s *Store) ResetSecondFactor(ctx context.Context, userID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := lockUser(tx, userID)
		if err != nil {
			return err
		}
		return s.dropSecondFactor(tx, u, "reset second factor")
	})
}

func (s *Store) dropSecondFactor(tx *database.Tx, u User, act string) error {
	res := tx.Exec("DELETE FROM second_factors WHERE user_id = ?", u.ID)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("%s has no second factor: %w", u.Login, campaign.ErrConflict)
	}
	if res.Error != nil {
		return res.Error
	}
	if err := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ?", u.ID).Error; err != nil {
		return err
	}
	return s.LogSite(tx, act, u.Login, "")
}

// hasFactor is the SQL condition that the user u has a second factor that is asked for.
const hasFactor = "EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id AND f.confirmed_at > 0)"

// WithSecondFactor returns the ids of the users who have a second factor.
func (s *Store) WithSecondFactor(ctx context.Context) (map[string]bool, error) {
	var ids []string
	err := s.db.Read(ctx).Raw("SELECT user_id FROM second_factors WHERE confirmed_at > 0").Scan(&ids).Error
	has := make(map[string]bool, len(ids))
	for _, id := range ids {
		has[id] = true
	}
	return has, err
}

// useCode checks a code of a user's second factor and uses it up. With recovery it may be a recovery code. The caller has locked the
// user. The error is [ErrWrongCode], or ErrNotFound if the user has no second factor.
func (s *Store) useCode(tx *database.Tx, userID, code string, recovery bool) error {
	var sealed string
	var last int64
	err := database.Scan(tx.Raw("SELECT secret, last_step FROM second_factors WHERE user_id = ?", userID), &sealed, &last)
	if err != nil {
		return err
	}
	code = plainCode(code)
	if recovery {
		res := tx.Exec("DELETE FROM recovery_codes WHERE user_id = ? AND code_hash = ?", userID, hashToken(code))
		if res.Error != nil || res.RowsAffected == 1 {
			return res.Error
		}
	}
	secret, err := s.box.Open(tx.Context(), factorPurpose(userID), sealed)
	if err != nil {
		return err
	}
	present := tx.Now().Unix() / int64(codeLasts.Seconds())
	for step := present - 1; step <= present+1; step++ {
		want, err := totp.GenerateCodeCustom(
			secret, time.Unix(step*int64(codeLasts.Seconds()), 0),
			totp.ValidateOpts{Period: uint(codeLasts.Seconds()), Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1},
		)
		if err != nil {
			return err
		}
		if step > last && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return tx.Exec("UPDATE second_factors SET last_step = ? WHERE user_id = ?", step, userID).Error
		}
	}
	return ErrWrongCode
}

// newRecoveryCode returns 80 random bits as four groups of four letters and digits.
func newRecoveryCode() string {
	text := strings.ToLower(rand.Text()[:16])
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// plainCode returns a code in lower case, without the spaces and hyphens that people type.
func plainCode(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// AwaitingCode returns the user of a session that awaits a code. The error is ErrNotFound if the session does not.
func (s *Store) AwaitingCode(ctx context.Context, session string) (User, error) {
	return FindUser(
		s.db.Read(ctx),
		"NOT disabled AND id = (SELECT user_id FROM sessions WHERE token_hash = ? AND awaits_code AND expires_at > "+fmt.Sprint(
			int64(database.InstantOf(s.db.Now())),
		)+")",
		hashToken(session),
	)
}

// GiveCode signs in with a code of the second factor, or a recovery code, in a session that awaits one. It returns the token of the
// session that begins. The error is [ErrWrongCode], or ErrNotFound if the session does not await a code.
func (s *Store) GiveCode(ctx context.Context, session, code, agent string) (token string, err error) {
	u, err := s.AwaitingCode(ctx, session)
	if err != nil {
		return "", err
	}
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		now, err := lockUser(tx, u.ID)
		if err != nil {
			return err
		}
		var awaits sessionRow
		if err := tx.Where("token_hash = ? AND awaits_code AND expires_at > ?",
			hashToken(session), database.InstantOf(tx.Now())).Take(&awaits).Error; err != nil {
			return fmt.Errorf("the time to give the code is over; sign in again: %w", campaign.ErrNotFound)
		}
		err = s.useCode(tx, u.ID, code, true)
		if errors.Is(err, campaign.ErrNotFound) { // it was reset meanwhile
			err = nil
		}
		if err != nil {
			return err
		}
		how := "with a code, after a password or a provider"
		if awaits.LinkedAt != 0 {
			how = "with a link and a code"
		}
		if token, err = s.storeSession(tx, now, agent, awaits.LinkedAt, false, how); err != nil {
			return err
		}
		if err := tx.Exec("INSERT INTO session_holders (token_hash, holder_id) SELECT ?, holder_id FROM session_holders WHERE token_hash = ?", hashToken(token), awaits.TokenHash).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM sessions WHERE token_hash = ?", awaits.TokenHash).Error
	})
	return token, err
}
