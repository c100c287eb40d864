package accounts

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
)

// A linkRow is a row of the table sign_in_links.
type linkRow struct {
	TokenHash string
	UserID    string
	CreatedAt database.Instant
	ExpiresAt database.Instant
	UsedAt    database.Instant
}

func (linkRow) TableName() string { return "sign_in_links" }

// NewLink makes a sign-in link and returns its token, which signs the user in once within
// [LinkLifetime]. The error is ErrForbidden if the user may do more than the [records.Actor] who
// asks for the link.
func (s *Store) NewLink(ctx context.Context, userID string) (token string, err error) {
	byID := records.ActorOf(ctx).UserID
	err = s.db.Write(ctx, func(tx *database.Tx) (err error) {
		token, err = s.newLink(tx, "", userID, byID, s.linkLetter)
		return err
	})
	return token, err
}

// newLink makes a sign-in link. If the account has an address, the letter with the link goes to it. campaignID is the
// campaign for which the link is made, or empty.
func (s *Store) newLink(tx *database.Tx, campaignID, userID, byID string, letter func(path string) outbox.Letter) (string, error) {
	ids := []string{userID}
	if byID != "" {
		ids = append(ids, byID)
	}
	if err := records.LockUsers(tx, ids...); err != nil {
		return "", err
	}
	token, now := newToken(), tx.Now()
	if err := s.rounds.AllowSignIn(tx, userID); err != nil {
		return "", err
	}
	err := tx.Create(&linkRow{
		TokenHash: hashToken(token), UserID: userID, CreatedAt: database.InstantOf(now), ExpiresAt: database.InstantOf(now.Add(LinkLifetime)),
	}).Error
	if err != nil {
		return "", err
	}
	if err := storeLinkHolders(tx, hashToken(token), userID, byID); err != nil {
		return "", err
	}
	u, err := FindUser(tx.DB, "id = ?", userID)
	if err != nil {
		return "", err
	}
	if _, err := s.mailLink(tx, campaignID, u, token, letter); err != nil {
		return "", err
	}
	return token, s.siteLogBy(tx, byID, "make sign-in link", u.Login, "")
}

// The errors of a sign-in link that does not work. Each is an ErrNotFound.
var (
	ErrLinkUnknown = fmt.Errorf("this sign-in link is unknown: %w", campaign.ErrNotFound)
	ErrLinkUsed    = fmt.Errorf("this sign-in link has been used: %w", campaign.ErrNotFound)
	ErrLinkExpired = fmt.Errorf("this sign-in link has expired: %w", campaign.ErrNotFound)
)

// LinkUser returns the account that a sign-in link is for, and does not use the link up. The
// error is one of ErrLinkUnknown, ErrLinkUsed and ErrLinkExpired.
func (s *Store) LinkUser(ctx context.Context, token string) (User, error) {
	link, err := s.goodLink(s.db.Read(ctx), token)
	if err != nil {
		return User{}, err
	}
	return FindUser(s.db.Read(ctx), "id = ?", link.UserID)
}

// goodLink reads a link that can be used. Its errors are those of [Store.LinkUser].
func (s *Store) goodLink(db *gorm.DB, token string) (linkRow, error) {
	var link linkRow
	err := db.Where("token_hash = ?", hashToken(token)).Take(&link).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return link, ErrLinkUnknown
	case err != nil:
		return link, err
	case link.UsedAt != 0:
		return link, ErrLinkUsed
	case link.ExpiresAt.Time().Before(s.db.Now()):
		return link, ErrLinkExpired
	}
	return link, nil
}

// UseLink uses a link up and starts a session with it. The error is one of ErrLinkUnknown,
// ErrLinkUsed and ErrLinkExpired, or ErrForbidden if the account is disabled.
func (s *Store) UseLink(ctx context.Context, token, agent string) (session string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		link, err := s.goodLink(tx.DB, token)
		if err != nil {
			return err
		}
		if err := records.LockUsers(tx, link.UserID); err != nil {
			return err
		}
		if _, err := s.goodLink(tx.DB, token); err != nil { // it may have been used or ended before the lock
			return err
		}
		if err := tx.Exec("UPDATE sign_in_links SET used_at = ? WHERE token_hash = ?",
			database.InstantOf(tx.Now()), link.TokenHash).Error; err != nil {
			return err
		}
		u, err := FindUser(tx.DB, "id = ?", link.UserID)
		if err != nil {
			return err
		}
		if session, err = s.startSession(tx, u, agent, tx.Now(), "with a link"); err != nil {
			return err
		}
		return tx.Exec("INSERT INTO session_holders (token_hash, holder_id) SELECT ?, holder_id FROM link_holders WHERE token_hash = ?",
			hashToken(session), link.TokenHash).Error
	})
	return session, err
}
