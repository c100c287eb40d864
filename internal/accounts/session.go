package accounts

import (
	"context"
	crand "crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/readmodel"
	"annotate/internal/records"
)

// How long sessions and links last. Pages say [LinkLifetime] by templates.LinkDays, and docs/security.md says how long
// sessions last. The letter in mail.go and the page in web/templates/account/mail.templ say that [ForgottenLasts] is an hour.
const (
	LinkLifetime    = 14 * 24 * time.Hour
	ForgottenLasts  = time.Hour           // a link that a person has asked for on the sign-in page
	SessionLifetime = 30 * 24 * time.Hour // since the last visit
	SessionLimit    = 90 * 24 * time.Hour // since signing in
	// ProofLifetime is how long after signing in with a link a user can set a password
	// without giving the current one.
	ProofLifetime = 30 * time.Minute
	// seenEvery is the least time between two updates of last_seen_at, so that most reads
	// of a page write nothing.
	seenEvery = 10 * time.Minute
)

// A sessionRow is a row of the table sessions.
type sessionRow struct {
	TokenHash  string
	UserID     string
	Agent      string
	CreatedAt  database.Instant
	LastSeenAt database.Instant
	ExpiresAt  database.Instant
	LinkedAt   database.Instant // when a sign-in link started it; 0 if a password did
	AwaitsCode bool             // the session signs nobody in before [Store.GiveCode]
}

func (sessionRow) TableName() string { return "sessions" }

// StartSession signs in a user whose password the caller has checked. The error is ErrForbidden
// if the account is disabled, and ErrConflict if the password has been changed since u was read.
func (s *Store) StartSession(ctx context.Context, u User, agent string) (token string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		now, err := lockUser(tx, u.ID)
		if err != nil {
			return err
		}
		if now.PasswordHash != u.PasswordHash {
			return fmt.Errorf("the password of %q has been changed: %w", u.Login, campaign.ErrConflict)
		}
		if token, err = s.startSession(tx, now, agent, time.Time{}, "with a password"); err != nil {
			return err
		}
		return tx.Exec("INSERT INTO session_holders (token_hash, holder_id) SELECT ?, holder_id FROM password_holders WHERE user_id = ?",
			hashToken(token), u.ID).Error
	})
	return token, err
}

// signInAct is the act in the site's log when a user signs in.
const signInAct = "sign in"

// hasSignedIn is the SQL condition that the user u has signed in at any time. A sign-in from before
// the site's log existed counts as long as its session has not expired.
const hasSignedIn = "(EXISTS (SELECT 1 FROM sessions x WHERE x.user_id = u.id AND NOT x.awaits_code) OR EXISTS (SELECT 1 FROM site_log l WHERE l.user_id = u.id AND l.act = '" + signInAct + "'))"

// SignInAddresses lists the network addresses from which a login has signed in, each once. There are none for
// an unknown login.
func (s *Store) SignInAddresses(ctx context.Context, login string) ([]string, error) {
	var out []string
	err := s.db.Read(ctx).
		Raw("SELECT DISTINCT l.address FROM site_log l JOIN users u ON u.id = l.user_id WHERE u.login = ? AND l.act = ?", login, signInAct).
		Scan(&out).
		Error
	return out, err
}

// SignedIn returns the ids of the users who have signed in at any time.
func (s *Store) SignedIn(ctx context.Context) (map[string]bool, error) {
	var ids []string
	err := s.db.Read(ctx).Raw("SELECT u.id FROM users u WHERE " + hasSignedIn).Scan(&ids).Error
	signedIn := make(map[string]bool, len(ids))
	for _, id := range ids {
		signedIn[id] = true
	}
	return signedIn, err
}

// startSession stores a new session and returns its token. linkedAt is zero if no link
// started it; how says in words with what the user signs in. If the user has a second factor, the session awaits a code.
func (s *Store) startSession(tx *database.Tx, u User, agent string, linkedAt time.Time, how string) (string, error) {
	var awaits bool
	if err := database.Scan(tx.Raw("SELECT "+hasFactor+" FROM users u WHERE u.id = ?", u.ID), &awaits); err != nil {
		return "", err
	}
	return s.storeSession(tx, u, agent, database.InstantOf(linkedAt), awaits, how)
}

