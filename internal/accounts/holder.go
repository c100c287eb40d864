package accounts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/records"
)

// The credentials of an account are its sign-in links, its sessions, its tokens and its password. A person
// who made a link for somebody else could have used it. This person is a holder of the link, of
// the session that began with it, of a password that was set and of a token that was made in that session, and of every link
// and session that followed from these. The tables link_holders, session_holders, token_holders and
// password_holders list the holders of each credential. They never list the account's own user,
// nor the command line, which may do everything anyway.
//
// The rule: every holder of a credential may do everything that the user of the account may do.
// Otherwise the holder could gain rights. Every change of what a person may do calls
// endOutOfReach for that person, which ends the credentials that break the rule by now.
//
// A lead who invites a person must not end the person's credentials by that. Therefore an
// invitation that would end some waits until the person accepts it (invitation.go).

// reaches is the SQL condition that user h may do everything that user u may do. An admin may.
// A lead may if they lead every campaign that u is a member of.
const reaches = `(NOT h.disabled AND (h.role = 'admin' OR u.role <> 'admin' AND NOT EXISTS (
	SELECT 1 FROM memberships m WHERE m.user_id = u.id AND NOT m.removed AND NOT EXISTS (
		SELECT 1 FROM memberships l WHERE l.campaign_id = m.campaign_id AND l.user_id = h.id AND l.role = 'lead' AND NOT l.removed))))`

// credentials is a query for the credentials of a user's account, and for those of which the
// user is a holder, with their accounts and holders. Its parameter is the user's id, eight times. The token_hash of a token is its id.
// Each part uses an index.
const credentials = `SELECT 'link' AS kind, x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'link', x.token_hash, x.user_id, y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ?
	UNION SELECT 'session', x.token_hash, x.user_id, y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE y.holder_id = ?
	UNION SELECT 'token', x.id, x.user_id, y.holder_id FROM tokens x JOIN token_holders y ON y.token_id = x.id WHERE x.user_id = ?
	UNION SELECT 'token', x.id, x.user_id, y.holder_id FROM tokens x JOIN token_holders y ON y.token_id = x.id WHERE y.holder_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.user_id = ?
	UNION SELECT 'password', '', y.user_id, y.holder_id FROM password_holders y WHERE y.holder_id = ?`

// reachesUser reports whether a user may do everything that another one may do.
func reachesUser(db *gorm.DB, holderID, userID string) (yes bool, err error) {
	err = database.Scan(db.Raw("SELECT EXISTS (SELECT 1 FROM users h JOIN users u ON u.id = ? WHERE h.id = ? AND "+reaches+")", userID, holderID), &yes)
	return yes, err
}

// outOfReach lists the holders of the credentials with which a user can sign in or is signed in, or a program acts for the user, if
// they would not reach the account once the user is a member of a campaign: those who are neither
// admins nor leads of it.
func (s *Store) outOfReach(db *gorm.DB, userID, campaignID string) ([]User, error) {
	now := database.InstantOf(s.db.Now())
	var rows []UserRow
	err := db.Raw(`SELECT DISTINCT h.* FROM users h JOIN (
			SELECT y.holder_id FROM sign_in_links x JOIN link_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ? AND x.used_at = 0 AND x.expires_at > ?
			UNION SELECT y.holder_id FROM sessions x JOIN session_holders y ON y.token_hash = x.token_hash WHERE x.user_id = ? AND x.expires_at > ?
			UNION SELECT y.holder_id FROM tokens x JOIN token_holders y ON y.token_id = x.id WHERE x.user_id = ? AND x.expires_at > ?
			UNION SELECT y.holder_id FROM password_holders y WHERE y.user_id = ?) c ON c.holder_id = h.id
		WHERE h.disabled OR h.role <> 'admin' AND NOT EXISTS (
			SELECT 1 FROM memberships l WHERE l.campaign_id = ? AND l.user_id = h.id AND l.role = 'lead' AND NOT l.removed)
		ORDER BY h.login`, userID, now, userID, now, userID, now, userID, campaignID).Scan(&rows).Error
	out := make([]User, len(rows))
	for i, r := range rows {
		out[i] = r.User()
	}
	return out, err
}

// Ended are the kinds of a user's credentials that ended because somebody else may hold them.
type Ended struct {
	Login string
	Kinds []string // of link, password, session and token
}

