package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Site roles. An admin may do everything in every campaign.
const (
	Admin  = "admin"
	Member = "member"
)

// A User is an account.
type User struct {
	ID           string
	Login        string `person:"login"`
	Name         string `person:"name"`
	Role         string // [Admin] or [Member]
	PasswordHash string // empty if there is no password
	Disabled     bool
	CreatedAt    time.Time
	SecondFactor bool   // it was asked for; only [Store.Visit] fills it in
	Mail         string `person:"login"` // address; empty: the user gets no mail
	MailOff      bool   // the user wants no mail about work
}

// A UserRow is a row of the table users.
type UserRow struct {
	ID           string
	Login        string
	Name         string
	Role         string
	PasswordHash string
	Disabled     bool
	CreatedAt    database.Instant
	Mail         string
	MailOff      bool
}

func (UserRow) TableName() string { return "users" }

// User returns the account of the row.
func (r UserRow) User() User {
	return User{
		ID:           r.ID,
		Login:        r.Login,
		Name:         r.Name,
		Role:         r.Role,
		PasswordHash: r.PasswordHash,
		Disabled:     r.Disabled,
		CreatedAt:    r.CreatedAt.Time(),
		Mail:         r.Mail,
		MailOff:      r.MailOff,
	}
}

// AddUser creates an account. The login must be new (ErrConflict).
func (s *Store) AddUser(ctx context.Context, login, name, role string) (User, error) {
	var u User
	err := s.db.Write(ctx, func(tx *database.Tx) (err error) {
		if u, err = s.InsertUser(tx, login, name, role); err != nil {
			return err
		}
		return holdMail(tx, u, records.ActorOf(ctx).UserID)
	})
	return u, err
}

// InsertUser creates an account in a transaction; see [Store.AddUser]. A login that is an e-mail address is also the
// address of the account.
func (s *Store) InsertUser(tx *database.Tx, login, name, role string) (User, error) {
	if err := campaign.CheckLogin(login); err != nil {
		return User{}, err
	}
	name = cmp.Or(name, login)
	if err := campaign.CheckName("name", name); err != nil {
		return User{}, err
	}
	if role != Admin && role != Member {
		return User{}, campaign.Invalid("role", "use admin or member")
	}
	row := UserRow{ID: database.NewID(), Login: login, Name: name, Role: role, CreatedAt: database.InstantOf(tx.Now()), Mail: addressIn(login)}
	return row.User(), s.createUser(tx, row)
}

// AddImportedUser creates an account for a person whose ratings are imported. Nobody can sign in
// to it.
func (s *Store) AddImportedUser(tx *database.Tx, id, login string) error {
	if err := s.createUser(tx, UserRow{ID: id, Login: login, Name: login, Role: Member, CreatedAt: database.InstantOf(tx.Now())}); err != nil {
		return err
	}
	return tx.Exec("UPDATE users SET imported = ? WHERE id = ?", true, id).Error
}

// DropImportedUsers deletes those of some accounts that an import made and that nothing refers to.
func (s *Store) DropImportedUsers(ctx context.Context, ids []string) error {
	for _, id := range ids {
		err := s.db.Write(ctx, func(tx *database.Tx) error {
			return tx.Exec(`DELETE FROM users WHERE id = ? AND imported AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = users.id)
				AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.user_id = users.id)`, id).Error
		})
		if err != nil && !database.IsReferred(err) {
			return err
		}
	}
	return nil
}

func (s *Store) createUser(tx *database.Tx, row UserRow) error {
	if err := tx.Create(&row).Error; err != nil {
		if errors.Is(err, campaign.ErrConflict) {
			return fmt.Errorf("the login %q is taken: %w", row.Login, campaign.ErrConflict)
		}
		return err
	}
	return s.LogSite(tx, "add account", row.Login, row.Role)
}

// Users lists all accounts by login.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	var rows []UserRow
	err := s.db.Read(ctx).Find(&rows).Error
	users := make([]User, len(rows))
	for i, r := range rows {
		users[i] = r.User()
	}
	slices.SortFunc(users, func(a, b User) int { return strings.Compare(a.Login, b.Login) })
	return users, err
}

// SetRole makes an account an admin or a plain member. It ends all sessions and sign-in links of
// a new admin, and removes the password if a lead could have set it. An annotator of a campaign
// can't become an admin, because admins see all ratings; the error is ErrConflict.
func (s *Store) SetRole(ctx context.Context, userID, role string) error {
	if role != Admin && role != Member {
		return campaign.Invalid("role", "use admin or member")
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := lockUser(tx, userID)
		if err != nil || u.Role == role {
			return err
		}
		if role == Admin {
			var n int
			err := database.Scan(tx.Raw("SELECT count(*) FROM memberships WHERE user_id = ? AND role = 'annotator' AND NOT removed", userID), &n)
			if err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("%s annotates in a campaign and can't be an admin, who sees everybody's ratings: %w", u.Login, campaign.ErrConflict)
			}
			if err := endSessions(tx, userID, ""); err != nil {
				return err
			}
		}
		if _, err := changeUser(tx, userID, "role", role); err != nil {
			return err
		}
		if err := s.LogSite(tx, "set site role", u.Login, role); err != nil {
			return err
		}
		_, err = s.endOutOfReach(tx, userID)
		return err
	})
}

