package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/outbox"
	"annotate/internal/records"
	"annotate/internal/wording"
)

// Anyone who reads the mails to an address can sign in with a link that is sent there. So the people who entered the
// address are its holders (table mail_holders), and become holders of each link that is sent there. No link is sent to
// an address if one of its holders may do less than the account ([reaches]).

// CheckMail returns an error if address is not an e-mail address to which mail can be sent. field
// names the form's field in the error.
func CheckMail(field, address string) error {
	parsed, err := mail.ParseAddress(address)
	ascii := !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' })
	if err != nil || parsed.Address != address || !ascii || len(address) > 254 {
		return campaign.Invalid(field, "write only an e-mail address, such as mara@example.org")
	}
	return nil
}

// addressIn returns the login if it is an e-mail address, and otherwise "".
func addressIn(login string) string {
	if _, domain, _ := strings.Cut(login, "@"); strings.Contains(domain, ".") && CheckMail("login", login) == nil {
		return login
	}
	return ""
}

// holdMail stores the holders of an account's address: the user byID, who entered it, and the holders of this user's
// session.
func holdMail(tx *database.Tx, u User, byID string) error {
	if err := tx.Exec("DELETE FROM mail_holders WHERE user_id = ?", u.ID).Error; err != nil || u.Mail == "" {
		return err
	}
	if byID != "" {
		if err := records.LockUsers(tx, byID); err != nil {
			return err
		}
	}
	ids, err := makers(tx, byID, u.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.Exec("INSERT INTO mail_holders (user_id, holder_id) VALUES (?, ?)", u.ID, id).Error; err != nil {
			return err
		}
	}
	return nil
}

// SetMail changes the address of an account in the name of the context's [records.Actor]. An empty address removes it.
func (s *Store) SetMail(ctx context.Context, userID, address string) error {
	if address != "" {
		if err := CheckMail("mail", address); err != nil {
			return err
		}
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		if err := records.LockUsers(tx, userID); err != nil {
			return err
		}
		u, err := s.storeMail(tx, userID, address)
		if err != nil {
			return err
		}
		return holdMail(tx, u, records.ActorOf(ctx).UserID)
	})
}

// ChangeMail changes the address of the user of a session. proof and the holders are as in [Store.ChangePassword]. The
// former address gets a letter about the change.
func (s *Store) ChangeMail(ctx context.Context, session, proof, address string) error {
	if address != "" {
		if err := CheckMail("mail", address); err != nil {
			return err
		}
	}
	return s.db.Write(ctx, func(tx *database.Tx) error {
		row, u, err := s.lockSession(tx, session)
		if err != nil {
			return err
		}
		if err := s.checkProof(row, u, proof); err != nil {
			return err
		}
		if _, err := s.storeMail(tx, u.ID, address); err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM mail_holders WHERE user_id = ?", u.ID).Error; err != nil {
			return err
		}
		holders := "SELECT user_id, holder_id FROM (SELECT CAST(? AS TEXT) AS user_id, holder_id FROM session_holders WHERE token_hash = ?) x"
		args := []any{u.ID, row.TokenHash}
		if proof != "" { // only holders of both the session and the password
			holders, args = holders+" WHERE holder_id IN (SELECT holder_id FROM password_holders WHERE user_id = ?)", append(args, u.ID)
		}
		return tx.Exec("INSERT INTO mail_holders (user_id, holder_id) "+holders, args...).Error
	})
}

// storeMail stores the address of an account. The caller has locked the account.
func (s *Store) storeMail(tx *database.Tx, userID, address string) (User, error) {
	before, err := FindUser(tx.DB, "id = ?", userID)
	if err != nil {
		return before, err
	}
	if before.Mail != "" && before.Mail != address {
		if err := s.outbox.Mail(tx, "", before.Mail, s.outbox.OtherAddress(before.Login)); err != nil {
			return before, err
		}
	}
	u, err := changeUser(tx, userID, "mail", address)
	if err != nil {
		return u, err
	}
	return u, s.LogSite(tx, "set e-mail address", u.Login, address)
}

// SetMailOff turns mails about work off or on for a user.
func (s *Store) SetMailOff(ctx context.Context, userID string, off bool) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		_, err := changeUser(tx, userID, "mail_off", off)
		return err
	})
}

// checkProof checks the proof of the user of a session, as [Store.ChangePassword] describes it.
func (s *Store) checkProof(row sessionRow, u User, proof string) error {
	switch {
	case proof == "" && !s.isFresh(row):
		return ErrNoProof
	case proof != "" && proof != u.PasswordHash:
		return fmt.Errorf("the password has been changed meanwhile: %w", campaign.ErrConflict)
	}
	return nil
}

// linkLetter is the letter with a sign-in link.
func (s *Store) linkLetter(path string) outbox.Letter {
	return s.outbox.SignInLink(path, wording.Counted(int(LinkLifetime.Hours())/24, "day"))
}

// invitationLetter makes the letter with the first sign-in link of a person who is invited to a campaign.
func (s *Store) invitationLetter(tx *database.Tx, campaignID, byID string, role campaign.Role) func(path string) outbox.Letter {
	return func(path string) outbox.Letter {
		title, by, err := titleAndName(tx, campaignID, byID)
		if err != nil { // the link alone will do
			return s.linkLetter(path)
		}
		return s.outbox.Invitation(by, title, string(role), path, wording.Counted(int(LinkLifetime.Hours())/24, "day"))
	}
}

// titleAndName reads the title of a campaign and the name of a user. Without such a user, as on the command line, the
// name is “An admin”.
func titleAndName(tx *database.Tx, campaignID, userID string) (title, name string, err error) {
	err = database.Scan(
		tx.Raw("SELECT c.title, coalesce(u.name, 'An admin') FROM campaigns c LEFT JOIN users u ON u.id = ? WHERE c.id = ?", userID, campaignID),
		&title, &name,
	)
	return title, name, err
}