// endOutOfReach ends the credentials of a user's account, and those of which the user is a
// holder, if a holder does not reach the account ([reaches]). It returns what it ended, by login.
func (s *Store) endOutOfReach(tx *database.Tx, userID string) ([]Ended, error) {
	ids := slices.Repeat([]any{userID}, 8)
	// After the lock, the second query also sees credentials that others were just making.
	var accounts []string
	if err := tx.Raw("SELECT DISTINCT c.user_id FROM ("+credentials+") c", ids...).Scan(&accounts).Error; err != nil {
		return nil, err
	}
	if err := records.LockUsers(tx, accounts...); err != nil {
		return nil, err
	}
	var ended []struct{ Kind, TokenHash, UserID string }
	err := tx.Raw("SELECT DISTINCT c.kind, c.token_hash, c.user_id FROM ("+credentials+") c JOIN users h ON h.id = c.holder_id JOIN users u ON u.id = c.user_id WHERE NOT "+reaches, ids...).
		Scan(&ended).
		Error
	if err != nil {
		return nil, err
	}
	kinds := map[string][]string{} // by account
	for _, c := range ended {
		kinds[c.UserID] = append(kinds[c.UserID], c.Kind)
		switch c.Kind {
		case "link":
			err = tx.Exec("DELETE FROM sign_in_links WHERE token_hash = ?", c.TokenHash).Error
		case "session":
			err = tx.Exec("DELETE FROM sessions WHERE token_hash = ?", c.TokenHash).Error
		case "token":
			err = tx.Exec("DELETE FROM tokens WHERE id = ?", c.TokenHash).Error
		default:
			err = forgetPassword(tx, c.UserID)
		}
		if err != nil {
			return nil, err
		}
	}
	var all []Ended
	for _, id := range slices.Sorted(maps.Keys(kinds)) {
		u, err := FindUser(tx.DB, "id = ?", id)
		if err != nil {
			return nil, err
		}
		slices.Sort(kinds[id])
		if err := s.LogSite(tx, "end what others may hold", u.Login, strings.Join(kinds[id], ", ")); err != nil {
			return nil, err
		}
		all = append(all, Ended{u.Login, slices.Compact(kinds[id])})
	}
	slices.SortFunc(all, func(a, b Ended) int { return strings.Compare(a.Login, b.Login) })
	return all, nil
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

// makers lists the ids of those who have a link that a person makes for a user: the person, and the
// holders of the session in which the link is made. The caller has locked the account of the person,
// so that the session does not end meanwhile.
func makers(tx *database.Tx, byID, userID string) (ids []string, err error) {
	if session := records.ActorOf(tx.Context()).Session; session != "" {
		if err := database.Scan(tx.Raw("SELECT user_id FROM sessions WHERE token_hash = ?", hashToken(session)), new(string)); errors.Is(
			err, database.ErrNoRows,
		) {
			return nil, fmt.Errorf("your session has ended; sign in again: %w", campaign.ErrForbidden)
		} else if err != nil {
			return nil, err
		}
		if err := tx.Raw("SELECT holder_id FROM session_holders WHERE token_hash = ?", hashToken(session)).Scan(&ids).Error; err != nil {
			return nil, err
		}
	}
	if byID != "" && !slices.Contains(ids, byID) {
		ids = append(ids, byID)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == userID }), nil
}

// storeLinkHolders stores the holders of a new link for a user ([makers]). The error is ErrForbidden
// if one of them does not reach the account ([reaches]).
func storeLinkHolders(tx *database.Tx, tokenHash, userID, byID string) error {
	ids, err := makers(tx, byID, userID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if yes, err := reachesUser(tx.DB, id, userID); err != nil {
			return err
		} else if !yes {
			return fmt.Errorf("this account may do more than you may, as it does if it belongs to a campaign that you don't lead; an admin can make the link: %w", campaign.ErrForbidden)
		}
		if err := tx.Exec("INSERT INTO link_holders (token_hash, holder_id) VALUES (?, ?)", tokenHash, id).Error; err != nil {
			return err
		}
	}
	return nil
}

// mayCreateCampaign returns ErrForbidden if the session or the token has a holder who is not an admin,
// because that person could not see the new campaign otherwise.
func mayCreateCampaign(db *gorm.DB) error {
	var logins []string
	actor := records.ActorOf(db.Statement.Context)
	err := db.Raw(`SELECT h.login FROM (SELECT holder_id FROM session_holders WHERE token_hash = ? UNION SELECT holder_id FROM token_holders WHERE token_id = ?) x
		JOIN users h ON h.id = x.holder_id WHERE h.disabled OR h.role <> 'admin' ORDER BY h.login`, hashToken(actor.Session), actor.Token).
		Scan(&logins).
		Error
	switch {
	case err != nil || len(logins) == 0:
		return err
	case actor.Token != "":
		return fmt.Errorf(
			"this token was made in a session that %s could have used; make a token in a session of your own, with a sign-in link of an admin: %w",
			logins[0], campaign.ErrForbidden,
		)
	}
	return fmt.Errorf(
		"you are signed in with a link that %s made and could have used; ask an admin for a sign-in link, and create the campaign once you have signed in with it: %w",
		logins[0], campaign.ErrForbidden,
	)
}
