package accounts

import (
	"context"
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

// An invitation alone ends no session, link or password of the person. A new account joins by its sign-in link. An account
// that exists joins at
// once if the lead may do everything that its person may do, and if no credential of it has a holder
// who would be out of reach ([Store.outOfReach]). Otherwise the invitation waits, and changes nothing
// for the person until they accept it ([Store.Join]).
//
// Who accepts needs a session of the account. While a credential has a holder out of reach, they also
// need the join link, which the lead hands to the person: the holder has no join link, and the lead has
// no session. They then choose a new password, and all other credentials end. The holders of the new
// password and of the new session are those who hold both the session and the join link.

// An Invitation asks a person to become a member of a campaign.
type Invitation struct {
	Login string
	Name  string // of a new account; if empty, the login
	Role  campaign.Role
}

// Invited is what an invitation led to. At most one of its tokens is not empty.
type Invited struct {
	SignIn string // token of the sign-in link of a new account
	Join   string // token of the join link of an account that has to accept
}

// Invite adds a member to a campaign, or invites them. If the login has no account, it makes the account
// and a sign-in link.
func (s *Store) Invite(ctx context.Context, campaignID, login, name string, role campaign.Role, byID string) (Invited, error) {
	all, err := s.InviteAll(ctx, campaignID, []Invitation{{login, name, role}}, byID)
	if err != nil {
		return Invited{}, err
	}
	return all[0], nil
}

// InviteAll is [Store.Invite] for several people: either all are invited or none. An error begins
// with the login that caused it.
func (s *Store) InviteAll(ctx context.Context, campaignID string, people []Invitation, byID string) (all []Invited, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		all = nil
		for _, p := range people {
			made, err := s.invite(tx, campaignID, p, byID)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Login, err)
			}
			all = append(all, made)
		}
		return nil
	})
	return all, err
}

func (s *Store) invite(tx *database.Tx, campaignID string, p Invitation, byID string) (made Invited, err error) {
	if err := checkRole(p.Role); err != nil {
		return made, err
	}
	u, err := FindUser(tx.DB, "login = ?", p.Login)
	fresh := errors.Is(err, campaign.ErrNotFound)
	if fresh {
		u, err = s.InsertUser(tx, p.Login, p.Name, Member)
	}
	if err != nil {
		return made, err
	}
	was, err := isMember(tx.DB, campaignID, u.ID)
	if err != nil {
		return made, err
	}
	joined, _, err := s.joinOrWait(tx, campaignID, u.ID, []campaign.Role{p.Role}, byID)
	switch {
	case err != nil:
	case fresh:
		if err = holdMail(tx, u, byID); err == nil {
			made.SignIn, err = s.newLink(tx, campaignID, u.ID, byID, s.invitationLetter(tx, campaignID, byID, p.Role))
		}
	case !joined:
		made.Join, err = s.newJoinLink(tx, campaignID, u.ID, byID)
	case !was:
		err = s.mailJoined(tx, campaignID, u.ID, p.Role)
	}
	if err != nil {
		return made, err
	}
	return made, s.records.Audit(tx, campaignID, byID, "invite", p.Login+" as "+string(p.Role), "")
}

// joinOrWait makes a user a member with a role, or with two, or stores an invitation without a join
// link if the user has to accept. A user who is a member gets the role at once.
func (s *Store) joinOrWait(tx *database.Tx, campaignID, userID string, roles []campaign.Role, byID string) (joined bool, ended []Ended, err error) {
	if _, err := records.LockToChange(tx, campaignID); err != nil {
		return false, nil, err
	}
	if err := records.LockUsers(tx, userID); err != nil {
		return false, nil, err
	}
	joined = byID == ""
	if !joined {
		if joined, err = s.joinsAtOnce(tx.DB, campaignID, userID, byID); err != nil {
			return false, nil, err
		}
	}
	if joined {
		ended, err = s.setRoles(tx, campaignID, userID, roles, byID)
		return true, ended, err
	}
	if _, _, _, err := checkMembership(tx.DB, campaignID, userID, roles[0]); err != nil {
		return false, nil, err
	}
	return false, nil, tx.Exec(`INSERT INTO invitations (campaign_id, user_id, role, adjudicates, by_id, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (campaign_id, user_id) DO UPDATE SET role = excluded.role, adjudicates = excluded.adjudicates, by_id = excluded.by_id, at = excluded.at`,
		campaignID, userID, string(roles[0]), len(roles) > 1, byID, database.InstantOf(tx.Now())).Error
}

