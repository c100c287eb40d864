package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// A Claim has the data that an OpenID Connect provider gives about a person.
type Claim struct {
	Issuer, Subject string
	Email           string // empty: not known, or not verified by the provider
	Name            string
}

// ErrUnknownSubject: no account belongs to the person of a claim.
var ErrUnknownSubject = fmt.Errorf(
	"you have no account here; ask the lead of your campaign to invite you with your e-mail address as login: %w", campaign.ErrForbidden,
)

// SignInBySubject begins a session for the person of a claim: the account that the subject was bound to or, the first
// time, the one whose login is the e-mail address, in capital or small letters. With create, a person without an
// account gets one with this login. The session awaits a code if the account has a second factor. The error is
// [ErrUnknownSubject], or ErrForbidden if the account is disabled.
func (s *Store) SignInBySubject(ctx context.Context, claim Claim, create bool, agent string) (token string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := s.ofClaim(tx, claim, create)
		if err != nil {
			return err
		}
		if err := records.LockUsers(tx, u.ID); err != nil {
			return err
		}
		if u, err = FindUser(tx.DB, "id = ?", u.ID); err != nil {
			return err
		}
		if err := s.rounds.AllowSignIn(tx, u.ID); err != nil {
			return err
		}
		token, err = s.startSession(tx, u, agent, time.Time{}, "by OpenID Connect")
		return err
	})
	return token, err
}

// ofClaim finds the account of a claim, and binds the subject to it.
func (s *Store) ofClaim(tx *database.Tx, claim Claim, create bool) (User, error) {
	var bound string
	err := database.Scan(tx.Raw("SELECT user_id FROM subjects WHERE issuer = ? AND subject = ?", claim.Issuer, database.Storable(claim.Subject)), &bound)
	if err == nil {
		return FindUser(tx.DB, "id = ?", bound)
	}
	if !errors.Is(err, campaign.ErrNotFound) {
		return User{}, err
	}
	var u User
	if claim.Email == "" {
		return User{}, ErrUnknownSubject
	}
	var ids []string
	if err := tx.Raw("SELECT id FROM users WHERE lower(login) = lower(?) AND NOT disabled", claim.Email).Scan(&ids).Error; err != nil {
		return User{}, err
	}
	switch {
	case len(ids) == 1:
		u, err = FindUser(tx.DB, "id = ?", ids[0])
	case len(ids) > 1, !create:
		return User{}, ErrUnknownSubject
	default:
		u, err = s.InsertUser(tx, claim.Email, claim.Name, Member)
	}
	if err != nil {
		return User{}, err
	}
	return u, s.bindSubject(tx, u, claim.Issuer, claim.Subject)
}

// BindSubject binds a subject of a provider to an account. The error is an ErrConflict if the subject is already bound
// to an account.
func (s *Store) BindSubject(ctx context.Context, userID, issuer, subject string) error {
	if err := campaign.CheckName("subject", subject); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "id = ?", userID)
		if err != nil {
			return err
		}
		return s.bindSubject(tx, u, issuer, subject)
	})
}

func (s *Store) bindSubject(tx *database.Tx, u User, issuer, subject string) error {
	res := tx.Exec(
		"INSERT INTO subjects (issuer, subject, user_id, bound_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		issuer, database.Storable(subject),
		u.ID, database.InstantOf(tx.Now()),
	)
	if res.Error == nil && res.RowsAffected == 0 {
		return fmt.Errorf("the subject %q is already bound to an account: %w", subject, campaign.ErrConflict)
	}
	if res.Error != nil {
		return res.Error
	}
	return s.siteLogBy(tx, records.ActorOf(tx.Context()).UserID, "bind subject", u.Login, issuer+" "+subject)
}

// A Subject identifies the person of an account at an OpenID Connect provider.
type Subject struct {
	Login           string `person:"login"`
	Issuer, Subject string
	BoundAt         time.Time
}

// Subjects lists the subjects that are bound to an account or, without one, to all accounts, by login and time.
func (s *Store) Subjects(ctx context.Context, userID string) ([]Subject, error) {
	var rows []struct {
		Login, Issuer, Subject string
		BoundAt                database.Instant
	}
	err := s.db.Read(ctx).
		Raw("SELECT u.login, x.issuer, x.subject, x.bound_at FROM subjects x JOIN users u ON u.id = x.user_id WHERE u.id = ? OR ? = '' ORDER BY u.login, x.bound_at, x.subject", userID, userID).
		Scan(&rows).
		Error
	out := make([]Subject, len(rows))
	for i, r := range rows {
		out[i] = Subject{r.Login, r.Issuer, r.Subject, r.BoundAt.Time()}
	}
	return out, err
}

// UnbindSubject removes the binding of a subject to an account. The error is ErrNotFound if the subject is not bound to
// the account.
func (s *Store) UnbindSubject(ctx context.Context, userID, issuer, subject string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := FindUser(tx.DB, "id = ?", userID)
		if err != nil {
			return err
		}
		res := tx.Exec("DELETE FROM subjects WHERE user_id = ? AND issuer = ? AND subject = ?",
			userID, database.Storable(issuer), database.Storable(subject))
		if res.Error == nil && res.RowsAffected == 0 {
			return fmt.Errorf("the subject %q is not bound to %s: %w", subject, u.Login, campaign.ErrNotFound)
		}
		if res.Error != nil {
			return res.Error
		}
		return s.LogSite(tx, "unbind subject", u.Login, issuer+" "+subject)
	})
}
