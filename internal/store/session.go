package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	crand "crypto/rand"

	"gorm.io/gorm"

	"annotate/internal/campaign"
)

// How long links and sessions last.
const (
	LinkLifetime    = 14 * 24 * time.Hour
	SessionLifetime = 30 * 24 * time.Hour // since the last visit
	// seenEvery is how exactly last_seen_at is kept, so that reading a page
	// seldom writes.
	seenEvery = 10 * time.Minute
)

type linkRow struct {
	TokenHash string
	UserID    string
	CreatedAt instant
	ExpiresAt instant
	UsedAt    instant
}

func (linkRow) TableName() string { return "sign_in_links" }

type sessionRow struct {
	TokenHash  string
	UserID     string
	LinkHash   string
	Agent      string
	CreatedAt  instant
	LastSeenAt instant
	ExpiresAt  instant
}

func (sessionRow) TableName() string { return "sessions" }

// A Session is one browser in which a user is signed in.
type Session struct {
	ID         string // for revoking; says nothing about the token
	Agent      string
	CreatedAt  time.Time
	LastSeenAt time.Time
	Current    bool
}

// NewLink makes a token that signs the user in once, within [LinkLifetime].
func (s *Store) NewLink(ctx context.Context, userID string) (token string, err error) {
	err = s.write(ctx, func(tx *gorm.DB) (err error) {
		token, err = s.newLink(tx, userID)
		return err
	})
	return token, err
}

func (s *Store) newLink(tx *gorm.DB, userID string) (string, error) {
	token, now := newToken(), s.now()
	return token, tx.Create(&linkRow{
		TokenHash: hashToken(token), UserID: userID, CreatedAt: instantOf(now), ExpiresAt: instantOf(now.Add(LinkLifetime)),
	}).Error
}

// dropLinks ends the sign-in links of a user that nobody has used, and the
// sessions they began that have not come back: who made one may no longer do so.
func dropLinks(tx *gorm.DB, userID string) error {
	if err := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND link_hash <> ''", userID).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM sign_in_links WHERE user_id = ? AND used_at = 0", userID).Error
}

// Why a sign-in link does not work; each is an ErrNotFound.
var (
	ErrLinkUnknown = fmt.Errorf("this sign-in link is unknown: %w", campaign.ErrNotFound)
	ErrLinkUsed    = fmt.Errorf("this sign-in link has been used: %w", campaign.ErrNotFound)
	ErrLinkExpired = fmt.Errorf("this sign-in link has expired: %w", campaign.ErrNotFound)
)

// UseLink starts a session from a link. The link is spent when the session is
// used for the first time (see SessionUser): messengers and mail scanners fetch
// addresses to preview them, but do not come back with the cookie. The error is
// one of ErrLinkUnknown, ErrLinkUsed, ErrLinkExpired, or ErrForbidden for a
// disabled account.
func (s *Store) UseLink(ctx context.Context, token, agent string) (session string, err error) {
	err = s.write(ctx, func(tx *gorm.DB) error {
		link, err := gorm.G[linkRow](tx).Where("token_hash = ?", hashToken(token)).First(tx.Statement.Context)
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			return ErrLinkUnknown
		case err != nil:
			return err
		case link.UsedAt != 0:
			return ErrLinkUsed
		case link.ExpiresAt.time().Before(s.now()):
			return ErrLinkExpired
		}
		session, err = s.startSession(tx, link.UserID, agent, link.TokenHash)
		return err
	})
	return session, err
}

// spendLink is called when a session that a link began is used for the first
// time. Of several sessions from one link the first to come back wins; the
// others end, and are ErrNotFound.
func (s *Store) spendLink(ctx context.Context, token, linkHash string) error {
	return s.write(ctx, func(tx *gorm.DB) error {
		// The link first: who comes second waits here.
		res := tx.Exec("UPDATE sign_in_links SET used_at = ? WHERE token_hash = ? AND used_at = 0", instantOf(s.now()), linkHash)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			// Another request with the same cookie came first, or a session
			// from the same link did and ended this one.
			var n int
			if err := scan(tx.Raw("SELECT count(*) FROM sessions WHERE token_hash = ? AND link_hash = ''", hashToken(token)), &n); err != nil || n > 0 {
				return err
			}
			return ErrLinkUsed
		}
		if err := tx.Exec("UPDATE sessions SET link_hash = '' WHERE token_hash = ?", hashToken(token)).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM sessions WHERE link_hash = ?", linkHash).Error
	})
}

// StartSession signs a user in; a disabled account is ErrForbidden.
func (s *Store) StartSession(ctx context.Context, userID, agent string) (token string, err error) {
	err = s.write(ctx, func(tx *gorm.DB) error {
		token, err = s.startSession(tx, userID, agent, "")
		return err
	})
	return token, err
}