// joinsAtOnce reports whether a user becomes a member without being asked: nothing of theirs ends, and
// the lead byID may do everything that they may do. The command line, which has no byID, may.
func (s *Store) joinsAtOnce(db *gorm.DB, campaignID, userID, byID string) (bool, error) {
	if in, err := isMember(db, campaignID, userID); err != nil || in {
		return in, err
	}
	if byID != "" {
		if yes, err := reachesUser(db, byID, userID); err != nil || !yes {
			return false, err
		}
	}
	out, err := s.outOfReach(db, userID, campaignID)
	return err == nil && len(out) == 0, err
}

func (s *Store) setRoles(tx *database.Tx, campaignID, userID string, roles []campaign.Role, byID string) (ended []Ended, err error) {
	for _, role := range roles {
		more, err := s.SetMembership(tx, campaignID, userID, role, byID)
		if err != nil {
			return nil, err
		}
		ended = append(ended, more...)
	}
	return ended, nil
}

// AddImported makes a person whose ratings are imported a member of a campaign, in the name of the
// context's [records.Actor]. If the person would have to accept an invitation, AddImported makes them a
// removed member: their ratings count, a lead can invite them, and nothing changes for them.
func (s *Store) AddImported(tx *database.Tx, campaignID, userID string, role campaign.Role) error {
	if err := records.LockUsers(tx, userID); err != nil {
		return err
	}
	joins, err := s.joinsAtOnce(tx.DB, campaignID, userID, records.ActorOf(tx.Context()).UserID)
	if err != nil {
		return err
	}
	if joins {
		_, err = s.SetMembership(tx, campaignID, userID, role, "")
		return err
	}
	_, role, adjudicates, err := checkMembership(tx.DB, campaignID, userID, role)
	if err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO memberships (campaign_id, user_id, role, adjudicates, removed, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		campaignID, userID, string(role), adjudicates, true, database.InstantOf(tx.Now())).Error
}

// newJoinLink gives an invitation a new join link. A link made before is no longer good.
func (s *Store) newJoinLink(tx *database.Tx, campaignID, userID, byID string) (token string, err error) {
	if err := records.LockUsers(tx, userID, byID); err != nil {
		return "", err
	}
	ids, err := makers(tx, byID, userID)
	if err != nil {
		return "", err
	}
	token = newToken()
	err = tx.Exec("UPDATE invitations SET token_hash = ?, expires_at = ? WHERE campaign_id = ? AND user_id = ?",
		hashToken(token), database.InstantOf(tx.Now().Add(LinkLifetime)), campaignID, userID).Error
	if err != nil {
		return "", err
	}
	if err := tx.Exec("DELETE FROM invitation_holders WHERE campaign_id = ? AND user_id = ?", campaignID, userID).Error; err != nil {
		return "", err
	}
	for _, id := range ids {
		if err := tx.Exec("INSERT INTO invitation_holders (campaign_id, user_id, holder_id) VALUES (?, ?, ?)",
			campaignID, userID, id).Error; err != nil {
			return "", err
		}
	}
	return token, s.mailJoinLink(tx, campaignID, userID, token)
}

// RenewJoinLink makes a new join link for somebody who has not accepted an invitation to a campaign. The
// link made before is no longer good. The error is ErrNotFound if there is no such invitation.
func (s *Store) RenewJoinLink(ctx context.Context, campaignID, login, byID string) (token string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := invitee(tx, campaignID, login)
		if err != nil {
			return err
		}
		if token, err = s.newJoinLink(tx, campaignID, u.ID, byID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, byID, "new join link", login, "")
	})
	return token, err
}

// WithdrawInvitation takes an invitation back. The error is ErrNotFound if there is none.
func (s *Store) WithdrawInvitation(ctx context.Context, campaignID, login, byID string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		u, err := invitee(tx, campaignID, login)
		if err != nil {
			return err
		}
		if err := dropInvitation(tx, campaignID, u.ID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, byID, "withdraw invitation", login, "")
	})
}

// DeclineInvitation answers an invitation of a user to a campaign with no. Without an invitation it does nothing.
func (s *Store) DeclineInvitation(ctx context.Context, campaignID string, u User) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if _, err := invitee(tx, campaignID, u.Login); errors.Is(err, campaign.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		if err := dropInvitation(tx, campaignID, u.ID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, u.ID, "decline invitation", u.Login, "")
	})
}