// storeSession stores a session. A session that signs the user in is logged; how says in words with
// what the user signs in.
func (s *Store) storeSession(tx *database.Tx, u User, agent string, linkedAt database.Instant, awaits bool, how string) (string, error) {
	if u.Disabled {
		return "", fmt.Errorf("the account %q is disabled: %w", u.Login, campaign.ErrForbidden)
	}
	agent = database.Storable(agent[:min(len(agent), 300)])
	token, now, lasts := newToken(), tx.Now(), SessionLifetime
	if awaits {
		lasts = awaitLasts
	}
	err := tx.Create(&sessionRow{
		TokenHash: hashToken(token), UserID: u.ID, Agent: agent, LinkedAt: linkedAt, AwaitsCode: awaits,
		CreatedAt: database.InstantOf(now), LastSeenAt: database.InstantOf(now), ExpiresAt: database.InstantOf(now.Add(lasts)),
	}).Error
	if err != nil || awaits {
		return token, err
	}
	return token, s.siteLogBy(tx, u.ID, signInAct, u.Login, how)
}

// lockSession locks the account of a session and reads both. The error is ErrForbidden if the session
// has ended or expired.
func (s *Store) lockSession(tx *database.Tx, token string) (row sessionRow, u User, err error) {
	read := func() (row sessionRow, err error) {
		err = tx.Where("token_hash = ? AND expires_at > ? AND NOT awaits_code", hashToken(token), database.InstantOf(tx.Now())).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			err = fmt.Errorf("your session has ended; sign in again: %w", campaign.ErrForbidden)
		}
		return row, err
	}
	if row, err = read(); err != nil {
		return row, u, err
	}
	if err = records.LockUsers(tx, row.UserID); err != nil {
		return row, u, err
	}
	if row, err = read(); err != nil { // it may have ended before the lock
		return row, u, err
	}
	u, err = FindUser(tx.DB, "id = ?", row.UserID)
	return row, u, err
}

// FreshLink reports whether a session began with a sign-in link within the last
// [ProofLifetime].
func (s *Store) FreshLink(ctx context.Context, token string) (bool, error) {
	var row sessionRow
	err := s.db.Read(ctx).Where("token_hash = ?", hashToken(token)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return false, nil
	}
	return err == nil && s.isFresh(row), err
}

func (s *Store) isFresh(r sessionRow) bool {
	return r.LinkedAt != 0 && s.db.Now().Sub(r.LinkedAt.Time()) <= ProofLifetime
}

// A sessionQuestion asks whom a session signs in, by the hash of its token.
type sessionQuestion string

// A visitor is the answer to a [sessionQuestion].
type visitor struct {
	user                   User
	seen, created, expires database.Instant // of the session
}

// Visit returns the user whose session has the token from a cookie. The error is ErrNotFound if
// the session was ended or has expired, or the account is disabled. If extended is true, the
// session now lasts for [SessionLifetime] from now, but not beyond [SessionLimit], and the cookie
// should be renewed.
func (s *Store) Visit(ctx context.Context, token string) (_ User, extended bool, err error) {
	session, now := hashToken(token), s.db.Now()
	v, err := ask(ctx, s, sessionQuestion(session), func() (v visitor, err error) {
		var u UserRow
		var factor bool
		err = database.Scan(
			s.db.Read(ctx).
				Raw(`SELECT u.id, u.login, u.name, u.role, u.password_hash, u.disabled, u.created_at, u.mail, u.mail_off, `+hasFactor+`, s.last_seen_at, s.created_at, s.expires_at
			FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ? AND NOT s.awaits_code AND NOT u.disabled`, session),
			&u.ID, &u.Login, &u.Name, &u.Role, &u.PasswordHash, &u.Disabled, &u.CreatedAt, &u.Mail, &u.MailOff, &factor, &v.seen, &v.created, &v.expires,
		)
		v.user = u.User()
		v.user.SecondFactor = factor
		return v, err
	})
	if err == nil && v.expires <= database.InstantOf(now) {
		err = campaign.ErrNotFound
	}
	if err != nil {
		return User{}, false, err
	}
	if now.Sub(v.seen.Time()) > seenEvery {
		until := min(database.InstantOf(now.Add(SessionLifetime)), database.InstantOf(v.created.Time().Add(SessionLimit)))
		extended = s.visits.note(session, visit{database.InstantOf(now), until})
	}
	return v.user, extended, nil
}

