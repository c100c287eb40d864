package accounts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// Credentials of an account are its sign-in links, its sessions and its password.
// Whoever made a link may have used it, and so may hold the session that began with
// it, the password that was set there, and every link and session that followed from
// those. The tables link_holders, session_holders and password_holders name these
// people for each credential. The account's own user is never among them, and neither
// is the command line, which may do everything anyway.
//
// The rule: each holder of a credential reaches its account. Whatever changes what a
// person may do calls endOutOfReach for that person, which ends all credentials that
// break the rule from then on.

// reaches is a condition in SQL: the user h may do all that the user u may. An admin
// may. A lead may where the lead leads every campaign that u is a member of.
const reaches = `(NOT h.disabled AND (h.role = 'admin' OR u.role <> 'admin' AND NOT EXISTS (
	SELECT 1 FROM memberships m WHERE m.user_id = u.id AND NOT m.removed AND NOT EXISTS (
		SELECT 1 FROM memberships l WHERE l.campaign_id = m.campaign_id AND l.user_id = h.id AND l.role = 'lead' AND NOT l.removed))))`

// held lists the credentials of a user, and those that the user may hold, with their
// accounts and holders. It takes the user's id six times. Each part uses an index.
const held = `SELECT 'link' AS kind, x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'link', x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.user_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.holder_id = ?`

// endOutOfReach ends the credentials of a user, and those of others that the user may
// hold, where a holder does not reach the account.
func (s *Store) endOutOfReach(tx *database.Tx, userID string) error {
	ids := []any{userID, userID, userID, userID, userID, userID}
	// A credential that is being made meanwhile is seen once its account is locked.
	var accounts []string
	if err := tx.Raw("SELECT DISTINCT c.user_id FROM ("+held+") c", ids...).Scan(&accounts).Error; err != nil {
		return err
	}
	if err := records.LockUsers(tx, accounts...); err != nil {
		return err
	}
	var ended []struct{ Kind, TokenHash, UserID string }
	err := tx.Raw("SELECT DISTINCT c.kind, c.token_hash, c.user_id FROM ("+held+") c JOIN users h ON h.id = c.holder_id JOIN users u ON u.id = c.user_id WHERE NOT "+reaches, ids...).Scan(&ended).Error
	if err != nil {
		return err
	}
	kinds := map[string][]string{} // by account
	for _, c := range ended {
		kinds[c.UserID] = append(kinds[c.UserID], c.Kind)
		switch c.Kind {
		case "link":
			err = tx.Exec("DELETE FROM sign_in_links WHERE token_hash = ?", c.TokenHash).Error
		case "session":
			err = tx.Exec("DELETE FROM sessions WHERE token_hash = ?", c.TokenHash).Error
		default:
			err = forgetPassword(tx, c.UserID)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(kinds)) {
		u, err := FindUser(tx.DB, "id = ?", id)
		if err != nil {
			return err
		}
		slices.Sort(kinds[id])
		if err := s.LogSite(tx, "end what others may hold", u.Login, strings.Join(kinds[id], ", ")); err != nil {
			return err
		}
	}
	return nil
}

func forgetPassword(tx *database.Tx, userID string) error {
	if err := tx.Exec("DELETE FROM password_holders WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	return tx.Exec("UPDATE users SET password_hash = '' WHERE id = ?", userID).Error
}

// endSessions ends all sessions of a user but the one whose token is keep, and all
// sign-in links that nobody has used.
func endSessions(tx *database.Tx, userID, keep string) error {
	if err := tx.Exec("DELETE FROM sign_in_links WHERE user_id = ? AND used_at = 0", userID).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", userID, hashToken(keep)).Error
}

// holdLink names the holders of a new link for a user: the one who makes it, and who
// may hold the session in which it is made. It refuses with ErrForbidden if one of
// them does not reach the account.
func holdLink(tx *database.Tx, tokenHash, userID, byID string) error {
	err := tx.Exec("INSERT INTO link_holders (token_hash, holder_id) SELECT ?, holder_id FROM session_holders WHERE token_hash = ? AND holder_id <> ?",
		tokenHash, hashToken(records.ActorOf(tx.Context()).Session), userID).Error
	if err != nil {
		return err
	}
	if byID != "" && byID != userID {
		err := tx.Exec("INSERT INTO link_holders (token_hash, holder_id) VALUES (?, ?) ON CONFLICT (token_hash, holder_id) DO NOTHING", tokenHash, byID).Error
		if err != nil {
			return err
		}
	}
	var beyond int
	err = database.Scan(tx.Raw("SELECT count(*) FROM link_holders x JOIN users h ON h.id = x.holder_id JOIN users u ON u.id = ? WHERE x.token_hash = ? AND NOT "+reaches,
		userID, tokenHash), &beyond)
	if err == nil && beyond > 0 {
		return fmt.Errorf("this account may do more than you may; an admin can make the link: %w", campaign.ErrForbidden)
	}
	return err
}

// mayOpenCampaign refuses (ErrForbidden) to make a campaign in a session that
// somebody else may hold who would not see the campaign.
func mayOpenCampaign(db *gorm.DB) error {
	var logins []string
	err := db.Raw("SELECT h.login FROM session_holders x JOIN users h ON h.id = x.holder_id WHERE x.token_hash = ? AND (h.disabled OR h.role <> 'admin') ORDER BY h.login",
		hashToken(records.ActorOf(db.Statement.Context).Session)).Scan(&logins).Error
	if err == nil && len(logins) > 0 {
		return fmt.Errorf("you are signed in with a link that %s made and could have used; ask an admin for a sign-in link, and create the campaign once you have signed in with it: %w", logins[0], campaign.ErrForbidden)
	}
	return err
}