// invitee locks the account of an invited person.
func invitee(tx *database.Tx, campaignID, login string) (User, error) {
	u, err := FindUser(tx.DB, "login = ?", login)
	if err != nil {
		return u, err
	}
	if err := records.LockUsers(tx, u.ID); err != nil {
		return u, err
	}
	err = database.Scan(tx.Raw("SELECT user_id FROM invitations WHERE campaign_id = ? AND user_id = ?", campaignID, u.ID), new(string))
	if errors.Is(err, database.ErrNoRows) {
		err = fmt.Errorf("invitation of %q: %w", login, campaign.ErrNotFound)
	}
	return u, err
}

func dropInvitation(tx *database.Tx, campaignID, userID string) error {
	return tx.Exec("DELETE FROM invitations WHERE campaign_id = ? AND user_id = ?", campaignID, userID).Error
}

// A Waiting is an invitation that the person has not answered.
type Waiting struct {
	CampaignID, Slug, Title string
	Archived                bool
	UserID, Login           string
	Role                    campaign.Role
	Adjudicates             bool   // besides
	By                      string // name of the lead who invites
	At                      time.Time
	LinkUntil               time.Time // when its join link ends; zero if it has none
}

// RoleName is the role as pages say it.
func (w Waiting) RoleName() string {
	if w.Adjudicates {
		return string(w.Role) + " and adjudicator"
	}
	return string(w.Role)
}

const selectWaiting = `SELECT c.id AS campaign_id, c.slug, c.title, c.archived, u.id AS user_id, u.login, i.role, i.adjudicates, b.name AS by_name, i.at, i.expires_at
	FROM invitations i JOIN campaigns c ON c.id = i.campaign_id JOIN users u ON u.id = i.user_id JOIN users b ON b.id = i.by_id WHERE NOT c.deleted AND `

func waiting(db *gorm.DB, where string, args ...any) ([]Waiting, error) {
	var rows []struct {
		CampaignID, Slug, Title string
		Archived                bool
		UserID, Login, Role     string
		Adjudicates             bool
		ByName                  string
		At, ExpiresAt           database.Instant
	}
	err := db.Raw(selectWaiting+where, args...).Scan(&rows).Error
	out := make([]Waiting, len(rows))
	for i, r := range rows {
		out[i] = Waiting{
			r.CampaignID,
			r.Slug,
			r.Title,
			r.Archived,
			r.UserID,
			r.Login,
			campaign.Role(r.Role),
			r.Adjudicates,
			r.ByName,
			r.At.Time(),
			r.ExpiresAt.Time(),
		}
	}
	slices.SortFunc(out, func(a, b Waiting) int { return strings.Compare(a.Login+" "+a.Slug, b.Login+" "+b.Slug) })
	return out, err
}

// Waiting lists the invitations to a campaign that are not answered, by login.
func (s *Store) Waiting(ctx context.Context, campaignID string) ([]Waiting, error) {
	return waiting(s.db.Read(ctx), "c.id = ?", campaignID)
}

// WaitingFor lists the invitations that a user has not answered, by slug.
func (s *Store) WaitingFor(ctx context.Context, userID string) ([]Waiting, error) {
	return waiting(s.db.Read(ctx), "u.id = ?", userID)
}

// The errors of a join link that does not work. Each is an ErrNotFound.
var (
	ErrJoinUnknown = fmt.Errorf("this join link is not good any more: it was used, replaced, declined or withdrawn: %w", campaign.ErrNotFound)
	ErrJoinExpired = fmt.Errorf("this join link has expired; ask the lead of the campaign for a new one: %w", campaign.ErrNotFound)
)

// JoinLink returns the invitation that a join link is for. The error is ErrJoinUnknown or ErrJoinExpired.
func (s *Store) JoinLink(ctx context.Context, token string) (Waiting, error) {
	found, err := waiting(s.db.Read(ctx), "i.token_hash = ?", hashToken(token))
	switch {
	case err != nil:
		return Waiting{}, err
	case len(found) == 0:
		return Waiting{}, ErrJoinUnknown
	case found[0].LinkUntil.Before(s.db.Now()):
		return Waiting{}, ErrJoinExpired
	}
	return found[0], nil
}

// OutOfReach lists the people who may hold a credential of a user and who could get into a campaign by it
// if the user joined, although they may not do everything there. To join, the user needs the join link and
// chooses a new password, unless there is nobody.
func (s *Store) OutOfReach(ctx context.Context, userID, campaignID string) ([]User, error) {
	return s.outOfReach(s.db.Read(ctx), userID, campaignID)
}