// mailLink sends a sign-in link to the address of its account, and reports whether it did. It sends nothing if the
// account has no address, or if a holder of the address may do less than the account. campaignID is as in [Store.newLink].
func (s *Store) mailLink(tx *database.Tx, campaignID string, u User, token string, letter func(path string) outbox.Letter) (is bool, err error) {
	if !s.outbox.Mails() || u.Mail == "" {
		return false, nil
	}
	var out int
	err = database.Scan(
		tx.Raw(
			"SELECT count(*) FROM mail_holders y JOIN users h ON h.id = y.holder_id JOIN users u ON u.id = y.user_id WHERE y.user_id = ? AND NOT "+reaches,
			u.ID,
		),
		&out,
	)
	if err != nil || out > 0 {
		return false, err
	}
	err = tx.Exec(`INSERT INTO link_holders (token_hash, holder_id) SELECT CAST(? AS TEXT), holder_id FROM mail_holders y WHERE user_id = ?
		AND NOT EXISTS (SELECT 1 FROM link_holders x WHERE x.token_hash = ? AND x.holder_id = y.holder_id)`, hashToken(token), u.ID, hashToken(token)).Error
	if err != nil {
		return false, err
	}
	return true, s.outbox.Mail(tx, campaignID, u.Mail, letter("/sign-in/link/"+token))
}

// mailJoinLink sends the join link of an invitation to the address of its person, unless a holder of the address may do
// less in the campaign than its leads. The holders of the address become holders of the link.
func (s *Store) mailJoinLink(tx *database.Tx, campaignID, userID, token string) error {
	found, err := waiting(tx.DB, "c.id = ? AND u.id = ?", campaignID, userID)
	if err != nil || len(found) == 0 || !s.outbox.Mails() {
		return err
	}
	var address string
	err = database.Scan(
		tx.Raw(`SELECT mail FROM users u WHERE u.id = ? AND NOT EXISTS (SELECT 1 FROM mail_holders y JOIN users h ON h.id = y.holder_id WHERE y.user_id = u.id
		AND (h.disabled OR h.role <> 'admin' AND NOT EXISTS (SELECT 1 FROM memberships l WHERE l.campaign_id = ? AND l.user_id = h.id AND l.role = 'lead' AND NOT l.removed)))`, userID, campaignID),
		&address,
	)
	if errors.Is(err, campaign.ErrNotFound) {
		return nil
	}
	if err != nil || address == "" {
		return err
	}
	err = tx.Exec(
		`INSERT INTO invitation_holders (campaign_id, user_id, holder_id) SELECT CAST(? AS TEXT), user_id, holder_id FROM mail_holders y WHERE user_id = ?
		AND NOT EXISTS (SELECT 1 FROM invitation_holders x WHERE x.campaign_id = ? AND x.user_id = y.user_id AND x.holder_id = y.holder_id)`,
		campaignID, userID, campaignID,
	).Error
	if err != nil {
		return err
	}
	return s.outbox.Mail(
		tx, campaignID, address,
		s.outbox.JoinLink(found[0].By, found[0].Title, found[0].RoleName(), "/join/"+token, wording.Counted(int(LinkLifetime.Hours())/24, "day")),
	)
}

// mailJoined sends a letter to a person who has become a member of a campaign without being asked.
func (s *Store) mailJoined(tx *database.Tx, campaignID, userID string, role campaign.Role) error {
	title, _, err := titleAndName(tx, campaignID, "")
	if err != nil {
		return err
	}
	return s.outbox.MailWork(tx, campaignID, userID, s.outbox.Joined(title, string(role)))
}

// maxForgotten is the largest number of accounts with one address that get a link at the same time.
const maxForgotten = 5

// Forgotten sends a sign-in link that lasts for [ForgottenLasts] to the accounts with a login or an e-mail address. An
// account gets no link if it is disabled, if it has no address, or if a holder of its address may do less than the
// account. The caller does not learn whether there is an account, and the same rows are written if there is none.
func (s *Store) Forgotten(ctx context.Context, typed string) error {
	return s.db.Write(ctx, func(tx *database.Tx) error {
		var ids []string
		err := tx.Raw("SELECT id FROM users WHERE (login = ? OR lower(mail) = lower(?)) AND mail <> '' AND NOT disabled AND NOT imported ORDER BY id LIMIT ?", database.Storable(typed), database.Storable(typed), maxForgotten).
			Scan(&ids).
			Error
		if err != nil {
			return err
		}
		if err := records.LockUsers(tx, ids...); err != nil {
			return err
		}
		var logins []string
		for _, id := range ids {
			u, err := FindUser(tx.DB, "id = ?", id)
			if err != nil {
				return err
			}
			token, now := newToken(), tx.Now()
			err = tx.Create(
				&linkRow{TokenHash: hashToken(token), UserID: id, CreatedAt: database.InstantOf(now), ExpiresAt: database.InstantOf(now.Add(ForgottenLasts))},
			).Error
			if err != nil {
				return err
			}
			is, err := s.mailLink(tx, "", u, token, func(path string) outbox.Letter { return s.outbox.Forgotten(u.Login, path, "an hour") })
			if err != nil {
				return err
			}
			if !is {
				err = tx.Exec("DELETE FROM sign_in_links WHERE token_hash = ?", hashToken(token)).Error
			} else {
				logins = append(logins, u.Login)
			}
			if err != nil {
				return err
			}
		}
		slices.Sort(logins)
		return s.siteLogBy(tx, "", "ask for a link by mail", strings.Join(logins, ", "), "")
	})
}