// LastSeen returns when each account was last used, by user id. Accounts without a session are
// left out.
func (s *Store) LastSeen(ctx context.Context) (map[string]time.Time, error) {
	var rows []struct {
		UserID string
		Seen   database.Instant
	}
	err := s.db.Read(ctx).Raw("SELECT user_id, max(last_seen_at) AS seen FROM sessions WHERE NOT awaits_code GROUP BY user_id").Scan(&rows).Error
	seen := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		seen[r.UserID] = r.Seen.Time()
	}
	return seen, err
}

// UserByLogin finds an account. The error is ErrNotFound if there is none, and names the login.
func (s *Store) UserByLogin(ctx context.Context, login string) (User, error) {
	return FindUser(s.db.Read(ctx), "login = ?", login)
}

// lockUser locks an account and returns it. The error is ErrNotFound if there is none, and names the id.
func lockUser(tx *database.Tx, id string) (User, error) {
	if err := records.LockUsers(tx, id); err != nil {
		return User{}, err
	}
	return FindUser(tx.DB, "id = ?", id)
}

// FindUser finds the account for which a condition with one parameter is true. The error is
// ErrNotFound if there is none, and names the parameter.
func FindUser(db *gorm.DB, where, value string) (User, error) {
	var row UserRow
	if err := db.Where(where, value).Take(&row).Error; err != nil {
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return User{}, fmt.Errorf("user %q: %w", value, campaign.ErrNotFound)
		}
		return User{}, err
	}
	return row.User(), nil
}

// SetPassword stores a password hash, for the command line. It ends all sessions and all unused
// sign-in links of the user.
func (s *Store) SetPassword(ctx context.Context, userID, hash string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := records.LockUsers(tx, userID); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM password_holders WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
		u, err := changeUser(tx, userID, "password_hash", hash)
		if err != nil {
			return err
		}
		if err := s.rounds.AllowSignIn(tx, userID); err != nil {
			return err
		}
		if err := endSessions(tx, userID, ""); err != nil {
			return err
		}
		return s.LogSite(tx, "set password", u.Login, "")
	})
}

// ErrNoProof: a password can't be set with a session alone.
var ErrNoProof = fmt.Errorf("give the current password, or sign in with a new link and set the password within %d minutes: %w",
	int(ProofLifetime.Minutes()), campaign.ErrForbidden)

// ChangePassword stores a new password hash for the user of a session. proof is the hash of the
// current password, which the caller has checked. Without a proof, the session must have been
// started by a sign-in link a short time ago ([Store.FreshLink]), otherwise the error is
// ErrNoProof. It ends every other session and every unused sign-in link of the user.
func (s *Store) ChangePassword(ctx context.Context, token, proof, hash string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		row, u, err := s.lockSession(tx, token)
		if err != nil {
			return err
		}
		if err := s.storePasswordHolders(tx, row, u, proof); err != nil {
			return err
		}
		if _, err := changeUser(tx, u.ID, "password_hash", hash); err != nil {
			return err
		}
		if err := endSessions(tx, u.ID, token); err != nil {
			return err
		}
		return s.LogSite(tx, "set password", u.Login, "")
	})
}

// storePasswordHolders checks the proof for a new password and stores its holders: the holders of
// the session. If the current password was given, only those of them who hold it too remain.
func (s *Store) storePasswordHolders(tx *database.Tx, session sessionRow, u User, proof string) error {
	if err := s.checkProof(session, u, proof); err != nil {
		return err
	}
	if proof != "" {
		return tx.Exec("DELETE FROM password_holders WHERE user_id = ? AND holder_id NOT IN (SELECT holder_id FROM session_holders WHERE token_hash = ?)",
			u.ID, session.TokenHash).Error
	}
	if err := tx.Exec("DELETE FROM password_holders WHERE user_id = ?", u.ID).Error; err != nil {
		return err
	}
	return tx.Exec(
		"INSERT INTO password_holders (user_id, holder_id) SELECT ?, holder_id FROM session_holders WHERE token_hash = ?", u.ID, session.TokenHash,
	).Error
}

// SetName changes the name of a user.
func (s *Store) SetName(ctx context.Context, userID, name string) error {
	if err := campaign.CheckName("name", name); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := changeUser(tx, userID, "name", name)
		if err != nil {
			return err
		}
		return s.LogSite(tx, "set name", u.Login, name)
	})
}

// SetDisabled disables an account or enables it again. Disabling ends its sessions, tokens and sign-in
// links, and the credentials of others of which this user is a holder.
func (s *Store) SetDisabled(ctx context.Context, userID string, disabled bool) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := records.LockUsers(tx, userID); err != nil {
			return err
		}
		u, err := changeUser(tx, userID, "disabled", disabled)
		if err != nil {
			return err
		}
		if err := s.rounds.FollowUser(tx, userID); err != nil {
			return err
		}
		if !disabled {
			return s.LogSite(tx, "enable account", u.Login, "")
		}
		if err := s.LogSite(tx, "disable account", u.Login, ""); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM sign_in_links WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM sessions WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM tokens WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
		_, err = s.endOutOfReach(tx, userID)
		return err
	})
}

// changeUser changes a column of a user and returns the user. The error is ErrNotFound if
// there is none.
func changeUser(tx *database.Tx, userID, column string, value any) (User, error) {
	if err := tx.Model(&UserRow{}).Where("id = ?", userID).Update(column, value).Error; err != nil {
		return User{}, err
	}
	return FindUser(tx.DB, "id = ?", userID)
}

// newToken returns a secret for a cookie or a link. Only its hash is stored ([hashToken]).
func newToken() string { return rand.Text() + rand.Text() }

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
