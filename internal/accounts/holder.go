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

// The credentials of an account are its sign-in links, its sessions and its password. A person
// who made a link for somebody else could have used it. This person is a holder of the link, of
// the session that began with it, of a password that was set in that session, and of every link
// and session that followed from these. The tables link_holders, session_holders and
// password_holders list the holders of each credential. They never list the account's own user,
// nor the command line, which may do everything anyway.
//
// The rule: every holder of a credential may do everything that the user of the account may do.
// Otherwise the holder could gain rights. Every change of what a person may do calls
// endOutOfReach for that person, which ends the credentials that break the rule by now.

// reaches is the SQL condition that user h may do everything that user u may do. An admin may.
// A lead may if they lead every campaign that u is a member of.
const reaches = `(NOT h.disabled AND (h.role = 'admin' OR u.role <> 'admin' AND NOT EXISTS (
	SELECT 1 FROM memberships m WHERE m.user_id = u.id AND NOT m.removed AND NOT EXISTS (
		SELECT 1 FROM memberships l WHERE l.campaign_id = m.campaign_id AND l.user_id = h.id AND l.role = 'lead' AND NOT l.removed))))`

// credentials is a query for the credentials of a user's account, and for those of which the
// user is a holder, with their accounts and holders. Its parameter is the user's id, six times.
// Each part uses an index.
const credentials = `SELECT 'link' AS kind, x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'link', x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.user_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.holder_id = ?`

// endOutOfReach ends the credentials of a user's account, and those of which the user is a
// holder, if a holder does not reach the account ([reaches]).
func (s *Store) endOutOfReach(tx *database.Tx, userID string) error {
	ids := []any{userID, userID, userID, userID, userID, userID}
	// After the lock, the second query also sees credentials that others were just making.
	var accounts []string
	if err := tx.Raw("SELECT DISTINCT c.user_id FROM ("+credentials+") c", ids...).Scan(&accounts).Error; err != nil {
		return err
	}
	if err := records.LockUsers(tx, accounts...); err != nil {
		return err
	}
	var ended []struct{ Kind, TokenHash, UserID string }
	err := tx.Raw("SELECT DISTINCT c.kind, c.token_hash, c.user_id FROM ("+credentials+") c JOIN users h ON h.id = c.holder_id JOIN users u ON u.id = c.user_id WHERE NOT "+reaches, ids...).Scan(&ended).Error
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

// endSessions ends all sessions of a user except the one with the token keep, and all unused
// sign-in links.
func endSessions(tx *database.Tx, userID, keep string) error {
	if err := tx.Exec("DELETE FROM sign_in_links WHERE user_id = ? AND used_at = 0", userID).Error; err != nil {
		return err
	}
	return tx.Exec("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?", userID, hashToken(keep)).Error
}

// storeLinkHolders stores the holders of a new link for a user: the person who makes it, and the
// holders of the session in which it is made. The error is ErrForbidden if one of them does not
// reach the account ([reaches]).
func storeLinkHolders(tx *database.Tx, tokenHash, userID, byID string) error {
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

// mayCreateCampaign returns ErrForbidden if the session has a holder who is not an admin,
// because that person could not see the new campaign otherwise.
func mayCreateCampaign(db *gorm.DB) error {
	var logins []string
	err := db.Raw("SELECT h.login FROM session_holders x JOIN users h ON h.id = x.holder_id WHERE x.token_hash = ? AND (h.disabled OR h.role <> 'admin') ORDER BY h.login",
		hashToken(records.ActorOf(db.Statement.Context).Session)).Scan(&logins).Error
	if err == nil && len(logins) > 0 {
		return fmt.Errorf("you are signed in with a link that %s made and could have used; ask an admin for a sign-in link, and create the campaign once you have signed in with it: %w", logins[0], campaign.ErrForbidden)
	}
	return err
}