// The errors of [Store.Join] that say what is missing.
var (
	ErrNeedsJoinLink = fmt.Errorf("open the join link that the lead of the campaign gives you: %w", campaign.ErrForbidden)
	ErrNotInvited    = fmt.Errorf("the invitation was declined or withdrawn: %w", campaign.ErrConflict)
	ErrNeedsPassword = fmt.Errorf("choose a new password to join: %w", campaign.ErrForbidden)
)

// Join accepts an invitation: it makes the user of a session a member of a campaign. link is the token of
// the join link, and hash that of a new password; both may be empty unless somebody is out of reach
// ([Store.OutOfReach]). In that case, Join stores the password, ends all other credentials of the account,
// and returns the token of a new session. The error is ErrNeedsJoinLink, ErrNeedsPassword, an ErrForbidden
// if somebody out of reach may have both the session and the join link, or one of [Store.SetMembership].
// It is ErrNotInvited if there is no invitation. Somebody who is a member already stays what they are.
func (s *Store) Join(ctx context.Context, campaignID, session, link, hash, agent string) (fresh string, err error) {
	err = s.db.Write(ctx, func(tx *database.Tx) error {
		fresh = ""
		if _, err := records.LockToChange(tx, campaignID); err != nil {
			return err
		}
		row, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		found, err := waiting(tx.DB, "c.id = ? AND u.id = ?", campaignID, u.ID)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			if in, err := isMember(tx.DB, campaignID, u.ID); err != nil || in {
				return err
			}
			return ErrNotInvited
		}
		if fresh, err = s.renewCredentials(tx, row, u, campaignID, link, hash, agent); err != nil {
			return err
		}
		roles := []campaign.Role{found[0].Role}
		if found[0].Adjudicates {
			roles = append(roles, campaign.Adjudicator)
		}
		if _, err := s.setRoles(tx, campaignID, u.ID, roles, u.ID); err != nil {
			return err
		}
		return s.records.Audit(tx, campaignID, u.ID, "join", u.Login+" as "+string(found[0].Role), "")
	})
	return fresh, err
}

// renewCredentials replaces the credentials of somebody who joins a campaign, if one of them has a holder
// out of reach. It returns the token of the new session. Its errors are those of [Store.Join].
func (s *Store) renewCredentials(tx *database.Tx, session sessionRow, u User, campaignID, link, hash, agent string) (fresh string, err error) {
	out, err := s.outOfReach(tx.DB, u.ID, campaignID)
	if err != nil || len(out) == 0 {
		return "", err
	}
	var until database.Instant
	err = database.Scan(
		tx.Raw("SELECT expires_at FROM invitations WHERE campaign_id = ? AND user_id = ? AND token_hash = ?", campaignID, u.ID, hashToken(link)),
		&until,
	)
	switch {
	case link == "", errors.Is(err, database.ErrNoRows), err == nil && until.Time().Before(tx.Now()):
		return "", ErrNeedsJoinLink
	case err != nil:
		return "", err
	case hash == "":
		return "", ErrNeedsPassword
	}
	var both []string
	err = tx.Raw("SELECT i.holder_id FROM invitation_holders i JOIN session_holders x ON x.holder_id = i.holder_id WHERE i.campaign_id = ? AND i.user_id = ? AND x.token_hash = ?",
		campaignID, u.ID, session.TokenHash).
		Scan(&both).
		Error
	if err != nil {
		return "", err
	}
	for _, h := range out {
		if slices.Contains(both, h.ID) {
			return "", fmt.Errorf(
				"%s could have had both your session and this join link; ask another lead of the campaign for a new join link: %w", h.Name,
				campaign.ErrForbidden,
			)
		}
	}
	if err := forgetPassword(tx, u.ID); err != nil {
		return "", err
	}
	if u, err = changeUser(tx, u.ID, "password_hash", hash); err != nil {
		return "", err
	}
	if err := endSessions(tx, u.ID, ""); err != nil {
		return "", err
	}
	if fresh, err = s.startSession(tx, u, agent, time.Time{}, "with a new password"); err != nil {
		return "", err
	}
	for _, id := range both {
		if err := tx.Exec("INSERT INTO password_holders (user_id, holder_id) VALUES (?, ?)", u.ID, id).Error; err != nil {
			return "", err
		}
		if err := tx.Exec("INSERT INTO session_holders (token_hash, holder_id) VALUES (?, ?)", hashToken(fresh), id).Error; err != nil {
			return "", err
		}
	}
	return fresh, s.LogSite(tx, "set password", u.Login, "to join a campaign")
}