func (s *Store) startSession(tx *gorm.DB, userID, agent, linkHash string) (string, error) {
	u, err := findUser(tx, "id = ?", userID)
	if err != nil {
		return "", err
	}
	if u.Disabled {
		return "", fmt.Errorf("the account %q is disabled: %w", u.Login, campaign.ErrForbidden)
	}
	agent = storable(agent[:min(len(agent), 300)])
	token, now := newToken(), s.now()
	return token, tx.Create(&sessionRow{
		TokenHash: hashToken(token), UserID: userID, LinkHash: linkHash, Agent: agent,
		CreatedAt: instantOf(now), LastSeenAt: instantOf(now), ExpiresAt: instantOf(now.Add(SessionLifetime)),
	}).Error
}

// SessionUser is the user a session token belongs to; ErrNotFound when it was
// ended or has expired, or the account is disabled.
func (s *Store) SessionUser(ctx context.Context, token string) (User, error) {
	u, _, err := s.Visit(ctx, token)
	return u, err
}

// Visit is SessionUser for who keeps the token in a cookie: extended says that
// the session lasts [SessionLifetime] from now, as the cookie then should.
func (s *Store) Visit(ctx context.Context, token string) (_ User, extended bool, err error) {
	var u userRow
	var seen instant
	var linkHash string
	now := s.now()
	err = scan(s.read(ctx).Raw(`SELECT u.id, u.login, u.name, u.role, u.password_hash, u.disabled, u.created_at, s.last_seen_at, s.link_hash
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = ? AND s.expires_at > ? AND NOT u.disabled`, hashToken(token), instantOf(now)),
		&u.ID, &u.Login, &u.Name, &u.Role, &u.PasswordHash, &u.Disabled, &u.CreatedAt, &seen, &linkHash)
	if err != nil {
		return User{}, false, translate(err)
	}
	if linkHash != "" {
		if err := s.spendLink(ctx, token, linkHash); err != nil {
			return User{}, false, err
		}
	}
	if now.Sub(seen.time()) > seenEvery {
		extended = s.visits.note(hashToken(token), visit{instantOf(now), instantOf(now.Add(SessionLifetime))})
	}
	return u.user(), extended, nil
}

// Sessions lists where a user is signed in, the latest visit first.
func (s *Store) Sessions(ctx context.Context, userID, currentToken string) ([]Session, error) {
	rows, err := gorm.G[sessionRow](s.reader).Where("user_id = ? AND link_hash = '' AND expires_at > ?", userID, instantOf(s.now())).
		Order("last_seen_at DESC").Find(ctx)
	out := make([]Session, len(rows))
	for i, r := range rows {
		out[i] = Session{sessionID(r.TokenHash), r.Agent, r.CreatedAt.time(), r.LastSeenAt.time(), r.TokenHash == hashToken(currentToken)}
	}
	return out, translate(err)
}

// sessionID is enough of the hash to tell a user's sessions apart.
func sessionID(tokenHash string) string { return tokenHash[:16] }

// EndSession ends the session with the given token, if there is one.
func (s *Store) EndSession(ctx context.Context, token string) error {
	return s.write(ctx, func(tx *gorm.DB) error {
		return tx.Exec("DELETE FROM sessions WHERE token_hash = ?", hashToken(token)).Error
	})
}

// RevokeSession ends one of a user's sessions by its id; ErrNotFound if it is
// not theirs.
func (s *Store) RevokeSession(ctx context.Context, userID, id string) error {
	if len(id) != 16 {
		return campaign.ErrNotFound
	}
	return s.write(ctx, func(tx *gorm.DB) error {
		res := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND substr(token_hash, 1, 16) = ?", userID, id)
		if res.Error == nil && res.RowsAffected == 0 {
			return fmt.Errorf("session: %w", campaign.ErrNotFound)
		}
		return res.Error
	})
}

// SessionKey returns the 64 bytes that sign cookies, made at the first call and
// kept, so that a restart signs nobody out.
func (s *Store) SessionKey(ctx context.Context) ([]byte, error) {
	var value string
	err := s.write(ctx, func(tx *gorm.DB) error {
		key := make([]byte, 64)
		if _, err := crand.Read(key); err != nil {
			return err
		}
		err := tx.Exec("INSERT INTO application_values (name, value) VALUES ('session_key', ?) ON CONFLICT (name) DO NOTHING",
			base64.StdEncoding.EncodeToString(key)).Error
		if err != nil {
			return err
		}
		return scan(tx.Raw("SELECT value FROM application_values WHERE name = 'session_key'"), &value)
	})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(value)
}