// Sessions lists the sessions of a user, the one with the latest visit first.
func (s *Store) Sessions(ctx context.Context, userID, currentToken string) ([]readmodel.Session, error) {
	var rows []sessionRow
	err := s.db.Read(ctx).
		Where("user_id = ? AND expires_at > ? AND NOT awaits_code", userID, database.InstantOf(s.db.Now())).
		Order("last_seen_at DESC").
		Find(&rows).
		Error
	out := make([]readmodel.Session, len(rows))
	for i, r := range rows {
		out[i] = readmodel.Session{
			ID:         sessionID(r.TokenHash),
			Agent:      r.Agent,
			CreatedAt:  r.CreatedAt.Time(),
			LastSeenAt: r.LastSeenAt.Time(),
			Current:    r.TokenHash == hashToken(currentToken),
		}
	}
	return out, err
}

// sessionID is the id of a session: the beginning of the hash of its token.
func sessionID(tokenHash string) string { return tokenHash[:16] }

// EndSession ends the session with a token, if there is one, and writes to the site's log that
// its user has signed out.
func (s *Store) EndSession(ctx context.Context, token string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "id = (SELECT user_id FROM sessions WHERE token_hash = ?)", hashToken(token))
		if errors.Is(err, campaign.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM sessions WHERE token_hash = ?", hashToken(token)).Error; err != nil {
			return err
		}
		return s.siteLogBy(tx, u.ID, "sign out", u.Login, "")
	})
}

// RevokeSession ends one of a user's sessions by its id. The error is ErrNotFound if the user has
// no such session.
func (s *Store) RevokeSession(ctx context.Context, userID, id string) error {
	if len(id) != 16 {
		return campaign.ErrNotFound
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		res := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND substr(token_hash, 1, 16) = ?", userID, id)
		if res.Error == nil && res.RowsAffected == 0 {
			return fmt.Errorf("session: %w", campaign.ErrNotFound)
		}
		if res.Error != nil {
			return res.Error
		}
		u, err := FindUser(tx.DB, "id = ?", userID)
		if err != nil {
			return err
		}
		return s.LogSite(tx, "end a session", u.Login, "")
	})
}

// EndSessions ends all sessions of a user except the one with the token keep, which may be empty,
// and all unused sign-in links.
func (s *Store) EndSessions(ctx context.Context, userID, keep string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := lockUser(tx, userID)
		if err != nil {
			return err
		}
		if err := endSessions(tx, userID, keep); err != nil {
			return err
		}
		return s.LogSite(tx, "end sessions", u.Login, "")
	})
}

// SessionKey returns the 64 bytes that sign cookies. The first call makes and stores them, so a
// restart of the server signs nobody out.
func (s *Store) SessionKey(ctx context.Context) ([]byte, error) {
	var value string
	err := s.db.Write(ctx, func(tx *database.Tx) error {
		key := make([]byte, 64)
		if _, err := crand.Read(key); err != nil {
			return err
		}
		err := tx.Exec("INSERT INTO application_values (name, value) VALUES ('session_key', ?) ON CONFLICT (name) DO NOTHING",
			base64.StdEncoding.EncodeToString(key)).Error
		if err != nil {
			return err
		}
		return database.Scan(tx.Raw("SELECT value FROM application_values WHERE name = 'session_key'"), &value)
	})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(value)
}
